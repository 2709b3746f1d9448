"""At which steps of the branch that is shown the breakpoints hold: looked up step by step, where
they are seen, and counted in slices. Loaded with the first breakpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rollstep.core.errors import UsageError
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.marks import Score
from rollstep.core.model.messages import Stop
from rollstep.core.model.project import Project
from rollstep.core.model.steps import Step
from rollstep.core.rules import breakpoints as rules
from rollstep.core.rules.query.path_facts import PathFacts
from rollstep.core.rules.query.step_facts import Facts
from rollstep.core.rules.query.step_query import Compiled, compile_query

from .breaks import query_of
from .find import SLICE
from .path import Path
from .presenter import DebuggerModel


class Holding:
    """Asks whether breakpoints hold at the steps of one path, which may grow."""

    def __init__(self, path: Path, project: Project, scores: Sequence[Score] = ()) -> None:
        self.path = path
        self.project = project
        self._facts = PathFacts(path.steps, project, scores)
        self._last = -1
        self._read: tuple[Facts, str]
        """What was read of the last step, for the next condition that is asked about it."""

    def at(self, condition: Condition, index: int) -> bool:
        """Whether it holds at this step; or before it, when it was to be made."""
        if len(self._facts) < len(self.path):
            self._facts = self._facts.follow(self.path.steps)
        query = condition.query
        if condition.before:
            return self._before(query, index)
        if query is None:
            return True
        if index != self._last:
            self._last, self._read = index, self._facts.facts(index)
        return query.holds(*self._read)

    def _before(self, query: Compiled | None, index: int) -> bool:
        step = self.path.steps[index]
        if query is None or not _was_asked_for(step):
            return query is None and _was_asked_for(step)
        said = self.path.steps[index - 1].payload if index else None
        facts = Facts(None, said, _Before(self, index), self.path.call.get(index))
        return query.holds(facts, f"before {step.role}")

    def before_value(self, name: str, index: int) -> float:
        """What a fold of the path was before this step."""
        value: float = self._facts.value(name, index - 1)
        return value


def _was_asked_for(step: Step) -> bool:
    """Whether a role is asked for such a step: an opening and a stop by rule come by themselves."""
    if step.parent_id is None and step.origin == "script":
        return False
    return not (isinstance(step.payload, Stop) and step.payload.by == "rule")


class _Before:
    """The place before a step (see ``Where`` of ``step_facts``)."""

    __slots__ = ("_holding", "_index")

    answered = None
    scores = ()
    repeated = 0

    def __init__(self, holding: Holding, index: int) -> None:
        self._holding = holding
        self._index = index

    @property
    def project(self) -> Project:
        return self._holding.project

    @property
    def turn(self) -> int:
        return self._holding.path.turn[self._index]

    @property
    def place(self) -> int:
        return self._index + 1

    @property
    def cost(self) -> float:
        return self._holding.before_value("cost", self._index)

    @property
    def tokens(self) -> int:
        return int(self._holding.before_value("tokens", self._index))


class Condition(NamedTuple):
    """What a breakpoint asks; ``query`` is None where it holds at every step."""

    query: Compiled | None
    before: bool


def condition(breakpoint: Breakpoint) -> Condition | None:
    """What it asks; None for one that cannot be read, which holds nowhere."""
    try:
        node = rules.query_of(breakpoint)
        query = None if node is None else compile_query(node)
    except UsageError:
        return None
    return Condition(query, breakpoint.before)


class BreakMarks:
    """Which of the breakpoints that are switched on hold at each step, remembered."""

    def __init__(
        self,
        path: Path,
        project: Project,
        breakpoints: tuple[Breakpoint, ...],
        scores: Sequence[Score] = (),
    ) -> None:
        self._breakpoints = breakpoints
        self._holding = Holding(path, project, scores)
        self._known: dict[int, tuple[int, ...]] = {}
        self._conditions = [
            (place, asked)
            for place, each in enumerate(breakpoints)
            if each.enabled and (asked := condition(each)) is not None
        ]

    def fits(self, path: Path, project: Project, breakpoints: tuple[Breakpoint, ...]) -> bool:
        """Whether they still speak of these."""
        mine = self._holding
        return mine.path is path and mine.project is project and self._breakpoints is breakpoints

    def at(self, index: int) -> tuple[int, ...]:
        """The numbers from 0 of those that hold at this step."""
        known = self._known.get(index)
        if known is None:
            known = self._known[index] = tuple(
                place for place, asked in self._conditions if self._holding.at(asked, index)
            )
        return known


class _Count:
    """Where one condition holds, as far as it has been looked for."""

    def __init__(self, condition: Condition | None) -> None:
        self.condition = condition
        self.found: list[int] = []
        self.next = 0


class Counts:
    """At which steps of the branch shown each breakpoint holds, found out in slices of time."""

    def __init__(self, model: DebuggerModel) -> None:
        self._model = model
        self._holding = Holding(model.path, model.project, model.scores)
        self._counts: dict[tuple[str, bool], _Count] = {}

    def of(self, breakpoint: Breakpoint) -> tuple[list[int], bool]:
        """The indices of the steps found so far, and whether these are all."""
        self._same_path()
        count = self._counts.get(_key(breakpoint))
        if count is None:
            count = self._counts[_key(breakpoint)] = _Count(condition(breakpoint))
        return count.found, count.condition is None or count.next >= len(self._model.path)

    def _same_path(self) -> None:
        """What was found on another path says nothing of this one."""
        model, mine = self._model, self._holding
        if mine.path is not model.path or mine.project is not model.project:
            self._holding = Holding(model.path, model.project, model.scores)
            self._counts.clear()

    def work(
        self, wanted: Sequence[Breakpoint], clock: Callable[[], float] = time.perf_counter
    ) -> bool:
        """Look for one slice of time where these hold; True when there is more to do."""
        end = clock() + SLICE
        for breakpoint in wanted:
            _, done = self.of(breakpoint)
            if not done and not self._look(self._counts[_key(breakpoint)], end, clock):
                return True
        return False

    def _look(self, count: _Count, end: float, clock: Callable[[], float]) -> bool:
        """Look on until the end of the path (then True), or until the time is over."""
        assert count.condition is not None
        for index in range(count.next, len(self._model.path)):
            if self._holding.at(count.condition, index):
                count.found.append(index)
            count.next = index + 1
            if clock() > end:
                return count.next >= len(self._model.path)
        return True


def _key(breakpoint: Breakpoint) -> tuple[str, bool]:
    return query_of(breakpoint), breakpoint.before
