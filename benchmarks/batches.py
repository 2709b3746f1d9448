"""Budget of live batches: rollouts side by side, whose calls take 200 ms each."""

from __future__ import annotations

import asyncio
import heapq
import random
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from rollstep.core.batch import Batch, Done, Job
from rollstep.core.model.messages import TargetReply, target_reply
from rollstep.core.model.project import HeuristicEvaluator, Project, PythonTarget
from rollstep.core.model.steps import Role
from rollstep.core.model.view import View
from rollstep.core.roles.heuristic import HeuristicEvaluatorRole
from rollstep.core.roles.protocols import Stream, no_stream
from rollstep.core.roles.registry import Roles
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from .report import Line

CALL_SECONDS = 0.2
AT_ONCE = 64
_TURNS = 3
_EVALUATOR = HeuristicEvaluator()


class _Slow:
    """A target that answers after 200 ms, as a model's server would."""

    async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
        """Wait, and answer."""
        await asyncio.sleep(CALL_SECONDS)
        return target_reply("Noted.")


def lines(folder: Path) -> list[Line]:
    """Measure; ``folder`` is for libraries."""
    together = _calls_a_second(AT_ONCE, AT_ONCE)
    alone = _calls_a_second(1, 4)
    turns = _turns()
    seconds, kept = _seconds(turns, AT_ONCE, None), []
    for number in range(3):
        place = folder / str(number)
        place.mkdir()
        kept.append(_kept_seconds(turns, place))
    with_library, commit = sorted(kept)[1]
    return [
        Line(
            "64 rollouts at once at 200 ms a call, against one at a time",
            together / alone,
            40,
            detail=f"{together:.0f} against {alone:.1f} calls/s",
            at_least=True,
        ),
        Line(
            "the same, of 1 to 8 turns each, of what their own order of calls allows",
            _allowed(turns, CALL_SECONDS) / seconds,
            0.9,
            detail=f"{sum(turns) / seconds:.0f} calls/s",
            at_least=True,
        ),
        Line(
            "the same with a library, each reply on the disk before the next call",
            # Who saves waits for the commit under way, half of it as a rule, and for its own.
            _allowed(turns, CALL_SECONDS + 1.5 * commit) / with_library,
            0.9,
            detail=f"{sum(turns) / with_library:.0f} calls/s, {1000 * commit:.1f} ms a commit",
            at_least=True,
        ),
    ]


def _calls_a_second(at_once: int, rollouts: int) -> float:
    turns = [_TURNS] * rollouts
    return sum(turns) / _seconds(turns, at_once, None)


def _turns() -> list[int]:
    """Of 256 rollouts."""
    rng = random.Random(1)
    return [rng.randint(1, 8) for _ in range(4 * AT_ONCE)]


def _allowed(turns: list[int], call: float) -> float:
    """Seconds that their calls take, 64 rollouts at once, begun in their order and each call after
    the one before it.
    """
    ends = [0.0] * AT_ONCE
    for each in turns:
        heapq.heapreplace(ends, ends[0] + each * call)
    return max(ends)


def _kept_seconds(turns: list[int], folder: Path) -> tuple[float, float]:
    """Seconds that they take with a library, and those of one of its commits."""
    commits: list[float] = []

    class Timed(Library):
        def commit_many(self, changes: Iterable[Change]) -> list[dict[str, int]]:
            at = time.perf_counter()
            try:
                return super().commit_many(changes)
            finally:
                commits.append(time.perf_counter() - at)

    with Timed.open(folder / "library.sqlite") as library:
        return _seconds(turns, AT_ONCE, library), median(commits)


def _seconds(turns: list[int], at_once: int, library: Library | None) -> float:
    projects = [
        Project(
            "Slow",
            PythonTarget("benchmarks.batches:_Slow"),
            _EVALUATOR,
            opening="Go.",
            max_turns=each,
        )
        for each in turns
    ]
    kinds: dict[Role, str] = {"evaluator": "heuristic", "target": "python"}
    roles = Roles(HeuristicEvaluatorRole(_EVALUATOR), _Slow(), None, {}, kinds)
    done: list[Done] = []
    batch = Batch(done.append, roles=lambda _: roles, side_by_side=at_once, library=library)
    at = time.perf_counter()
    batch.run([Job(project) for project in projects])
    seconds = time.perf_counter() - at
    assert [each.words for each in done] == [""] * len(turns)
    return seconds
