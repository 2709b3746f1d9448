"""Where ``f`` can inject a fault, and what it would give there. Imports no Textual."""

from __future__ import annotations

from dataclasses import dataclass

from rollstep.core.errors import UsageError
from rollstep.core.model.messages import ToolResult
from rollstep.core.model.project import Project
from rollstep.core.rules.faults.drawing import FaultSpot, fault_spot
from rollstep.core.rules.faults.kinds import Offer, offers
from rollstep.core.rules.views import PathState

from .edits import rerun_cost
from .presenter import DebuggerModel
from .stepview import call_text

NOWHERE = "f works where a tool call is open, and on a tool result: go to one."


@dataclass(frozen=True)
class FaultTarget:
    """A place for a fault: the answer to an open call after ``step_id`` or, with ``instead``, a new
    take of that result. ``follows`` counts the recorded steps after it, ``rerun`` says what playing
    on would cost.
    """

    step_id: str
    instead: bool
    title: str
    project: Project
    spot: FaultSpot
    follows: int = 0
    rerun: str = ""

    def offers(self) -> list[Offer]:
        """The faults that there are."""
        return offers(self.project, self.spot.place)

    def result(self, fault: str) -> ToolResult | str:
        """What a fault gives here, or why it gives nothing."""
        try:
            return self.spot.result(fault, self.project)
        except UsageError as error:
            return str(error)


def fault_targets(model: DebuggerModel) -> list[FaultTarget]:
    """The places at the cursor, the likelier one first: on a result with a call still open and
    nothing recorded after it, that call; else the result itself.
    """
    step = model.step
    if step is None:
        return []
    answers = _open_call(model, step.id)
    if not isinstance(step.payload, ToolResult):
        return [answers] if answers is not None else []
    found = [target for target in (_instead(model, step.id, step.payload), answers) if target]
    return found if model.ahead else found[::-1]


def _open_call(model: DebuggerModel, step_id: str) -> FaultTarget | None:
    if not model.path.position(model.cursor).open_calls:
        return None
    spot = _spot(model, model.cursor + 1, step_id, None)
    if spot is None:
        return None
    title = f"A fault answers {call_text(spot.place.call, 60)}"
    return FaultTarget(step_id, False, title, model.project, spot)


def _instead(model: DebuggerModel, step_id: str, result: ToolResult) -> FaultTarget | None:
    step = model.path.steps[model.cursor]
    spot = _spot(model, model.cursor, step.parent_id, result)
    if spot is None:
        return None
    name = call_text(spot.place.call, 60)
    title = f"A fault in the place of step {model.cursor + 1}, the result of {name}"
    return FaultTarget(step_id, True, title, model.project, spot, model.ahead, rerun_cost(model))


def _spot(
    model: DebuggerModel, count: int, parent: str | None, instead: ToolResult | None
) -> FaultSpot | None:
    steps = model.path.steps
    return fault_spot(
        PathState.of(model.project, steps[:count]),
        model.project,
        seed=str(model.rollout.header.seed),
        takes=len(model.rollout.children(parent)),
        instead=instead,
        beside=steps[count].payload if count < len(steps) and not instead else None,
    )
