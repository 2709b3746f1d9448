"""Budget of live batches: rollouts side by side, whose calls take 200 ms each."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import random
import time
from pathlib import Path

from rollstep.core.batch import Batch, Done, Job
from rollstep.core.model.messages import TargetReply, target_reply
from rollstep.core.model.project import HeuristicEvaluator, Project, PythonTarget
from rollstep.core.model.steps import Role
from rollstep.core.model.view import View
from rollstep.core.roles.heuristic import HeuristicEvaluatorRole
from rollstep.core.roles.protocols import Stream, no_stream
from rollstep.core.roles.registry import Roles
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
    of_allowed, of_allowed_kept = _of_what_is_allowed(None), _of_what_is_allowed(folder)
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
            of_allowed,
            0.9,
            at_least=True,
        ),
        Line("the same with a library", of_allowed_kept, 0.9, at_least=True),
    ]


def _calls_a_second(at_once: int, rollouts: int) -> float:
    turns = [_TURNS] * rollouts
    return sum(turns) / _seconds(turns, at_once, None)


def _of_what_is_allowed(folder: Path | None) -> float:
    """The time that the calls of 256 rollouts take, 64 rollouts at once, begun in their order and
    each call after the one before it; of the time that the batch takes.
    """
    rng = random.Random(1)
    turns = [rng.randint(1, 8) for _ in range(4 * AT_ONCE)]
    ends = [0.0] * AT_ONCE
    for each in turns:
        heapq.heapreplace(ends, ends[0] + each * CALL_SECONDS)
    return max(ends) / _seconds(turns, AT_ONCE, folder)


def _seconds(turns: list[int], at_once: int, folder: Path | None) -> float:
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
    with contextlib.ExitStack() as stack:
        library = None
        if folder is not None:
            library = stack.enter_context(Library.open(folder / "batches.sqlite"))
        batch = Batch(done.append, roles=lambda _: roles, side_by_side=at_once, library=library)
        at = time.perf_counter()
        batch.run([Job(project) for project in projects])
        seconds = time.perf_counter() - at
    assert [each.words for each in done] == [""] * len(turns)
    return seconds
