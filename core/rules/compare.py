"""Two paths side by side: equal up to their first divergence, then aligned turn by turn. Pure.

Steps are equal by what they carry, not by their ids: two rollouts of one project share none. Call
ids are names that the provider made up, so a call is known by its place in its reply.

The pairing costs n log n, whatever the texts: each content becomes a number once, turns are paired
by what occurs once on each side, and only short stretches between such anchors are looked at in
pairs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from ..model.edited import is_edit
from ..model.messages import Payload, Stop, SystemNote, TargetReply, ToolCall, ToolResult
from ..model.messages import UserMessage as Message
from ..model.steps import Step, role_of

Kind = Literal["same", "changed", "left", "right"]

_WINDOW = 100
"""Steps on either side that are paired by role and tool at once; longer stretches of one turn are
cut."""

Pairs = list[tuple[int, int]]


class Row(NamedTuple):
    """A step on the left, one on the right, or both, by their place in the path from 0."""

    kind: Kind
    left: int | None
    right: int | None


class Summary(NamedTuple):
    """A path in numbers. Copied steps cost nothing again; ``unpriced`` calls took tokens and have
    no known price.
    """

    steps: int
    turns: int
    stop: Stop | None
    cost: float
    tokens: int
    edits: int
    unpriced: int = 0


@dataclass(frozen=True)
class Side:
    """One of the two paths: the turn of each step, counted from 1, and the call that a result
    answers.
    """

    steps: tuple[Step, ...]
    turns: tuple[int, ...]
    calls: Mapping[int, ToolCall]
    summary: Summary


@dataclass(frozen=True)
class Comparison:
    """Every step of both paths in one row, in order. The first ``common`` rows are what both have
    in common; ``differing`` are the rows that differ, ``blocks`` the first of each stretch of
    such rows.
    """

    left: Side
    right: Side
    common: int
    rows: tuple[Row, ...]
    differing: tuple[int, ...]
    blocks: tuple[int, ...]

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.differing


def compare(
    left: Sequence[Step], right: Sequence[Step], edited: Callable[[Step], bool] | None = None
) -> Comparison:
    """Align two paths. ``edited`` says which steps the summaries count as edits; without it, those
    that a human made, for the projects are not known here.
    """
    edited = edited or (lambda step: is_edit(step, None))
    numbers: dict[tuple[object, Payload], int] = {}
    one, other = _Contents(left, numbers), _Contents(right, numbers)
    common = _common(one.ids, other.ids)
    pairs: Pairs = [(index, index) for index in range(common)]
    # The same pairs whichever stands on the left: the ways to align are not always alike.
    if _comes_first(one, other, common):
        pairs += _align(one, other, common)
    else:
        pairs += [(i, j) for j, i in _align(other, one, common)]
    rows = _rows(pairs, one.ids, other.ids)
    differing = tuple(at for at, row in enumerate(rows) if row.kind != "same")
    blocks = tuple(at for at in differing if at == 0 or rows[at - 1].kind == "same")
    return Comparison(one.side(edited), other.side(edited), common, rows, differing, blocks)


class _Contents:
    """A path with a number for each content, equal ones having equal numbers."""

    def __init__(self, steps: Sequence[Step], numbers: dict[tuple[object, Payload], int]) -> None:
        self.steps = tuple(steps)
        self.ids: list[int] = []
        self.keys: list[object] = []
        self.starts: list[bool] = []
        self.calls: dict[int, ToolCall] = {}
        places: dict[str, tuple[int, int, ToolCall]] = {}
        replies = 0
        for index, step in enumerate(self.steps):
            payload = step.payload
            tool: object = None
            if isinstance(payload, ToolResult):
                found = places.get(payload.call_id)
                if found is not None:
                    self.calls[index] = found[2]
                tool = found[2].name if found is not None else ""
                place = f"#{replies - found[0]}.{found[1]}" if found else f"={payload.call_id}"
                payload = msgspec.structs.replace(payload, call_id=place)
            elif isinstance(payload, TargetReply | Message) and payload.tool_calls:
                replies += 1
                for number, call in enumerate(payload.tool_calls):
                    places[call.id] = (replies, number, call)
                bare = tuple(ToolCall("", call.name, call.arguments) for call in payload.tool_calls)
                payload = msgspec.structs.replace(payload, tool_calls=bare)
            key = ("note" if isinstance(payload, SystemNote) else role_of(payload), tool)
            self.keys.append(key)
            self.ids.append(numbers.setdefault((key, payload), len(numbers)))
            self.starts.append(isinstance(payload, Message | Stop))

    def side(self, edited: Callable[[Step], bool]) -> Side:
        turns: list[int] = []
        messages = 0
        cost, tokens, edits, unpriced = 0.0, 0, 0, 0
        for step in self.steps:
            messages += isinstance(step.payload, Message)
            turns.append(messages or 1)  # what stands before the first message belongs to its turn
            edits += edited(step)
            if step.call is not None and step.copied_from is None:
                cost += step.call.cost or 0.0
                tokens += step.call.usage.tokens
                unpriced += step.call.cost is None and step.call.usage.tokens > 0
        last = self.steps[-1].payload if self.steps else None
        stop = last if isinstance(last, Stop) else None
        summary = Summary(
            len(self.steps), turns[-1] if turns else 0, stop, cost, tokens, edits, unpriced
        )
        return Side(self.steps, tuple(turns), self.calls, summary)


def _common(left: Sequence[object], right: Sequence[object]) -> int:
    """Length of the equal beginning."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


def _comes_first(one: _Contents, other: _Contents, common: int) -> bool:
    if len(one.ids) != len(other.ids):
        return len(one.ids) < len(other.ids)
    if common == len(one.ids):
        return True
    return repr(one.steps[common].payload) <= repr(other.steps[common].payload)


def _align(one: _Contents, other: _Contents, start: int) -> Pairs:
    """Pairs of steps behind the common beginning: first turns, then the steps in them."""
    left, right = _groups(one, start), _groups(other, start)
    turns = [(0, 0)]  # what is left of the turn in which they part
    whole = [
        [tuple(contents.ids[i] for i in group) for group in groups]
        for contents, groups in ((one, left), (other, right))
    ]
    openings = [[group[:1] for group in groups] for groups in whole]
    turns += _refine(
        range(1, len(left)),
        range(1, len(right)),
        [(whole[0], whole[1]), (openings[0], openings[1])],
        lambda lefts, rights: list(zip(lefts, rights, strict=False)),
    )
    pairs: Pairs = []
    for i, j in turns:
        pairs += _refine(
            left[i], right[j], [(one.ids, other.ids)], lambda a, b: _by_kind(one, other, a, b)
        )
    return pairs


def _groups(contents: _Contents, start: int) -> list[range]:
    """The rest cut where the evaluator speaks or stops; what is left of a turn first."""
    cuts = [start, *(i for i in range(start, len(contents.ids)) if contents.starts[i])]
    return [range(a, b) for a, b in zip(cuts, [*cuts[1:], len(contents.ids)], strict=True)]


def _refine(
    left: Sequence[int],
    right: Sequence[int],
    levels: Sequence[tuple[Sequence[object], Sequence[object]]],
    rest: Callable[[Sequence[int], Sequence[int]], Pairs],
) -> Pairs:
    """Pair what is equal at both ends, and what is equal and occurs once on each side; look at
    what lies between by the next level's values, and in the end by ``rest``.
    """
    if not left or not right:
        return []
    if not levels:
        return rest(left, right)
    values, others = levels[0]
    head = _common([values[i] for i in left], [others[j] for j in right])
    tail = _common(
        [values[i] for i in reversed(left[head:])], [others[j] for j in reversed(right[head:])]
    )
    pairs = list(zip(left[:head], right[:head], strict=True))
    inner = left[head : len(left) - tail], right[head : len(right) - tail]
    from_left, from_right = 0, 0
    found = _anchors([values[i] for i in inner[0]], [others[j] for j in inner[1]])
    for i, j in [*found, (len(inner[0]), len(inner[1]))]:
        pairs += _refine(inner[0][from_left:i], inner[1][from_right:j], levels[1:], rest)
        if i < len(inner[0]) and j < len(inner[1]):
            pairs.append((inner[0][i], inner[1][j]))
        from_left, from_right = i + 1, j + 1
    pairs += zip(left[len(left) - tail :], right[len(right) - tail :], strict=True)
    return pairs


def _anchors(left: Sequence[object], right: Sequence[object]) -> Pairs:
    """What occurs once on each side, as many of these as stand in one order on both."""
    once = {value for value, count in Counter(right).items() if count == 1}
    once &= {value for value, count in Counter(left).items() if count == 1}
    at = {value: place for place, value in enumerate(right) if value in once}
    candidates = [(i, at[value]) for i, value in enumerate(left) if value in once]
    # The longest rising run of places on the right: patience sorting.
    tops: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(candidates):
        pile = bisect_left(tops, j)
        before.append(last[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        last[pile : pile + 1] = [index]
    chosen: Pairs = []
    index = last[-1] if last else -1
    while index >= 0:
        chosen.append(candidates[index])
        index = before[index]
    return chosen[::-1]


def _by_kind(one: _Contents, other: _Contents, left: Sequence[int], right: Sequence[int]) -> Pairs:
    """Pair steps of the same role and tool, in order: as many as can be, equal ones before others,
    the first before later ones.
    """
    pairs: Pairs = []
    for start in range(0, min(len(left), len(right)), _WINDOW):
        a, b = left[start : start + _WINDOW], right[start : start + _WINDOW]
        scores = [[_score(one, other, i, j) for j in b] for i in a]
        best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i in range(len(a) - 1, -1, -1):
            for j in range(len(b) - 1, -1, -1):
                together = scores[i][j] and scores[i][j] + best[i + 1][j + 1]
                best[i][j] = max(together, best[i + 1][j], best[i][j + 1])
        i = j = 0
        while i < len(a) and j < len(b):
            if scores[i][j] and best[i][j] == scores[i][j] + best[i + 1][j + 1]:
                pairs.append((a[i], b[j]))
                i, j = i + 1, j + 1
            elif best[i][j] == best[i + 1][j]:
                i += 1
            else:
                j += 1
    return pairs


def _score(one: _Contents, other: _Contents, i: int, j: int) -> int:
    if one.ids[i] == other.ids[j]:
        return 3
    return 2 if one.keys[i] == other.keys[j] else 0


def _rows(pairs: Pairs, left: Sequence[int], right: Sequence[int]) -> tuple[Row, ...]:
    rows: list[Row] = []
    i = j = 0
    for a, b in [*pairs, (len(left), len(right))]:
        rows += [Row("left", at, None) for at in range(i, a)]
        rows += [Row("right", None, at) for at in range(j, b)]
        if a < len(left):
            rows.append(Row("same" if left[a] == right[b] else "changed", a, b))
        i, j = a + 1, b + 1
    return tuple(rows)
