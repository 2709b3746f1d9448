"""The one widget of the debugger: it draws rows, and repaints only those that have changed.

It has no virtual size and no scroll place of its own, so a key causes no layout pass. Strips are
cached by the row itself: equal rows look equal, and nothing has to be invalidated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from textual import events
from textual.color import Color
from textual.filter import ANSIToTruecolor, DimFilter
from textual.geometry import Offset, Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from ..cells import cells
from ..palette import Palette
from ..rows import BLANK, Row

_NO_COLOUR = Color(0, 0, 0)
_SCREENFULS = 2
"""Of strips that a pane remembers: what it shows, and what it showed before. Each takes 3 kB."""


class _Line(Strip):
    """A strip that is gone when nobody needs it any more.

    Textual's own remembers itself as what is left of it when nothing is cut off. Such a circle ends
    only when Python's collector comes by, and there are dozens for every key.
    """

    __slots__ = ()

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """The pieces between these cells."""
        inside = [cut for cut in cuts if cut <= self.cell_length]
        return [self] if inside == [self.cell_length] else super().divide(inside)


class RowsPane(Widget):
    """Draws the rows that it is given, from its top."""

    leaves_keys = True
    """Where it has the focus, keys are the screen's all the same."""

    class Pressed(Message):
        """A click at a cell of the pane, without text being selected by it."""

        def __init__(self, pane: RowsPane, x: int, y: int) -> None:
            super().__init__()
            self.pane = pane
            self.x = x
            self.y = y

    class Wheel(Message):
        """The wheel turned over the pane."""

        def __init__(self, pane: RowsPane, lines: int) -> None:
            super().__init__()
            self.pane = pane
            self.lines = lines

    def __init__(self, palette: Palette, *, id: str, selectable: bool = True) -> None:
        super().__init__(id=id)
        self.styles.position = "absolute"
        self.palette = palette
        self._rows: Sequence[Row] = ()
        self._strips: dict[Row, Strip] = {}
        self._strip_width = 0
        self._selectable = selectable

    @property
    def allow_select(self) -> bool:
        """Whether the mouse may select text here."""
        return self._selectable

    def set_palette(self, palette: Palette) -> None:
        """Draw in other colours from now on."""
        self.palette = palette
        self._strips.clear()
        self.refresh()

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows; only the changed ones are painted."""
        old = self._rows
        self._rows = rows
        width = self.size.width
        start: int | None = None
        count = max(len(old), len(rows))
        for y in range(count + 1):
            same = y == count or (y < len(old) and y < len(rows) and old[y] == rows[y])
            if not same and start is None:
                start = y
            elif same and start is not None:
                self.refresh(Region(0, start, width, y - start))
                start = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """The strips of a region, without Textual's own line cache and its costs."""
        width = self.size.width
        if width != self._strip_width:
            self._strips.clear()
            self._strip_width = width
        selection = self.text_selection
        strips = [self._strip(y, width, selection) for y in range(crop.y, crop.bottom)]
        if crop.x or crop.width != width:
            return [strip.crop(crop.x, crop.right) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One line with the offsets that selecting by mouse needs; asked for only by that."""
        return self._strip(y, self.size.width, self.text_selection).apply_offsets(0, y)

    def _strip(self, y: int, width: int, selection: Selection | None) -> Strip:
        row = self._rows[y] if y < len(self._rows) else BLANK
        strip = self._strips.get(row)
        if strip is None:
            if len(self._strips) >= _SCREENFULS * len(self._rows):
                self._forget()
            strip = self._strips[row] = self._make(row, width)
        if selection is not None and (span := selection.get_span(y)) is not None:
            return self._selected(strip, row, span, width)
        return strip

    def _forget(self) -> None:
        """Remember only the strips of what is shown."""
        known = self._strips
        self._strips = {row: known[row] for row in self._rows if row in known}

    def _make(self, row: Row, width: int) -> Strip:
        style = self.palette.style
        segments = [Segment(text, style(name)) for text, name in row.spans]
        used = sum(cells(text) for text, _ in row.spans)
        fill = style(row.fill)
        if used < width:
            segments.append(Segment(" " * (width - used), fill))
        if used > width:
            segments = list(Strip(segments, used).crop(0, width))
        for line_filter in self.app.get_line_filters():
            # Rows have plain colours of the theme: neither ANSI colours nor dim ones to convert.
            if not isinstance(line_filter, ANSIToTruecolor | DimFilter):
                segments = line_filter.apply(segments, _NO_COLOUR)
        return _Line(segments, width)

    def _selected(self, strip: Strip, row: Row, span: tuple[int, int], width: int) -> Strip:
        """The strip with what the mouse has selected shown in reverse."""
        text = strip.text
        start, end = max(span[0], row.gutter), len(text) if span[1] < 0 else span[1]
        if start >= end:
            return strip
        left, right = cells(text[:start]), min(cells(text[:end]), width)
        style = self.screen.get_component_rich_style("screen--selection")
        before, middle, after = strip.divide([left, right, width])[:3]
        return Strip.join([before, middle.apply_style(style), after])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is selected, without margins, numbers and trailing blanks."""
        picked: list[str] = []
        for y, row in enumerate(self._rows):
            span = selection.get_span(y)
            if span is None:
                continue
            text = row.text
            end = len(text) if span[1] < 0 else span[1]
            picked.append(text[max(span[0], row.gutter) : max(end, 0)].rstrip())
        return ("\n".join(picked), "\n") if picked else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint the selection."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Tell the screen where, unless the click ends a selection of text."""
        if self.text_selection is None or not self.screen.get_selected_text():
            self.post_message(self.Pressed(self, event.x, event.y))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three lines on."""
        event.stop()
        self.post_message(self.Wheel(self, 3))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three lines back."""
        event.stop()
        self.post_message(self.Wheel(self, -3))

    def place(self, region: Region) -> None:
        """Put the pane there; an empty region hides it."""
        self.display = bool(region)
        if region:
            self.styles.offset = Offset(region.x, region.y)
            self.styles.width = region.width
            self.styles.height = region.height
