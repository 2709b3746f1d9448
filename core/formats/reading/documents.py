"""JSON documents: a list of records, documents one after the other, or one with samples in it.

Of a large document only what is asked for is parsed; the file is mapped and not read.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ...errors import Fault
from .json_in import JsonProblem, JsonReader
from .lines import BOM
from .pieces import Piece, nth
from .record import Refused
from .spans import (
    Broken,
    Buffer,
    CutOff,
    Span,
    elements,
    key_at,
    line_of,
    members,
    skip_space,
    values,
)

_SMALL = 1 << 24
"""Files up to this size are read and not mapped."""
_CHANGED = Fault("the file became shorter while it was read.", hint="Read it again.")


class Mapped:
    """A file of which any part can be had without reading the rest.

    To look at what is no more in a mapped file ends the program, so that small files, which
    programs write anew while they run, are not mapped, and of others the size is watched.
    """

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = open(path, "rb")  # noqa: SIM115 - open as long as the container
        self.data: Buffer = b""
        if self._length() > _SMALL:
            self.data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        else:
            self.data = self._file.read()
        self.start = skip_space(self.data, len(BOM) if self.data[:3] == BOM else 0)

    @property
    def first(self) -> bytes:
        """The first byte that is no white space."""
        return self.data[self.start : self.start + 1]

    @property
    def is_shorter(self) -> bool:
        """Whether somebody has cut the file off since it was mapped."""
        return isinstance(self.data, mmap.mmap) and self._length() < len(self.data)

    def _length(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        """Let it go."""
        if isinstance(self.data, mmap.mmap):
            self.data.close()
        self._file.close()


class _Spans:
    """What containers over spans of one file have in common."""

    format = ""
    where = ""
    """How the path of a piece is written: the name of what holds it."""

    def __init__(self, file: Mapped) -> None:
        self.file = file
        self.position = 0
        self.size = len(file.data)

    def spans(self) -> Iterator[Span]:
        """The spans of the pieces."""
        raise NotImplementedError

    def around(self) -> Any:
        """The document that holds the pieces."""
        return None

    def pieces(self) -> Iterator[Piece | Refused]:
        """All pieces; what cannot be followed ends them with one that is refused."""
        data, known, number = self.file.data, (0, 1), 0
        try:
            for number, span in enumerate(self.spans(), 1):
                known = (span.start, line_of(data, span.start, known))
                self.position = span.end
                yield Piece(number, data[span.start : span.end], known[1], self._path(number, span))
                if self.file.is_shorter:
                    yield Refused(number + 1, (_CHANGED,), self._path(number + 1, None))
                    return
        except Broken as error:
            yield Refused(number + 1, (self._fault(error),), self._path(number + 1, None))

    def piece(self, number: int) -> Piece | Refused | None:
        """The piece of this number."""
        return nth(self.pieces(), number)

    def count(self) -> int | None:
        """Nobody knows before the end."""
        return None

    def close(self) -> None:
        """Let the file go."""
        self.file.close()

    def _path(self, number: int, span: Span | None) -> str:
        if span is not None and span.key:
            return f"{self.where}.{span.key}"
        return f"{self.where}[{number - 1}]"

    def _fault(self, error: Broken) -> Fault:
        data = self.file.data
        line = line_of(data, error.offset)
        begin = data[: error.offset].rfind(b"\n") if error.offset < 1 << 24 else error.offset
        column = max(error.offset - begin, 0)
        words = "." if isinstance(error, CutOff) else ": this is no JSON."
        return Fault(f"{error}{words}", line, column, hint="What stands before it was read.")


class Elements(_Spans):
    """A list: each element is a piece."""

    def spans(self) -> Iterator[Span]:
        """The elements, and an error for what stands behind the list."""
        yield from elements(self.file.data, self.file.start)


class Documents(_Spans):
    """Documents one after the other; most often just one."""

    def spans(self) -> Iterator[Span]:
        """The documents."""
        yield from values(self.file.data, self.file.start)

    def _path(self, number: int, span: Span | None) -> str:
        return ""


class Samples(_Spans):
    """One document that holds samples under a key: each of those is a piece."""

    def __init__(self, file: Mapped, fields: Fields, key: str, format_name: str) -> None:
        super().__init__(file)
        self.format = format_name
        self.where = key
        self._cut = None if fields.broken == key else fields.cut
        self._fields = dict(fields.spans)
        if fields.broken != key:
            self._fields.pop(fields.broken, None)
        self._around: Any = None

    def spans(self) -> Iterator[Span]:
        """The samples: a list, or the values of an object. Raises CutOff where it was behind them
        that the file was cut off.
        """
        yield from sample_spans(self.file.data, self._fields[self.where])
        if self._cut is not None:
            raise self._cut

    def around(self) -> Any:
        """The document without its samples, parsed when it is first asked for."""
        if self._around is None:
            self._around = {
                key: parsed(self.file.data, span)
                for key, span in self._fields.items()
                if key != self.where
            }
        return self._around


def sample_spans(data: Buffer, span: Span) -> Iterator[Span]:
    """The spans of samples that a list or an object holds."""
    walk = elements if data[span.start : span.start + 1] == b"[" else members
    return walk(data, span.start)


class Fields(msgspec.Struct, frozen=True):
    """The fields of an object. Where the file was ``cut`` off, the one of key ``broken`` (if it had
    begun) reaches to the end of the file.
    """

    spans: dict[str, Span]
    cut: CutOff | None = None
    broken: str = ""


def fields_of(file: Mapped) -> Fields | None:
    """The fields of the object that a file is; None where it is anything else, or broken."""
    data = file.data
    if file.first != b"{":
        return None
    fields: dict[str, Span] = {}
    inside, at = members(data, file.start), file.start + 1
    try:
        while True:
            span = next(inside)
            fields[span.key], at = span, span.end
    except StopIteration as stop:
        return Fields(fields) if skip_space(data, stop.value) >= len(data) else None
    except CutOff as error:
        cut = error
    except Broken:
        return None
    at = skip_space(data, at)
    try:
        key, begin = key_at(data, skip_space(data, at + 1) if data[at : at + 1] == b"," else at)
    except Broken:
        return Fields(fields, cut)
    fields[key] = Span(begin, len(data), key)
    return Fields(fields, cut, key)


def parsed(data: Buffer, span: Span) -> Any:
    """The value of a span. Raises JsonProblem."""
    try:
        text = data[span.start : span.end].decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonProblem(Fault("not UTF-8.", line_of(data, span.start + error.start))) from error
    return JsonReader().parse(text)[0]
