"""The dialog behind ``f``: which fault, with the result that each would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rollstep.core.model.messages import ToolResult, parts_text
from rollstep.core.rules.faults.kinds import Offer
from rollstep.core.rules.schemas import needs_package
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..faults import FaultTarget
from ..sanitize import one_line
from ..widgets.line_view import LineView, Passage
from ..widgets.row_list import Column, ListRow, RowList
from ..widgets.text_box import TextBox
from ..wrap import fit
from .edit_types import After
from .key_guard import KeyGuard
from .save_bar import Answer, SaveBar

WIDE = 120
"""From this width on, the faults and the result stand side by side."""
_WIDEST, _AROUND = 148, 6
"""The dialog's greatest width, and its border and padding."""
_PREVIEW = 4_000
"""Characters of the result that are shown."""
_NAME = 18
_AFTER: dict[str, After] = {"enter": "stay", "k": "keep", "r": "rerun"}


@dataclass(frozen=True)
class FaultChoice:
    """What is to be injected where, and what then."""

    target: FaultTarget
    fault: str
    after: After = "stay"
    reason: str = ""


class FaultScreen(ModalScreen[FaultChoice | None]):
    """Dismisses with the choice, or None. ``targets`` are the places, ``last`` the fault that was
    injected last.
    """

    CSS_PATH = "fault.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("p", "place", "The other place"),
    ]

    def __init__(self, targets: Sequence[FaultTarget], last: str = "") -> None:
        super().__init__()
        self.targets = list(targets)
        self.last = last
        self._place = 0
        self._guard = KeyGuard()
        self._bar = SaveBar(self._guard)
        self._list = RowList()
        self._preview = LineView()
        self._reason = TextBox(single_line=True)
        self._offers: dict[str, Offer] = {}

    @property
    def target(self) -> FaultTarget:
        """The place that is shown."""
        return self.targets[self._place]

    def compose(self) -> ComposeResult:
        """What it answers, the faults beside what each gives, why, the keys."""
        with Vertical(id="dialog"):
            yield Static(id="title")
            with Horizontal(id="body"):
                yield self._list
                with Vertical(id="result"):
                    yield Static(id="about")
                    yield self._preview
            with Horizontal(id="why"):
                yield Static("why (optional)", id="why-label")
                yield self._reason
            yield self._bar

    def on_mount(self) -> None:
        """Stand on what was injected last."""
        self._show()
        self._list.focus()
        self._guard.opened("the dialog opens")

    def on_resize(self, event: events.Resize) -> None:
        """Side by side where there is room."""
        self.set_class(self.app.size.width < WIDE, "-narrow")
        self._show_title()

    def _show(self) -> None:
        chosen = self._list.current
        self._offers = {offer.name: offer for offer in reversed(self.target.offers())}
        columns = (Column(_NAME), Column(look="muted"))
        muted = (Column(_NAME, "muted"), Column(look="muted"))
        self._list.show(
            [
                ListRow(
                    (name, offer.why_not or offer.help), name, muted if offer.why_not else columns
                )
                for name, offer in reversed(self._offers.items())
            ]
        )
        self._list.go_to(chosen.key if chosen is not None else self.last)
        self._show_title()
        keys = "Enter inject   Tab why   Esc cancel"
        if len(self.targets) > 1:
            other = self.targets[1 - self._place]
            keys += f"   p {'in place of this result' if other.instead else 'answer the open call'}"
        self._bar.hint(keys)
        self._look()

    def on_row_list_moved(self) -> None:
        """Another fault is looked at."""
        self._look()

    def _show_title(self) -> None:
        room = min(self.app.size.width, _WIDEST) - _AROUND
        title = fit(one_line(self.target.title), room)
        self.query_one("#title", Static).update(Content(title))

    def _look(self) -> None:
        row = self._list.current
        if row is None:
            return
        fault, target = str(row.key), self.target
        if fault == "wrong_type" and needs_package(target.project):
            self.query_one("#about", Static).update("making the result …")
            self._look_slowly(fault, target)
        else:
            self._show_result(target.result(fault))

    @work(thread=True, exclusive=True)
    def _look_slowly(self, fault: str, target: FaultTarget) -> None:
        """Off the screen's loop: the package that checks such schemas takes long to load."""
        result = target.result(fault)

        def show() -> None:
            row = self._list.current
            if self.is_attached and row is not None and (row.key, self.target) == (fault, target):
                self._show_result(result)

        if self.is_attached:
            self.app.call_from_thread(show)

    def _show_result(self, result: ToolResult | str) -> None:
        about = self.query_one("#about", Static)
        if not isinstance(result, ToolResult):
            about.update(Content(one_line(result)))
            self._preview.show([])
            return
        text = parts_text(result.parts)
        size = f"{len(text):,} characters" if text else "empty"
        error = ", marked as an error" if result.is_error else ""
        about.update(Content(f"the result, {size}{error}"))
        is_json = text[:1] in ("{", "[") and len(text) <= _PREVIEW
        left = len(text) - _PREVIEW
        more = f"\n… {left:,} more characters" if left > 0 else ""
        self._preview.show([Passage(text[:_PREVIEW] + more, json=is_json)])

    # choosing

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter on a fault."""
        self._choose()

    def on_text_box_submitted(self) -> None:
        """Enter in the reason."""
        self._choose()

    def on_text_box_pasted(self) -> None:
        """What follows a paste at once chooses nothing."""
        self._guard.pasted()

    def _choose(self) -> None:
        row = self._list.current
        if row is None or self._bar.asking:
            return
        if self._guard.closed:
            self._bar.hint(self._guard.words("Enter"))
            return
        if why_not := self._offers[str(row.key)].why_not:
            self._bar.hint(f"It makes no sense here: {why_not}.")
            return
        if not self.target.instead:
            self._finish("stay")
            return
        answers = [Answer("enter", "Enter", "stay here")]
        if count := self.target.follows:
            steps = "step that follows" if count == 1 else f"{count} steps that follow"
            answers.append(Answer("k", "k", f"keep the {steps}"))
        answers.append(Answer("r", "r", f"rerun to the turn's end ({self.target.rerun})"))
        self._bar.ask("after", ["A new take; the original stays. Then:"], tuple(answers))

    def on_save_bar_answered(self, event: SaveBar.Answered) -> None:
        """What then, or back to the faults."""
        if event.key == "escape":
            self._list.focus()
        else:
            self._finish(_AFTER[event.key])

    def _finish(self, after: After) -> None:
        row = self._list.current
        assert row is not None
        self.dismiss(FaultChoice(self.target, str(row.key), after, self._reason.value.strip()))

    def action_place(self) -> None:
        """The other place: the open call, or the result under the cursor."""
        if len(self.targets) > 1 and not self._bar.asking:
            self._place = 1 - self._place
            self._show()

    def action_cancel(self) -> None:
        """Nothing is injected."""
        self.dismiss(None)
