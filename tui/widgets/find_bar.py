"""The one-line bar for finding text: typed text, how many places hold it, Enter and Esc."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from .text_box import TextBox


class FindBar(Horizontal):
    """Hidden until opened. Posts ``Typed`` as the text changes, ``Chosen`` on Enter (the bar
    closes, the hits stay), ``Closed`` on Esc. Whoever mounts it answers with ``tell``.
    """

    DEFAULT_CSS = """
    FindBar {
        height: 1;
        background: $panel;
        display: none;
        &.-open { display: block; }
        .find-sign { width: 3; padding: 0 0 0 1; color: $primary; text-style: bold; }
        TextBox { width: 1fr; padding: 0; background: $panel; }
        .find-hits { width: auto; padding: 0 1; color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False, priority=True),
        Binding("down", "next(1)", "Next", show=False, priority=True),
        Binding("up", "next(-1)", "Previous", show=False, priority=True),
    ]

    class Typed(Message):
        """The text is another."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Chosen(Message):
        """Enter: stay at this hit; ``n`` and ``N`` go on from it."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Stepped(Message):
        """Up or Down: look at the next or previous hit while typing."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Closed(Message):
        """Esc: back to where the cursor was."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._box = TextBox("", single_line=True)
        self._hits = Static("", classes="find-hits")

    def compose(self) -> ComposeResult:
        """Sign, text, count."""
        yield Static(Content("/"), classes="find-sign")
        yield self._box
        yield self._hits

    @property
    def text(self) -> str:
        """What is looked for."""
        return self._box.value

    def open(self) -> None:
        """Show the bar with the last text selected, so that typing replaces it."""
        self.add_class("-open")
        self._box.focus()
        self._box.action_select_all()

    def tell(self, count: int, at: int = 0) -> None:
        """Say how many hits there are, and which one the cursor is on (from 1; 0: none)."""
        if not self.text:
            words = ""
        elif not count:
            words = "not found"
        else:
            words = f"{at} of {count:,}" if at else f"{count:,} found"
        self._hits.update(Content(words))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """A key."""
        event.stop()
        if not self.text:
            self.tell(0)
        self.post_message(self.Typed(self.text))

    def on_text_box_submitted(self, event: TextBox.Submitted) -> None:
        """Enter."""
        event.stop()
        self.remove_class("-open")
        self.post_message(self.Chosen(self.text))

    def action_close(self) -> None:
        """Esc."""
        self.remove_class("-open")
        self.post_message(self.Closed())

    def action_next(self, by: int) -> None:
        """The next hit while typing."""
        self.post_message(self.Stepped(by))
