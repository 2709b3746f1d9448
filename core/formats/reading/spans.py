"""Where the values of a JSON document begin and end, found without parsing them.

msgspec passes over a value many times as fast as anything could parse it, and tells where it ended
in the words of its refusal of what follows. What it refuses in the value itself (NaN, deep nesting)
is walked by tokens instead.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

import msgspec

Buffer = bytes | mmap.mmap

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]|"', re.DOTALL)
_SCALAR = re.compile(rb"[^ \t\r\n,\]}:\[{\"]+")
_CLOSED = (b"[", b"{", b'"')
_DEEP = 40
"""Values inside values that are stepped through; what is deeper is walked."""
_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")


class Span(NamedTuple):
    """A value from ``start`` to ``end``, and its key where it stands in an object."""

    start: int
    end: int
    key: str = ""


class Broken(ValueError):
    """From here, at ``offset``, the document cannot be followed."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


class CutOff(Broken):
    """The document ends where something is still open."""


def skip_space(data: Buffer, at: int) -> int:
    """The place of the next byte that is no white space."""
    found = _SPACE.match(data, at)
    assert found is not None
    return found.end()


def value_end(data: Buffer, at: int, depth: int = 0) -> int:
    """Where the value that begins at ``at`` ends. Raises Broken."""
    view = memoryview(data)
    rest = view[at:]
    try:
        msgspec.json.decode(rest, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        found = _TRAILING.search(str(error))
        if found is None:
            return _stepped_end(data, at, depth)
        end = at + int(found[1]) - 1  # it counts the byte that it refuses
    except RecursionError:
        return _walked_end(data, at)
    else:
        end = len(data)
    finally:
        rest.release()
        view.release()
    while data[end - 1] in b" \t\r\n":
        end -= 1
    return end


def elements(data: Buffer, at: int, depth: int = 0) -> Generator[Span, None, int]:
    """The elements of the array that begins at ``at``; returns its end. Raises Broken where it
    cannot go on.
    """
    at = skip_space(data, at + 1)
    if data[at : at + 1] == b"]":
        return at + 1
    while True:
        end = _whole_end(data, at, depth)
        yield Span(at, end)
        at, more = _behind(data, end, b"]", "the list")
        if not more:
            return at


def members(data: Buffer, at: int, depth: int = 0) -> Generator[Span, None, int]:
    """The values of the object that begins at ``at``, with their keys; returns its end. Raises
    Broken.
    """
    at = skip_space(data, at + 1)
    if data[at : at + 1] == b"}":
        return at + 1
    while True:
        key, at = key_at(data, at)
        end = _whole_end(data, at, depth)
        yield Span(at, end, key)
        at, more = _behind(data, end, b"}", "the object")
        if not more:
            return at


def key_at(data: Buffer, at: int) -> tuple[str, int]:
    """The key at this place, and where its value begins. Raises Broken."""
    key = _STRING.match(data, at)
    if key is None:
        raise _broken(data, at, "a key in quotes is missing")
    at = skip_space(data, key.end())
    if data[at : at + 1] != b":":
        raise _broken(data, at, "a colon is missing")
    return _key(key[0]), skip_space(data, at + 1)


def _whole_end(data: Buffer, at: int, depth: int) -> int:
    """Where the value ends. A number or a word at the very end of the document may go on."""
    end = value_end(data, at, depth)
    if end >= len(data) and data[at : at + 1] not in _CLOSED:
        raise CutOff(end, "it was cut off here")
    return end


def _behind(data: Buffer, end: int, close: bytes, what: str) -> tuple[int, bool]:
    """Where it goes on behind a value, and whether there is another one."""
    at = skip_space(data, end)
    mark = data[at : at + 1]
    if mark == close:
        return at + 1, False
    if mark != b",":
        raise _broken(data, at, f"a comma or the end of {what} is missing")
    return skip_space(data, at + 1), True


def _broken(data: Buffer, at: int, message: str) -> Broken:
    return CutOff(at, "it was cut off here") if at >= len(data) else Broken(at, message)


def values(data: Buffer, at: int = 0) -> Iterator[Span]:
    """Values that stand one after the other. Raises Broken."""
    at = skip_space(data, at)
    while at < len(data):
        end = value_end(data, at)
        yield Span(at, end)
        at = skip_space(data, end)
        if data[at : at + 1] == b",":
            at = skip_space(data, at + 1)


def line_of(data: Buffer, offset: int, known: tuple[int, int] = (0, 1)) -> int:
    """The physical line of an offset; ``known`` is an earlier offset and its line."""
    at, line = known
    step = 1 << 20
    while at < offset:
        end = min(at + step, offset)
        line += data[at:end].count(b"\n")
        at = end
    return line


def _stepped_end(data: Buffer, at: int, depth: int) -> int:
    """Like ``value_end``, value by value, so that what msgspec refuses is walked and no more."""
    first = data[at : at + 1]
    if first not in (b"[", b"{") or depth >= _DEEP:
        return _walked_end(data, at)
    inside = (elements if first == b"[" else members)(data, at, depth + 1)
    try:
        while True:
            next(inside)
    except StopIteration as stop:
        end: int = stop.value
        return end
    except CutOff:
        raise
    except Broken:
        return _walked_end(data, at)  # its end can be found in spite of what is wrong in it


def _walked_end(data: Buffer, at: int) -> int:
    """Like ``value_end``, token by token."""
    first = data[at : at + 1]
    if not first:
        raise CutOff(at, "it was cut off here")
    if first not in _CLOSED:
        scalar = _SCALAR.match(data, at)
        if scalar is None:
            raise Broken(at, "a value is missing")
        return scalar.end()
    depth = 0
    for token in _TOKEN.finditer(data, at):
        kind = token[0][:1]
        if kind == b'"':
            if len(token[0]) == 1:
                raise CutOff(len(data), "it was cut off here, inside a text")
        else:
            depth += 1 if kind in b"[{" else -1
        if depth == 0:
            return token.end()
    raise CutOff(len(data), "it was cut off here")


def _key(quoted: bytes) -> str:
    try:
        found = msgspec.json.decode(quoted, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return quoted[1:-1].decode("utf-8", "backslashreplace")
    return found
