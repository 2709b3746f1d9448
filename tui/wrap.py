"""Greedy wrapping by cell width, lazily: a line that nobody sees is never wrapped.

Works on text that has passed through ``sanitize.visible``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .cells import cells, char_cells

TAB = 4
_SLICE = 8192
"""A single line longer than this is wrapped piece by piece, so that its head costs little."""


class Wrapped(NamedTuple):
    """The first lines of a text, and how much was left out: source lines, or, where one long line
    was cut, characters.
    """

    lines: list[str]
    more_lines: int = 0
    more_chars: int = 0


def wrap(text: str, width: int, limit: int) -> Wrapped:
    """At most ``limit`` lines of ``text``, each at most ``width`` cells wide."""
    lines: list[str] = []
    start, end = 0, len(text)
    while True:
        newline = text.find("\n", start)
        stop = end if newline < 0 else newline
        for piece, used in wrap_line(text, start, stop, width):
            if len(lines) == limit:
                return _cut(lines, text, start, used, stop)
            lines.append(piece)
        if newline < 0:
            return Wrapped(lines)
        start = newline + 1


def _cut(lines: list[str], text: str, start: int, used: int, stop: int) -> Wrapped:
    more = text.count("\n", start) + 1
    if used == start:
        return Wrapped(lines, more)
    return Wrapped(lines, more, stop - used) if more == 1 else Wrapped(lines, more)


def wrap_line(text: str, start: int, stop: int, width: int) -> Iterator[tuple[str, int]]:
    """The pieces of one source line, each with the index at which it starts."""
    if start == stop:
        yield "", start
        return
    while start < stop:
        chunk = text[start : min(stop, start + _SLICE)]
        last = start + len(chunk) >= stop
        if "\t" in chunk:
            chunk = chunk.expandtabs(TAB)
            if not last:
                chunk, last = text[start:stop].expandtabs(TAB), True
            yield from ((piece, start) for piece, _ in _pieces(chunk, width, True))
            return
        for piece, used in _pieces(chunk, width, last):
            yield piece, start + used[0]
            consumed = used[1]
        start += consumed


def _pieces(line: str, width: int, whole: bool) -> Iterator[tuple[str, tuple[int, int]]]:
    """Pieces with where each starts and where the next would. Unless this is the ``whole`` line,
    what may go on in the next slice is left for it.
    """
    width = max(width, 1)
    at, size = 0, len(line)
    narrow = line.isascii()
    while at < size:
        cut = min(at + width, size) if narrow else _fit(line, at, width)
        if cut >= size:
            if whole or at == 0:
                yield line[at:], (at, size)
            return
        if line[cut] == " ":
            yield line[at:cut], (at, cut + 1)
            at = cut + 1
            continue
        space = line.rfind(" ", at, cut)
        if space > at and line[at:space].strip(" "):
            yield line[at : space + 1].rstrip(" "), (at, space + 1)
            at = space + 1
        else:
            yield line[at:cut], (at, cut)
            at = cut


def _fit(line: str, at: int, width: int) -> int:
    """The index up to which ``line`` from ``at`` fits; never inside a joined sequence."""
    used, index, size = 0, at, len(line)
    while index < size:
        end, cost = _cluster(line, index)
        if used + cost > width and index > at:
            return index
        used += cost
        index = end
    return size


def _cluster(line: str, index: int) -> tuple[int, int]:
    """The end of the letter with its marks (or of the emoji sequence) at ``index``; its cells."""
    size = len(line)
    end = index + 1
    while end < size:
        char = line[end]
        if char == "\u200d" and end + 1 < size:
            end += 2
        elif (
            char == "\ufe0f"
            or "\U0001f3fb" <= char <= "\U0001f3ff"
            or (char > "\u02ff" and char_cells(char) == 0)
        ):
            end += 1
        else:
            break
    if end == index + 1:
        return end, char_cells(line[index])
    return end, cells(line[index:end])


def fit(text: str, width: int, mark: str = "…") -> str:
    """One line cut to ``width`` cells, with a mark where it was cut."""
    if width <= 0:
        return ""
    head = text[: width * 8 + 8]
    if len(head) == len(text) and cells(text) <= width:
        return text
    if head.isascii():
        return head[: width - 1] + mark
    cut = _fit(text, 0, width - 1)
    return (text[:cut] if cells(text[:cut]) < width else "") + mark


def pad(text: str, width: int) -> str:
    """Cut or filled with blanks to exactly ``width`` cells."""
    text = fit(text, width)
    return text + " " * (width - cells(text))
