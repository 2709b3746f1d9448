"""Rules that a step alone decides. Those of ``cheap`` cost next to nothing, so that a screen can
ask them of thousands of steps at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from ...model.failures import CUT_OFF
from ...model.messages import (
    OtherPart,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    payload_text,
    reasoning_text,
)
from ...model.steps import Step
from ..hidden import has_hidden
from .findings import Finding

_fast_decode = msgspec.json.Decoder().decode
_CHECKED = 65_536
"""Arguments longer than this are not parsed for a flag."""
_SCANNED = 200_000
"""Characters of a text that are scanned for hidden ones."""
_LONG = 1_000
"""Texts longer than this are worth the pattern that is slow to make but quick to search with."""


def cheap(step: Step) -> tuple[Finding, ...]:
    """The findings that cost next to nothing."""
    if is_plain(step):
        return ()
    return tuple(Finding(step.id, rule, words) for rule, words in _cheap(step))


def is_plain(step: Step) -> bool:
    """Whether a quick look is enough to see that there are none, as with nearly every step. A long
    rollout asks this of thousands before it is shown.
    """
    if step.state_stale or step.late or step.injected:
        return False
    payload = step.payload
    if isinstance(payload, Stop):
        return True
    first = payload.parts[0] if payload.parts else None
    if not isinstance(first, Text) or not first.text or first.text[0].isspace():
        return False
    if isinstance(payload, ToolResult):
        return not payload.is_error
    if isinstance(payload, SystemNote):
        return True
    if isinstance(payload, TargetReply) and (payload.refusal or payload.finish_reason in CUT_OFF):
        return False
    return not (payload.tool_calls and any(map(bad_arguments, payload.tool_calls)))


def _cheap(step: Step) -> Iterator[tuple[str, str]]:
    payload = step.payload
    if isinstance(payload, ToolResult):
        if payload.is_error:
            yield "tool-error", "the tool answered with an error"
    elif isinstance(payload, TargetReply):
        if payload.finish_reason in CUT_OFF:
            yield "cut-off", CUT_OFF[payload.finish_reason]
        if payload.refusal:
            yield "refused", "the target refused"
    if isinstance(payload, TargetReply | UserMessage):
        for call in payload.tool_calls:
            if words := bad_arguments(call):
                yield "bad-arguments", words
    if words := _emptiness(step):
        yield "empty", words
    if step.state_stale:
        yield "stale-state", "the tool's state is older than an edit"
    if step.late:
        yield "late", "arrived after it was no longer waited for"
    if step.injected:
        yield "injected", f"a fault was injected: {step.injected}"


def bad_arguments(call: ToolCall) -> str:
    """What is wrong with a call's arguments as JSON, or the empty string."""
    text = call.arguments
    if len(text) > _CHECKED:
        return ""
    try:
        value = _fast_decode(text)
    except (ValueError, RecursionError):
        # Not all JSON is UTF-8 or finite: the standard module has the last word.
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return f"arguments of {call.name} are not valid JSON"
    if not isinstance(value, dict):
        return f"arguments of {call.name} are not a JSON object"
    return ""


def _emptiness(step: Step) -> str:
    payload = step.payload
    if isinstance(payload, Stop | SystemNote) or step.injected:
        return ""
    text = parts_text(payload.parts)
    if (text and not text[:1].isspace()) or any(isinstance(p, OtherPart) for p in payload.parts):
        return ""
    if not isinstance(payload, ToolResult) and payload.tool_calls:
        return ""
    if isinstance(payload, TargetReply) and payload.refusal:
        return ""
    what = "result" if isinstance(payload, ToolResult) else "message"
    if not text:
        calls = " and no tool call" if isinstance(payload, TargetReply) else ""
        return f"the {what} is empty" if not calls else f"no text{calls}"
    return f"the {what} is only white space" if text.isspace() else ""


def hidden(step: Step) -> Iterator[Finding]:
    """Whether a text of the step holds characters that a reader would not see."""
    where = [name for name, text in _texts(step.payload) if _hides(text[:_SCANNED])]
    if where:
        words = f"hidden or control characters in the {' and the '.join(where)}, shown as marks"
        yield Finding(step.id, "hidden-characters", words)


def _hides(text: str) -> bool:
    # Line ends of another system hide nothing.
    return has_hidden(text.replace("\r\n", "\n") if "\r" in text else text, _LONG)


def _texts(payload: Payload) -> Iterator[tuple[str, str]]:
    yield "text", payload_text(payload)
    if isinstance(payload, TargetReply | UserMessage):
        if payload.reasoning:
            yield "reasoning", reasoning_text(payload.reasoning)
        if payload.tool_calls:
            yield "tool calls", "".join(f"{c.name}{c.arguments}" for c in payload.tool_calls)
    if isinstance(payload, Stop):
        yield "reason", payload.reason
