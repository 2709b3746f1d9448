"""Looking at files before they are imported, and taking them in: blocking, for a thread that can be
told to end. Imports no Textual.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rollstep.core.counting import counted
from rollstep.core.errors import FormatError, RollstepError

from .sanitize import one_line

if TYPE_CHECKING:
    from rollstep.core.formats.reading.files import Read
    from rollstep.core.importing import FileProgress, ImportSummary

_RECORDS = 500
"""Records that are looked at before an import, at most."""
_SECONDS = 2.0
"""And how long that may take."""
_SHOWN = 8
"""Titles, refusals and kinds of notes that are shown."""


class Preview(NamedTuple):
    """What was recognised. ``formats`` counts trajectories, ``titles`` are those of the first,
    ``notes`` count what had to be understood in one way or another, ``refused`` are the first
    records that cannot be read, with the reason, of ``refusals``. ``whole``: all was looked at.
    ``files`` are to be read, ``passed_over`` hold no JSON, ``own`` rollstep wrote beside
    exports. ``problem``: nothing can be imported.
    """

    files: int = 0
    records: int = 0
    formats: tuple[tuple[str, int], ...] = ()
    titles: tuple[str, ...] = ()
    notes: tuple[tuple[str, int], ...] = ()
    refused: tuple[str, ...] = ()
    refusals: int = 0
    whole: bool = True
    passed_over: int = 0
    problem: str = ""
    own: int = 0

    @property
    def useful(self) -> bool:
        """Whether there is anything to import."""
        return not self.problem and bool(self.formats or not self.whole)

    def lines(self) -> list[tuple[str, str]]:
        """All of it for people: pairs of a style and a line."""
        if self.problem:
            return [("error", self.problem)]
        more = "" if self.whole else " looked at so far"
        found = [
            ("strong", f"{counted(self.files, 'file')}, {counted(self.records, 'record')}{more}")
        ]
        found += [("text", f"  {name}: {number:,}") for name, number in self.formats]
        if self.passed_over:
            found.append(("dim", f"  {counted(self.passed_over, 'file')} without JSON passed over"))
        if self.own:
            found.append(("dim", f"  {own_words(self.own)}"))
        found += [("dim", f"    {title}") for title in self.titles]
        if self.refusals:
            found.append(("error", f"{counted(self.refusals, 'record')} cannot be read:"))
            found += [("error", f"    {words}") for words in self.refused]
        if self.notes:
            found.append(("warn", "understood in one way or another, and noted with the record:"))
            found += [("warn", f"    {number:,} × {words}") for words, number in self.notes]
        if self.formats:
            found.append(("ok", _NOTHING_LOST))
        return found


def own_words(own: int) -> str:
    """What is said of the files that rollstep wrote beside exports."""
    return f"{counted(own, 'file')} of rollstep's own passed over"


_NOTHING_LOST = (
    "Nothing else is lost: what no lane has a place for is kept with its record, and written back "
    "in the same format."
)


class _Looking:
    """What was seen so far."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._until = time.monotonic() + _SECONDS
        self.records = self.refusals = 0
        self.formats: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self.titles: list[str] = []
        self.refused: list[str] = []

    @property
    def over(self) -> bool:
        """Whether enough was seen."""
        late = time.monotonic() > self._until and self.records > 0
        return self._stop.is_set() or late or self.records >= _RECORDS

    def file(self, path: Path) -> bool:
        """Look into a file; whether all of it was seen."""
        from rollstep.core.formats.reading.files import open_source

        try:
            with open_source(path) as source:
                for read in source.read():
                    if self.over:
                        return False
                    self._record(path, read)
        except FormatError as error:
            self.refusals += 1
            self._refuse(str(error))
        return True

    def _record(self, path: Path, read: Read) -> None:
        self.records += 1
        if read.faults:
            self.refusals += 1
            self._refuse(read.faults[0].render(path.name))
        for imported in read.imported:
            self.formats[read.format] += 1
            self.notes.update(note.message for note in imported.notes)
            if len(self.titles) < _SHOWN:
                self.titles.append(one_line(imported.title or imported.project.title))

    def _refuse(self, words: str) -> None:
        if len(self.refused) < _SHOWN:
            self.refused.append(words)


def look(path: Path, stop: threading.Event) -> Preview:
    """What an import of this file or folder would find, as far as that is seen quickly."""
    from rollstep.core.importing import trajectory_files

    try:
        files, others, own = trajectory_files([path])
    except (RollstepError, OSError) as error:
        return Preview(problem=str(error))
    if not files:
        return Preview(passed_over=len(others), own=own, problem=f"{path}: nothing in it is JSON.")
    looking = _Looking(stop)
    whole = True
    for each in files:
        whole = looking.file(each) and whole
        if looking.over:
            whole = whole and each == files[-1]
            break
    problem = looking.refused[0] if whole and not looking.formats and looking.refused else ""
    return Preview(
        len(files),
        looking.records,
        tuple(looking.formats.most_common()),
        tuple(looking.titles),
        tuple(looking.notes.most_common(_SHOWN)),
        tuple(looking.refused),
        looking.refusals,
        whole,
        len(others),
        problem,
        own,
    )


def take_in(
    path: Path,
    library: Path,
    tell: Callable[[FileProgress], None],
    stop: threading.Event,
) -> ImportSummary:
    """Import a file or folder into the library at this path, over a connection of its own: steps
    can be made meanwhile. Raises RollstepError.
    """
    from rollstep.core.importing import import_files
    from rollstep.core.store.library import Library

    with Library.open(library) as own:
        return import_files([path], own, progress=tell, stop=stop.is_set)


def progress_words(progress: FileProgress) -> str:
    """How far an import is, in a line."""
    share = 100 * progress.done // progress.size if progress.size else 100
    bar = "█" * (share // 5) + "░" * (20 - share // 5)
    files = f", file {progress.files:,} of {progress.of_files:,}" if progress.of_files > 1 else ""
    return f"{bar} {share} %{files}: {progress.read:,} read"


def summary_lines(summary: ImportSummary) -> list[tuple[str, str]]:
    """What became of everything: pairs of a style and a line."""
    counts = [
        (summary.written, "taken in"),
        (summary.grown, "were here and have grown"),
        (summary.held, "were here already, and stay as they are"),
    ]
    found = [("strong", f"{counted(summary.read, 'record')} read")]
    found += [("ok", f"  {number:,} {words}") for number, words in counts if number]
    if summary.refused:
        found.append(("error", f"  {summary.refused:,} could not be read:"))
        found += [("error", f"    {left.render()}") for left in summary.left[:_SHOWN]]
        if summary.refused > _SHOWN:
            found.append(("error", f"    and {summary.refused - _SHOWN:,} more"))
    if summary.odd:
        found.append(("warn", f"  {summary.odd:,} with notes on how they were understood"))
    if summary.stopped:
        found.append(("warn", "Stopped before the end. Importing it again goes on from here."))
    return found
