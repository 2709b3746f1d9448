"""One step in full, scrollable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..widgets.line_view import LineView, Passage


@dataclass(frozen=True)
class FullRequest:
    """What to show: a title and the step's texts. ``copy`` is what ``y`` copies; without it, all
    that is shown.
    """

    title: str
    passages: tuple[Passage, ...]
    copy: str | None = None

    def copied(self) -> str:
        """The text that ``y`` copies, made safe for whatever it is pasted into."""
        if self.copy is not None:
            return visible(self.copy)
        return visible("\n\n".join(passage.text for passage in self.passages))


class FullScreen(Screen[None]):
    """Shows it; Esc, q or Enter closes."""

    CSS_PATH = "full.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "close", "Close"),
        Binding("y", "copy", "Copy"),
    ]

    def __init__(self, request: FullRequest) -> None:
        super().__init__()
        self.request = request
        self._view = LineView(request.passages)

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        with Horizontal(id="title"):
            yield Static(Content(one_line(self.request.title)), id="title-words")
            yield Static(Content(self._size_words()), id="status")
        yield self._view
        yield Static(Content("Esc close   Space read on   g G ends   y copy"), id="keys")

    def on_mount(self) -> None:
        """Keys scroll at once."""
        self._view.focus()

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the text."""
        text = self.request.copied()
        self.app.copy_to_clipboard(text)
        self.query_one("#status", Static).update(Content(f"copied, {len(text):,} characters"))

    def _size_words(self) -> str:
        count = sum(len(passage.text) for passage in self.request.passages)
        return f"{count:,} character{'' if count == 1 else 's'}"
