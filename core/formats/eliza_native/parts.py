"""Messages of the AI SDK, whose calls and results are parts, as chat messages of OpenAI's shape."""

from __future__ import annotations

from typing import Any

from ..reading.json_in import as_text
from ..reading.values import items, table, text

_CALL, _RESULT = "tool-call", "tool-result"


def as_chat(messages: list[Any]) -> list[Any]:
    """The messages; those that hold calls or results as parts are taken apart. The same list, where
    there are none.
    """
    if not any(_has_parts(message) for message in messages):
        return messages
    found: list[Any] = []
    for message in messages:
        found += _taken_apart(message) if _has_parts(message) else [message]
    return found


def _has_parts(message: Any) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return False
    return any(table(part).get("type") in (_CALL, _RESULT) for part in content)


def _taken_apart(message: dict[str, Any]) -> list[Any]:
    """A message without its calls and results among the parts, and one for each result."""
    parts = items(message["content"])
    calls = [_call(part) for part in parts if table(part).get("type") == _CALL]
    results = [_result(part) for part in parts if table(part).get("type") == _RESULT]
    rest = [part for part in parts if table(part).get("type") not in (_CALL, _RESULT)]
    if not calls and not rest:
        return results
    content: Any = rest or None
    if len(rest) == 1 and table(rest[0]).keys() == {"type", "text"}:
        content = rest[0]["text"]
    said = {**message, "content": content, **({"tool_calls": calls} if calls else {})}
    return [said, *results]


def _call(part: dict[str, Any]) -> dict[str, Any]:
    given = part.get("input", part.get("args"))
    function = {"name": part.get("toolName"), "arguments": given}
    return {"id": part.get("toolCallId"), "type": "function", "function": function}


def _result(part: dict[str, Any]) -> dict[str, Any]:
    output = part.get("output", part.get("result"))
    kind = text(table(output).get("type"))
    if kind in ("text", "json", "error-text", "error-json", "content"):
        output = table(output).get("value")
    said = output if isinstance(output, str | list) or output is None else as_text(output)
    error = kind.startswith("error") or part.get("isError") is True
    made = {"role": "tool", "tool_call_id": part.get("toolCallId"), "content": said}
    return {**made, **({"is_error": True} if error else {})}
