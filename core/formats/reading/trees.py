"""What holds at a place in a tree that is being built."""

from __future__ import annotations

from ...model.messages import TargetReply, ToolCall, ToolResult, UserMessage
from .building import TreeBuilder


def open_calls(builder: TreeBuilder, step_id: str | None) -> list[ToolCall]:
    """The calls that still wait for a result behind this step."""
    answered: set[str] = set()
    while step_id is not None:
        step = builder.step(step_id)
        payload = step.payload
        if not isinstance(payload, ToolResult):
            calls = payload.tool_calls if isinstance(payload, TargetReply | UserMessage) else ()
            return [call for call in calls if call.id not in answered]
        answered.add(payload.call_id)
        step_id = step.parent_id
    return []
