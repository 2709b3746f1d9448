"""Whether the fields that hold JSON as text hold any: what is put together from outside may not."""

from __future__ import annotations

import functools
import json
from typing import Any, get_args

import msgspec
from msgspec import Meta


def no_json(value: Any, where: str = "") -> str:
    """The place of the first JSON text in a struct that is none, or no object where it has to be
    one; the empty string where all are. Only ``metadata`` may hold NaN and
    infinities, as some sources do.
    """
    if isinstance(value, msgspec.Struct):
        kinds = _kinds(type(value))
        for name in value.__struct_fields__:
            kind, here = kinds.get(name), f"{where}.{name}".lstrip(".")
            found = getattr(value, name)
            bad = no_json(found, here) if kind is None else _none_at(found, here, kind)
            if bad:
                return bad
    elif isinstance(value, tuple):
        for index, each in enumerate(value):
            if bad := no_json(each, f"{where}[{index}]"):
                return bad
    return ""


def is_json(text: str, *, table: bool = False, strict: bool = False) -> bool:
    """Whether a text is JSON, with ``table`` an object, with ``strict`` one without NaN."""
    try:
        value = json.loads(text, parse_constant=_refuse if strict else None)
    except (ValueError, RecursionError):
        return False
    return not table or isinstance(value, dict)


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _none_at(value: Any, where: str, kind: dict[str, Any]) -> str:
    texts = value if isinstance(value, tuple) else (value,)
    table, strict = bool(kind.get("object")), not where.endswith("metadata")
    bad = any(
        text is not None and text != "{}" and not is_json(text, table=table, strict=strict)
        for text in texts
    )
    return where if bad else ""


@functools.cache
def _kinds(cls: type[msgspec.Struct]) -> dict[str, dict[str, Any]]:
    """The fields of a struct that hold JSON, with what their ``Meta`` says of it."""
    found = ((field.name, _said(field.type)) for field in msgspec.structs.fields(cls))
    return {name: said for name, said in found if said is not None}


def _said(hint: Any) -> dict[str, Any] | None:
    """What the ``JsonText`` says that a type is made with; None for a type without."""
    if isinstance(hint, Meta):
        return hint.extra if hint.extra and hint.extra.get("json") else None
    nested = (*get_args(hint), *getattr(hint, "__metadata__", ()))
    return next((said for each in nested if (said := _said(each)) is not None), None)
