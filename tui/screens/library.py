"""The library: a table of rollouts, a filter, a page beside it; marks on one or on many."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen

from ..library.columns import draw, header, table
from ..library.model import LibraryModel
from ..library.words import KEYS, key_line, title
from ..palette import Palette
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..target import OpenTarget
from ..widgets.rows_pane import RowsPane
from ..wrap import fit
from .library_filter import FilterLine
from .library_make import Making
from .library_page import PageReader

if TYPE_CHECKING:
    from ..rollstep_app import RollstepApp

_WIDE = 110
"""From so many columns on the page stands beside the table; below it else."""
_LOOK_SECONDS = 0.05
_LOOKED_AT = 16
"""Rollouts whose facts are worked out at a time, when no key waits."""


class LibraryScreen(Screen[OpenTarget | None], inherit_bindings=False):
    """Dismisses with the rollout that is to be opened, or None."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    LibraryScreen { background: $background; }
    LibraryScreen QueryField { position: absolute; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("g,home", "end(-1)", "First", show=False),
        Binding("G,end", "end(1)", "Last", show=False),
        Binding("enter", "open", "Open", show=False),
        Binding("space", "read(1)", "Read on", show=False),
        Binding("backspace", "read(-1)", "Read back", show=False),
        Binding("z", "layout", "Layout", show=False),
        Binding("slash", "filter", "Filter", show=False),
        Binding("f", "make('filters')", "Saved filters", show=False),
        Binding("o", "make('order')", "Order", show=False),
        Binding("O", "make('reverse')", "The other way round", show=False),
        Binding("v", "select", "Select", show=False),
        Binding("V", "select_all", "Select all", show=False),
        Binding("A", "make('accept')", "Accept", show=False),
        Binding("R", "make('reject')", "Reject", show=False),
        Binding("M", "make('unsure')", "Unsure", show=False),
        Binding("m", "make('mark')", "Mark", show=False),
        Binding("u", "make('undo')", "Undo", show=False),
        Binding("n", "hit(1)", "Next hit", show=False),
        Binding("N", "hit(-1)", "Hit before", show=False),
        Binding("number_sign", "make('numbers')", "Numbers", show=False),
        Binding("r", "make('replace')", "Replace words", show=False),
        Binding("x", "make('export')", "Export", show=False),
        Binding("question_mark,f1", "help", "Keys", show=False),
        Binding("escape", "escape", "Back", show=False),
        Binding("q", "leave", "Back", show=False),
    ]

    def __init__(self, app: RollstepApp, model: LibraryModel) -> None:
        super().__init__()
        self.rollstep = app
        self.model = model
        self.palette = app.palette
        self.flashed: Span | None = None
        self.making = Making(self)
        self.filter_line = FilterLine(self)
        self.reader = PageReader(self)
        self._reading: tuple[int, int] | None = None
        self._page_shown = True
        self._unread = False
        """Whether a row in sight has not been read."""
        self._waiting = 0
        self._known = False
        """Whether the facts of all rollouts have been known since this was opened."""
        self._now = time.time()
        self.title_pane = RowsPane(self.palette, id="library-title", selectable=False)
        self.table_pane = RowsPane(self.palette, id="library-table", selectable=False)
        self.page = RowsPane(self.palette, id="library-page")
        self.keys = RowsPane(self.palette, id="library-keys", selectable=False)
        # Where something has the focus, keys come in the order in which they were typed.
        self.table_pane.can_focus = True

    # what is on it

    def compose(self) -> ComposeResult:
        """A line on top, the table, the page, two lines below."""
        yield from (self.title_pane, self.table_pane, self.page, self.keys)

    def on_mount(self) -> None:
        """List at once; what lists need to know of each is worked out while nobody waits."""
        self.table_pane.focus()
        self.paint()
        self.list_anew(self.model.key)
        self._look_later()

    def on_screen_resume(self) -> None:
        """Something was marked or played meanwhile."""
        self._now = time.time()

    def on_resize(self, event: events.Resize) -> None:
        """Share the screen anew."""
        self.paint()

    def set_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        self.palette = palette
        for pane in (self.title_pane, self.table_pane, self.page, self.keys):
            pane.set_palette(palette)

    def flash(self, words: str, style: str = "warn") -> None:
        """Say something in the line under the table until the next key."""
        self.flashed = (one_line(words.replace("\n", "  ")), style)
        if self.children:
            self._paint_keys()

    # asking the engine

    def ask(self, work: Callable[[Any], Any], then: Callable[[Any], None]) -> None:
        """Have the engine do something with the library; what goes wrong is said."""
        self.rollstep.when_done(self.rollstep.controller.with_library(work), then)

    def list_anew(self, key: int | None) -> None:
        """List by the filter and the order as they are now; the cursor stays on this rollout."""
        from rollstep.core.listing.rollout_list import list_rollouts

        model = self.model
        query, order, chosen = model.query, model.order, frozenset(model.chosen)

        def listing(library: Any) -> tuple[Any, int | None, Set[int]]:
            found = list_rollouts(library, query, order)
            unlisted = chosen.difference(found.all_keys()) if chosen else chosen
            return found, found.place(key) if key is not None else None, unlisted

        def listed(answer: tuple[Any, int | None, Set[int]]) -> None:
            if (query, order) != (model.query, model.order) or not self.is_attached:
                return
            model.show(*answer)
            self._reading = None
            self.reader.forget()
            self.paint()

        self.ask(listing, listed)

    def changed(self) -> None:
        """Rollouts were marked: rows and the page are read again, and facts worked out."""
        self.reader.forget()
        self.paint()
        self._look_later()

    def was_done(self, words: str, failed: Sequence[tuple[str, str]]) -> None:
        """Rollouts were changed from here: say so, and which could not be."""
        if not self.is_attached:
            return
        self.model.forget_rows()
        self.changed()
        if failed:
            words += f"  Not: {failed[0][0]} ({failed[0][1]})"
            words += f" and {len(failed) - 1:,} more" if len(failed) > 1 else ""
        self.flash(words, "warn" if failed else "ok")

    def _read_rows(self, start: int, stop: int) -> None:
        found = self.model.found
        if found is None or self._reading == (start, stop):
            return
        self._reading = (start, stop)

        def read(rows: Any) -> None:
            self._reading = None
            if found is self.model.found and self.is_attached:
                self.model.take(start, rows)
                if self._unread:
                    self.paint()

        self.ask(lambda library: found.rows(start, stop), read)

    def _look_later(self) -> None:
        self.set_timer(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        """Work out facts of some rollouts that have changed."""
        from rollstep.core.listing.facts import describe_some

        def looked(found: tuple[int, int]) -> None:
            done, waiting = found
            self._waiting = waiting
            if done and self.is_attached:
                self.model.forget_rows()
                if not waiting and not self._known:
                    # What the filter and the order go by is known now. A mark that is given later
                    # moves no row away from under the cursor.
                    self.list_anew(self.model.key)
                self.paint()
            self._known = self._known or not waiting
            if waiting and self.is_attached:
                self._look_later()

        def look(library: Any) -> tuple[int, int]:
            if library.read_only:
                return 0, 0
            return describe_some(library, _LOOKED_AT), library.count_undescribed()

        self.ask(look, looked)

    # painting

    def _regions(self) -> tuple[Region, Region]:
        """Where the table is, and the page."""
        width, height = self.app.size
        body = max(height - 3, 2)
        if not self._page_shown:
            return Region(0, 1, width, body), Region()
        if width >= _WIDE:
            left = max(width * 3 // 5, 70)
            return Region(0, 1, left, body), Region(left, 1, width - left, body)
        upper = max(body * 3 // 5, 3)
        return Region(0, 1, width, upper), Region(0, 1 + upper, width, body - upper)

    @property
    def _beside(self) -> bool:
        return self._page_shown and self.app.size.width >= _WIDE

    def paint(self) -> None:
        """Draw what is seen; rows that have not changed are not painted again."""
        if not self.is_attached or not self.children:
            return
        width, height = self.app.size
        over, page = self._regions()
        self.title_pane.place(Region(0, 0, width, 1))
        self.table_pane.place(over)
        self.page.place(page)
        self.keys.place(Region(0, height - 2, width, 2))
        path = str(self.rollstep.controller.library_path or "")
        self.title_pane.set_rows([title(self.model, one_line(path), self._waiting, width)])
        self._paint_table(over)
        if page:
            self.reader.paint(page, beside=self._beside)
        self._paint_keys()
        self.filter_line.place(width, height)

    def _paint_table(self, region: Region) -> None:
        model, height = self.model, region.height - 1
        missing = model.missing(height)
        made = table(region.width - (1 if self._beside else 0))
        self._unread = False
        rows: list[Row] = [header(made, model.order.by, model.order.descending)]
        for place in range(model.top, min(model.top + height, len(model))):
            assert model.found is not None
            chosen = model.found.key(place) in model.chosen
            listed = model.row(place)
            self._unread = self._unread or listed is None
            rows.append(draw(made, listed, self._now, here=place == model.at, chosen=chosen))
        if missing is not None and self._unread:
            self._read_rows(*missing)
        elif missing is not None:  # for the next key; this one is painted first
            self.call_after_refresh(self._read_rows, *missing)
        if not len(model):
            words = (
                "No rollout is meant by the filter; Esc shows all."
                if model.query
                else (
                    "No rollouts yet: rollstep demo --keep makes one, import takes in others' logs."
                )
            )
            rows.append(row((f"  {words if model.found is not None else '…'}", "dim")))
        self.table_pane.set_rows(rows)

    def _paint_keys(self) -> None:
        width = self.app.size.width
        said: Span = self.flashed or ("", "dim")
        self.keys.set_rows([row((f" {fit(said[0], width - 2)}", said[1])), key_line(width)])

    # looking

    def _moved(self, moved: bool = True) -> None:
        self.flashed = None
        if moved:
            self.paint()
        else:
            self._paint_keys()

    def action_move(self, by: int) -> None:
        """The next row."""
        self._moved(self.model.move(by))

    def action_page(self, by: int) -> None:
        """A screenful of rows."""
        self._moved(self.model.move(by * max(self._regions()[0].height - 2, 1)))

    def action_end(self, side: int) -> None:
        """The first or the last row."""
        self._moved(self.model.move(side * len(self.model)))

    def action_read(self, by: int) -> None:
        """Read on in the page, a screenful."""
        self.reader.scroll(by)

    def action_layout(self) -> None:
        """The page beside the table, or all columns in its place."""
        self._page_shown = not self._page_shown
        self.paint()

    def action_select(self) -> None:
        """Select the rollout under the cursor, and go to the next."""
        self.model.choose()
        self.model.move(1)
        self._moved()

    def action_select_all(self) -> None:
        """Select all that are listed."""
        if self.model.found is not None:
            self.model.choose_all()
            self._moved()

    def action_open(self) -> None:
        """Open the rollout under the cursor, at the hit that is pointed at."""
        if (listed := self.model.current) is not None:
            self.dismiss(OpenTarget(rollout=listed.summary.id, step=self.reader.seq))

    def action_hit(self, by: int) -> None:
        """The next place where the filter's words were found, on the page beside."""
        if words := self.reader.walk(by):
            self.flash(words, "dim")

    def action_filter(self) -> None:
        """Type a query."""
        self.filter_line.open()

    def action_make(self, what: str) -> None:
        """Marks, orders, saved filters, numbers."""
        self.flashed = None
        getattr(self.making, f"do_{what}")()

    def action_help(self) -> None:
        """All keys of this screen."""
        from .help import HelpScreen

        rows = [(key, what) for key, _, what in KEYS]
        self.app.push_screen(HelpScreen([("LIBRARY: all rollouts", rows)]))

    def action_escape(self) -> None:
        """Out of the selection, out of the filter, or back."""
        if self.model.chosen:
            self.model.chosen.clear()
            self._moved()
        elif self.model.query:
            self.model.query = ""
            self.list_anew(self.model.key)
        else:
            self.dismiss(None)

    def action_leave(self) -> None:
        """Up one level."""
        self.dismiss(None)

    # mouse

    def on_rows_pane_pressed(self, event: RowsPane.Pressed) -> None:
        """A click selects a row; one more on it opens it."""
        if event.pane is not self.table_pane or event.y < 1:
            return
        place = self.model.top + event.y - 1
        if place == self.model.at:
            self.action_open()
        elif place < len(self.model):
            self._moved(self.model.move(place - self.model.at))

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls what is under it."""
        if event.pane is self.page:
            self.reader.scroll_lines(event.lines)
        elif event.pane is self.table_pane:
            self._moved(self.model.move(event.lines))
