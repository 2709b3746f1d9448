"""The fields of ATIF 1.8 and what may stand in them; anything else has a place only in ``extra``.

Used on what an imported document held: what is as ATIF has it goes back where it stood, the rest
moves into the ``extra`` beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from ..reading.json_in import Number

VERSION = "ATIF-v1.8"
OURS = "rollstep"
"""The key in ``extra`` under which our own things stand."""

MEDIA_TYPES = {
    "image": ("image/jpeg", "image/png", "image/gif", "image/webp"),
    "audio": (
        *("audio/wav", "audio/mpeg", "audio/mp4", "audio/aac"),
        *("audio/ogg", "audio/flac", "audio/webm", "audio/aiff"),
    ),
}

Fits = Callable[[Any], bool]


def is_time(value: Any) -> bool:
    """Whether a value is a time in ISO 8601."""
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    if isinstance(value, Number):
        return not value.text.endswith(("N", "y"))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_from_zero(value: Any) -> bool:
    return _is_count(value) and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_effort(value: Any) -> bool:
    return _is_text(value) or _is_number(value)


def _is_list_of(fits: Fits) -> Fits:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _is_reference(value: Any) -> bool:
    """A reference to the trajectory of a sub-agent that can be followed."""
    if not isinstance(value, dict) or not value.keys() <= REFERENCE.keys():
        return False
    if not all(value[key] is None or REFERENCE[key](value[key]) for key in value):
        return False
    return bool(value.get("trajectory_id") or value.get("trajectory_path"))


REFERENCE: Mapping[str, Fits] = {
    "trajectory_id": _is_text,
    "session_id": _is_text,
    "trajectory_path": _is_text,
    "extra": _is_object,
}
METRICS: Mapping[str, Fits] = {
    "prompt_tokens": _is_count,
    "completion_tokens": _is_count,
    "cached_tokens": _is_count,
    "cost_usd": _is_number,
    "prompt_token_ids": _is_list_of(_is_count),
    "completion_token_ids": _is_list_of(_is_count),
    "logprobs": _is_list_of(_is_number),
    "extra": _is_object,
}
FINAL_METRICS: Mapping[str, Fits] = {
    "total_prompt_tokens": _is_count,
    "total_completion_tokens": _is_count,
    "total_cached_tokens": _is_count,
    "total_cost_usd": _is_number,
    "total_steps": _is_from_zero,
    "extra": _is_object,
}
AGENT: Mapping[str, Fits] = {
    "name": _is_text,
    "version": _is_text,
    "model_name": _is_text,
    "tool_definitions": _is_list_of(_is_object),
    "extra": _is_object,
}
STEP: Mapping[str, Fits] = {
    "model_name": _is_text,
    "reasoning_effort": _is_effort,
    "metrics": _is_object,
    "is_copied_context": _is_flag,
    "llm_call_count": _is_from_zero,
}
"""Of a step what no field of ours holds."""
AGENT_ONLY = frozenset({"model_name", "reasoning_effort", "metrics"})
RESULT: Mapping[str, Fits] = {"subagent_trajectory_ref": _is_list_of(_is_reference)}
ROOT: Mapping[str, Fits] = {
    "notes": _is_text,
    "final_metrics": _is_object,
    "continued_trajectory_ref": _is_text,
}


def fitted(
    value: Mapping[str, Any], fields: Mapping[str, Fits]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What of an object is as ATIF has it, and what is not. Nulls are nothing."""
    good: dict[str, Any] = {}
    odd: dict[str, Any] = {}
    for key, item in value.items():
        fits = fields.get(key)
        if fits is not None and fits(item):
            good[key] = item
        elif item is not None or fits is None:
            odd[key] = item
    return good, odd


def moved(value: dict[str, Any], fields: Mapping[str, Fits]) -> dict[str, Any]:
    """An object with everything that has no place in it moved into its ``extra``."""
    good, odd = fitted(value, fields)
    if odd:
        good["extra"] = {**good.get("extra", {}), **odd}
    return good


def is_native_part(value: Any) -> bool:
    """Whether a part that is no text is as ATIF has it: a path or an address, and a media type."""
    if not isinstance(value, dict) or value.keys() != {"type", "source"}:
        return False
    source, kind = value["source"], value["type"]
    if not isinstance(source, dict) or not isinstance(kind, str):
        return False
    known = {"media_type", "path"} if kind == "image" else {"media_type", "path", "duration_sec"}
    return (
        source.get("media_type") in MEDIA_TYPES.get(kind, ())
        and isinstance(source.get("path"), str)
        and source.keys() <= known
        and (source.get("duration_sec") is None or _is_number(source["duration_sec"]))
    )
