"""A comparison as rows to draw: two columns, the words that differ marked; on a narrow screen one
side under the other. Imports no Textual; a row is made when it comes into view.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from typing import Literal, NamedTuple

from rollstep.core.model.steps import Step
from rollstep.core.rules.compare import Comparison, Kind
from rollstep.core.rules.compare import Row as Aligned
from rollstep.core.rules.compare import Side as Path

from ..cells import cells
from ..layout import TOP, Anchor, LaneLayout, OneLane
from ..rows import BLANK, Row, Span, row
from ..who import LETTERS
from ..wrap import fit
from .lines import Line, row_lines

SideName = Literal["left", "right"]

STACKED = 60
"""Screens narrower than this show one side under the other."""
_BRIEF, _WHOLE = 12, 2_000
"""Lines that one side of a row takes at most, and when whole texts are asked for."""
_KEPT = 500
"""Rows whose lines are remembered."""
MARKS: dict[Kind, Span] = {
    "same": ("│", "rule"),
    "changed": ("~", "warn"),
    "left": ("-", "removed:strong"),
    "right": ("+", "added:strong"),
}


class Place(NamedTuple):
    """A row, and the side that is meant."""

    row: int
    side: SideName


class _Drawn(NamedTuple):
    """A row's lines; ``turn`` when a rule with the turn's number stands above it."""

    turn: bool
    left: list[Line]
    right: list[Line]


class CompareView(OneLane):
    """Where the human looks in a comparison, and what is seen there."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.cursor = comparison.blocks[0] if comparison.blocks else 0
        self.side: SideName = "right"
        self.whole = False
        self.width, self.height = 80, 20
        self.anchor: Anchor = TOP
        longest = max(len(comparison.left.steps), len(comparison.right.steps))
        self._gutter = max(2, len(str(longest))) + 4
        self._bands = list(map(self.band, range(len(comparison.rows))))
        self._drawn: OrderedDict[int, _Drawn] = OrderedDict()
        self._layout = LaneLayout(self, 1)
        self._placed = False

    # where

    @property
    def stacked(self) -> bool:
        """Whether one side stands under the other."""
        return self.width < STACKED

    @property
    def row(self) -> Aligned | None:
        """The row under the cursor; None where both paths are empty."""
        rows = self.comparison.rows
        return rows[self.cursor] if rows else None

    @property
    def place(self) -> Place:
        """The row under the cursor, and the side where it has a step."""
        found, side = self.row, self.side
        if found is not None and getattr(found, side) is None:
            side = "left" if side == "right" else "right"
        return Place(self.cursor, side)

    @property
    def step(self) -> Step | None:
        """The step under the cursor."""
        found = self.row
        if found is None:
            return None
        path, index = self._at(found, self.place.side)
        return path.steps[index] if index is not None else None

    def _at(self, found: Aligned, side: SideName) -> tuple[Path, int | None]:
        path = self.comparison.left if side == "left" else self.comparison.right
        return path, found.left if side == "left" else found.right

    def resize(self, width: int, height: int) -> None:
        """The size that it is shown in."""
        self.height = max(height, 1)
        if width != self.width:
            self.width = width
            self._forget()
        if not self._placed:
            # What both have in common before the first difference takes a third of the screen.
            self._placed = True
            self.anchor = self._layout.back(Anchor(self.cursor, 0), self.height // 3)
        self.show()

    def _forget(self) -> None:
        self._drawn.clear()
        self._layout.reset()

    def show(self) -> None:
        """Scroll as little as needed to see the cursor's row."""
        if self._bands:
            self.anchor = self._layout.show(self.anchor, self.height, self.cursor)

    # moving

    def move(self, delta: int) -> bool:
        """The cursor so many rows on; whether it moved."""
        before = self.cursor
        last = max(len(self.comparison.rows) - 1, 0)
        self.cursor = min(max(before + delta, 0), last)
        self.show()
        return self.cursor != before

    def to_difference(self, delta: int) -> bool:
        """The cursor to the next row that differs, or the one before."""
        return self._to(self.comparison.differing, delta)

    def to_block(self, delta: int) -> bool:
        """The cursor to where the next stretch that differs begins, or the one before."""
        return self._to(self.comparison.blocks, delta)

    def _to(self, places: tuple[int, ...], delta: int) -> bool:
        after, before = bisect_right(places, self.cursor), bisect_left(places, self.cursor) - 1
        place = after if delta > 0 else before
        return 0 <= place < len(places) and self.move(places[place] - self.cursor)

    @property
    def difference(self) -> int:
        """Which of the rows that differ the cursor is on, counted from 1; 0 for none."""
        found = self.row
        if found is None or found.kind == "same":
            return 0
        return bisect_right(self.comparison.differing, self.cursor)

    def to_side(self, side: SideName) -> bool:
        """Mean the step on this side; whether that is another."""
        before = self.side
        self.side = side
        return side != before

    def scroll(self, lines: int) -> bool:
        """Scroll without moving the cursor; whether anything moved."""
        before = self.anchor
        self.anchor = self._layout.scroll(self.anchor, lines, self.height)
        return self.anchor != before

    def toggle_whole(self) -> None:
        """Whole texts, or a few lines of each."""
        self.whole = not self.whole
        self._forget()
        self.show()

    def place_at(self, x: int, y: int) -> Place | None:
        """The row and side drawn at a cell."""
        places = self._layout.rows(self.anchor, self.height)
        if not 0 <= y < len(places):
            return None
        item, line = places[y]
        if self.stacked:
            drawn = self._lines(item)
            kind = self.comparison.rows[item].kind
            under = kind == "changed" and line - drawn.turn >= len(drawn.left)
            return Place(item, "right" if under or kind == "right" else "left")
        return Place(item, "left" if x < self._column else "right")

    # what the layout asks

    def height_of(self, item: int, lane: int) -> int:
        """Lines of a row."""
        drawn = self._lines(item)
        sides = len(drawn.left), len(drawn.right)
        if not self.stacked:
            return drawn.turn + max(sides)
        same = self.comparison.rows[item].kind == "same"
        return drawn.turn + (sides[0] if same else sum(sides))

    # drawing

    @property
    def _column(self) -> int:
        return left_column(self.width)

    def _lines(self, item: int) -> _Drawn:
        drawn = self._drawn.get(item)
        if drawn is None:
            if len(self._drawn) >= _KEPT:
                self._drawn.popitem(last=False)
            room = self.width - 2 if self.stacked else self._column
            lines = row_lines(
                self.comparison,
                self.comparison.rows[item],
                max(room - self._gutter, 1),
                _WHOLE if self.whole else _BRIEF,
            )
            drawn = self._drawn[item] = _Drawn(any(self._turns(item)), *lines)
        return drawn

    def _turns(self, item: int) -> tuple[int, int]:
        """The turns that begin in this row on the left and on the right; 0 for none."""
        found = self.comparison.rows[item]
        begun = []
        for path, index in (self._at(found, "left"), self._at(found, "right")):
            first = index is not None and (index == 0 or path.turns[index] > path.turns[index - 1])
            begun.append(path.turns[index] if first and index is not None else 0)
        return begun[0], begun[1]

    def rows(self) -> list[Row]:
        """What is seen."""
        shown = [self._row(at.band, at.line) for at in self._layout.rows(self.anchor, self.height)]
        return shown + [BLANK] * (self.height - len(shown))

    def _row(self, item: int, line: int) -> Row:
        drawn = self._lines(item)
        if drawn.turn and line == 0:
            return self._rule(item)
        line -= drawn.turn
        if self.stacked:
            return self._under(item, line, drawn)
        mark = MARKS[self.comparison.rows[item].kind] if line == 0 else MARKS["same"]
        left = self._cell(item, "left", line, drawn.left, self._column)
        right = self._cell(item, "right", line, drawn.right, self.width - self._column - 3)
        return row(*left, (" ", "text"), mark, (" ", "text"), *right)

    def _rule(self, item: int) -> Row:
        left, right = self._turns(item)
        if self.stacked:
            return row(*_rule(left or right, self.width))
        middle = ("─┼─", "rule")
        return row(*_rule(left, self._column), middle, *_rule(right, self.width - self._column - 3))

    def _under(self, item: int, line: int, drawn: _Drawn) -> Row:
        kind = self.comparison.rows[item].kind
        side: SideName = "left"
        lines = drawn.left
        if kind == "right" or (kind == "changed" and line >= len(drawn.left)):
            side, lines = "right", drawn.right
            line -= len(drawn.left)
        mark = (" ", "text") if kind == "same" else MARKS[side]
        return row(mark, *self._cell(item, side, line, lines, self.width - 1))

    def _cell(
        self, item: int, side: SideName, line: int, lines: list[Line], width: int
    ) -> list[Span]:
        path, index = self._at(self.comparison.rows[item], side)
        selected = self.place == (item, side)
        state = ":sel" if selected else ""
        if index is None or line >= len(lines):
            return [(" " * width, "text" + (state if index is not None else ""))]
        role = path.steps[index].role
        spans: list[Span] = []
        if line:
            spans.append((" " * self._gutter, "text" + state))
        else:
            number = f"{index + 1:>{self._gutter - 4}}"
            spans.append((">", "cursor") if selected else (" ", "text"))
            spans += [(f"{number} {LETTERS[role]} ", role + ":strong" + state)]
        spans += [(text, style + state) for text, style in lines[line]]
        rest = width - sum(cells(text) for text, _ in spans)
        return [*spans, (" " * max(rest, 0), "text" + state)]


def left_column(width: int) -> int:
    """Width of the left column; the right one is as wide, or one wider."""
    return max((width - 3) // 2, 1)


def _rule(turn: int, width: int) -> list[Span]:
    label = f"── turn {turn} " if turn else ""
    label = fit(label, width)
    return [(label, "turn"), ("─" * (width - cells(label)), "rule")]
