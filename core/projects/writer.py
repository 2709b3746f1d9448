"""Projects to project files: readable YAML that reads back as an equal project."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

from ..errors import UsageError
from ..model.project import Project
from .shapes import (
    SHORTHAND,
    TAG_KEY,
    Field,
    FlagShape,
    JsonShape,
    ListShape,
    NumberShape,
    Shape,
    StructShape,
    UnionShape,
    fields_of,
    tag_of,
)
from .yaml_text import block, scalar

_STEP = "  "
_WIDTH = 92
"""Columns that a value in braces or brackets may end at; a longer one takes several lines."""


_LONGEST_KEY = 1000

_FIRST = ("version", "id", "title", "goal", "opening", "max_turns", "max_steps_per_turn")
"""The keys that a project file begins with; the type has to put those without a default first."""


class _Number(str):
    """A JSON number with its digits as written."""


def project_yaml(project: Project) -> str:
    """The project as a project file: what it is, then who plays it; defaults (but the version) left
    out, texts of several lines as blocks. Raises UsageError when a JSON text in it is none.
    """
    return "".join(f"{line}\n" for line in _struct_lines(project, "", Project))


def json_as_yaml(value: Any) -> str:
    """A JSON value (as ``json.loads`` gives it) as one line of YAML."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, str):
        return scalar(value, flow=True)
    if isinstance(value, dict):
        pairs = (f"{scalar(key, flow=True)}: {json_as_yaml(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(json_as_yaml, value))}]"
    return json.dumps(value)


def _struct_lines(value: msgspec.Struct, indent: str, cls: type[msgspec.Struct]) -> list[str]:
    lines = [f"{indent}{TAG_KEY}: {tag_of(cls)}"] if tag_of(cls) else []
    for field in _in_order(cls):
        item = getattr(value, field.name)
        if field.required or item != field.default or field.name == _FIRST[0]:
            lines += _entry(f"{indent}{field.name}:", item, field, indent)
    return lines


def _in_order(cls: type[msgspec.Struct]) -> tuple[Field, ...]:
    fields = fields_of(cls)
    if cls is not Project:
        return fields
    named = {field.name: field for field in fields}
    return (*(named.pop(name) for name in _FIRST), *named.values())


def _entry(head: str, value: Any, field: Field, indent: str) -> list[str]:
    """The lines of ``key: value``, the value's further lines one level in."""
    if value is None:
        return [f"{head} null"]
    return _after(head, value, field.shape, indent + _STEP)


def _after(head: str, value: Any, shape: Shape, indent: str) -> list[str]:
    """``head`` followed by a value; what does not fit on its line comes at ``indent``."""
    match shape:
        case FlagShape():
            return [f"{head} {'true' if value else 'false'}"]
        case NumberShape():
            return [f"{head} {_number(value)}"]
        case JsonShape():
            return _json_after(head, _loads(value), indent)
        case ListShape():
            return _list_after(head, value, shape, indent)
        case StructShape() | UnionShape():
            return _struct_after(head, value, indent)
        case _:
            return _text_after(head, value, indent)


def _text_after(head: str, text: str, indent: str) -> list[str]:
    return f"{head} {block(text, indent) or scalar(text)}".split("\n")


def _struct_after(head: str, value: msgspec.Struct, indent: str) -> list[str]:
    cls = type(value)
    short = SHORTHAND.get(cls)
    if short and value == cls(**{short: getattr(value, short)}):
        text = getattr(value, short)
        if text is not None:
            return _text_after(head, text, indent)
    lines = _struct_lines(value, indent, cls)
    return [head, *lines] if lines else [f"{head} {{}}"]


def _list_after(head: str, values: tuple[Any, ...], shape: ListShape, indent: str) -> list[str]:
    if not values:
        return [f"{head} []"]
    lines = [head]
    for value in values:
        lines += _dashed(_after("", value, shape.item, indent + _STEP), indent)
    return lines


def _dashed(lines: list[str], indent: str) -> list[str]:
    """An item of a list: its first own line moves up behind the dash."""
    first, *rest = lines
    if first:
        return [f"{indent}-{first}", *rest]
    return [f"{indent}- {rest[0].lstrip(' ')}", *rest[1:]]


def _json_after(head: str, value: Any, indent: str) -> list[str]:
    if isinstance(value, str) and not isinstance(value, _Number):
        return _text_after(head, value, indent)
    one_line = f"{head} {json_as_yaml(value)}"
    if not isinstance(value, dict | list) or not value:
        return [one_line]
    if len(one_line) <= _WIDTH and not _has_lines(value):
        return [one_line]
    lines = [head]
    if isinstance(value, dict):
        for key, item in value.items():
            *before, key_head = _key_lines(key, indent)
            lines += [*before, *_json_after(key_head, item, indent + _STEP)]
        return lines
    for item in value:
        lines += _dashed(_json_after("", item, indent + _STEP), indent)
    return lines


def _key_lines(key: str, indent: str) -> list[str]:
    """A key and its colon. One of more than 1024 characters has to be announced by "? "."""
    written = scalar(key)
    if len(written) > _LONGEST_KEY:
        return [f"{indent}? {written}", f"{indent}:"]
    return [f"{indent}{written}:"]


def _has_lines(value: Any) -> bool:
    """Whether a text of several lines is in the value, which a block shows better."""
    if isinstance(value, dict):
        return any(map(_has_lines, value.values()))
    if isinstance(value, list):
        return any(map(_has_lines, value))
    return isinstance(value, str) and "\n" in value


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise UsageError(f"{value} cannot be written in a project file.")
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_int=_Number, parse_float=_Number, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        shown = text if len(text) <= 60 else f"{text[:59]}…"
        raise UsageError(f"The project holds a JSON text that is none: {shown!r}.") from error


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
