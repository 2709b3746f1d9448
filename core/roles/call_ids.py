"""Ids for tool calls that come without one: derived from the place in the path, so that equal runs
give equal bytes.
"""

from __future__ import annotations

from ..model.messages import TargetReply, ToolCall
from ..model.view import View


def made_ids(view: View, count: int, taken: tuple[str, ...] = ()) -> list[str]:
    """``count`` ids of the form ``call_<turn>_<n>`` that no call of the path has, nor ``taken``."""
    used = set(taken)
    for message in view.messages:
        if type(message) is TargetReply and message.tool_calls:
            used.update(call.id for call in message.tool_calls)
    ids: list[str] = []
    n = 0
    while len(ids) < count:
        n += 1
        candidate = f"call_{view.turn_index + 1}_{n}"
        if candidate not in used:
            ids.append(candidate)
    return ids


def with_ids(view: View, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """The calls, each with an id: those that came stay, the others are made and marked so."""
    missing = sum(not call.id for call in calls)
    if not missing:
        return calls
    fresh = iter(made_ids(view, missing, tuple(call.id for call in calls)))
    return tuple(
        call if call.id else ToolCall(next(fresh), call.name, call.arguments, made_id=True)
        for call in calls
    )
