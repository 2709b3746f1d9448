"""A path as queries look at it: what holds at each of its steps, computed only where it is asked
for, and taken further step by step as the path goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...model.marks import Score
from ...model.messages import Stop, TargetReply, ToolCall, ToolResult, UserMessage, parts_text
from ...model.project import Project
from ...model.steps import Step
from ..stepper import Ask
from .step_facts import Facts, shape_of


class PathFacts:
    """The facts of one path. Extending it by a step costs the same at any length."""

    def __init__(
        self, path: Sequence[Step], project: Project, scores: Sequence[Score] = ()
    ) -> None:
        self.project = project
        self.scores = tuple(scores)
        self._path = list(path)
        self._columns: dict[str, list[Any]] = {}

    def __len__(self) -> int:
        return len(self._path)

    @property
    def leaf_id(self) -> str | None:
        """The last step of the path."""
        return self._path[-1].id if self._path else None

    def extend(self, step: Step) -> None:
        """The path goes on with this step."""
        self._path.append(step)

    def follow(self, path: Sequence[Step]) -> PathFacts:
        """The facts of this path: these, extended, where it only goes on; else new ones."""
        known = len(self._path)
        if known > len(path) or (known and path[known - 1].id != self._path[-1].id):
            return PathFacts(path, self.project, self.scores)
        self._path.extend(path[known:])
        return self

    def facts(self, index: int) -> tuple[Facts, str]:
        """What a query is asked of the step at this index, and its shape."""
        step = self._path[index]
        payload = step.payload
        where = _Place(self, index if index >= 0 else index + len(self._path))
        shape = shape_of(payload)
        call = where.answered if isinstance(payload, ToolResult) else None
        return Facts(step, payload, where, call), shape

    def facts_before(self, ask: Ask) -> tuple[Facts, str]:
        """What a query is asked before a role is asked at the end of the path, and its shape."""
        said = self._path[-1].payload if self._path else None
        facts = Facts(None, said, _Next(self, ask.turn_index), ask.call)
        return facts, f"before {ask.role}"

    def value(self, name: str, index: int) -> Any:
        """What the fold of this name is at the step; its first value before all steps."""
        if index < 0:
            return _FOLDS[name][0]
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = []
        if len(column) <= index:
            first, fold = _FOLDS[name]
            value = column[-1] if column else first
            for step in self._path[len(column) : index + 1]:
                value = fold(value, step)
                column.append(value)
        return column[index]


class _Place:
    """One place of a path (see ``Where``)."""

    __slots__ = ("_index", "_path")

    def __init__(self, path: PathFacts, index: int) -> None:
        self._path = path
        self._index = index

    @property
    def project(self) -> Project:
        return self._path.project

    @property
    def scores(self) -> tuple[Score, ...]:
        return self._path.scores

    @property
    def turn(self) -> int:
        return self._path.value("turn", self._index) or 1

    @property
    def place(self) -> int:
        return self._index + 1

    @property
    def cost(self) -> float:
        cost: float = self._path.value("cost", self._index)
        return cost

    @property
    def tokens(self) -> int:
        tokens: int = self._path.value("tokens", self._index)
        return tokens

    @property
    def repeated(self) -> int:
        repeats: int = self._path.value("repeated", self._index)[0]
        return repeats

    @property
    def answered(self) -> ToolCall | None:
        call: ToolCall | None = self._path.value("answered", self._index)[0]
        return call


class _Next(_Place):
    """The place behind the end of a path. What it cost is what it has cost so far."""

    __slots__ = ("_turn_index",)

    def __init__(self, path: PathFacts, turn_index: int) -> None:
        super().__init__(path, len(path) - 1)
        self._turn_index = turn_index

    @property
    def turn(self) -> int:
        return self._turn_index + 1

    @property
    def place(self) -> int:
        return self._index + 2


def _turn(turns: int, step: Step) -> int:
    return turns + 1 if isinstance(step.payload, UserMessage) else turns


def _cost(cost: float, step: Step) -> float:
    return cost + (step.call.cost or 0.0) if step.call is not None else cost


def _tokens(tokens: int, step: Step) -> int:
    if step.call is None:
        return tokens
    usage = step.call.usage
    return tokens + usage.tokens


_Repeats = tuple[int, int, tuple[str, str], str]
"""How often the exchange that ends here came in a row (0 where none ends), how often the last one
did, what was said in it, and the user's last message."""

_NO_REPEATS: _Repeats = (0, 0, ("", ""), "")


def _repeated(before: _Repeats, step: Step) -> _Repeats:
    _, count, said, asked = before
    payload = step.payload
    if isinstance(payload, UserMessage):
        return 0, count, said, parts_text(payload.parts)
    if not isinstance(payload, TargetReply) or payload.tool_calls:
        return 0, count, said, asked
    now = (asked, parts_text(payload.parts))
    count = count + 1 if now == said else 1
    return count, count, now, asked


_Answered = tuple[ToolCall | None, tuple[ToolCall, ...], dict[str, ToolCall] | None]
"""The call that this result answers, the calls that wait, and the newest call of each id."""

_NONE_ANSWERED: _Answered = (None, (), None)


def _answered(before: _Answered, step: Step) -> _Answered:
    _, waiting, newest = before
    payload = step.payload
    if isinstance(payload, ToolResult):
        for index, call in enumerate(waiting):
            if call.id == payload.call_id:
                return call, waiting[:index] + waiting[index + 1 :], newest
        # Imports hold results out of order, and for calls of earlier replies.
        return (newest or {}).get(payload.call_id), waiting, newest
    if isinstance(payload, TargetReply | UserMessage):
        if payload.tool_calls:
            if newest is None:
                newest = {}
            for call in payload.tool_calls:
                newest[call.id] = call
        return None, payload.tool_calls if isinstance(payload, TargetReply) else (), newest
    return None, () if isinstance(payload, Stop) else waiting, newest


_FOLDS: dict[str, tuple[Any, Callable[[Any, Step], Any]]] = {
    "turn": (0, _turn),
    "cost": (0.0, _cost),
    "tokens": (0, _tokens),
    "repeated": (_NO_REPEATS, _repeated),
    "answered": (_NONE_ANSWERED, _answered),
}
