"""Pick one row of a seed file to make a project of."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rollstep.core.errors import RollstepError
from rollstep.core.model.project import Project
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..sanitize import one_line
from ..typed_filter import TypedFilter
from ..widgets.path_field import PathField
from ..widgets.row_list import Column, ListRow, RowList

MOST_ROWS = 10_000
"""Rows that are listed; ``/`` looks only among these."""
_COLUMNS = (Column(6, "muted"), Column(28, "strong"), Column(look="muted", least=50))


@dataclass(frozen=True)
class SeedPick:
    """The row that was picked: its file, its place from 0, and its project."""

    path: str
    record: int
    project: Project


@dataclass(frozen=True)
class _Seed:
    record: int
    line: int
    title: str
    text: str
    project: Project


class SeedPickScreen(Screen[SeedPick | None]):
    """A path, and the rows of its file. Dismisses with the picked row, or None."""

    CSS_PATH = "seed_pick.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back"),
        Binding("slash", "filter", "Filter"),
    ]

    def __init__(self, path: str = "") -> None:
        super().__init__()
        self._path = PathField(path, suffixes=(".jsonl",))
        self._list = RowList()
        self._seeds: list[_Seed] = []
        self._filter = TypedFilter()

    def compose(self) -> ComposeResult:
        """The path, the rows, what is wrong, the keys."""
        yield Static(Content("New project from a seed row"), id="title")
        yield self._path
        yield self._list
        yield Static("", id="notes")
        yield Static("", id="keys")

    def on_mount(self) -> None:
        """Type a path, or pick at once."""
        self._path.box.focus()
        self._say_keys()
        if self._path.path:
            self._read(self._path.expanded)

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        """Read this file."""
        self.query_one("#notes", Static).update(Content("reading …"))
        self._read(self._path.expanded.strip())

    @work(thread=True, exclusive=True)
    def _read(self, path: str) -> None:
        """Off the screen's loop: a seed file may hold a million rows."""
        seeds, words = read_rows(path)
        if self.is_attached:
            self.app.call_from_thread(self._show, seeds, words)

    def _show(self, seeds: list[_Seed], words: str) -> None:
        if not self.query("#notes"):
            return  # the screen was left while the file was being read
        self._seeds = seeds
        self._list.show(self._rows(), keep=False)
        self.query_one("#notes", Static).update(
            Content("\n".join(map(one_line, words.split("\n"))))
        )
        if seeds:
            self._list.focus()
        self._say_keys()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Picked."""
        seed = event.row.key
        if isinstance(seed, _Seed):
            path = os.path.abspath(self._path.expanded.strip())
            self.dismiss(SeedPick(path, seed.record, seed.project))

    def on_key(self, event: events.Key) -> None:
        """Letters of the filter, while it is typed."""
        if self._filter.take(event):
            self._list.show(self._rows())
            self._say_keys()

    def action_filter(self) -> None:
        """Cut the list down by typing."""
        if self._list.has_focus:
            self._filter.typing = True
            self._say_keys()

    def action_back(self) -> None:
        """Out of the filter, then out."""
        if self._filter.used:
            self._filter.clear()
            self._list.show(self._rows())
            self._say_keys()
        else:
            self.dismiss(None)

    def _rows(self) -> list[ListRow]:
        return [
            ListRow((str(seed.line), seed.title, seed.text), seed, _COLUMNS)
            for seed in self._seeds
            if self._filter.lets_in(seed.title, seed.text)
        ]

    def _say_keys(self) -> None:
        words = self._filter.words("Enter choose   / filter   Esc back")
        self.query_one("#keys", Static).update(Content(one_line(words)))


def read_rows(path: str) -> tuple[list[_Seed], str]:
    """The rows that make projects, and words for what is wrong. Blocking."""
    from rollstep.core.projects.seed_author import SeedAuthor
    from rollstep.core.projects.seeds import read_seeds

    try:
        file = read_seeds(Path(path))
    except RollstepError as error:
        return [], str(error)
    seeds: list[_Seed] = []
    without_text = 0
    author = SeedAuthor(file.rows) if file.rows else None
    for record, row in enumerate(file.rows):
        if author is None or len(seeds) >= MOST_ROWS:
            break
        if not row.user_text:
            without_text += 1
            continue
        project = author.project_of(row, record)
        seeds.append(_Seed(record, row.line, project.title, row.user_text, project))
    words = [fault.render(os.path.basename(path)) for fault in file.faults[:3]]
    if file.bad > len(words):
        words.append(f"and {file.bad - len(words):,} more bad rows")
    if without_text:
        words.append(f"{without_text:,} rows have no text and make no project")
    if len(file.rows) > MOST_ROWS:
        words.append(f"the first {MOST_ROWS:,} of {len(file.rows):,} rows")
    return seeds, "\n".join(words)
