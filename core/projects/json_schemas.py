"""Is this JSON value a JSON Schema?

The jsonschema package takes long to import, and nearly every tool's schema is plain. So the plain
ones are recognised here, and only the others are given to the package, whose verdict stands.
"""

from __future__ import annotations

import re
from typing import Any

_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
_TEXTS = frozenset(("title", "description"))
_ANYTHING = frozenset(("default", "const"))
_LISTS = frozenset(("enum", "examples"))
_BOUNDS = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))
_COUNTS = frozenset(("minLength", "maxLength", "minItems", "maxItems"))
_SUBSCHEMAS = frozenset(("items", "additionalProperties", "not"))
_SCHEMA_LISTS = frozenset(("anyOf", "oneOf", "allOf"))


def schema_problem(schema: Any) -> tuple[tuple[str | int, ...], str] | None:
    """None for a JSON Schema; else the keys and indexes that lead to what is wrong, and what."""
    if _plainly_valid(schema):
        return None
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for

    if isinstance(schema, dict) and not isinstance(schema.get("$schema", ""), str):
        return ("$schema",), "expected a text."
    try:
        checker = Draft202012Validator.FORMAT_CHECKER
        validator: Any = validator_for(schema, default=Draft202012Validator)
        validator.check_schema(schema, format_checker=checker)
    except SchemaError as error:
        place = tuple(error.absolute_path)
        if place and place[-1] == "type":
            return (
                place,
                f"{_brief(repr(error.instance))} is no type; types are {', '.join(_TYPES)}.",
            )
        return place, f"{_brief(error.message)}."
    return None


def _brief(text: str) -> str:
    """The package's words, which can hold a whole schema (as Python shows it, so on one line)."""
    return text if len(text) <= 200 else f"{text[:199]}…"


def _plainly_valid(schema: Any) -> bool:
    if isinstance(schema, bool):
        return True
    return isinstance(schema, dict) and all(_valid_key(k, v) for k, v in schema.items())


def _valid_key(key: str, value: Any) -> bool:
    if key == "type":
        return isinstance(value, str) and value in _TYPES
    if key in _TEXTS:
        return isinstance(value, str)
    if key == "properties":
        return isinstance(value, dict) and all(map(_plainly_valid, value.values()))
    if key == "required":
        return _distinct_texts(value)
    if key in _LISTS:
        return isinstance(value, list)
    if key in _SUBSCHEMAS:
        return _plainly_valid(value)
    if key in _SCHEMA_LISTS:
        return isinstance(value, list) and bool(value) and all(map(_plainly_valid, value))
    if key in _BOUNDS:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if key in _COUNTS:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if key == "pattern":
        return isinstance(value, str) and re.fullmatch(r"[\w\s^$.-]*", value) is not None
    return key in _ANYTHING


def _distinct_texts(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, str) for item in value)
        and len(set(value)) == len(value)
    )
