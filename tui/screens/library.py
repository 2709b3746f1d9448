"""The library: a table of rollouts, a filter, a page beside it; marks on one or on many."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen

from ..actions import Action
from ..library.actions import on_this_screen, opening_keys
from ..library.columns import Table, draw, header, order_words, table
from ..library.model import LibraryModel
from ..library.words import key_line, nothing, title, with_failed
from ..palette import Palette
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..widgets.rows_pane import RowsPane
from ..wrap import fit
from .library_filter import FilterLine
from .library_listing import Listing
from .library_look import Looking
from .library_make import Making
from .library_numbers import Numbers
from .library_page import PageReader
from .library_upkeep import Upkeep

if TYPE_CHECKING:
    from rollstep.core.review.keeping import KeptQueue

    from ..rollstep_app import RollstepApp
    from ..target import OpenTarget

    Chosen: TypeAlias = OpenTarget | KeptQueue | None

_WIDE = 110
"""From so many columns on the page stands beside the table; below it else."""
_ACTIONS = {action.id: action for action in on_this_screen()}


class LibraryScreen(Screen["Chosen"], inherit_bindings=False):
    """Dismisses with the rollout that is to be opened, the queue that is to be gone through, or
    None.
    """

    AUTO_FOCUS = ""
    opening_keys = opening_keys()
    DEFAULT_CSS = """
    LibraryScreen { background: $background; }
    LibraryScreen QueryField { position: absolute; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(action.keys), f"act('{action.id}')", action.help, show=False)
        for action in _ACTIONS.values()
        if action.keys
    ]

    def __init__(self, app: RollstepApp, model: LibraryModel) -> None:
        super().__init__()
        self.rollstep = app
        self.model = model
        self.palette = app.palette
        self.flashed: Span | None = None
        self.making = Making(self)
        self.looking = Looking(self)
        self.listing = Listing(self)
        self.numbers = Numbers(self)
        self.upkeep = Upkeep(self)
        self.working = app.dialogs.library_work()
        self.filter_line = FilterLine(self)
        self.reader = PageReader(self)
        self._reading: tuple[int, int] | None = None
        self.page_shown = True
        """Whether the page stands beside the table."""
        self._unread = False
        """Whether a row in sight has not been read."""
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
        self.working.come(self)
        self.table_pane.focus()
        self.paint()
        self.list_anew()
        self.count_hidden()
        self.filter_line.history.read()
        self.upkeep.soon()

    def on_unmount(self) -> None:
        """Nobody waits for answers any more."""
        self.listing.stop()
        self.numbers.stop()
        self.working.leave(self)
        self.reader.stop()

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

    def list_anew(self) -> None:
        """List by the filter and the order as they are now; the cursor stays on its rollout."""
        self.listing.anew()

    def was_listed(self) -> None:
        """The list is another."""
        self._reading = None
        self.reader.forget()
        self.paint()

    def count_hidden(self) -> None:
        """Say how many rollouts are hidden."""
        from rollstep.core.listing.hidden import count_hidden

        def counted(count: int) -> None:
            self.model.hidden = count
            self.paint()

        self.ask(count_hidden, counted)

    def changed(self) -> None:
        """Rollouts were marked: rows and the page are read again, and facts worked out."""
        self.reader.forget()
        self.paint()
        self.upkeep.soon()

    def was_done(self, words: str, failed: Sequence[tuple[str, str]]) -> None:
        """Rollouts were changed from here: say so, and which could not be."""
        self.model.forget_rows()
        self.changed()
        self.flash(*with_failed(words, failed))

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

    # painting

    def _regions(self) -> tuple[Region, Region]:
        """Where the table is, and the page."""
        width, height = self.app.size
        body = max(height - 3, 2)
        if not self.page_shown:
            return Region(0, 1, width, body), Region()
        if width >= _WIDE:
            left = max(width * 3 // 5, 70)
            return Region(0, 1, left, body), Region(left, 1, width - left, body)
        upper = max(body * 3 // 5, 3)
        return Region(0, 1, width, upper), Region(0, 1 + upper, width, body - upper)

    @property
    def _beside(self) -> bool:
        return self.page_shown and self.app.size.width >= _WIDE

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
        self.title_pane.set_rows(
            [title(self.model, one_line(path), self.upkeep.waiting, width, self._said_above(over))]
        )
        self._paint_table(over)
        if page:
            self.reader.paint(page, beside=self._beside)
        self._paint_keys()
        self.filter_line.place(width, height)

    def _table(self, region: Region) -> Table:
        return table(region.width - (1 if self._beside else 0))

    def _said_above(self, region: Region) -> str:
        """What takes long at the moment, or the order, where no column shows it."""
        return self.listing.doing or order_words(self._table(region), self.model.order)

    def _paint_table(self, region: Region) -> None:
        model, height = self.model, region.height - 1
        missing = model.missing(height)
        made = self._table(region)
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
            rows.append(row((f"  {nothing(model)}", "dim")))
        self.table_pane.set_rows(rows)

    def _paint_keys(self) -> None:
        width = self.app.size.width
        said: Span = self.flashed or ("", "dim")
        self.keys.set_rows([row((f" {fit(said[0], width - 2)}", said[1])), key_line(width)])

    # keys

    @property
    def rows_in_sight(self) -> int:
        """How many rows of the table are seen at once."""
        return max(self._regions()[0].height - 1, 2)

    def moved(self, moved: bool = True) -> None:
        """The cursor or the selection is another (or, where not ``moved``, a key said so)."""
        self.flashed = None
        if moved:
            self.paint()
        else:
            self._paint_keys()

    def palette_actions(self) -> tuple[Action, ...]:
        """What the command palette offers over this screen."""
        return tuple(_ACTIONS.values())

    async def action_act(self, name: str, chosen: bool = False) -> None:
        """Do one action, unless its keys rest now; ``chosen`` by name, it is meant in any case."""
        action, guard = _ACTIONS[name], self.rollstep.guard
        rests = {"free": False, "opens": guard.pasting, "acts": guard.closed}[action.guard]
        if rests and not chosen:
            self.flash(guard.words(action.short))
            return
        if self.working.words and action.group in ("MAKE", "DECIDE"):
            self.flash(f"{self.working.words}: {action.short} waits until that is over.", "dim")
            return
        self.flashed = None
        doer = self.looking if hasattr(self.looking, f"do_{name}") else self.making
        if (opening := getattr(doer, f"do_{name}")()) is not None:
            await opening

    # mouse

    def on_rows_pane_pressed(self, event: RowsPane.Pressed) -> None:
        """A click selects a row; one more on it opens it."""
        if event.pane is not self.table_pane or event.y < 1:
            return
        place = self.model.top + event.y - 1
        if place == self.model.at:
            self.looking.do_open_step()
        elif place < len(self.model):
            self.looking.move(place - self.model.at)

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls what is under it."""
        if event.pane is self.page:
            self.reader.scroll_lines(event.lines)
        elif event.pane is self.table_pane:
            self.looking.move(event.lines)
