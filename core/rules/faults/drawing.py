"""Which of a project's fault rules answers a call in the tool simulator's place.

Decided from the run's seed, the project's id or title, the place in the path, the call and the take
alone, so that stepping, asking for calls at once and a headless run decide alike. A rule that makes
no sense at a place (no earlier result to be stale) does not fire there.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...model.messages import Payload, ToolResult
from ...model.project import Project
from ...model.view import View, seeded
from ..views import Injected, PathState
from .kinds import FAULTS, FaultPlace, fault_place, fault_result, find_fault, fits, why_not


def drawn_fault(view: View, injected: Sequence[Injected]) -> tuple[str, ToolResult] | None:
    """The fault that is put in place of the simulator's answer to ``view.call``, and its result;
    None where the simulator is asked. ``injected`` are the faults of the path so far.
    """
    call, project = view.call, view.project
    assert call is not None
    may = [rule.probability > 0 and fits(rule, call) for rule in project.faults]
    if not any(may):
        return None
    place = None
    rng = seeded(_key(project, view.seed, len(view.messages), view.take_index, call.id))
    for rule, it_may in zip(project.faults, may, strict=True):
        # Drawn for every rule, so that what one says changes nothing for the others.
        if rng.random() >= rule.probability or not it_may:
            continue
        if rule.times is not None:
            before = sum(1 for name, each in injected if name == rule.fault and fits(rule, each))
            if before >= rule.times:
                continue
        place = place or fault_place(project, view.messages, call)
        if not rule.respond and (rule.fault not in FAULTS or why_not(rule.fault, place)):
            continue
        return rule.fault, fault_result(rule.fault, place, rng, rule)
    return None


class FaultSpot(msgspec.Struct, frozen=True):
    """Where a human may inject a fault; the same one gives the same result."""

    place: FaultPlace
    key: str

    def result(self, fault: str, project: Project) -> ToolResult:
        """What the fault would give here. Raises UsageError where it makes no sense."""
        own = find_fault(fault, project, self.place.call)
        return fault_result(fault, self.place, seeded(self.key), own)


def fault_spot(
    state: PathState,
    project: Project,
    *,
    seed: str,
    takes: int,
    instead: ToolResult | None = None,
    beside: Payload | None = None,
) -> FaultSpot | None:
    """The spot after this path: the first open call or, with ``instead``, the one that this result
    answers, in whose place the fault is put. None where no such call is open. ``takes`` counts the
    steps that stand there already; ``beside`` is the one that is walked, a result perhaps.
    """
    for call in state.position.open_calls:
        if instead is None or call.id == instead.call_id:
            known = instead
            if isinstance(beside, ToolResult) and beside.call_id == call.id:
                known = beside
            messages = state.messages("tool", project)
            place = fault_place(project, messages, call, known)
            return FaultSpot(place, _key(project, seed, len(messages), takes, call.id))
    return None


def _key(project: Project, seed: str, length: int, take: int, call_id: str) -> str:
    # The rows of one batch share the run's seed, and scripts the ids of their calls.
    name = project.id or project.title
    return f"{seed}:fault:{name}:{length}:{take}:{call_id}"
