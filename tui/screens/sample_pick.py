"""Pick a sample of another program's log: failures first, as they are read."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..samples_read import read_samples
from ..sanitize import one_line, visible
from ..typed_filter import TypedFilter
from ..widgets.row_list import Column, ListRow, RowList
from .own_keys import HELP, OwnKeys

if TYPE_CHECKING:
    from rollstep.core.importing import SampleLine

_NUMBER, _SCORE, _TURNS = Column(8, "muted"), Column(30, least=60), Column(9, "muted")
_COLUMNS = (_NUMBER, Column(look="strong"), _SCORE, _TURNS)
_PROBLEM = (_NUMBER, Column(look="warning"))
_ABOUT = 600
"""Characters of a problem or a title that are shown under the list."""


class SamplePick(NamedTuple):
    """The sample that was picked: the record's number and the trajectory's place in it."""

    number: int
    nth: int = 0


class _Listed(NamedTuple):
    """A sample, its row, the group that it stands in, and what the filter looks at."""

    line: SampleLine
    row: ListRow
    group: int
    searched: str


class SamplePickScreen(OwnKeys, Screen[SamplePick | None]):
    """Dismisses with the sample that was picked, or None for back."""

    CSS_PATH = "sample_pick.tcss"
    KEYS_TITLE = "SAMPLES: of another program's log"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open the sample under the cursor"),
        Binding("slash", "filter", "Cut the list down by typing"),
        Binding("escape,q", "back", "Out of the filter, then back"),
        HELP,
    ]

    def __init__(
        self, path: Path, at: SamplePick | None = None, read_as: str | None = None
    ) -> None:
        """``at`` is where the cursor stands as soon as that sample was read; ``read_as`` the format
        that the log is read as.
        """
        super().__init__()
        self._path = path
        self._at = at
        self._read_as = read_as
        self._list = RowList()
        self._groups: tuple[list[_Listed], ...] = ([], [], [])
        self._lines: dict[object, SampleLine] = {}
        self._filter = TypedFilter()
        self._stop = threading.Event()
        self._done = False
        self._said = ""

    def compose(self) -> ComposeResult:
        """The file, the samples, the one under the cursor, the keys."""
        yield Static("", id="title")
        yield self._list
        yield Static("", id="about")
        yield Static("", id="keys")

    def on_mount(self) -> None:
        """Read the file; the first samples can be opened before all are there."""
        self._list.focus()
        self._say()
        self._read()

    def on_unmount(self) -> None:
        """Nobody waits for the rest."""
        self._stop.set()

    @work(thread=True, exclusive=True)
    def _read(self) -> None:
        def tell(lines: list[SampleLine], done: bool, words: str) -> None:
            listed = list(map(_listed, lines))
            if not self._stop.is_set():
                self.app.call_from_thread(self._take, listed, done, words)

        read_samples(self._path, tell, self._stop, self._read_as)

    def _take(self, listed: list[_Listed], done: bool, words: str) -> None:
        if not self.query("#keys"):
            return  # the screen was left meanwhile
        for each in listed:
            self._groups[each.group].append(each)
            self._lines[each.row.key] = each.line
        self._done, self._said = done, words or self._said
        self._list.show(self._rows())
        if self._at is not None and self._list.go_to(self._at):
            self._at = None
        self._say()

    def _rows(self) -> list[ListRow]:
        rows: list[ListRow] = []
        typed = self._filter.text.casefold()
        for title, group in zip(_TITLES, self._groups, strict=True):
            shown = [each.row for each in group if typed in each.searched]
            if shown:
                rows.append(ListRow((f"{title} {len(shown):,}",)))
                rows += shown
        return rows

    # Choosing

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter or a click on a sample."""
        if isinstance(event.row.key, SamplePick):
            self.dismiss(event.row.key)

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Say all of what the cursor stands on."""
        self._say()

    def on_key(self, event: events.Key) -> None:
        """Letters of the filter, while it is typed."""
        if self._filter.take(event):
            self._list.show(self._rows())
            self._at = None
            self._say()

    def action_open(self) -> None:
        """Open the sample under the cursor."""
        self._list.action_open()

    def action_filter(self) -> None:
        """Cut the list down by typing."""
        self._filter.typing = True
        self._say()

    def action_back(self) -> None:
        """Out of the filter, then out."""
        if self._filter.used:
            self._filter.clear()
            self._list.show(self._rows())
            self._say()
        else:
            self.dismiss(None)

    # What is said

    def _say(self) -> None:
        count = sum(map(len, self._groups))
        read = f"{count:,} sample{'' if count == 1 else 's'}"
        title = f"{self._path.name}   {read if self._done else f'reading … {read} so far'}"
        self.query_one("#title", Static).update(Content(one_line(title)))
        words = self._filter.words("Enter open   / filter   Esc back   ? keys")
        self.query_one("#keys", Static).update(Content(one_line(words)))
        row = self._list.current
        lines = [self._said] if self._said else []
        if row is not None:
            lines.append(_about(self._lines[row.key])[:_ABOUT])
        self.query_one("#about", Static).update(Content(visible("\n".join(lines))))


_TITLES = ("FAILED", "NOT FAILED", "CANNOT BE READ")


def _listed(line: SampleLine) -> _Listed:
    cells: tuple[str, ...] = (str(line.number), line.problem)
    if line.problem:
        row = ListRow(cells, ("problem", line.number), _PROBLEM)
    else:
        turns = f"{line.turns:,} turn{'' if line.turns == 1 else 's'}"
        cells = (cells[0], line.title, line.score, turns)
        row = ListRow(cells, SamplePick(line.number, line.index), _COLUMNS)
    group = 2 if line.problem else 0 if line.failed else 1
    return _Listed(line, row, group, " ".join(cells).casefold())


def _about(line: SampleLine) -> str:
    """What is said of a sample under the list."""
    if line.problem:
        return line.problem
    notes = f"{line.notes:,} note{'' if line.notes == 1 else 's'} on reading it"
    pieces = [f"{line.title}  ({line.format}, {line.steps:,} steps)"]
    pieces += [each for each in (line.score, line.why) if each]
    return "\n".join([*pieces, *([notes] if line.notes else [])])
