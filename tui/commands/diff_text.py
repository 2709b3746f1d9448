"""A comparison as lines of text: two columns, or with the changed words in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from rollstep.core.rules.compare import Comparison, Row, Side
from rollstep.tui.comparing.lines import (
    Line,
    line_cells,
    row_lines,
    sections,
    stretches,
    wrap_spans,
)
from rollstep.tui.comparing.subjects import Subject, project_differences, summary_words
from rollstep.tui.rows import Span
from rollstep.tui.sanitize import one_line
from rollstep.tui.who import LETTERS

from .progress import counted

_CONTEXT = 2
"""Rows that are the same and shown before and after each difference."""
_LINES = 60
"""Lines that one side of a row takes at most."""
_STACKED = 60
"""Narrower than this, one side stands under the other."""
_MARKS = {"same": " ", "changed": "~", "left": "-", "right": "+"}
_COLOURS = {
    "removed": "31",
    "added": "32",
    "warn": "33",
    "error": "31",
    "call": "36",
    "name": "36",
    "dim": "2",
    "more": "2",
    "turn": "2",
    "reasoning": "3",
    "strong": "1",
    "new": "4",
}


class Look(NamedTuple):
    """How it is printed. ``words`` puts the changed words into one column, in brackets."""

    width: int
    words: bool = False
    colours: bool = False


def comparison_lines(
    comparison: Comparison, left: Subject, right: Subject, look: Look
) -> Iterator[str]:
    """All of it: what is compared, then every step that differs and those beside it."""
    for line in _lines(comparison, left, right, look):
        yield _printed(line, look.colours)


def _lines(
    comparison: Comparison, left: Subject, right: Subject, look: Look
) -> Iterator[Iterable[Span]]:
    for mark, style, side, path in (
        ("---", "removed", left, comparison.left),
        ("+++", "added", right, comparison.right),
    ):
        yield [(f"{mark} {one_line(side.label)}", style + ":strong")]
        yield [(f"    {summary_words(path.summary)}", "text")]
    projects = project_differences(left.project, right.project)
    if projects:
        yield [(f"The projects differ in: {', '.join(projects)}.", "warn")]
    yield [(_outcome(comparison), "strong")]
    if comparison.equal:
        return
    yield []
    grid = _Grid(comparison, look)
    for start, end, shown in _stretches(comparison):
        if shown:
            for at in range(start, end):
                yield from grid.row(comparison.rows[at])
        else:
            yield [(f"    ... {counted(end - start, 'step')} the same ...", "dim")]


def _outcome(comparison: Comparison) -> str:
    if comparison.equal:
        return f"The same: {counted(comparison.common, 'step')}."
    first = comparison.rows[comparison.differing[0]]
    side, index = (
        (comparison.left, first.left) if first.left is not None else (comparison.right, first.right)
    )
    assert index is not None
    place = f"step {index + 1}, turn {side.turns[index]}"
    return f"First difference: {place}. {counted(len(comparison.differing), 'difference')}."


def _stretches(comparison: Comparison) -> Iterator[tuple[int, int, bool]]:
    """The rows in stretches that are shown and left out."""
    count = len(comparison.rows)
    near = {at for row in comparison.differing for at in range(row - _CONTEXT, row + _CONTEXT + 1)}
    for shown, group in groupby(range(count), near.__contains__):
        places = list(group)
        # One line that says so takes as much room as one row.
        yield places[0], places[-1] + 1, shown or len(places) == 1


class _Grid:
    """Rows as lines of the terminal's width."""

    def __init__(self, comparison: Comparison, look: Look) -> None:
        self._comparison = comparison
        self._look = look
        longest = max(len(comparison.left.steps), len(comparison.right.steps))
        self._digits = len(str(longest))
        self._turns = (0, 0)

    def row(self, row: Row) -> Iterator[list[Span]]:
        """The lines of one row, with the turns that begin there above."""
        turns = (
            self._turn(self._comparison.left, row.left, 0),
            self._turn(self._comparison.right, row.right, 1),
        )
        one_column = self._look.words or self._look.width < _STACKED
        if turns != self._turns and (row.left is not None or row.right is not None):
            yield self._rule(turns, one_column)
        self._turns = turns
        if self._look.words:
            yield from self._inline(row)
        elif one_column:
            yield from self._under(row)
        else:
            yield from self._beside(row)

    def _turn(self, side: Side, index: int | None, place: int) -> int:
        return side.turns[index] if index is not None else self._turns[place]

    def _rule(self, turns: tuple[int, int], one_column: bool) -> list[Span]:
        width = self._look.width
        begun = [turn if turn != was else 0 for turn, was in zip(turns, self._turns, strict=True)]
        if one_column:
            return [(_label(begun[0] or begun[1]).ljust(width, "-"), "turn")]
        column = (width - 3) // 2
        left, right = (_label(turn).ljust(column, "-") for turn in begun)
        return [(f"{left}-+-{right}", "turn")]

    def _beside(self, row: Row) -> Iterator[list[Span]]:
        column = (self._look.width - 3) // 2
        gutter = self._digits + 3
        left, right = row_lines(self._comparison, row, column - gutter, _LINES)
        heads = (
            self._head(self._comparison.left, row.left),
            self._head(self._comparison.right, row.right),
        )
        for at in range(max(len(left), len(right))):
            mark = _MARKS[row.kind] if at == 0 else " "
            middle = (
                f" {mark if mark != ' ' else '|'} ",
                _mark_style(row.kind) if at == 0 else "dim",
            )
            one = _cell(left, at, heads[0], gutter)
            yield [
                *one,
                (" " * (column - line_cells(tuple(one))), "text"),
                middle,
                *_cell(right, at, heads[1], gutter),
            ]

    def _head(self, side: Side, index: int | None) -> Span:
        if index is None:
            return (" " * (self._digits + 3), "text")
        role = side.steps[index].role
        return (f"{index + 1:>{self._digits}} {LETTERS[role]} ", "strong")

    def _under(self, row: Row) -> Iterator[list[Span]]:
        gutter = self._digits + 3
        room = self._look.width - gutter - 2
        left, right = row_lines(self._comparison, row, room, _LINES)
        sides = [("left", left, self._comparison.left, row.left)]
        if row.kind != "same":
            sides.append(("right", right, self._comparison.right, row.right))
        for name, lines, side, index in sides:
            mark = _MARKS["same" if row.kind == "same" else name]
            style = "text" if row.kind == "same" else _mark_style(name)
            for at in range(len(lines)):
                yield [(f"{mark} ", style), *_cell(lines, at, self._head(side, index), gutter)]

    def _inline(self, row: Row) -> Iterator[list[Span]]:
        gutter = 2 * self._digits + 6
        lines = self._inline_lines(row, self._look.width - gutter)
        side, index = (
            (self._comparison.right, row.right)
            if row.right is not None
            else (self._comparison.left, row.left)
        )
        assert index is not None
        numbers = (
            f"{'' if place is None else place + 1:>{self._digits}}"
            for place in (row.left, row.right)
        )
        head = f"{_MARKS[row.kind]} {' '.join(numbers)} {LETTERS[side.steps[index].role]} "
        for at, line in enumerate(lines):
            yield [
                (head if at == 0 else " " * gutter, _mark_style(row.kind) if at == 0 else "text"),
                *line,
            ]

    def _inline_lines(self, row: Row, width: int) -> list[Line]:
        if row.kind != "changed":
            left, right = row_lines(self._comparison, row, width, _LINES)
            return left or right
        paragraphs = [
            [(piece.lead, piece.style), *_marked(piece.left, piece.right, piece.style, width)]
            for piece in sections(self._comparison, row)
        ]
        return wrap_spans(paragraphs, width, _LINES)


def _marked(left: str, right: str, style: str, width: int) -> Iterator[Span]:
    """One text with what was removed and added in place."""
    for piece in stretches(left, right, width * _LINES):
        if piece.kind == "removed":
            yield f"[-{piece.text}-]", "removed"
        elif piece.kind == "added":
            yield f"{{+{piece.text}+}}", "added"
        else:
            yield piece.text, style


def _cell(lines: list[Line], at: int, head: Span, gutter: int) -> list[Span]:
    if at >= len(lines):
        return []
    return [head if at == 0 else (" " * gutter, "text"), *lines[at]]


def _label(turn: int) -> str:
    return f"-- turn {turn} " if turn else ""


def _mark_style(kind: str) -> str:
    return {"left": "removed", "right": "added", "changed": "warn"}.get(kind, "dim")


def _printed(line: Iterable[Span], colours: bool) -> str:
    if not colours:
        return "".join(text for text, _ in line).rstrip()
    return "".join(_coloured(text, style) for text, style in line)


def _coloured(text: str, style: str) -> str:
    codes = [_COLOURS[word] for word in style.split(":") if word in _COLOURS]
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and text else text
