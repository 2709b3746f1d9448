"""What a user's own role may answer, and what it means.

===========  =======================================================================================
evaluator    ``UserMessage``, ``Stop``; text; ``{"text": …, "reasoning": …}``; ``{"stop": reason}``;
             a seed-style decision
target       ``TargetReply``; text; ``{"text": …, "reasoning": …, "tool_calls": [{"name": …,
             "arguments": …, "id": …}]}``
tool         ``ToolResult``; text; any other JSON value, given as its JSON text
===========  =======================================================================================

Each may come in an ``Answer``, with a tool simulator's state. Anything else is a RoleError of the
kind ``bad_reply``, and None is one of the kind ``empty``. The words of these errors continue a
sentence that begins with who answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from ..errors import RoleError
from ..model.messages import (
    Reasoning,
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    text_parts,
)
from ..model.steps import Role
from ..model.view import View
from .call_ids import with_ids
from .protocols import Answer
from .seed_style import a_or_an, read_decision, shown

_WANTED: dict[Role, str] = {
    "evaluator": "a UserMessage, a Stop, text, or a dict with text or stop",
    "target": "a TargetReply, text, or a dict with text and tool_calls",
    "tool": "a ToolResult, text, or a JSON value",
}


def read_answer(role: Role, value: Any, view: View) -> Answer:
    """The answer that ``value`` stands for, checked to the last part. Raises RoleError."""
    answer = value if isinstance(value, Answer) else None
    payload = _READERS[role](value if answer is None else answer.payload, view)
    whole = Answer(payload) if answer is None else msgspec.structs.replace(answer, payload=payload)
    checked = _checked(whole)
    reply = checked.payload
    if isinstance(reply, TargetReply) and reply.tool_calls:
        filled = msgspec.structs.replace(reply, tool_calls=with_ids(view, reply.tool_calls))
        return msgspec.structs.replace(checked, payload=filled)
    return checked


def _checked(answer: Answer) -> Answer:
    """The answer rebuilt from plain values: structs do not check what they are made of."""
    try:
        return msgspec.convert(msgspec.to_builtins(answer), Answer)
    except (msgspec.ValidationError, TypeError, NotImplementedError, RecursionError) as error:
        raise RoleError(
            f"gave {a_or_an(answer.payload)} that is not well formed: {error}.",
            kind="bad_reply",
            detail=shown(answer.payload),
        ) from error


def _evaluator(value: Any, view: View) -> UserMessage | Stop:
    if isinstance(value, UserMessage | Stop):
        return value
    if isinstance(value, str):
        return UserMessage(text_parts(value))
    if isinstance(value, dict) and "stop" in value:
        reason = _text(value, "stop", "evaluator")
        return Stop(reason, "evaluator", _text(value, "note", "evaluator"))
    if isinstance(value, dict) and "text" in value:
        return UserMessage(text_parts(_text(value, "text", "evaluator")), _reasoning(value))
    if hasattr(value, "terminate"):
        return read_decision(value, view)
    raise _no_answer("evaluator", value)


def _target(value: Any, view: View) -> TargetReply:
    if isinstance(value, TargetReply):
        return value
    if isinstance(value, str):
        return TargetReply(text_parts(value))
    if isinstance(value, dict) and ("text" in value or "tool_calls" in value):
        calls = tuple(_call(call) for call in value.get("tool_calls") or ())
        text = _text(value, "text", "target")
        return TargetReply(text_parts(text), _reasoning(value), calls)
    raise _no_answer("target", value)


def _tool(value: Any, view: View) -> ToolResult:
    call_id = view.call.id if view.call is not None else ""
    if isinstance(value, ToolResult):
        return msgspec.structs.replace(value, call_id=call_id)
    if isinstance(value, str):
        return ToolResult(call_id, text_parts(value))
    if value is None:
        raise _no_answer("tool", value)
    return ToolResult(call_id, text_parts(_json(value, "a result")))


_READERS: dict[Role, Callable[[Any, View], UserMessage | Stop | TargetReply | ToolResult]] = {
    "evaluator": _evaluator,
    "target": _target,
    "tool": _tool,
}


def _call(value: Any) -> ToolCall:
    if isinstance(value, ToolCall):
        return value
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise RoleError(
            'gave a tool call that is not {"name": …, "arguments": …}.',
            kind="bad_reply",
            detail=shown(value),
        )
    arguments = value.get("arguments", {})
    text = arguments if isinstance(arguments, str) else _json(arguments, "tool-call arguments")
    return ToolCall(_text(value, "id", "target"), value["name"], text)


def _json(value: Any, what: str) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise RoleError(
            f"gave {what} that cannot be written as JSON: {error}.",
            kind="bad_reply",
            detail=shown(value),
        ) from error


def _reasoning(value: dict[str, Any]) -> tuple[Reasoning, ...]:
    text = value.get("reasoning")
    return () if text is None else (Reasoning(text),)


def _text(value: dict[str, Any], key: str, role: Role) -> str:
    """The text under ``key``; absent and null are the empty string."""
    text = value.get(key)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise RoleError(
            f"gave a dict whose {key} is {a_or_an(text)}, not text (an answer is {_WANTED[role]}).",
            kind="bad_reply",
            detail=shown(value),
        )
    return text


def _no_answer(role: Role, value: Any) -> RoleError:
    if value is None:
        return RoleError(f"gave None; an answer is {_WANTED[role]}.", kind="empty")
    return RoleError(
        f"gave {a_or_an(value)}; an answer is {_WANTED[role]}.",
        kind="bad_reply",
        detail=shown(value),
    )
