"""When two messages are the same one, and when one is written again as it stands."""

from __future__ import annotations

import json
from typing import Any

from ..reading.json_in import as_text
from ..reading.values import table, text


def key_of(message: Any) -> Any:
    """What makes two messages the same one, in whichever shape their arguments came."""
    if not isinstance(message, dict):
        return as_text(message)
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = as_text(content)
    role, answered = message.get("role"), message.get("tool_call_id")
    return (
        role if isinstance(role, str) else as_text(role),
        content,
        answered if isinstance(answered, str) else None,
        _calls_key(message["tool_calls"]) if message.get("tool_calls") else "",
    )


def _calls_key(calls: Any) -> str:
    said = []
    for call in calls if isinstance(calls, list) else []:
        inner = table(table(call).get("function"))
        said.append([table(call).get("id"), inner.get("name"), _parsed(inner.get("arguments"))])
    return json.dumps(said, sort_keys=True)


def _parsed(arguments: Any) -> Any:
    if isinstance(arguments, str):
        try:
            return json.loads(arguments, parse_float=str, parse_constant=str)
        except (ValueError, RecursionError):
            return arguments
    return json.loads(as_text(arguments), parse_float=str, parse_constant=str)


def is_plain(message: Any) -> bool:
    """Whether a message of the history is written again as it stands."""
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        return False
    role, content = message["role"], message.get("content")
    if role in ("user", "system"):
        return message.keys() == {"role", "content"} and isinstance(content, str)
    if role == "tool":
        shape = {"role", "tool_call_id", "content"}
        named = bool(text(message.get("tool_call_id"))) and isinstance(content, str)
        return named and message.keys() - {"name"} == shape
    if role != "assistant":
        return False
    if "tool_calls" not in message:
        return message.keys() == {"role", "content"} and isinstance(content, str)
    calls = message["tool_calls"]
    if message.keys() != {"role", "content", "tool_calls"} or not isinstance(calls, list):
        return False
    return (content is None or (isinstance(content, str) and content != "")) and all(
        map(_is_plain_call, calls)
    )


def _is_plain_call(call: Any) -> bool:
    inner = table(table(call).get("function"))
    return (
        list(table(call)) == ["id", "type", "function"]
        and bool(text(call["id"]))
        and call["type"] == "function"
        and list(inner) == ["name", "arguments"]
        and all(isinstance(item, str) and item for item in inner.values())
    )


def are_plain_calls(calls: Any) -> bool:
    """Whether the calls of a response are written again as they stand."""
    if calls is None:
        return True
    return isinstance(calls, list) and all(
        list(table(call)) == ["toolCallId", "toolName", "input"]
        and bool(text(call["toolCallId"]))
        and isinstance(call["toolName"], str)
        and isinstance(call["input"], dict)
        for call in calls
    )
