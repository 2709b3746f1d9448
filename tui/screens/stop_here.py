"""The dialog behind ``0``: why the rollout ends here, and an optional note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..sanitize import one_line
from ..widgets.row_list import Column, ListRow, RowList
from ..widgets.text_box import TextBox
from .key_guard import KeyGuard

MEANS = {
    "goal_reached": "the goal was reached",
    "max_turns": "there are no turns left",
    "unrecoverable": "it cannot come right any more",
}
"""What the usual reasons mean; others are this rollout's own words."""
_KEYS = "Enter stop   Tab your own reason, note   Esc cancel"
_TYPED = "Tab first: a reason of your own is typed in the line below the list."
_LIST_KEYS = frozenset(("j", "k", "g", "G", "space"))


@dataclass(frozen=True)
class StopChoice:
    """Why, and what to note."""

    reason: str
    note: str = ""


class StopScreen(ModalScreen[StopChoice | None]):
    """Dismisses with the choice, or None. A reason that is typed goes before the list's."""

    CSS_PATH = "stops.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    def __init__(self, title: str, reasons: tuple[str, ...]) -> None:
        super().__init__()
        self._title = title
        columns = (Column(24), Column(look="muted"))
        rows = [
            ListRow((reason, MEANS.get(reason, "used in this rollout")), reason, columns)
            for reason in reasons
        ]
        self._list = RowList(rows)
        self._own = TextBox(single_line=True)
        self._note = TextBox(single_line=True)
        self._guard = KeyGuard()

    def compose(self) -> ComposeResult:
        """Reasons, a field for another, a field for a note, the keys."""
        with Vertical(id="dialog"):
            yield Static(Content(one_line(self._title)), id="title")
            yield self._list
            for name, box in (("your own", self._own), ("note (optional)", self._note)):
                with Horizontal(classes="row"):
                    yield Static(name, classes="name")
                    yield box
            yield Static(_KEYS, id="keys")

    def on_mount(self) -> None:
        """As high as there are reasons."""
        self._list.styles.height = len(self._list.rows)
        self._list.focus()
        self._guard.opened("the dialog opens")

    def on_key(self, event: events.Key) -> None:
        """Letters typed at the list are meant as a reason: Enter must not give the list's then."""
        if self._list.has_focus and event.is_printable and event.key not in _LIST_KEYS:
            self._guard.opened("letters")
            self.query_one("#keys", Static).update(_TYPED)

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter on a reason."""
        self._choose()

    def on_text_box_submitted(self) -> None:
        """Enter in a field."""
        self._choose()

    def on_text_box_pasted(self) -> None:
        """What follows a paste at once chooses nothing."""
        self._guard.pasted()

    def _choose(self) -> None:
        row = self._list.current
        reason = self._own.value.strip() or (str(row.key) if row is not None else "")
        if self._guard.closed:
            self.query_one("#keys", Static).update(Content(self._guard.words("Enter")))
        elif reason:
            self.dismiss(StopChoice(reason, self._note.value))

    def action_cancel(self) -> None:
        """No stop."""
        self.dismiss(None)
