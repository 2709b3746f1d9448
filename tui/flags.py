"""What is odd about a step, in words: shown in the inspector and counted in the status line."""

from __future__ import annotations

import json

import msgspec
from rollstep.core.model.messages import (
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    payload_text,
    reasoning_text,
)
from rollstep.core.model.steps import Step

from .sanitize import has_hidden

_fast_decode = msgspec.json.Decoder().decode
_CHECKED = 65_536
"""Arguments longer than this are not parsed for a flag."""
_SCANNED = 200_000
"""Characters of a text that are scanned for hidden ones."""
_FINISH = {
    "length": "cut off by length",
    "max_tokens": "cut off by length",
    "content_filter": "blocked by the content filter",
}


def cheap_flags(step: Step) -> tuple[str, ...]:
    """Flags that cost next to nothing, so that thousands of steps can be counted at once."""
    payload = step.payload
    flags: list[str] = []
    if isinstance(payload, ToolResult):
        if payload.is_error:
            flags.append("the tool answered with an error")
    elif isinstance(payload, TargetReply):
        flags += _reply_flags(payload)
        for call in payload.tool_calls:
            flags += argument_flags(call)
    elif isinstance(payload, UserMessage):
        for call in payload.tool_calls:
            flags += argument_flags(call)
    if step.state_stale:
        flags.append("the tool's state is older than an edit")
    if step.late:
        flags.append("arrived after it was no longer waited for")
    if step.injected:
        flags.append(f"a fault was injected: {step.injected}")
    return tuple(flags)


def _reply_flags(reply: TargetReply) -> list[str]:
    flags = []
    if reply.finish_reason in _FINISH:
        flags.append(_FINISH[reply.finish_reason])
    if reply.refusal:
        flags.append("the target refused")
    if not reply.parts and not reply.tool_calls and not reply.refusal:
        flags.append("no text and no tool call")
    return flags


def argument_flags(call: ToolCall) -> list[str]:
    """What is wrong with a call's arguments as JSON."""
    text = call.arguments
    if len(text) > _CHECKED:
        return []
    try:
        value = _fast_decode(text)
    except (ValueError, RecursionError):
        # Not all JSON is UTF-8 or finite: the standard module has the last word.
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return [f"arguments of {call.name} are not valid JSON"]
    if not isinstance(value, dict):
        return [f"arguments of {call.name} are not a JSON object"]
    return []


def hidden_flags(payload: Payload) -> list[str]:
    """Whether a text of the step holds characters that a reader would not see."""
    texts = {"text": payload_text(payload)}
    if isinstance(payload, TargetReply | UserMessage):
        texts["reasoning"] = reasoning_text(payload.reasoning)
        texts["tool calls"] = "".join(f"{c.name}{c.arguments}" for c in payload.tool_calls)
    if isinstance(payload, Stop):
        texts["reason"] = payload.reason
    return [
        f"hidden or control characters in the {where}, shown as marks"
        for where, text in texts.items()
        if has_hidden(text[:_SCANNED])
    ]
