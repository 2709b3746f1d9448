"""Pick a sample of another program's log: failures first, as they are read."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

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

if TYPE_CHECKING:
    from rollstep.core.importing import SampleLine

_NUMBER, _SCORE, _TURNS = Column(8, "muted"), Column(30, least=60), Column(9, "muted")
_COLUMNS = (_NUMBER, Column(look="strong"), _SCORE, _TURNS)
_PROBLEM = (_NUMBER, Column(look="warning"))
_ABOUT = 600
"""Characters of a problem or a title that are shown under the list."""


@dataclass(frozen=True)
class SamplePick:
    """The sample that was picked: the record's number and the trajectory's place in it; ``about``
    is what is said of it under the list.
    """

    number: int
    nth: int = 0
    about: str = field(default="", compare=False)


class SamplePickScreen(Screen[SamplePick | None]):
    """Dismisses with the sample that was picked, or None for back."""

    CSS_PATH = "sample_pick.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter"),
        Binding("escape,q", "back", "Back"),
    ]

    def __init__(self, path: Path, at: SamplePick | None = None) -> None:
        """``at`` is where the cursor stands as soon as that sample was read."""
        super().__init__()
        self._path = path
        self._at = at
        self._list = RowList()
        self._groups: tuple[list[ListRow], ...] = ([], [], [])
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
            if not self._stop.is_set():
                self.app.call_from_thread(self._take, lines, done, words)

        read_samples(self._path, tell, self._stop)

    def _take(self, lines: list[SampleLine], done: bool, words: str) -> None:
        if not self.query("#keys"):
            return  # the screen was left meanwhile
        for line in lines:
            group = 2 if line.problem else 0 if line.failed else 1
            self._groups[group].append(_row(line))
        self._done, self._said = done, words or self._said
        self._list.show(self._rows())
        if self._at is not None and self._list.go_to(self._at):
            self._at = None
        self._say()

    def _rows(self) -> list[ListRow]:
        rows: list[ListRow] = []
        for title, group in zip(_TITLES, self._groups, strict=True):
            shown = [row for row in group if self._filter.lets_in(*row.cells)]
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
        words = self._filter.words("Enter open   / filter   Esc back")
        self.query_one("#keys", Static).update(Content(one_line(words)))
        self.query_one("#about", Static).update(Content(visible(self._about())))

    def _about(self) -> str:
        row = self._list.current
        lines = [self._said] if self._said else []
        if row is not None and isinstance(row.key, SamplePick):
            lines.append(row.key.about[:_ABOUT])
        elif row is not None:
            lines.append(str(row.key)[:_ABOUT])
        return "\n".join(lines)


_TITLES = ("FAILED", "NOT FAILED", "CANNOT BE READ")


def _row(line: SampleLine) -> ListRow:
    if line.problem:
        return ListRow((str(line.number), line.problem), line.problem, _PROBLEM)
    turns = f"{line.turns:,} turn{'' if line.turns == 1 else 's'}"
    cells = (str(line.number), line.title, line.score, turns)
    return ListRow(cells, SamplePick(line.number, line.index, _about(line)), _COLUMNS)


def _about(line: SampleLine) -> str:
    notes = f"{line.notes:,} note{'' if line.notes == 1 else 's'} on reading it"
    pieces = [f"{line.title}  ({line.format}, {line.steps:,} steps)"]
    pieces += [each for each in (line.score, line.why) if each]
    return "\n".join([*pieces, *([notes] if line.notes else [])])
