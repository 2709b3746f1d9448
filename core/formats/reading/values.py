"""Values from outside as what they should be, or as nothing where they are something else."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from .json_in import as_text

_MOST = 2**53
"""Counts beyond this are no counts of anything here."""


def table(value: Any) -> dict[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The list, or an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def shown(value: Any) -> str:
    """Any value for people: a string as it is, nothing for null, else its JSON text."""
    if isinstance(value, str):
        return value
    return "" if value is None else as_text(value)


def number(value: Any) -> float | None:
    """The number where it is one and finite; true and false are 1 and 0."""
    if not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def count(value: Any) -> int:
    """The whole number from 0 on, or 0."""
    found = number(value)
    return int(found) if found is not None and 0 <= found <= _MOST else 0


def score_value(value: Any) -> float | str | None:
    """A score: numbers as numbers, NaN and infinities by name, true and false as 1 and 0, and
    anything else as text.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    found = number(value)
    return found if found is not None else as_text(value)


def seconds(value: Any) -> float:
    """A time as seconds since the epoch: ISO text (UTC where it names no zone) or a number, which
    is taken for milliseconds where it is too large for seconds. 0 where it is no time.
    """
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return 0.0
        try:
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
        except (OverflowError, ValueError):
            return 0.0
    found = number(value)
    if found is None or found <= 0:
        return 0.0
    return found / 1000 if found > 1e11 else found


def without(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The object without these keys, and without those that are null."""
    return {key: value for key, value in values.items() if key not in keys and value is not None}
