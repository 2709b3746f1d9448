"""A human injects a fault: the answer to an open call, or a new take of a result."""

from __future__ import annotations

from .errors import UsageError
from .model.messages import ToolResult
from .model.steps import Step
from .rules.faults.drawing import FaultSpot, fault_spot
from .writer import TreeWriter


def put_injected(writer: TreeWriter, parent: str | None, fault: str, reason: str) -> Step:
    """The fault answers the first call that is open here. The simulator's state stays as it is."""
    state = writer.state_at(parent)
    spot = _spot(writer, parent, None)
    if spot is None:
        raise UsageError("No call is open here: a fault answers a call, or replaces a result.")
    result = spot.result(fault, writer.project)
    return writer.put_human(result, parent, reason=reason, state=state.state, injected=fault)


def fault_instead(writer: TreeWriter, old: Step, fault: str) -> ToolResult:
    """The fault's result in the place of this one."""
    if not isinstance(old.payload, ToolResult):
        raise UsageError("A fault can stand only in the place of a tool result.")
    spot = _spot(writer, old.parent_id, old.payload)
    if spot is None:
        raise UsageError("This result answers no call of its path, so no fault can stand for it.")
    return spot.result(fault, writer.project)


def _spot(writer: TreeWriter, parent: str | None, instead: ToolResult | None) -> FaultSpot | None:
    there = writer.recorded_next(parent)
    return fault_spot(
        writer.state_at(parent),
        writer.project,
        seed=str(writer.rollout.header.seed),
        takes=len(writer.rollout.children(parent)),
        instead=instead,
        beside=writer.rollout.steps[there].payload if there is not None and not instead else None,
    )
