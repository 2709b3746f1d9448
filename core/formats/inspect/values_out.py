"""Values as an export takes them: JSON that keeps its numbers, in both directions."""

from __future__ import annotations

import math
from typing import Any

from ..jsonl import RawJson
from ..reading.json_in import JsonProblem, JsonReader, as_text


def parsed(document: str) -> Any:
    """A JSON text as a value; None where it is none."""
    try:
        return JsonReader().parse(document)[0] if document else None
    except JsonProblem:
        return None


def raw(value: Any) -> Any:
    """A value that was read, as it stood."""
    return RawJson(as_text(value)) if isinstance(value, dict | list | float) else value


def raw_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields that were read, each as it stood."""
    return {key: raw(each) for key, each in fields.items()}


def value_of(given: Any) -> Any:
    """What raw JSON stands for; anything else as it is."""
    return parsed(given.text) if isinstance(given, RawJson) else given


def written(value: Any) -> Any:
    """Values of our own: numbers with a point as JSON text, and what is no number as null."""
    if isinstance(value, dict):
        return {key: written(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [written(each) for each in value]
    if isinstance(value, float):
        return RawJson(as_number(value)) if math.isfinite(value) else None
    return value


def as_number(value: float) -> str:
    """A number as JSON text; whole numbers without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
