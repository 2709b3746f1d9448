"""What the schemas of a project's tools say that arguments and results hold, for the completion of
queries before any such call was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from ...model.project import Project
from ..json_values import parse
from .nodes import Ref, Value, ref_text

MOST = 300
"""Members of all schemas together that are offered."""

LONGEST_VALUE = 60
"""Characters of a permitted text that is offered as a value."""

_DEEPEST, _KEPT = 4, 30

_LOOKED_AT = 1_000
"""Schemas inside one that are looked at: those that refer to each other have no end."""


class Declared(msgspec.Struct):
    """A member that tools declare: whose it is, what it means, and the values it may have."""

    tools: list[str]
    about: str = ""
    values: list[Value] = msgspec.field(default_factory=list)

    @property
    def words(self) -> str:
        """For people: ``of get_order: The order's number``."""
        return f"{self.whose}: {self.about}" if self.about else self.whose

    @property
    def whose(self) -> str:
        """``of get_order, check_policy``."""
        return f"of {', '.join(self.tools)}"


def declared_in(project: Project) -> dict[str, Declared]:
    """By field, as a query names it, what the project's tools declare."""
    found: dict[str, Declared] = {}
    for tool in project.tools:
        for name, text in (("args", tool.parameters), ("result", tool.returns)):
            schema = parse(text) if text else None
            for tokens, member in islice(_members(schema, schema, ()), _LOOKED_AT):
                if tokens and len(found) < MOST:
                    _add(found, ref_text(Ref(name, tokens)), tool.name, member)
    return found


def _add(found: dict[str, Declared], name: str, tool: str, schema: dict[str, Any]) -> None:
    declared = found.setdefault(name, Declared([]))
    if tool not in declared.tools:
        declared.tools.append(tool)
    about = schema.get("description", schema.get("title"))
    if not declared.about and isinstance(about, str):
        declared.about = about.strip()
    for value in _permitted(schema):
        if len(declared.values) < _KEPT and not any(_same(value, one) for one in declared.values):
            declared.values.append(value)


def _permitted(schema: dict[str, Any]) -> Iterator[Value]:
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    for value in listed if isinstance(listed, list) else ():
        short = not isinstance(value, str) or len(value) <= LONGEST_VALUE
        if short and (value is None or isinstance(value, str | int | float)):
            yield value


def _same(one: Value, other: Value) -> bool:
    return type(one) is type(other) and one == other


def _members(
    schema: Any, root: Any, tokens: tuple[str, ...], at: int = 0
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """A schema and those inside it, with the pointers to what they speak of; of lists the first
    item. ``at`` counts the steps down, as schemas may refer to themselves.
    """
    if not isinstance(schema, dict) or at > 2 * _DEEPEST or len(tokens) > _DEEPEST:
        return
    yield tokens, schema
    if isinstance(schema.get("$ref"), str):
        yield from _members(_resolved(schema["$ref"], root), root, tokens, at + 1)
    for word in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(word)
        for part in parts[:_KEPT] if isinstance(parts, list) else ():
            yield from _members(part, root, tokens, at + 1)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, member in properties.items():
            yield from _members(member, root, (*tokens, name), at + 1)
    yield from _members(schema.get("items"), root, (*tokens, "0"), at + 1)


def _resolved(ref: str, root: Any) -> Any:
    """What ``#/…`` points to in the same schema; nothing for an address elsewhere."""
    if not ref.startswith("#"):
        return None
    found = root
    for token in ref[1:].split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return found
