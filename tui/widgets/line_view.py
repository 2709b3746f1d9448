"""A long text, wrapped and drawn line by line; the first stretch of it, and the rest on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..sanitize import visible
from ..wrap import pad, wrap
from .json_colours import json_stretches

SHOWN = 100_000
"""Characters of one text that are shown at first, and that each ``more`` adds."""
_LINES = 1_000_000


@dataclass(frozen=True)
class Passage:
    """A text under a heading; ``json`` colours it."""

    text: str
    heading: str = ""
    json: bool = False


class LineView(ScrollView, can_focus=True):
    """Passages under each other. Text is outside text: it is made safe here."""

    DEFAULT_CSS = """
    LineView {
        background: $background;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        .line-view--heading { color: $primary; text-style: bold; }
        .line-view--more { color: $warning; }
        .line-view--key { color: $primary; }
        .line-view--string { color: $success; }
        .line-view--number { color: $accent; }
        .line-view--word { color: $accent; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-view--heading",
        "line-view--more",
        "line-view--key",
        "line-view--string",
        "line-view--number",
        "line-view--word",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("pagedown,space", "page_down", "Read on", show=False),
        Binding("pageup,backspace", "page_up", "Back", show=False),
        Binding("home,g", "scroll_home", "Start", show=False),
        Binding("end,G", "scroll_end", "End", show=False),
        Binding("m", "more", "Show more of the text", show=False),
    ]

    def __init__(self, passages: Sequence[Passage] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.passages = tuple(passages)
        self.shown = SHOWN
        self._lines: list[tuple[str, str]] = []
        self._wrapped_at = 0

    def show(self, passages: Sequence[Passage]) -> None:
        """Show other texts, from the top."""
        self.passages, self.shown = tuple(passages), SHOWN
        if self.size.width:  # else it is wrapped when it has a width, not a letter a line before
            self._wrap(self._text_width)
        self.scroll_home(animate=False)

    @property
    def hidden(self) -> int:
        """Characters that are not shown yet."""
        return sum(max(len(passage.text) - self.shown, 0) for passage in self.passages)

    @property
    def height_needed(self) -> int:
        """Lines that the texts take at the present width."""
        return len(self._lines)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew where the width is another."""
        if self._text_width != self._wrapped_at:
            self._wrap(self._text_width)

    def action_more(self) -> None:
        """Show the next stretch of a long text."""
        if self.hidden:
            self.shown += SHOWN
            self._wrap(self._wrapped_at)

    def action_scroll_down(self) -> None:
        """A line down, at once."""
        self.scroll_relative(y=1, animate=False)

    def action_scroll_up(self) -> None:
        """A line up, at once."""
        self.scroll_relative(y=-1, animate=False)

    def action_page_down(self) -> None:
        """A screenful down, at once."""
        self.scroll_relative(y=max(self.size.height - 1, 1), animate=False)

    def action_page_up(self) -> None:
        """A screenful up, at once."""
        self.scroll_relative(y=-max(self.size.height - 1, 1), animate=False)

    def action_scroll_home(self) -> None:
        """To the start, at once."""
        self.scroll_home(animate=False)

    def action_scroll_end(self) -> None:
        """To the end, at once."""
        self.scroll_end(animate=False)

    def render_line(self, y: int) -> Strip:
        """One wrapped line."""
        width, base = self._text_width, self.rich_style
        index = y + int(self.scroll_offset.y)
        if not 0 <= index < len(self._lines):
            return Strip.blank(width, base)
        text, look = self._lines[index]
        padded = pad(text, width)
        if look in ("heading", "more"):
            style = self.get_component_rich_style(f"line-view--{look}", partial=True)
            return Strip([Segment(padded, base + style)], width)
        if look != "json":
            return Strip([Segment(padded, base)], width)
        return Strip(self._coloured(padded), width)

    @property
    def _text_width(self) -> int:
        return max(self.scrollable_content_region.width, 1)

    def _coloured(self, text: str) -> list[Segment]:
        base, segments, at = self.rich_style, [], 0
        for start, end, kind in json_stretches(text):
            style = self.get_component_rich_style(f"line-view--{kind}", partial=True)
            segments += [Segment(text[at:start], base), Segment(text[start:end], base + style)]
            at = end
        return [*segments, Segment(text[at:], base)]

    def _wrap(self, width: int) -> None:
        self._wrapped_at = width
        lines: list[tuple[str, str]] = []
        for passage in self.passages:
            if lines:
                lines.append(("", ""))
            if passage.heading:
                lines.append((visible(passage.heading), "heading"))
            look = "json" if passage.json else ""
            text = visible(passage.text[: self.shown])
            lines += [(line, look) for line in wrap(text, width, _LINES).lines]
            left = len(passage.text) - self.shown
            if left > 0:
                lines.append((f"… {left:,} more characters: m shows more", "more"))
        self._lines = lines
        self.virtual_size = Size(width, len(lines))
        self.refresh()
