"""What models and tools are in Inspect's words: outputs, usage, parameters, declarations, times."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from ...model.messages import TargetReply, parts_text
from ...model.project import Tool
from ...model.steps import Call
from ..jsonl import RawJson
from ..reading.json_in import as_text
from ..reading.values import items, number, table
from ..subject import Subject
from .values_out import as_number, parsed, written

_STOPS = frozenset({"stop", "max_tokens", "model_length", "tool_calls", "content_filter"})
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_TOP = frozenset({"properties", "required", "additionalProperties"})
_PARAMS = {"temperature": float, "top_p": float, "max_tokens": int, "seed": int}
_LATEST = 253402300799.0
"""The last second that a date can name."""


def output_of(payload: TargetReply, message: Any, call: Call) -> dict[str, Any]:
    """What a model gave, with its usage."""
    ended = {"length": "max_tokens", "": "tool_calls" if payload.tool_calls else "stop"}
    reason = ended.get(payload.finish_reason, payload.finish_reason)
    choice = {"message": message, "stop_reason": reason if reason in _STOPS else "unknown"}
    said = parts_text(payload.parts)
    return {"model": call.model, "choices": [choice], "completion": said, **spent_on(call)}


def spent_on(call: Call) -> dict[str, Any]:
    """What a call took, as a part of its output."""
    found: dict[str, Any] = {}
    if call.usage.tokens or call.cost is not None:
        found["usage"] = usage_of(call)
    if call.seconds:
        found["time"] = RawJson(as_number(call.seconds))
    if call.response_id:
        found["response_id"] = call.response_id
    return found


def usage_of(call: Call) -> dict[str, Any]:
    """Tokens and cost of a call."""
    usage = call.usage
    found: dict[str, Any] = {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.tokens,
    }
    if usage.reasoning_tokens:
        found["reasoning_tokens"] = usage.reasoning_tokens
    if usage.cached_tokens:
        found["input_tokens_cache_read"] = usage.cached_tokens
    return found if call.cost is None else {**found, "total_cost": written(call.cost)}


def config_of(call: Call) -> dict[str, Any]:
    """The parameters that Inspect has a field for."""
    params = table(parsed(call.params))
    found = {}
    for name, kind in _PARAMS.items():
        value = number(params.get(name))
        if value is not None and (kind is float or value.is_integer()):
            found[name] = RawJson(as_number(value))
    return found


def model_of(subject: Subject) -> str:
    """The model that the target is, or which kind of target it is."""
    target = subject.project.target
    kind = str(msgspec.structs.asdict(target).get("model") or "")
    return kind or f"rollstep/{type(target).__name__.removesuffix('Target').lower()}"


def tool_out(tool: Tool) -> dict[str, Any]:
    """The declaration of a tool, as far as Inspect's schemas go."""
    given = table(parsed(tool.parameters))
    schema = {key: each for key, each in schema_out(given).items() if key in _TOP}
    parameters = {"type": "object", "properties": {}, **schema}
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": RawJson(as_text(parameters)),
    }


def schema_out(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema without what Inspect would not read: types and bounds that are something
    else.
    """
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            each = table(value).items()
            found[key] = {name: schema_out(one) for name, one in each if isinstance(one, dict)}
        elif key == "anyOf":
            found[key] = [schema_out(one) for one in items(value) if isinstance(one, dict)]
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            found[key] = schema_out(value)
        elif _fits(key, value):
            found[key] = value
    return found


def _fits(key: str, value: Any) -> bool:
    if key == "type":
        names = value if isinstance(value, list) else [value]
        return all(isinstance(name, str) and name in _TYPES for name in names)
    if key == "additionalProperties":
        return isinstance(value, bool)
    if key in ("format", "description", "pattern"):
        return isinstance(value, str)
    if key in ("enum", "examples"):
        return isinstance(value, list)
    if key == "required":
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    if key in ("minLength", "maxLength"):
        return type(value) is int
    if key in ("minimum", "maximum"):
        return number(value) is not None
    return key != "items"


def iso(at: float) -> str:
    """A time as ISO text in UTC."""
    return datetime.fromtimestamp(min(max(at, 0.0), _LATEST), UTC).isoformat()
