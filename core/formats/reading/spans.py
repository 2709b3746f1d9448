"""Where the values of a JSON document begin and end, found without parsing them.

msgspec passes over a value many times as fast as anything could parse it, and tells where it ended
in the words of its refusal of what follows. What it refuses in the value itself (NaN, deep nesting)
is walked by tokens instead.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

Buffer = bytes | mmap.mmap

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]|"', re.DOTALL)
_SCALAR = re.compile(rb"[^ \t\r\n,\]}:\[{\"]+")
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


def skip_space(data: Buffer, at: int) -> int:
    """The place of the next byte that is no white space."""
    found = _SPACE.match(data, at)
    assert found is not None
    return found.end()


def value_end(data: Buffer, at: int) -> int:
    """Where the value that begins at ``at`` ends. Raises Broken."""
    view = memoryview(data)
    rest = view[at:]
    try:
        msgspec.json.decode(rest, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        found = _TRAILING.search(str(error))
        if found is None:
            return _walked_end(data, at)
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


def elements(data: Buffer, at: int) -> Iterator[Span]:
    """The elements of the array that begins at ``at``. Raises Broken where it cannot go on."""
    at = skip_space(data, at + 1)
    if data[at : at + 1] == b"]":
        return
    while True:
        end = value_end(data, at)
        yield Span(at, end)
        at = skip_space(data, end)
        mark = data[at : at + 1]
        if mark == b"]":
            return
        if mark != b",":
            raise Broken(at, "a comma or the end of the list is missing")
        at = skip_space(data, at + 1)


def members(data: Buffer, at: int) -> Iterator[Span]:
    """The values of the object that begins at ``at``, with their keys. Raises Broken."""
    at = skip_space(data, at + 1)
    if data[at : at + 1] == b"}":
        return
    while True:
        key = _STRING.match(data, at)
        if key is None:
            raise Broken(at, "a key in quotes is missing")
        at = skip_space(data, key.end())
        if data[at : at + 1] != b":":
            raise Broken(at, "a colon is missing")
        at = skip_space(data, at + 1)
        end = value_end(data, at)
        yield Span(at, end, _key(key[0]))
        at = skip_space(data, end)
        mark = data[at : at + 1]
        if mark == b"}":
            return
        if mark != b",":
            raise Broken(at, "a comma or the end of the object is missing")
        at = skip_space(data, at + 1)


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


def _walked_end(data: Buffer, at: int) -> int:
    """Like ``value_end``, token by token."""
    first = data[at : at + 1]
    if not first:
        raise Broken(at, "it ends before the value")
    if first not in (b"[", b"{", b'"'):
        scalar = _SCALAR.match(data, at)
        if scalar is None:
            raise Broken(at, "a value is missing")
        return scalar.end()
    depth = 0
    for token in _TOKEN.finditer(data, at):
        kind = token[0][:1]
        if kind == b'"':
            if len(token[0]) == 1:
                raise Broken(token.start(), "a string is not closed")
        else:
            depth += 1 if kind in b"[{" else -1
        if depth == 0:
            return token.end()
    raise Broken(len(data), "it ends before the value is closed")


def _key(quoted: bytes) -> str:
    try:
        found = msgspec.json.decode(quoted, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return quoted[1:-1].decode("utf-8", "backslashreplace")
    return found
