"""Importing many files: in flat memory, to be stopped and gone on with at any time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..errors import Fault, FormatError, InputError
from ..formats.reading.files import Held, Read, Source, open_source
from ..formats.reading.lines import BOM
from ..store.library import Library
from .ids import rollout_id
from .summary import SHOWN, ImportProgress, ImportSummary, Left
from .taking import Taking

Progress = Callable[[ImportProgress], None]

_MAGIC = (b"\x1f\x8b", b"PK\x03\x04", b"{", b"[")
_OFTEN = 64
"""Records between two looks at whether to stop, and two tellings of how far it is."""


def import_files(
    paths: Iterable[Path],
    library: Library,
    *,
    format: str | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> ImportSummary:
    """Save the trajectories of files and folders in a library.

    Records that the library holds are passed over, mostly without being parsed, so an import that
    was stopped is gone on with by asking for it again; nothing is lost or doubled. ``stop`` is
    asked now and then whether to end early. Raises UsageError for a format that is not known,
    InputError for a path that is not there, StoreError.
    """
    return _Importing(library, format, progress, stop).run(paths)


def trajectory_files(paths: Iterable[Path]) -> tuple[list[Path], int]:
    """The files that are named, and those in the folders that are named which begin as JSON or
    something packed does; and how many others there are in those. Raises InputError.
    """
    found: list[Path] = []
    passed_over = 0
    for path in paths:
        if path.is_dir():
            for each in _files_in(path):
                if _may_hold_json(each):
                    found.append(each)
                else:
                    passed_over += 1
        elif path.exists():
            found.append(path)
        else:
            raise InputError(f"{path}: there is no such file.")
    return found, passed_over


class _Importing:
    """One import, as far as it is."""

    def __init__(
        self,
        library: Library,
        format: str | None,
        progress: Progress | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self._library = library
        self._format = format
        self._progress = progress
        self._stop = stop or (lambda: False)
        self._taking = Taking(library, forced=format is not None)
        self._read = self._refused = self._odd = self._held = 0
        self._left: list[Left] = []
        self._notes: list[Left] = []
        self._ids: list[str] = []
        self._formats: Counter[str] = Counter()
        self._stopped = False
        self._done = self._size = 0
        self._of_files = self._files = 0

    def run(self, paths: Iterable[Path]) -> ImportSummary:
        """Take in all files."""
        files, passed_over = trajectory_files(paths)
        self._of_files = len(files)
        self._size = sum(path.stat().st_size for path in files)
        try:
            for path in files:
                if self._stopped or self._stop():
                    self._stopped = True
                    break
                self._files += 1
                self._file(path)
                self._done += path.stat().st_size
                self._tell(path, 0)
        finally:
            self._taking.flush()
        taking = self._taking
        return ImportSummary(
            self._files,
            self._read,
            taking.written,
            taking.grown,
            taking.held + self._held,
            self._refused,
            self._odd,
            tuple(self._left),
            tuple(self._notes),
            tuple(self._ids),
            tuple(self._formats.most_common()),
            passed_over,
            self._stopped,
        )

    def _file(self, path: Path) -> None:
        try:
            with open_source(path, format=self._format) as source:
                self._records(path, source)
        except FormatError as error:
            self._leave(path, 0, error.faults or (Fault(_without_path(error, path)),))
        except OSError as error:
            self._leave(path, 0, (Fault(f"cannot be read: {error.strerror or error}."),))

    def _records(self, path: Path, source: Source) -> None:
        size = path.stat().st_size
        for read in source.read(self._known()):
            self._read += 1
            self._record(path, read)
            if self._read % _OFTEN == 0:
                done, of = source.progress
                self._tell(path, size * done // max(of, 1))
                if self._stop():
                    self._stopped = True
                    return

    def _record(self, path: Path, read: Read) -> None:
        if read.held:
            self._held += 1
            return
        if read.faults:
            self._leave(path, read.number, read.faults)
            return
        self._formats[read.format] += len(read.imported)
        ids = self._taking.take(read, str(path))
        if len(self._ids) < SHOWN:
            self._ids += ids
        for imported in read.imported:
            if imported.notes:
                self._odd += 1
                if len(self._notes) < SHOWN:
                    self._notes.append(Left(path, read.number, imported.notes))

    def _known(self) -> Held:
        forced = self._format or ""

        def known(records: list[tuple[int, str]]) -> set[int]:
            ids = {rollout_id(digest, number, 0, forced): number for number, digest in records}
            return {ids[each] for each in self._library.held(ids)}

        return known

    def _leave(self, path: Path, number: int, faults: tuple[Fault, ...]) -> None:
        self._refused += 1
        if len(self._left) < SHOWN:
            self._left.append(Left(path, number, faults))

    def _tell(self, path: Path, done: int) -> None:
        if self._progress is not None:
            self._progress(
                ImportProgress(
                    path,
                    self._files,
                    self._of_files,
                    self._done + done,
                    self._size,
                    self._read,
                    self._taking.written,
                )
            )


def _files_in(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, by name; hidden ones are left alone."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files_in(path)
        elif path.is_file():
            yield path


def _may_hold_json(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            start = file.read(256)
    except OSError:
        return True  # it is told as one that cannot be read
    start = start.removeprefix(BOM).lstrip(b" \t\r\n")
    return start.startswith(_MAGIC)


def _without_path(error: FormatError, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")
