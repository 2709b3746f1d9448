"""A small dialog that asks what to replace by what, in whose steps, and why."""

from __future__ import annotations

from typing import ClassVar

import msgspec
from rollstep.core.errors import UsageError
from rollstep.core.rules.replacing import Replacement, Where, check_replacement
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..widgets.text_box import TextBox
from .key_guard import KeyGuard

_WHERE: tuple[tuple[str, tuple[Where, ...]], ...] = (
    ("all steps", ("evaluator", "target", "tool")),
    ("evaluator messages", ("evaluator",)),
    ("tool results", ("tool",)),
    ("target replies", ("target",)),
    ("arguments of the target's calls", ("arguments",)),
    ("all steps and the arguments of calls", ("evaluator", "target", "tool", "arguments")),
)


class ReplaceAsked(msgspec.Struct, frozen=True):
    """What is to be replaced, and the reason of each override."""

    wanted: Replacement
    reason: str


class ReplaceAskScreen(ModalScreen[ReplaceAsked | None]):
    """Dismisses with what was asked for, or None."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    ReplaceAskScreen {
        align: center middle;
        background: $background 60%;
        #dialog {
            width: 76;
            max-width: 100%;
            height: auto;
            background: $surface;
            border: round $primary;
            padding: 0 1;
        }
        #title { text-style: bold; padding: 0 1; margin: 0 0 1 0; }
        .row { height: 1; }
        .name { width: 9; padding: 0 1; }
        #where, #problem { padding: 0 1; }
        #where { margin: 1 0 0 0; }
        #problem { color: $warning; min-height: 1; }
        #keys { padding: 0 1; color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("ctrl+s", "go", "Go"),
        Binding("up", "turn(-1)", "Where", show=False, priority=True),
        Binding("down", "turn(1)", "Where", show=False, priority=True),
    ]

    def __init__(self, title: str, before: ReplaceAsked | None = None, problem: str = "") -> None:
        """``before`` is what was asked for, where that came to nothing: the ``problem``."""
        super().__init__()
        self._before = before
        self._problem = problem
        self._title = title
        self._guard = KeyGuard()
        self._where = 0
        self._boxes = {name: TextBox(single_line=True) for name in ("find", "put", "reason")}

    def compose(self) -> ComposeResult:
        """Three lines, whose steps, what is wrong, the keys."""
        with Vertical(id="dialog"):
            yield Static(Content(one_line(self._title)), id="title")
            for name, box in self._boxes.items():
                with Horizontal(classes="row"):
                    yield Static(name, classes="name")
                    yield box
            yield Static(id="where")
            yield Static(id="problem")
            yield Static(
                "Enter next line, then look   ↑ ↓ in which steps   /…/ an expression   Esc cancel",
                id="keys",
            )

    def on_mount(self) -> None:
        """Type at once."""
        self._boxes["find"].focus()
        self._guard.opened("the dialog opens")
        if (before := self._before) is not None:
            wanted = before.wanted
            texts = (wanted.find, wanted.put, before.reason)
            for box, text in zip(self._boxes.values(), texts, strict=True):
                box.value = text
            self._where = next(n for n, (_, where) in enumerate(_WHERE) if where == wanted.roles)
        self._say(self._problem)
        self.action_turn(0)

    def action_turn(self, by: int) -> None:
        """In other steps."""
        self._where = (self._where + by) % len(_WHERE)
        self.query_one("#where", Static).update(f"in {_WHERE[self._where][0]}")

    def on_paste(self, event: events.Paste) -> None:
        """Enter rests for a moment: it may be the paste's own tail."""
        self._guard.pasted()

    def on_text_box_pasted(self) -> None:
        """The same in a line."""
        self._guard.pasted()

    def on_text_box_submitted(self, event: TextBox.Submitted) -> None:
        """Enter: the next line, or go."""
        boxes = list(self._boxes.values())
        place = boxes.index(event.box) + 1
        if self._guard.closed:
            self._say(self._guard.words("Enter"))
        elif place < len(boxes):
            boxes[place].focus()
        else:
            self.action_go()

    def action_go(self) -> None:
        """With what stands there now, if it can be."""
        if self._guard.closed:
            self._say(self._guard.words("Ctrl+S"))
            return
        find, put, reason = (box.value for box in self._boxes.values())
        wanted = Replacement(find, put, _WHERE[self._where][1])
        try:
            check_replacement(wanted)
        except UsageError as error:
            self._say(str(error))
        else:
            self.dismiss(ReplaceAsked(wanted, reason))

    def _say(self, words: str) -> None:
        self.query_one("#problem", Static).update(Content(visible(words)))

    def action_cancel(self) -> None:
        """Nothing happens."""
        self.dismiss(None)
