"""The dialog behind ``r``: how many takes, and what a model is told otherwise for them."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from ..sanitize import one_line, visible
from ..widgets.text_box import TextBox
from ..wrap import fit
from .key_guard import KeyGuard

MOST = 99
_NUMBERS = tuple(str(n) for n in range(1, 10))
_NEXT_SHOWN = 3


@dataclass(frozen=True)
class RetakeChoice:
    """What was chosen, as it was typed; the last three are for models only."""

    count: str = "1"
    model: str = ""
    temperature: str = ""
    instruction: str = ""

    @property
    def takes(self) -> int:
        """How many; 0 for what is no number from 1 to ``MOST``."""
        text = self.count.strip()
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
        return number if number <= MOST else 0

    def problem(self) -> str:
        """What is wrong, or nothing."""
        if not self.takes:
            return f"How many takes: a number from 1 to {MOST}."
        if self.temperature.strip() and self.degrees() is None:
            return "The temperature is a number from 0 on, such as 0.7; empty leaves the project's."
        return ""

    def degrees(self) -> float | None:
        """The temperature, where one is given."""
        try:
            value = float(self.temperature)
        except ValueError:
            return None
        return value if math.isfinite(value) and value >= 0 else None


@dataclass(frozen=True)
class RetakeRequest:
    """``choice`` stands in the fields at first. ``model`` is whether a model is asked, which can be
    told otherwise. ``cost`` says what so many takes would cost; ``peek`` gives what a script would
    say next, or why nothing.
    """

    title: str
    choice: RetakeChoice
    model: bool
    cost: Callable[[RetakeChoice], str]
    peek: Callable[[], Awaitable[tuple[str, ...] | str]] | None = None


class RetakeScreen(ModalScreen[RetakeChoice | None]):
    """Dismisses with the choice, or None. Enter in any field goes."""

    CSS_PATH = "retake.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("ctrl+s", "go", "Ask"),
    ]

    def __init__(self, request: RetakeRequest) -> None:
        super().__init__()
        self.request = request
        self._guard = KeyGuard()
        self._next: tuple[str, ...] | str = ()
        choice = request.choice
        self._count = TextBox(choice.count, single_line=True, choices=_NUMBERS)
        self._fields = {"how many": self._count}
        if request.model:
            for name in ("model", "temperature", "instruction"):
                self._fields[name] = TextBox(getattr(choice, name), single_line=True)

    def compose(self) -> ComposeResult:
        """The fields, what it means, the keys."""
        with Vertical(id="dialog"):
            yield Static(Content(one_line(self.request.title)), id="title")
            for name, box in self._fields.items():
                with Horizontal(classes="row"):
                    yield Static(name, classes="name")
                    yield box
            yield Static(id="about")
            yield Static(Content(self._keys()), id="keys")

    def _keys(self) -> str:
        tab = "   Tab next field" if self.request.model else ""
        return f"1-9 how many{tab}   Enter ask   Esc cancel"

    def on_mount(self) -> None:
        """The number is chosen: a digit replaces it."""
        self._count.focus()
        self._count.select_all()
        self._say()
        self._guard.opened("the dialog opens")
        if self.request.peek is not None:
            self._look()

    @work
    async def _look(self) -> None:
        assert self.request.peek is not None
        self._next = await self.request.peek()
        self._say()

    @property
    def choice(self) -> RetakeChoice:
        """What the fields hold."""
        typed = {name: box.value for name, box in self._fields.items() if name != "how many"}
        return RetakeChoice(self._count.value, **typed)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Another number costs otherwise."""
        self._say()

    def _say(self, words: str = "") -> None:
        """What Enter would do, or what is wrong."""
        choice = self.choice
        lines = [words or choice.problem() or self.request.cost(choice)]
        if isinstance(self._next, str):
            lines = [self._next]
        elif self._next:
            there = self._next[: max(choice.takes, 1)]
            lines += [f"next: {_brief(text)}" for text in there[:_NEXT_SHOWN]]
            if len(self._next) < choice.takes:
                lines.append(f"There are no more than these {len(self._next)}.")
        self.query_one("#about", Static).update(Content(visible("\n".join(lines))))

    def on_text_box_pasted(self) -> None:
        """Enter rests for a moment: it may be the paste's own tail."""
        self._guard.pasted()

    def on_text_box_submitted(self) -> None:
        """Enter."""
        self.action_go()

    def action_go(self) -> None:
        """Ask, unless something is wrong."""
        choice = self.choice
        if self._guard.closed:
            self._say(self._guard.words("Enter"))
        elif not choice.problem() and not isinstance(self._next, str):
            self.dismiss(choice)

    def action_cancel(self) -> None:
        """Nothing is asked."""
        self.dismiss(None)


def _brief(text: str) -> str:
    return fit(one_line(text[:400].strip().replace("\n", " ")) or "(calls only)", 66)
