"""Files of trajectories in any format that is known: opened, cut into records, read.

One bad record never stops a file: it comes back as ``Refused``, in its place among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from ...errors import Fault, FormatError
from ..table import FORMATS
from .gathering import Found, Gathering, Skipped
from .json_in import JsonProblem, JsonReader
from .opening import open_container
from .pieces import Container, Piece, digest_of
from .recognise import Recogniser, best, chosen
from .record import Imported, Quick, Reader, Record, Refused

Held = Callable[[list[tuple[int, str]]], set[int]]
"""Told the numbers and digests of records, gives the numbers of those that need not be read."""

LOOKED_FOR = " Looked for: "
"""What stands before the names of all formats, in the words on a record of none of them."""

_AT_ONCE = 256
_BYTES_AT_ONCE = 1 << 22
"""Records that are asked about together, and how large all of them may be."""
_TELLING = frozenset(
    {"role", "content", "from", "value", "messages", "conversations", "tool_calls"}
)
"""Keys of which a record cannot be understood when they stand twice in one object."""
_TOO_DEEP = "it is nested more deeply than can be read."


class Read(msgspec.Struct, frozen=True):
    """What became of one record: its trajectories, or the ``faults`` for which there are none.
    ``line`` is its physical line, 0 in a file that is not one of lines; ``held`` marks one that was
    passed over because it is held already.
    """

    number: int
    format: str = ""
    imported: tuple[Imported, ...] = ()
    faults: tuple[Fault, ...] = ()
    digest: str = ""
    held: bool = False
    line: int = 0


def readers() -> dict[str, Reader]:
    """Every format that can be read."""
    return {name: fmt.reader for name, fmt in FORMATS.items() if fmt.reader is not None}


def open_source(path: Path, *, format: str | None = None) -> Source:
    """The file as a row of records, recognised one by one, or all of the format that is named.

    Raises FormatError for a file that cannot be read or is no JSON, UsageError for a format that
    is not known.
    """
    asked = chosen(readers(), format)
    forced = format is not None
    return Source(path, open_container(path, asked, forced=forced), asked, forced=forced)


def read_records(path: Path, format: str | None = None) -> Iterator[Read]:
    """What each record of a file is, in order. Raises as ``open_source`` does, for the file as a
    whole; never for one record.
    """
    with open_source(path, format=format) as source:
        yield from source.read()


class Source:
    """An open file of records."""

    def __init__(
        self, path: Path, container: Container, readers: dict[str, Reader], *, forced: bool
    ) -> None:
        self.path = path
        self.format: str | None = container.format or None
        """The format of the first record; None until it is known."""
        self._container = container
        self._readers = readers
        self._forced = next(iter(readers)) if forced else ""
        self._recogniser = Recogniser(readers, forced=forced)
        self._json = JsonReader()
        self._documents: dict[Path, Any] = {}
        self._quick: tuple[str, Quick | None] = ("", None)

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go."""
        self._container.close()

    @property
    def progress(self) -> tuple[int, int]:
        """How much of the file has been passed, out of how much (bytes, or entries of a zip)."""
        return self._container.position, self._container.size

    def count(self) -> int | None:
        """How many records there are, where that is known without reading them."""
        return self._container.count()

    def records(self, held: Held | None = None) -> Iterator[Record | Refused | Skipped]:
        """The records in order; neighbours that make one trajectory are one record. Those that are
        ``held`` are not parsed.
        """
        gathering = Gathering(self._readers)
        for piece, digest in self._pieces(held):
            found = self._parsed(piece, digest) if isinstance(piece, Piece) else piece
            yield from gathering.add(found)
        yield from gathering.flush()

    def record(self, number: int) -> Record:
        """The record of this number; for a trajectory of many records, any of theirs. Raises
        FormatError when it cannot be used or is not there.
        """
        piece = self._container.piece(number)
        if piece is None:
            raise FormatError(f"{self.path}: there is no record {number}.")
        found = self._parsed(piece, digest_of(piece.data)) if isinstance(piece, Piece) else piece
        if isinstance(found, Record) and self._readers[found.format].unit != "record":
            found = self._gathered_at(number) or found
        if isinstance(found, Refused):
            raise FormatError(source=str(self.path), faults=found.faults)
        return found

    def read(self, held: Held | None = None) -> Iterator[Read]:
        """The trajectories of each record."""
        gathering = Gathering(self._readers)
        for piece, digest in self._pieces(held):
            if isinstance(piece, Piece):
                quick = self._quickly(piece, digest)
                if quick is not None:
                    yield quick
                    continue
            record = self._parsed(piece, digest) if isinstance(piece, Piece) else piece
            for found in gathering.add(record):
                yield self._as_read(found)
        for found in gathering.flush():
            yield self._as_read(found)

    def _as_read(self, found: Found) -> Read:
        if isinstance(found, Record):
            return self.trajectories(found)
        if isinstance(found, Refused):
            return Read(found.number, faults=found.faults)
        return Read(found.number, held=True)

    def trajectories(self, record: Record) -> Read:
        """What the record's own reader makes of it."""
        line = record.lines[0] if record.lines else 0
        try:
            made = tuple(self._readers[record.format].read(record))
            for each in made:
                _check_tree(each)
        except FormatError as error:
            faults = error.faults or (Fault(str(error)),)
        except RecursionError:
            faults = (Fault(_TOO_DEEP),)
        except Exception as error:  # noqa: BLE001 - one record of a kind unheard of is no reason to
            # leave the others; it is told with what went wrong.
            what = f"{type(error).__name__}: {error}"
            faults = (Fault(f"it cannot be read as {record.format} ({what})."),)
        else:
            if record.duplicates or any(each.notes for each in made):
                made = tuple(_with_notes(each, record) for each in made)
            return Read(record.number, record.format, made, (), record.digest, line=line)
        placed = tuple(_placed(fault, record) for fault in faults)
        return Read(record.number, record.format, (), placed, record.digest, line=line)

    # Inside

    def _pieces(self, held: Held | None) -> Iterator[tuple[Piece | Refused | Skipped, str]]:
        """Each piece that has to be read, with its digest."""
        rest = self._container.pieces()
        first = next(rest, None)
        if first is None:
            what = "samples in this log" if self._container.format else "records in it"
            yield Refused(0, (Fault(f"there are no {what}."),)), ""
            return
        rest = chain([first], rest)
        if held is None:
            for piece in rest:
                yield piece, digest_of(piece.data) if isinstance(piece, Piece) else ""
            return
        for pieces in _chunks(rest):
            digests = [digest_of(each.data) if isinstance(each, Piece) else "" for each in pieces]
            numbers = [piece.number for piece in pieces]
            known = held(list(zip(numbers, digests, strict=True)))
            for piece, digest in zip(pieces, digests, strict=True):
                is_held = piece.number in known and isinstance(piece, Piece)
                yield Skipped(piece.number) if is_held else piece, digest

    def _quickly(self, piece: Piece, digest: str) -> Read | None:
        """The trajectory of a line that is like those before it."""
        name = self._recogniser.last
        if name != self._quick[0]:
            maker = self._readers[name].quick if piece.line else None
            self._quick = (name, None if maker is None else maker())
        read = self._quick[1]
        if read is None:
            return None
        try:
            imported = read(piece.data, digest)
        except Exception:  # noqa: BLE001 - the long way is tried, and says what there is to say
            self._quick = (name, None)
            return None
        if imported is None:
            return None
        return Read(piece.number, name, (imported,), (), digest, False, piece.line)

    def _parsed(self, piece: Piece, digest: str) -> Record | Refused:
        try:
            value, twice = self._json.parse(piece.data.decode("utf-8"))
        except UnicodeDecodeError as error:
            return self._refused(piece, _not_utf8(error, piece))
        except JsonProblem as problem:
            return self._refused(piece, _cut_off(_in_file(problem.fault, piece), piece))
        for key in twice:
            if key in _TELLING:
                fault = Fault(f"the key {key!r} stands twice in one object.", hint=_MEND)
                return self._refused(piece, fault)
        try:
            name = self._container.format or self._recogniser.format_of(value)
        except RecursionError:
            return self._refused(piece, Fault(_TOO_DEEP))
        if not name:
            if self._forced:
                return self._refused(piece, _of_another(value, self._forced))
            return self._refused(piece, Fault(self._unknown(value), hint=_what_to_do(value)))
        self.format = self.format or name
        try:
            around = self._container.around()
            if around is None and self._readers[name].beside is not None:
                around = self._beside(self._readers[name])
        except JsonProblem as problem:
            return self._refused(piece, problem.fault)
        return Record(
            piece.number,
            value,
            digest,
            around,
            piece.path,
            (piece.line,) if piece.line else (),
            twice,
            name,
        )

    def _beside(self, reader: Reader) -> Any:
        """The document that stands for the one around the records, if there is one."""
        path = reader.beside(self.path) if reader.beside is not None else None
        if path is None or not path.is_file():
            return None
        if path not in self._documents:
            try:
                self._documents[path] = JsonReader().parse(path.read_text("utf-8"))[0]
            except (OSError, UnicodeDecodeError, JsonProblem):
                self._documents[path] = None  # it is told of where it is read itself
        return self._documents[path]

    def _gathered_at(self, number: int) -> Record | None:
        for record in self.records():
            if isinstance(record, Record) and number in (record.number, *record.lines):
                return record
        return None

    @staticmethod
    def _refused(piece: Piece, fault: Fault) -> Refused:
        if not fault.line and piece.line:
            fault = msgspec.structs.replace(fault, line=piece.line)
        if piece.path:
            where = f"{piece.path}.{fault.where}" if fault.where else piece.path
            fault = msgspec.structs.replace(fault, where=where)
        return Refused(piece.number, (fault,), piece.path)

    def _unknown(self, value: Any) -> str:
        names = ", ".join(self._readers)
        if isinstance(value, dict):
            keys = ", ".join(map(repr, list(value)[:8])) or "none"
            what = f"its keys are {keys}"
        else:
            what = f"it is a {_KINDS.get(type(value), 'number')}"
        return f"of no format that is known ({what}).{LOOKED_FOR}{names}."


def _of_another(value: Any, forced: str) -> Fault:
    """That a record is nothing that the reader which a person has named can know."""
    other = best(readers(), value)[0]
    looks = f"it looks like {other}" if other else "it looks like no format that is known"
    hint = f"Read it as {other}, or leave the format to be recognised." if other else ""
    return Fault(f"no record of {forced}: {looks}.", hint=hint)


def _what_to_do(value: Any) -> str:
    """What to do with records of our own that are no trajectories."""
    if not isinstance(value, dict):
        return ""
    if "rollstep_bundle" in value:
        return "This is a bundle; `rollstep open` and `rollstep import` take it whole."
    if "user_text" in value and "agent_text" not in value:
        return "It may be a seed row: `rollstep open` and `rollstep run --seed-file` play those."
    return ""


_MEND = "Only one of them can be meant: leave the other out."
_KINDS = {list: "list", str: "string", bool: "true or false", type(None): "null"}


def _chunks(pieces: Iterator[Piece | Refused]) -> Iterator[list[Piece | Refused]]:
    """Some pieces at a time: many small ones, or a few large ones."""
    chunk: list[Piece | Refused] = []
    size = 0
    for piece in pieces:
        chunk.append(piece)
        size += len(piece.data) if isinstance(piece, Piece) else 0
        if len(chunk) >= _AT_ONCE or size >= _BYTES_AT_ONCE:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _placed(fault: Fault, record: Record) -> Fault:
    """The fault with the place of its record, where it names none itself."""
    if not fault.line and record.lines:
        return msgspec.structs.replace(fault, line=record.lines[0])
    if not record.lines and record.path:
        where = f"{record.path}.{fault.where}" if fault.where else record.path
        return msgspec.structs.replace(fault, where=where)
    return fault


def _check_tree(imported: Imported) -> None:
    """Raise ValueError where the steps make no tree, for no library would take them."""
    known: set[str | None] = {None}
    for step in imported.steps:
        if step.parent_id not in known or step.id in known:
            raise ValueError(f"step {step.id} has no place in the tree")
        known.add(step.id)


def _with_notes(imported: Imported, record: Record) -> Imported:
    """The trajectory with its notes in their places, and one of keys that stand twice."""
    notes = list(imported.notes)
    if record.duplicates:
        keys = ", ".join(map(repr, record.duplicates))
        notes.append(Fault(f"{keys} stands twice in one object; the last one was taken."))
    placed = tuple(_placed(note, record) for note in notes)
    return msgspec.structs.replace(imported, notes=placed)


def _not_utf8(error: UnicodeDecodeError, piece: Piece) -> Fault:
    before = error.object[: error.start]
    fault = Fault(
        f"not UTF-8 (0x{error.object[error.start]:02X}).",
        piece.line + before.count(b"\n") if piece.line else 0,
        byte=error.start - (before.rfind(b"\n") + 1),
        hint="Convert the file to UTF-8.",
    )
    return _cut_off(fault, piece)


def _in_file(fault: Fault, piece: Piece) -> Fault:
    """The fault with its line in the file, not in the piece."""
    if not fault.line or not piece.line:
        return fault
    column = fault.column if fault.line > 1 or not piece.path else 0
    return msgspec.structs.replace(fault, line=piece.line + fault.line - 1, column=column)


def _cut_off(fault: Fault, piece: Piece) -> Fault:
    """A last line without an end that is no JSON was most likely cut off."""
    if not piece.open_end:
        return fault
    return Fault(
        "the last line is not whole: the file was cut off here. It was left out.",
        byte=fault.byte if fault.byte is not None else len(piece.data),
    )
