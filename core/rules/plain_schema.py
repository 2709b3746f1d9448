"""JSON Schemas of everyday kind, checked without the jsonschema package.

Nearly every tool's schema is plain, and the package takes long to import and a hundred times as
long to check with. A schema of other keywords is left to the package (``compiled`` gives None).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from .json_values import MISSING, same_value

Fault = tuple[str, str]
"""Where something is wrong, as a JSON pointer, and what."""

Check = Callable[[Any], Fault | None]
"""From a value to the first thing that is wrong with it. Places are put together on the way back
from a fault, so that values that fit cost no more than a look.
"""

_NOTES = frozenset(("title", "description", "default", "examples", "deprecated", "$comment"))
_PLAIN_PATTERN = re.compile(r"\^?(?:[\w -]|\[[\w-]+\]|\\d)*\+?\$?")
"""Nothing that could go on for ever on a hostile text."""
_BOUNDS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("at least", lambda value, bound: value >= bound),
    "maximum": ("at most", lambda value, bound: value <= bound),
    "exclusiveMinimum": ("more than", lambda value, bound: value > bound),
    "exclusiveMaximum": ("less than", lambda value, bound: value < bound),
}
_SIZES: dict[str, tuple[type, str, Callable[[int, int], bool]]] = {
    "minLength": (str, "at least {} characters long", lambda size, bound: size >= bound),
    "maxLength": (str, "at most {} characters long", lambda size, bound: size <= bound),
    "minItems": (list, "of at least {} items", lambda size, bound: size >= bound),
    "maxItems": (list, "of at most {} items", lambda size, bound: size <= bound),
    "minProperties": (dict, "of at least {} members", lambda size, bound: size >= bound),
    "maxProperties": (dict, "of at most {} members", lambda size, bound: size <= bound),
}
_CLASSES: dict[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool}


def _is_kind(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())


_TYPES: dict[str, Callable[[Any], bool]] = {
    **{name: _is_kind(kind) for name, kind in _CLASSES.items()},
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": _is_integer,
}


def words(fault: Fault | None) -> str:
    """A fault in one line; the empty string for none."""
    return f"{fault[0] or 'it'} {fault[1]}" if fault is not None else ""


def compiled(schema: Any) -> Check | None:
    """A check for a plain schema; None for one that holds more."""
    if schema is True:
        return lambda value: None
    if schema is False:
        return lambda value: ("", "is not allowed")
    if not isinstance(schema, dict):
        return None
    checks: list[Check] = []
    for keyword, wanted in schema.items():
        if keyword in _NOTES or keyword in ("required", "additionalProperties"):
            continue
        check = _keyword(keyword, wanted)
        if check is None:
            return None
        checks.append(check)
    members = _members(schema)
    return _all(checks + members) if members is not None else None


def _all(checks: list[Check]) -> Check:
    def check(value: Any) -> Fault | None:
        for each in checks:
            if (fault := each(value)) is not None:
                return fault
        return None

    return checks[0] if len(checks) == 1 else check


def _keyword(keyword: str, wanted: Any) -> Check | None:
    if keyword == "type":
        return _type(wanted)
    if keyword == "enum":
        return _one_of(wanted) if isinstance(wanted, list) else None
    if keyword == "const":
        return _one_of([wanted])
    if keyword in _BOUNDS:
        return _bound(keyword, wanted)
    if keyword in _SIZES:
        return _size(keyword, wanted)
    if keyword == "items":
        return _items(wanted)
    if keyword == "properties":
        return _properties(wanted)
    if keyword == "anyOf":
        return _any_of(wanted)
    return _pattern(wanted) if keyword == "pattern" else None


def _type(wanted: Any) -> Check | None:
    names = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(names, list) or not all(isinstance(n, str) and n in _TYPES for n in names):
        return None
    wanted_words = " or ".join(names)
    if len(names) == 1 and names[0] in _CLASSES:
        return _class(_CLASSES[names[0]], wanted_words)
    tests = [_TYPES[name] for name in names]

    def check(value: Any) -> Fault | None:
        for test in tests:
            if test(value):
                return None
        return "", f"is {_shown(value)}, not of type {wanted_words}"

    return check


def _class(kind: type, wanted_words: str) -> Check:
    def check(value: Any) -> Fault | None:
        if isinstance(value, kind):
            return None
        return "", f"is {_shown(value)}, not of type {wanted_words}"

    return check


def _one_of(wanted: list[Any]) -> Check:
    listed = ", ".join(_shown(each) for each in wanted[:8]) + (", …" if len(wanted) > 8 else "")
    wanted_words = f"none of {listed}" if len(wanted) > 1 else f"not {listed}"

    def check(value: Any) -> Fault | None:
        if any(same_value(each, value) for each in wanted):
            return None
        return "", f"is {_shown(value)}, {wanted_words}"

    return check


def _bound(keyword: str, wanted: Any) -> Check | None:
    if not _is_number(wanted):
        return None
    relation, holds = _BOUNDS[keyword]

    def check(value: Any) -> Fault | None:
        if not _is_number(value) or holds(value, wanted):
            return None
        return "", f"is {_shown(value)}, and must be {relation} {wanted}"

    return check


def _size(keyword: str, wanted: Any) -> Check | None:
    if not isinstance(wanted, int) or isinstance(wanted, bool):
        return None
    kind, size, holds = _SIZES[keyword]

    def check(value: Any) -> Fault | None:
        if not isinstance(value, kind) or holds(len(value), wanted):  # type: ignore[arg-type]
            return None
        return "", f"must be {size.format(wanted)}"

    return check


def _pattern(wanted: Any) -> Check | None:
    if not isinstance(wanted, str) or _PLAIN_PATTERN.fullmatch(wanted) is None:
        return None
    try:
        found = re.compile(wanted).search
    except re.error:
        return None

    def check(value: Any) -> Fault | None:
        if not isinstance(value, str) or found(value):
            return None
        return "", f"is {_shown(value)}, which does not match {wanted}"

    return check


def _items(wanted: Any) -> Check | None:
    each = compiled(wanted)
    if each is None:
        return None

    def check(value: Any) -> Fault | None:
        if isinstance(value, list):
            for index, item in enumerate(value):
                if (fault := each(item)) is not None:
                    return f"/{index}{fault[0]}", fault[1]
        return None

    return check


def _properties(wanted: Any) -> Check | None:
    if not isinstance(wanted, dict):
        return None
    checks: list[tuple[str, Check]] = []
    for name, schema in wanted.items():
        each = compiled(schema)
        if each is None:
            return None
        checks.append((name, each))

    def check(value: Any) -> Fault | None:
        if isinstance(value, dict):
            for name, each in checks:
                found = value.get(name, MISSING)
                if found is not MISSING and (fault := each(found)) is not None:
                    return f"/{_token(name)}{fault[0]}", fault[1]
        return None

    return check


def _any_of(wanted: Any) -> Check | None:
    if not isinstance(wanted, list) or not wanted:
        return None
    found = [compiled(each) for each in wanted]
    checks = [each for each in found if each is not None]
    if len(checks) < len(found):
        return None

    def check(value: Any) -> Fault | None:
        fault = None
        for each in checks:
            fault = each(value)
            if fault is None:
                return None
        return fault if len(checks) == 1 else ("", f"fits none of the {len(checks)} kinds")

    return check


def _members(schema: dict[str, Any]) -> list[Check] | None:
    """The checks of ``required`` and ``additionalProperties``."""
    checks: list[Check] = []
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return None
    if required:
        checks.append(_required(required))
    if "additionalProperties" in schema:
        other = compiled(schema["additionalProperties"])
        if other is None:
            return None
        if schema["additionalProperties"] is not True:
            checks.append(_additional(frozenset(schema.get("properties", {})), other))
    return checks


def _required(names: list[str]) -> Check:
    def check(value: Any) -> Fault | None:
        if isinstance(value, dict):
            for name in names:
                if name not in value:
                    return "", f"lacks {_shown(name)}, which is required"
        return None

    return check


def _additional(known: frozenset[str], other: Check) -> Check:
    def check(value: Any) -> Fault | None:
        if isinstance(value, dict):
            for name, found in value.items():
                if name not in known and (fault := other(found)) is not None:
                    return f"/{_token(name)}{fault[0]}", fault[1]
        return None

    return check


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value[:80] if isinstance(value, str) else value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
