"""JSON from outside: nothing in it is lost, and nothing odd in it passes unseen.

Numbers that Python would write back differently keep their text. Duplicate keys, NaN, infinities,
and numbers or nesting beyond what can be held are seen.
"""

from __future__ import annotations

import json
import math
from typing import Any

from ...errors import Fault
from ..jsonl import RawJson, json_text


class Number(float):
    """A number as it stood in the file: ``text``. Python may write the value differently."""

    text: str

    def __new__(cls, text: str) -> Number:
        """From its digits, or NaN, Infinity, -Infinity."""
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __repr__(self) -> str:
        return self.text


class JsonProblem(ValueError):
    """The text is no JSON that can be used; ``fault`` says where and why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class JsonReader:
    """Parses many texts, one after the other; each thread needs one of its own."""

    def __init__(self) -> None:
        self._twice: list[str] = []
        self._decode = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=Number,
            parse_int=_integer,
            parse_constant=Number,
        ).decode

    def parse(self, text: str, *, line: int = 0) -> tuple[Any, tuple[str, ...]]:
        """The value, and the keys that stand twice in one of its objects (the last one counts).

        Raises JsonProblem.
        """
        self._twice.clear()
        try:
            value = self._decode(text)
        except json.JSONDecodeError as error:
            raise JsonProblem(_fault(error, line)) from error
        except RecursionError:
            problem = "it is nested more deeply than can be read."
            raise JsonProblem(Fault(problem, line=line)) from None
        except ValueError as error:  # an integer of more digits than Python converts
            problem = "a whole number in it has too many digits to be read."
            raise JsonProblem(Fault(problem, line=line)) from error
        return value, tuple(self._twice)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen and key not in self._twice:
                    self._twice.append(key)
                seen.add(key)
        return found


def _integer(text: str) -> int | Number:
    return Number(text) if text == "-0" else int(text)


def as_text(value: Any) -> str:
    """A value that ``parse`` gave as JSON text; numbers as they stood.

    NaN and infinities, which are no JSON, are written as Python reads them.
    """
    return json_text(_raw_numbers(value))


def not_finite(value: Any) -> bool:
    """Whether a NaN or an infinity stands anywhere in the value."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(map(not_finite, value.values()))
    return isinstance(value, list) and any(map(not_finite, value))


def is_named(number: float) -> bool:
    """Whether a number stood there by name, as NaN or an infinity, which JSON does not have. (1e400
    is JSON, if more than Python can hold.)
    """
    return isinstance(number, Number) and number.text.endswith(("N", "y"))


def finite(value: Any) -> Any:
    """A value that can be written as JSON: null where NaN or an infinity stood by name."""
    if isinstance(value, float):
        return None if is_named(value) else value
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list) else value


def _raw_numbers(value: Any) -> Any:
    if isinstance(value, Number):
        return RawJson(value.text)
    if isinstance(value, dict):
        return {key: _raw_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_raw_numbers(item) for item in value]
    return value


def _fault(error: json.JSONDecodeError, line: int) -> Fault:
    message = f"{error.msg}: this is no JSON."
    return Fault(message, line=line or error.lineno, column=error.colno)
