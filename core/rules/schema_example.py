"""An example value that fits a JSON Schema: to pre-fill a tool result, and for faults. Pure."""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 8
"""Nesting at which the example stops (schemas may refer to themselves)."""

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00",
    "email": "someone@example.com",
    "uri": "https://example.com",
    "url": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.com",
}


def example_text(schema_text: str | None) -> str:
    """The example as JSON text, or the empty string where there is no usable schema."""
    if not schema_text:
        return ""
    try:
        schema = json.loads(schema_text)
    except (ValueError, RecursionError):
        return ""
    example = example_from_schema(schema)
    if isinstance(example, str):
        return example
    return json.dumps(example, ensure_ascii=False, indent=2)


def example_from_schema(schema: Any) -> Any:
    """A value that fits the schema as far as its shape goes: its own examples first, then the
    first of the permitted values, then a plain value of the right type.
    """
    return _example(schema, schema, 0)


def _example(schema: Any, root: Any, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > DEEPEST:
        return None
    given = _given(schema)
    if given is not _NONE:
        return given
    if isinstance(schema.get("$ref"), str):
        return _example(_resolve(schema["$ref"], root), root, depth + 1)
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list) and schema[word]:
            return _example({**schema, word: None} | _first(schema[word]), root, depth + 1)
    if isinstance(schema.get("allOf"), list):
        return _example(_merge(schema, root), root, depth + 1)
    return _of_type(schema, root, depth)


class _Nothing:
    pass


_NONE = _Nothing()


def _given(schema: dict[str, Any]) -> Any:
    for word in ("const", "default", "example"):
        if word in schema:
            return schema[word]
    for word in ("examples", "enum"):
        if isinstance(schema.get(word), list) and schema[word]:
            return schema[word][0]
    return _NONE


def _of_type(schema: dict[str, Any], root: Any, depth: int) -> Any:
    kind = _type(schema)
    if kind == "object":
        return _object(schema, root, depth)
    if kind == "array":
        return _array(schema, root, depth)
    if kind == "string":
        text = _FORMATS.get(schema.get("format", ""), "")
        return text.ljust(_number(schema.get("minLength"), 0), "x")
    if kind in ("integer", "number"):
        return _smallest(schema, whole=kind == "integer")
    return False if kind == "boolean" else None


def _type(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in schema or "required" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else "null"


def _object(schema: dict[str, Any], root: Any, depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    known: dict[str, Any] = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    names = list(known)
    if isinstance(required, list):
        names += [name for name in required if isinstance(name, str) and name not in known]
    return {name: _example(known.get(name), root, depth + 1) for name in names}


def _array(schema: dict[str, Any], root: Any, depth: int) -> list[Any]:
    prefix = schema.get("prefixItems")
    if isinstance(prefix, list):
        return [_example(item, root, depth + 1) for item in prefix]
    items = schema.get("items")
    if depth >= DEEPEST or not isinstance(items, dict):
        return []
    count = min(max(_number(schema.get("minItems"), 1), 1), 20)
    return [_example(items, root, depth + 1) for _ in range(count)]


def _smallest(schema: dict[str, Any], *, whole: bool) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum")
    value: int | float = 0 if whole else 0.0
    if isinstance(low, int | float) and low >= value:
        value = low + 1 if "minimum" not in schema else low
    elif isinstance(high, int | float) and high < value:
        value = high
    return int(value) if whole else value


def _merge(schema: dict[str, Any], root: Any) -> dict[str, Any]:
    merged = {key: value for key, value in schema.items() if key != "allOf"}
    for part in schema["allOf"]:
        if isinstance(part, dict) and isinstance(part.get("$ref"), str):
            part = _resolve(part["$ref"], root)
        if not isinstance(part, dict):
            continue
        properties = {**merged.get("properties", {}), **part.get("properties", {})}
        merged = {**merged, **part}
        if properties:
            merged["properties"] = properties
    return merged


def _resolve(reference: str, root: Any) -> Any:
    """The part of the schema that a local reference points at; None for any other."""
    if not reference.startswith("#"):
        return None
    found = root
    for piece in reference[1:].split("/")[1:]:
        key = piece.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        else:
            return None
    return found


def _first(options: list[Any]) -> dict[str, Any]:
    shaped = [one for one in options if isinstance(one, dict) and one.get("type") != "null"]
    return shaped[0] if shaped else {}


def _number(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
