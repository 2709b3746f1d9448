"""A message with its details behind a key: a failed attempt and its traceback, a file's faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..widgets.line_view import LineView, Passage


@dataclass(frozen=True)
class MessageRequest:
    """``text`` says what happened and what to do; ``detail`` is for those who press ``d``."""

    title: str
    text: str
    detail: str = ""
    error: bool = False


class MessageScreen(ModalScreen[None]):
    """Shows it; Esc, q or Enter closes."""

    CSS_PATH = "message.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "close", "Close"),
        Binding("d", "detail", "Details"),
        Binding("y", "copy", "Copy"),
    ]

    def __init__(self, request: MessageRequest) -> None:
        super().__init__(classes="-error" if request.error else "")
        self.request = request
        self._text = LineView([Passage(request.text)], id="text")
        self._detail = LineView([Passage(request.detail)], id="detail")

    def compose(self) -> ComposeResult:
        """Title, words, details, keys."""
        sign = "! " if self.request.error else ""
        with Vertical(id="dialog"):
            yield Static(Content(sign + one_line(self.request.title)), id="title")
            yield self._text
            yield self._detail
            yield Static(id="keys")

    def on_mount(self) -> None:
        """The words alone at first."""
        self._text.focus()
        self._say_keys("")

    def on_resize(self) -> None:
        """As high as the words are."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        self._text.styles.height = min(max(self._text.height_needed, 1), self.size.height // 2)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)

    def action_detail(self) -> None:
        """Show or hide the details."""
        if self.request.detail:
            self.toggle_class("-detail")
            (self._detail if self.has_class("-detail") else self._text).focus()
            self._say_keys("")

    def action_copy(self) -> None:
        """Copy words and details."""
        pieces = [self.request.title, self.request.text, self.request.detail]
        self.app.copy_to_clipboard(visible("\n\n".join(filter(None, pieces))))
        self._say_keys("copied   ")

    def _say_keys(self, said: str) -> None:
        words = f"{said}Enter close"
        if self.request.detail:
            words += "   d hide details" if self.has_class("-detail") else "   d details"
        self.query_one("#keys", Static).update(Content(words + "   y copy"))
