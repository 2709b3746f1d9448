"""Live checks of JSON that a human types: where it breaks, and why. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from rollstep.core.model.messages import ToolCall


@dataclass(frozen=True)
class JsonFault:
    """What is wrong with a JSON text; ``line`` and ``column`` count from 1, 0 where there is no
    one place.
    """

    cause: str
    line: int = 0
    column: int = 0

    def words(self) -> str:
        """Place and cause in one line."""
        return f"line {self.line}, column {self.column}: {self.cause}" if self.line else self.cause


class _NotJson(ValueError):
    """A word that Python's reader takes and JSON does not know."""


def parse_strict(text: str) -> tuple[Any, JsonFault | None]:
    """The value, or the fault that stops it from being one."""
    try:
        return json.loads(text, parse_constant=_refuse), None
    except json.JSONDecodeError as error:
        if not text.strip():
            return None, JsonFault("empty: not JSON")
        return None, JsonFault(error.msg, error.lineno, error.colno)
    except _NotJson as error:
        return None, JsonFault(str(error))
    except ValueError:  # valid JSON, but Python reads no integer of more than 4,300 digits
        return None, JsonFault("a number is too long to be checked")
    except RecursionError:
        return None, JsonFault("nested too deeply to be checked")


def json_fault(text: str) -> JsonFault | None:
    """Why this text is not JSON, or None."""
    return parse_strict(text)[1]


def arguments_fault(text: str) -> JsonFault | None:
    """Why this text cannot be a call's arguments, which are an object, or None."""
    value, fault = parse_strict(text)
    if fault is None and not isinstance(value, dict):
        return JsonFault(f"{_kind(value)}, not an object", 1, 1)
    return fault


def call_fault_words(number: int, call: ToolCall) -> str:
    """The fault of a call's arguments with the call's name and place, or the empty string."""
    fault = arguments_fault(call.arguments)
    if fault is None:
        return ""
    return f"call {number} {call.name or '(no name)'}: arguments: {fault.words()}"


def schema_note(text: str, schema_text: str) -> str:
    """How a result departs from the tool's ``returns`` schema, in words; empty when it fits.

    Imports jsonschema, which takes a while: call it off the screen's loop. Never reaches out for a
    remote ``$ref``.
    """
    schema, schema_fault = parse_strict(schema_text)
    if schema_fault is not None or not isinstance(schema, dict | bool):
        return "the tool's returns schema is not a JSON Schema"
    value, fault = parse_strict(text)
    if fault is not None:
        if isinstance(schema, dict) and schema.get("type") == "string":
            value = text
        else:
            return f"returns schema: the result is not JSON: {fault.words()}"
    return _validate(value, schema)


def _validate(value: Any, schema: Any) -> str:
    import jsonschema
    import referencing
    from jsonschema.exceptions import best_match

    try:
        kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        checker = kind(schema, registry=referencing.Registry())
        error = best_match(checker.iter_errors(value))
    except (referencing.exceptions.Unresolvable, RecursionError, ValueError, TypeError) as problem:
        return f"the tool's returns schema cannot be used: {type(problem).__name__}"
    except jsonschema.exceptions.UnknownType as problem:
        return f"the tool's returns schema names an unknown type: {problem.type!r}"
    if error is None:
        return ""
    where = "".join(f"/{piece}" for piece in error.absolute_path) or "the whole"
    return f"returns schema: {where}: {_shorten(error.message)}"


def _shorten(message: str, limit: int = 160) -> str:
    return message if len(message) <= limit else message[: limit - 1] + "…"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "a list"
    return "a string" if isinstance(value, str) else "a number"


def _refuse(word: str) -> Any:
    raise _NotJson(f"{word} is not JSON")
