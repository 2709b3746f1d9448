"""The dialog of ``more turns``: how many there shall be, and what that does."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from ..sanitize import visible
from ..widgets.text_box import TextBox
from .key_guard import KeyGuard

_CHOICES = 20


class MoreTurnsScreen(ModalScreen[int | None]):
    """Dismisses with the new number of turns, or None. ``now`` are the turns that there are at
    least, ``does`` says what more of them would do.
    """

    CSS_PATH = "stops.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    def __init__(self, now: int, suggested: int, does: Callable[[int], str]) -> None:
        super().__init__()
        self._now = now
        self._does = does
        choices = tuple(str(now + n) for n in range(1, _CHOICES + 1))
        self._box = TextBox(str(suggested), single_line=True, choices=choices)
        self._guard = KeyGuard()

    def compose(self) -> ComposeResult:
        """The number, what it does, the keys."""
        with Vertical(id="dialog"):
            yield Static("More turns", id="title")
            with Horizontal(classes="row"):
                yield Static("max_turns", classes="name")
                yield self._box
            yield Static(id="about")
            yield Static("↑ ↓ or a number   Enter raise   Esc cancel", id="keys")

    def on_mount(self) -> None:
        """The number is chosen: a digit replaces it."""
        self._box.focus()
        self._box.select_all()
        self._say()
        self._guard.opened("the dialog opens")

    @property
    def turns(self) -> int:
        """The number, or 0 for what is none that would do."""
        text = self._box.value.strip()
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
        return number if number > self._now else 0

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Another number does something else."""
        self._say()

    def _say(self) -> None:
        turns = self.turns
        words = self._does(turns) if turns else f"A number of turns above {self._now}."
        self.query_one("#about", Static).update(Content(visible(words)))

    def on_text_box_pasted(self) -> None:
        """What follows a paste at once chooses nothing."""
        self._guard.pasted()

    def on_text_box_submitted(self) -> None:
        """Raise it."""
        if self._guard.closed:
            self.query_one("#keys", Static).update(Content(self._guard.words("Enter")))
        elif self.turns:
            self.dismiss(self.turns)

    def action_cancel(self) -> None:
        """Nothing changes."""
        self.dismiss(None)
