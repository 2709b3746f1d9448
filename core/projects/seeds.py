"""Seed JSONL files: one scenario a line. Bad rows are reported and the others are kept."""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, overload

import msgspec

from ..errors import Fault, SeedFileError
from .scalars import shown
from .seed_rows import BadRow, SeedRow, json_of, missing_text_hint, row_of, seed_record

IN_MEMORY = 8 * 1024 * 1024
"""Files up to this many bytes are kept in memory; of larger ones only where their rows begin."""

LISTED = 1000
"""Faults and notes that are listed one by one; more are only counted."""

IDS_COMPARED = 100_000
"""Rows among which equal ids are looked for, so that memory stays flat."""

_BOM = b"\xef\xbb\xbf"


class SeedFile(msgspec.Struct, frozen=True):
    """What a seed file holds. ``rows`` are the usable rows in file order, those without a text
    among them (they make no project). ``faults`` are rows that cannot be used, ``bad`` counts them
    all; ``notes`` are worth a word, but the rows count.
    """

    rows: Sequence[SeedRow]
    faults: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()
    bad: int = 0


def read_seeds(path: Path, strict: bool = False) -> SeedFile:
    """Read and check a seed file. Raises SeedFileError when it is missing, unreadable or blank,
    and with ``strict`` when any row is bad.
    """
    with _open(path) as file:
        seeds = _Reader(path, file).read()
    if not seeds.rows and not seeds.bad:
        raise _whole_file(path, "the file is empty: there are no rows in it.")
    if strict and seeds.bad:
        more = seeds.bad - len(seeds.faults)
        message = f"and {more:,} more bad rows" if more else ""
        raise SeedFileError(message, source=str(path), faults=seeds.faults)
    return seeds


def iter_seeds(path: Path) -> Iterator[SeedRow | Fault]:
    """The file's rows one by one, and a fault in place of each bad one. Keeps nothing, so equal
    ids are not noticed. Raises SeedFileError when the file cannot be read.
    """
    with _open(path) as file:
        for number, raw in _lines(file):
            try:
                record = seed_record(raw, number)
            except BadRow as bad:
                yield bad.fault
            else:
                if record is not None:
                    yield row_of(record, number)


class _Reader:
    """One pass over a file."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._faults: list[Fault] = []
        self._notes: list[Fault] = []
        self._bad = 0
        self._ids: dict[str, int] = {}

    def read(self) -> SeedFile:
        rows = self._indexed() if self._is_large() else self._collected()
        return SeedFile(rows, tuple(self._faults), tuple(self._notes), self._bad)

    def _is_large(self) -> bool:
        if not self._file.seekable():
            return False
        size = self._file.seek(0, 2)
        self._file.seek(0)
        return size > IN_MEMORY

    def _collected(self) -> tuple[SeedRow, ...]:
        return tuple(
            row_of(record, number)
            for number, raw in _lines(self._file)
            if (record := self._check(raw, number)) is not None
        )

    def _indexed(self) -> _FileRows:
        starts, numbers = array("Q"), array("Q")
        position = 0
        for number, raw in _lines(self._file):
            if self._check(raw, number) is not None:
                starts.append(position)
                numbers.append(number)
            # The first line comes without its byte-order mark.
            position = self._file.tell() if number == 1 else position + len(raw)
        return _FileRows(self._path, starts, numbers)

    def _check(self, raw: bytes, number: int) -> dict[str, Any] | None:
        try:
            record = seed_record(raw, number)
        except BadRow as bad:
            self._bad += 1
            if len(self._faults) < LISTED:
                self._faults.append(bad.fault)
            return None
        if record is not None:
            self._note_on(record, number)
        return record

    def _note_on(self, record: dict[str, Any], number: int) -> None:
        if not record.get("user_text"):
            hint = missing_text_hint(record)
            self._note("no user_text; the row makes no project.", number, "user_text", hint)
        task_id = record.get("task_id")
        if task_id and len(self._ids) < IDS_COMPARED:
            key = task_id if type(task_id) is str else json_of(task_id)
            first = self._ids.setdefault(key, number)
            if first != number:
                message = f"{shown(key)} is also the id of line {first}; both are run."
                self._note(message, number, "task_id")

    def _note(self, message: str, line: int, where: str, hint: str = "") -> None:
        if len(self._notes) < LISTED:
            self._notes.append(Fault(message, line, 0, where, hint))


class _FileRows(Sequence[SeedRow]):
    """The rows of a large file, read again when asked for: 16 bytes a row stay in memory."""

    def __init__(self, path: Path, starts: array[int], numbers: array[int]) -> None:
        self._path = path
        self._starts = starts
        self._numbers = numbers
        self._file: BinaryIO | None = None

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> SeedRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SeedRow]: ...
    def __getitem__(self, index: int | slice) -> SeedRow | Sequence[SeedRow]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = self._numbers[index]
        if self._file is None:
            self._file = _open(self._path)
            weakref.finalize(self, self._file.close)
        self._file.seek(self._starts[index])
        raw = self._file.readline()
        try:
            record = seed_record(raw.removeprefix(_BOM) if number == 1 else raw, number)
        except BadRow:
            record = None
        if record is None:
            message = f"line {number} is no longer what it was: the file changed while it was read."
            raise _whole_file(self._path, message)
        return row_of(record, number)


def _open(path: Path) -> BinaryIO:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise _whole_file(path, "there is no such seed file.") from None
    except IsADirectoryError:
        raise _whole_file(path, "a folder, not a seed file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _whole_file(path, f"the seed file cannot be read: {reason}.") from error


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Physical lines with their numbers from 1, cut at line feeds only, line ends kept, without
    the byte-order mark.
    """
    for number, raw in enumerate(file, 1):
        yield number, raw.removeprefix(_BOM) if number == 1 else raw


def _whole_file(path: Path, message: str) -> SeedFileError:
    return SeedFileError(source=str(path), faults=(Fault(message),))
