"""The small menus behind the keys that mark: one more key does it, so that marking hundreds takes
as few keys as can be. Their keys rest after a paste only.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from ..sanitize import one_line
from ..widgets.text_box import TextBox
from ..wrap import fit
from .key_guard import KeyGuard

_WIDTH = 70
_NUMBERED = 9
"""Reasons that have a number."""


class MenuRow(NamedTuple):
    """A key, what it does, and whether that is so already."""

    key: str
    words: str
    on: bool = False


class KeyMenu(ModalScreen[str | None]):
    """Dismisses with the key that was chosen, or None."""

    KEYS_OPEN = True
    """What is typed behind a key is meant for what that opens."""
    CSS_PATH = "mark_menu.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    def __init__(self, title: str, rows: tuple[MenuRow, ...]) -> None:
        super().__init__()
        self._title = title
        self._rows = {row.key: row for row in rows}
        self._guard = KeyGuard()

    def compose(self) -> ComposeResult:
        """Title, a line for each key, Esc."""
        lines = [
            f"{'Enter' if key == 'enter' else one_line(key):>5}  {'● ' if row.on else '  '}"
            f"{fit(one_line(row.words[:400]), _WIDTH - 12)}"
            for key, row in self._rows.items()
        ]
        with Vertical(id="dialog"):
            yield Static(Content(one_line(self._title)), id="title")
            yield Static(Content("\n".join(lines)), id="rows")
            yield Static(Content("Esc cancel"), id="keys")

    def on_paste(self, event: events.Paste) -> None:
        """What follows a paste at once chooses nothing."""
        self._guard.pasted()

    def on_key(self, event: events.Key) -> None:
        """One of the keys."""
        key = "enter" if event.key == "enter" else event.character or ""
        if key in self._rows:
            event.stop()
            if self._guard.closed:
                self.query_one("#keys", Static).update(Content(self._guard.words(key)))
            else:
                self.dismiss(key)

    def action_cancel(self) -> None:
        """Nothing."""
        self.dismiss(None)


class _NumberedBox(TextBox):
    """A line in which a number typed first chooses a reason."""

    class Numbered(Message):
        """The number, from 1."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    numbers = 0

    async def _on_key(self, event: events.Key) -> None:
        character = event.character or ""
        if not self.text and character.isdecimal() and 0 < int(character) <= self.numbers:
            event.stop()
            event.prevent_default()
            self.post_message(self.Numbered(int(character)))
            return
        await super()._on_key(event)


class WhyScreen(ModalScreen[str | None]):
    """Asks why: a reason by its number, or typed. Dismisses with it (it may be empty), or None."""

    CSS_PATH = "mark_menu.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("ctrl+s", "go", "Go"),
    ]

    def __init__(self, title: str, reasons: tuple[str, ...]) -> None:
        super().__init__()
        self._title = title
        self._reasons = reasons[:_NUMBERED]
        self._guard = KeyGuard()
        self._box = _NumberedBox(single_line=True)
        self._box.numbers = len(self._reasons)

    def compose(self) -> ComposeResult:
        """Title, the numbered reasons, the line, the keys."""
        lines = [
            f"{number:>5}  {fit(one_line(reason[:400]), _WIDTH - 10)}"
            for number, reason in enumerate(self._reasons, 1)
        ]
        with Vertical(id="dialog"):
            yield Static(Content(one_line(self._title)), id="title")
            if lines:
                yield Static(Content("\n".join(lines)), id="rows")
            with Horizontal(id="row"):
                yield Static("or type", id="name")
                yield self._box
            yield Static(Content(self._keys), id="keys")

    @property
    def _keys(self) -> str:
        return f"{'a number, or ' if self._reasons else ''}words and Enter   Esc cancel"

    def on_mount(self) -> None:
        """Type at once."""
        self._box.focus()

    def on_text_box_pasted(self) -> None:
        """Enter rests for a moment: it may be the paste's own tail."""
        self._guard.pasted()

    def on__numbered_box_numbered(self, event: _NumberedBox.Numbered) -> None:
        """A reason by its number."""
        if self._guard.closed:
            self._say_rests(str(event.number))
        else:
            self.dismiss(self._reasons[event.number - 1])

    def on_text_box_submitted(self) -> None:
        """Enter."""
        self.action_go()

    def action_go(self) -> None:
        """With what the line says now."""
        if self._guard.closed:
            self._say_rests("Enter")
        else:
            self.dismiss(self._box.value)

    def _say_rests(self, key: str) -> None:
        self.query_one("#keys", Static).update(Content(self._guard.words(key)))

    def action_cancel(self) -> None:
        """Nothing happens."""
        self.dismiss(None)
