"""Budget of live batches: rollouts side by side, whose calls take 200 ms each."""

from __future__ import annotations

import asyncio
import time

from rollstep.core.batch import Batch, Done, Job
from rollstep.core.model.messages import TargetReply, target_reply
from rollstep.core.model.project import HeuristicEvaluator, Project, PythonTarget
from rollstep.core.model.view import View
from rollstep.core.roles.heuristic import HeuristicEvaluatorRole
from rollstep.core.roles.protocols import Stream, no_stream
from rollstep.core.roles.registry import Roles

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


def lines() -> list[Line]:
    """Measure."""
    together = _calls_a_second(AT_ONCE, AT_ONCE)
    alone = _calls_a_second(1, 4)
    return [
        Line(
            "64 rollouts at once at 200 ms a call, against one at a time",
            together / alone,
            40,
            detail=f"{together:.0f} against {alone:.1f} calls/s",
            at_least=True,
        )
    ]


def _calls_a_second(at_once: int, rollouts: int) -> float:
    project = Project(
        "Slow",
        PythonTarget("benchmarks.batches:_Slow"),
        _EVALUATOR,
        opening="Go.",
        max_turns=_TURNS,
    )
    roles = Roles(HeuristicEvaluatorRole(_EVALUATOR), _Slow(), None, {}, {})
    done: list[Done] = []
    batch = Batch(done.append, roles=lambda _: roles, side_by_side=at_once)
    at = time.perf_counter()
    batch.run([Job(project) for _ in range(rollouts)])
    seconds = time.perf_counter() - at
    assert [each.words for each in done] == [""] * rollouts
    return rollouts * _TURNS / seconds
