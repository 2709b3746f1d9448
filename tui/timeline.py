"""The timeline: one letter per step, turn by turn, windowed around the cursor."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from rollstep.core.model.messages import Stop

from .presenter import DebuggerModel
from .rows import Row, Span, row
from .sanitize import one_line
from .who import LETTERS

_MARKERS = 26
"""Cells kept free for the words that say how many turns are left out on either side."""
_LEAST_TURN = 5
"""Cells that the shortest turn takes."""
_LONGEST_TURN = 60
"""Steps of one turn that the line draws; more of it is a number."""


class Cells(NamedTuple):
    """The timeline and, for clicks, the step drawn at each cell (None between them)."""

    row: Row
    steps: list[int | None]


class _Piece(NamedTuple):
    spans: list[tuple[str, str, int | None]]
    width: int


class Hits(Protocol):
    """The steps that a search has found, by index."""

    def __contains__(self, index: object) -> bool: ...


def timeline(model: DebuggerModel, width: int, hits: Hits = frozenset()) -> Cells:
    """As many turns around the cursor as fit, with how many are left out on either side."""
    path = model.path
    if not path.steps:
        return Cells(row((" no steps yet", "dim")), [])
    may_all_fit = path.turns * _LEAST_TURN <= width
    pieces = _window(model, width - 2, hits) if may_all_fit else {}
    if len(pieces) < path.turns:
        pieces = _window(model, width - _MARKERS, hits)
    return _draw(pieces, min(pieces), max(pieces), path.turns)


def _window(model: DebuggerModel, room: int, hits: Hits) -> dict[int, _Piece]:
    """The cursor's turn and as many around it as there is room for, those after it first."""
    turns = model.path.turns
    here = model.path.turn[max(model.cursor, 0)]
    pieces = {here: _turn(model, here, hits)}
    used = pieces[here].width
    low = high = here
    while low > 1 or high < turns:
        for turn in (high + 1, low - 1):
            if not 1 <= turn <= turns or turn in pieces:
                continue
            piece = _turn(model, turn, hits)
            used += piece.width
            if used > room:
                return pieces
            pieces[turn] = piece
            low, high = min(low, turn), max(high, turn)
    return pieces


def _draw(pieces: dict[int, _Piece], low: int, high: int, turns: int) -> Cells:
    drawn: list[tuple[str, str, int | None]] = [(" ", "dim", None)]
    if low > 1:
        drawn.append((f"‹ {low - 1:,} │", "dim", None))
    for turn in range(low, high + 1):
        drawn += pieces[turn].spans
        if turn < high or high < turns:
            drawn.append((" │", "rule", None))
    if high < turns:
        drawn.append((f" {turns - high:,} more ›", "dim", None))
    spans: list[Span] = []
    cells: list[int | None] = []
    for text, style, step in drawn:
        spans.append((text, style))
        cells += [step] * len(text)
    return Cells(row(*spans), cells)


def _turn(model: DebuggerModel, turn: int, hits: Hits) -> _Piece:
    path = model.path
    first = path.turn_starts[turn - 1]
    end = path.turn_starts[turn] if turn < path.turns else len(path)
    spans: list[tuple[str, str, int | None]] = [(f" {turn}", "dim", first)]
    start = first
    if end - first > _LONGEST_TURN:
        start = min(max(model.cursor - _LONGEST_TURN // 2, first), end - _LONGEST_TURN)
        if start > first:
            spans.append((f" +{start - first}", "dim", None))
    shown = min(end, start + _LONGEST_TURN)
    for index in range(start, shown):
        spans += _step(model, index, index in hits)
    if shown < end:
        spans.append((f" +{end - shown}", "dim", None))
    return _Piece(spans, sum(len(text) for text, _, _ in spans) + 2)


def _step(model: DebuggerModel, index: int, hit: bool) -> list[tuple[str, str, int | None]]:
    step = model.path.steps[index]
    ahead = index > model.cursor
    here = index == model.cursor
    if isinstance(step.payload, Stop):
        text = f"end {one_line(step.payload.reason)[:20]}"
    else:
        text = LETTERS[step.role].lower() if ahead else LETTERS[step.role]
    text += marks(model, index)
    takes = model.takes(index)
    if takes > 1:
        text += f"+{takes - 1}"
    style = step.role + (":hit" if hit else "") + (":ahead" if ahead else "")
    if here:
        return [("[", "cursor", index), (text, style + ":here", index), ("]", "cursor", index)]
    path = model.path
    after_cursor = (
        index == model.cursor + 1 and index > 0 and path.turn[index - 1] == path.turn[index]
    )
    return [("" if after_cursor else " ", "dim", None), (text, style, index)]


def marks(model: DebuggerModel, index: int) -> str:
    """All signs of a step: what ``mark`` says, ! where flagged, # where a breakpoint holds."""
    signs = mark(model, index)
    if index in model.path.flagged:
        signs += "!"
    return signs + ("#" if model.breaks_at(index) else "")


def mark(model: DebuggerModel, index: int) -> str:
    """How a step came to stand here, where a sign says it: a draft waits, copied, by hand."""
    step = model.path.steps[index]
    if step.id in model.drafted:
        return "…"
    if step.copied_from:
        return "~"
    return "*" if step.origin == "human" else ""
