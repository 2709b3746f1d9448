"""A list of rows with a cursor, drawn line by line: headings, columns, thousands of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..sanitize import one_line
from ..wrap import pad

Look = Literal["plain", "strong", "muted", "warning"]
GAP = 2


@dataclass(frozen=True)
class Column:
    """``width`` in cells, 0: what is left over, shared. ``least`` is the list's width below which
    the column is not shown.
    """

    width: int = 0
    look: Look = "plain"
    least: int = 0


PLAIN = (Column(),)


@dataclass(frozen=True)
class ListRow:
    """One row. A row without a ``key`` is a heading or a blank, where the cursor never stands."""

    cells: tuple[str, ...]
    key: object = None
    columns: tuple[Column, ...] = PLAIN


class RowList(ScrollView, can_focus=True):
    """Rows under a cursor. Cells are outside text: they are made safe here."""

    DEFAULT_CSS = """
    RowList {
        background: $background;
        scrollbar-size-vertical: 1;
        .row-list--strong { text-style: bold; }
        .row-list--muted { color: $text-muted; }
        .row-list--warning { color: $warning; }
        .row-list--heading { color: $primary; text-style: bold; }
        .row-list--cursor { background: $boost; }
        &:focus .row-list--cursor { background: $primary-muted; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--strong",
        "row-list--muted",
        "row-list--warning",
        "row-list--heading",
        "row-list--cursor",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("pageup,backspace", "page(-1)", "Page up", show=False),
        Binding("home,g", "end(-1)", "First", show=False),
        Binding("end,G", "end(1)", "Last", show=False),
        Binding("enter", "open", "Open", show=False),
    ]

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, source: RowList, row: ListRow) -> None:
            super().__init__()
            self.source = source
            self.row = row

    class Opened(Message):
        """Enter, or a click, on a row."""

        def __init__(self, source: RowList, row: ListRow) -> None:
            super().__init__()
            self.source = source
            self.row = row

    def __init__(self, rows: Sequence[ListRow] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[ListRow] = list(rows)
        self.cursor = self._next(-1, 1)

    @property
    def rows(self) -> Sequence[ListRow]:
        """The rows as they are shown."""
        return self._rows

    @property
    def current(self) -> ListRow | None:
        """The row under the cursor; None in an empty list."""
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    def show(self, rows: Sequence[ListRow], *, keep: bool = True) -> None:
        """Show other rows; with ``keep`` the cursor stays on its key if that is still there."""
        before = self.current
        self._rows = list(rows)
        self.cursor = self._next(-1, 1)
        if keep and before is not None:
            self.go_to(before.key)
        self._measure()
        self.scroll_to_cursor()
        self.refresh()
        self._tell()

    def go_to(self, key: object) -> bool:
        """Put the cursor on the row with this key."""
        for index, row in enumerate(self._rows):
            if row.key is not None and row.key == key:
                self._put(index)
                return True
        return False

    def on_mount(self) -> None:
        """Know the size of the list; say what the cursor stands on."""
        self._measure()
        self._tell()

    def on_resize(self, event: events.Resize) -> None:
        """Rows are as wide as the list."""
        self._measure()
        self.scroll_to_cursor()

    def action_move(self, by: int) -> None:
        """The next row, over headings."""
        self._put(self._next(self.cursor, by))

    def action_page(self, by: int) -> None:
        """A screenful, then the nearest row."""
        wanted = self.cursor + by * max(self.size.height - 1, 1)
        wanted = min(max(wanted, 0), len(self._rows) - 1)
        found = self._next(wanted - by, by)
        self._put(found if found >= 0 else self._next(wanted, -by))

    def action_end(self, side: int) -> None:
        """The first or the last row."""
        self._put(self._next(-1, 1) if side < 0 else self._next(len(self._rows), -1))

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self.current is not None:
            self.post_message(self.Opened(self, self.current))

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor; one more on the same row opens it."""
        index = event.y + int(self.scroll_offset.y)
        if 0 <= index < len(self._rows) and self._rows[index].key is not None:
            if index == self.cursor and event.chain > 1:
                self.action_open()
            self._put(index)

    def scroll_to_cursor(self) -> None:
        """Bring the cursor into view, and the heading above the first row with it."""
        top = 0 if self.cursor == self._next(-1, 1) else self.cursor
        height = max(self.cursor - top + 1, 1)
        self.scroll_to_region(Region(0, top, 1, height), animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        """One row, or blank space."""
        index = y + int(self.scroll_offset.y)
        width, base = self.scrollable_content_region.width, self.rich_style
        if not 0 <= index < len(self._rows):
            return Strip.blank(width, base)
        row = self._rows[index]
        if index == self.cursor and row.key is not None:
            base += self.get_component_rich_style("row-list--cursor", partial=True)
        elif row.key is None:
            base += self.get_component_rich_style("row-list--heading", partial=True)
        mark = "▸ " if index == self.cursor and row.key is not None else "  "
        # Muted text would be hard to read on the cursor's ground.
        quiet = index == self.cursor
        segments = [Segment(mark, base), *self._cells(row, width - 2, base, quiet)]
        return Strip(segments, width)

    def _cells(self, row: ListRow, width: int, base: Style, quiet: bool) -> list[Segment]:
        shown = [
            (cell, column)
            for cell, column in zip(row.cells, row.columns, strict=False)
            if width >= column.least
        ]
        spare = width - sum(column.width for _, column in shown) - GAP * (len(shown) - 1)
        flexible = sum(1 for _, column in shown if not column.width) or 1
        segments: list[Segment] = []
        left = width
        for place, (cell, column) in enumerate(shown):
            last = place == len(shown) - 1
            room = left if last else min(column.width or max(spare // flexible, 1), left)
            style = base
            if column.look != "plain" and not (quiet and column.look == "muted"):
                style += self.get_component_rich_style(f"row-list--{column.look}", partial=True)
            segments.append(Segment(pad(one_line(cell), room), style))
            left -= room
            if not last and left > 0:
                segments.append(Segment(" " * min(GAP, left), base))
                left -= min(GAP, left)
        return segments

    def _next(self, start: int, by: int) -> int:
        """The nearest row with a key beyond ``start``; ``start`` itself if there is none."""
        index = start + by
        while 0 <= index < len(self._rows):
            if self._rows[index].key is not None:
                return index
            index += by
        return start if 0 <= start < len(self._rows) else -1

    def _put(self, index: int) -> None:
        if index != self.cursor and 0 <= index < len(self._rows):
            self.cursor = index
            self.scroll_to_cursor()
            self.refresh()
            self._tell()

    def _tell(self) -> None:
        if self.current is not None and self.is_attached:
            self.post_message(self.Moved(self, self.current))

    def _measure(self) -> None:
        self.virtual_size = Size(1, len(self._rows))
