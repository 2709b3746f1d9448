"""Putting a marker where a secret stood, in everything that a rollout holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from ..model.messages import ToolCall
from ..model.project import Project
from ..rules.secrets_in_text import redacted
from ..store.change import Saved
from .items import Item

T = TypeVar("T", bound=msgspec.Struct)


def without_secrets(item: Item, known: Mapping[str, str]) -> Item:
    """The rollout, and its requests, without secrets. What holds none stays the same object."""

    def requests(digest: str) -> str | None:
        body = item.requests(digest)
        return None if body is None else redacted(body, known)

    return Item(redacted_saved(item.saved, known), requests, item.up_to)


def redacted_saved(saved: Saved, known: Mapping[str, str]) -> Saved:
    """A saved rollout without secrets. Ids that are our own are no texts, and are left."""
    return _struct(saved, known)


def _struct(value: T, known: Mapping[str, str]) -> T:
    changed = {}
    for name in value.__struct_fields__:
        if name in _IDS and not isinstance(value, _NAMED_OUTSIDE):
            continue
        before = getattr(value, name)
        after = _value(before, known)
        if after is not before:
            changed[name] = after
    return msgspec.structs.replace(value, **changed) if changed else value


_NAMED_OUTSIDE = (ToolCall, Project)
"""Their ids come from models and files; a result names its call by the same text."""

_IDS = frozenset({"id", "parent_id", "leaf_id", "step_id", "replaces", "copied_from", "digest"})


def _value(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        after = redacted(value, known)
        return value if after == value else after
    if isinstance(value, msgspec.Struct):
        return _struct(value, known)
    if isinstance(value, tuple):
        items = tuple(_value(each, known) for each in value)
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    return value
