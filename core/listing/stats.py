"""The numbers of many rollouts: verdicts, stops, turns, tools and their errors, edits, what it
took. One rollout after the other, so that memory does not grow with them.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import msgspec

from ..errors import UnreadableError
from ..model.edited import is_edit
from ..model.messages import Stop, TargetReply, ToolResult, UserMessage
from ..model.rollout import Rollout, Trajectory
from ..model.steps import Attempt, Step
from ..rules.branches import opened_leaf
from ..rules.query.rollout_fields import NO_VERDICT
from ..rules.verdicts import is_outdated
from ..store.change import Saved
from ..store.library import Library
from .facts import newest_verdict_anywhere
from .rollout_list import list_rollouts
from .up_to_date import bring_up_to_date

Progress = Callable[[int, int], bool]
"""Told how many rollouts of how many are done; False stops the count."""

NO_STOP = "not stopped"


class Spread(msgspec.Struct):
    """How a number is spread over the rollouts."""

    count: int = 0
    total: float = 0.0
    least: float | None = None
    median: float | None = None
    most: float | None = None


class ToolStats(msgspec.Struct):
    """One tool: how often it was called, how many results were errors, and how many of those (or
    of the others) are faults put in by hand or by rule.
    """

    calls: int = 0
    errors: int = 0
    faults: int = 0


class ModelStats(msgspec.Struct):
    """One model: the steps it made, what they took, and for how many the price is unknown."""

    steps: int = 0
    tokens: int = 0
    cost: float = 0.0
    unknown_prices: int = 0
    seconds: float = 0.0


class Stats(msgspec.Struct):
    """All of it. Verdicts are the newest of each rollout (``outdated``: edited since); turns, stops
    and tools those of the branch that would be opened; edits, models and failures those of all
    branches. ``unreadable`` rollouts are in none of the other numbers; why they cannot be read, by
    id.
    """

    rollouts: int = 0
    steps: int = 0
    verdicts: dict[str, int] = {}
    outdated: int = 0
    stops: dict[str, int] = {}
    turns: Spread = msgspec.field(default_factory=Spread)
    turns_by_count: dict[int, int] = {}
    tools: dict[str, ToolStats] = {}
    edits: dict[str, int] = {}
    edited_rollouts: int = 0
    models: dict[str, ModelStats] = {}
    tokens: int = 0
    cost: float = 0.0
    unknown_prices: int = 0
    failures: dict[str, int] = {}
    scores: dict[str, Spread] = {}
    unreadable: dict[str, str] = {}


class Tally:
    """Counts rollouts, one after the other."""

    def __init__(self) -> None:
        self._stats = Stats()
        self._turns: Counter[int] = Counter()
        self._scores: dict[str, list[float]] = {}

    def add_from(self, library: Library, rollout_id: str) -> None:
        """Count one more, of a library. Raises StoreError."""
        try:
            saved, rollout = library.load_tree(rollout_id)
        except UnreadableError as error:
            self._stats.unreadable[rollout_id] = error.why
        else:
            self._add(saved, rollout)

    def _add(self, saved: Saved, rollout: Rollout) -> None:
        stats = self._stats
        path = rollout.path(opened_leaf(rollout, saved.head))
        stats.rollouts += 1
        stats.steps += len(rollout) - len(rollout.hidden)
        self._add_ending(saved, rollout, path)
        self._add_tools(path)
        self._add_steps(rollout)
        self._add_failures(saved.attempts)
        for score in saved.scores:
            if isinstance(score.value, int | float) and math.isfinite(score.value):
                insort(self._scores.setdefault(score.name, []), float(score.value))

    def stats(self) -> Stats:
        """What has been counted; the most frequent first."""
        found = self._stats
        found.turns_by_count = dict(sorted(self._turns.items()))
        found.turns = _spread(list(_repeated(self._turns)))
        found.scores = {name: _spread(values) for name, values in sorted(self._scores.items())}
        for name in ("verdicts", "stops", "edits", "failures"):
            setattr(found, name, _by_count(getattr(found, name)))
        found.tools = dict(sorted(found.tools.items(), key=lambda pair: (-pair[1].calls, pair[0])))
        found.models = dict(
            sorted(found.models.items(), key=lambda pair: (-pair[1].steps, pair[0]))
        )
        return found

    def _add_ending(self, saved: Saved, rollout: Rollout, path: tuple[Step, ...]) -> None:
        stats = self._stats
        mark = newest_verdict_anywhere(rollout, saved.marks)
        verdict = mark.verdict if mark is not None and mark.verdict else NO_VERDICT
        _count(stats.verdicts, verdict)
        stats.outdated += bool(mark and is_outdated(rollout, mark, saved.commands))
        last = path[-1].payload if path else None
        _count(stats.stops, last.reason if isinstance(last, Stop) else NO_STOP)
        self._turns[len(Trajectory(path).turns())] += 1

    def _add_tools(self, path: tuple[Step, ...]) -> None:
        named: dict[str, str] = {}
        for step in path:
            payload = step.payload
            if isinstance(payload, TargetReply | UserMessage):
                for call in payload.tool_calls:
                    named[call.id] = call.name
                    self._tool(call.name).calls += 1
            elif isinstance(payload, ToolResult):
                tool = self._tool(named.get(payload.call_id, "?"))
                tool.errors += payload.is_error
                tool.faults += bool(step.injected)

    def _tool(self, name: str) -> ToolStats:
        return self._stats.tools.setdefault(name, ToolStats())

    def _add_steps(self, rollout: Rollout) -> None:
        edited = False
        for step in rollout:
            if step.id not in rollout.hidden and is_edit(step, rollout.project_of(step)):
                edited = True
                _count(self._stats.edits, step.role)
            if step.call is not None and step.copied_from is None:
                self._add_call(step)
        self._stats.edited_rollouts += edited

    def _add_call(self, step: Step) -> None:
        call, stats = step.call, self._stats
        assert call is not None
        model = stats.models.setdefault(call.model, ModelStats())
        model.steps += 1
        model.seconds += call.seconds
        for total in (model, stats):
            total.tokens += call.usage.tokens
            total.cost += call.cost or 0.0
            total.unknown_prices += call.cost is None

    def _add_failures(self, attempts: Iterable[Attempt]) -> None:
        for attempt in attempts:
            _count(self._stats.failures, attempt.kind)
            self._stats.cost += attempt.cost or 0.0


def count_rollouts(library: Library, query: str = "", progress: Progress | None = None) -> Stats:
    """The numbers of the rollouts that a query means. Raises QueryError, StoreError."""
    if query.strip():
        bring_up_to_date(library, query)
    ids = list_rollouts(library, query).ids()
    tally = Tally()
    for done, rollout_id in enumerate(ids):
        if progress is not None and not progress(done, len(ids)):
            break
        tally.add_from(library, rollout_id)
    return tally.stats()


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1


def _by_count(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _repeated(counts: Counter[int]) -> Iterator[float]:
    for value, times in sorted(counts.items()):
        for _ in range(times):
            yield float(value)


def _spread(values: list[float]) -> Spread:
    """Of values in order."""
    if not values:
        return Spread()
    middle = len(values) // 2
    median = values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
    return Spread(len(values), math.fsum(values), values[0], median, values[-1])
