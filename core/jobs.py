"""What a batch is given, and what comes out of it."""

from __future__ import annotations

import msgspec

from .formats.turn_records import Records
from .model.project import (
    EchoTarget,
    HeuristicEvaluator,
    HumanEvaluator,
    HumanSimulator,
    HumanTarget,
    Project,
    RulesSimulator,
    ScriptedEvaluator,
    ScriptedTarget,
)

_NEVER_WAIT = (
    EchoTarget,
    HeuristicEvaluator,
    HumanEvaluator,
    HumanSimulator,
    HumanTarget,
    RulesSimulator,
    ScriptedEvaluator,
    ScriptedTarget,
)


class Job(msgspec.Struct, frozen=True):
    """One project to be played. ``source`` and ``record`` say where it came from (``record`` goes
    into the derived ids), ``label`` names it for people.
    """

    project: Project
    source: str = ""
    record: int | None = None
    label: str = ""


class Done(msgspec.Struct, frozen=True):
    """One finished rollout. It is ``whole`` when it came to its stop with every turn complete;
    else ``words`` say why not, and ``records`` holds the turns that are complete. One that is
    ``parked`` waits for a human. ``said`` is what breakpoints said of one that came to its stop.
    One that was not ``started`` is nowhere: the run's budget was used up before it.

    ``status`` is the library's word for how it stands, ``reason`` why, in a word that all such
    rollouts share: that of its stop, what parked it, the kind of its failure. ``before`` is said of
    one that an earlier run had finished. ``dollars`` and ``tokens`` are what its live steps took.
    """

    job: Job
    rollout_id: str
    records: Records
    whole: bool
    words: str = ""
    parked: bool = False
    said: str = ""
    started: bool = True
    status: str = "ended"
    reason: str = ""
    before: bool = False
    dollars: float = 0.0
    tokens: int = 0


def never_waits(project: Project) -> bool:
    """Whether all roles of the project are built in, so that it can be played offline."""
    simulator = project.tool_simulator
    return (
        isinstance(project.target, _NEVER_WAIT)
        and isinstance(project.evaluator, _NEVER_WAIT)
        and (simulator is None or isinstance(simulator, _NEVER_WAIT))
    )
