"""Walking through the records of many files, which a person can watch and stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import FormatError, InputError
from ..formats.reading.files import Held, Read, Source, open_source
from ..formats.reading.lines import BOM
from ..formats.reading.ours import is_beside
from .summary import FileProgress
from .tally import Tally

Progress = Callable[[FileProgress], None]
Stop = Callable[[], bool]

BUNDLE = b'{"rollstep_bundle"'
_MAGIC = (b"\x1f\x8b", b"PK\x03\x04", b"{", b"[")
_OFTEN = 64
"""Records between two tellings of how far it is."""


class Walk:
    """The files that are named, and those in the folders that are named, one after the other.

    ``passed_over`` are files of folders that do not begin as JSON, or something packed, does;
    ``own`` counts those that rollstep writes beside exports. ``stopped`` says that ``stop`` ended
    it early. Raises InputError for a path that is not there.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        tally: Tally,
        *,
        format: str | None = None,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> None:
        self.paths, self.passed_over, self.own = trajectory_files(paths)
        self.tally = tally
        self.stopped = False
        self.files = 0
        self._format = format
        self._progress = progress
        self._stop = stop
        self._size = sum(map(_size, self.paths))
        self._done = 0

    def each(self) -> Iterator[Path]:
        """The files, as long as nobody says stop."""
        for path in self.paths:
            if self.should_stop():
                return
            self.files += 1
            yield path
            self._done += _size(path)
            self._tell(path, 0)

    def records(self, path: Path, held: Held | None = None) -> Iterator[Read]:
        """The records of a file that hold trajectories; the tally is told of all of them."""
        try:
            with open_source(path, format=self._format) as source:
                for read in source.read(held):
                    if self.tally.count(path, read):
                        yield read
                    if self.tally.read % _OFTEN == 0:
                        self._tell(path, self._passed(path, source))
                    if self.should_stop():
                        return
        except (FormatError, OSError) as error:
            self.tally.fail(path, error)

    def should_stop(self) -> bool:
        """Whether somebody has said stop."""
        if not self.stopped and self._stop is not None:
            self.stopped = self._stop()
        return self.stopped

    def _passed(self, path: Path, source: Source) -> int:
        done, of = source.progress
        return _size(path) * done // max(of, 1)

    def _tell(self, path: Path, done: int) -> None:
        if self._progress is not None:
            told = FileProgress(
                path, self.files, len(self.paths), self._done + done, self._size, self.tally.read
            )
            self._progress(told)


class Files(NamedTuple):
    """``found`` are to be read, ``passed_over`` hold no JSON. ``own`` counts what rollstep wrote
    beside exports: provenance, and the cards of folders of rows.
    """

    found: list[Path]
    passed_over: list[Path]
    own: int


def trajectory_files(paths: Iterable[Path]) -> Files:
    """The files that are named, and those in the folders that are named which begin as JSON or
    something packed does. One that is named alone is to be read, whatever it is. Raises InputError.
    """
    named = list(paths)
    found: list[Path] = []
    passed_over: list[Path] = []
    own = 0
    for path in named:
        if path.is_dir():
            for each in _files_in(path):
                if is_beside(each):
                    own += 1
                elif _may_hold_json(each):
                    found.append(each)
                else:
                    passed_over.append(each)
        elif not path.exists():
            raise InputError(f"{path}: there is no such file.")
        elif len(named) > 1 and path.is_file() and is_beside(path):
            own += 1
        else:
            found.append(path)
    return Files(found, passed_over, own)


def is_bundle(path: Path) -> bool:
    """Whether a file begins as a bundle of our own does."""
    try:
        with open(path, "rb") as file:
            return file.read(len(BOM) + len(BUNDLE)).removeprefix(BOM).startswith(BUNDLE)
    except OSError:
        return False  # it is told by whoever opens it


def _files_in(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, by name; hidden ones are left alone, and so are
    links to folders, which may lead back to where they stand.
    """
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():
                yield from _files_in(path)
        elif path.is_file():
            yield path


def _may_hold_json(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            start = file.read(256)
    except OSError:
        return True  # it is told as one that cannot be read
    return start.removeprefix(BOM).lstrip(b" \t\r\n").startswith(_MAGIC)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
