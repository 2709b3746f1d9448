"""Declarations of tools from outside, in the shapes that they come in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from ...model.project import Tool
from ..jsonl import RawJson, json_text
from .json_in import JsonProblem, JsonReader, as_text, finite

Note = Callable[[str, str], None]
"""Told of something odd: the words, and the path in the record."""

_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")

_REMEMBERED = 64


class Declared(msgspec.Struct, frozen=True):
    """The tools, and ``raw``: the declarations as JSON text, where ``function_tools`` would not
    write them so (empty where it would).
    """

    tools: tuple[Tool, ...]
    raw: str = ""


_seen: dict[str, tuple[Declared, tuple[tuple[str, str], ...]]] = {}
"""What was read lately, by its text: the rows of a file declare the same tools again and again."""


def read_tools(value: Any, where: str, note: Note) -> tuple[Tool, ...]:
    """The tools of a list, or of the JSON text of one; nothing is no tools. What declares no tool
    that can be called is noted.
    """
    return read_declared(value, where, note).tools


def read_declared(value: Any, where: str, note: Note) -> Declared:
    """The same, with how they stood."""
    if value is None or value == []:
        return Declared(())
    key = repr(value)
    found = _seen.get(key)
    if found is None:
        notes: list[tuple[str, str]] = []
        found = (_read(value, lambda words, place: notes.append((words, place))), tuple(notes))
        if len(_seen) >= _REMEMBERED:
            _seen.clear()
        _seen[key] = found
    for words, place in found[1]:
        note(words, where + place)
    return found[0]


def function_tools(tools: tuple[Tool, ...]) -> list[dict[str, Any]]:
    """Declarations as OpenAI's chat shape has them; most others took it over."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                **({"description": tool.description} if tool.description else {}),
                "parameters": RawJson(tool.parameters),
            },
        }
        for tool in tools
    ]


def _read(value: Any, note: Note) -> Declared:
    raw = as_text(value)
    if isinstance(value, str):
        try:
            value = JsonReader().parse(value)[0]
        except JsonProblem:
            note("tools is a text that is no JSON; kept aside", "")
            return Declared((), raw)
    if not isinstance(value, list):
        note("tools is no list; kept aside", "")
        return Declared((), raw)
    tools: dict[str, Tool] = {}
    for index, item in enumerate(value):
        tool = _tool(item)
        if tool is None:
            note("this declares no tool by name; kept aside", f"[{index}]")
        elif tool.name in tools:
            note(f"{tool.name!r} is declared twice; the first counts", f"[{index}]")
        else:
            tools[tool.name] = tool
    found = tuple(tools.values())
    return Declared(found, "" if raw == json_text(function_tools(found)) else raw)


def _tool(item: Any) -> Tool | None:
    """One declaration: the function's own object, or around it."""
    if not isinstance(item, dict):
        return None
    inner = item.get("function")
    body = inner if isinstance(inner, dict) else item
    name = body.get("name")
    if not isinstance(name, str) or not name:
        return None
    description = body.get("description")
    schema = next((body[key] for key in _SCHEMA_KEYS if isinstance(body.get(key), dict)), None)
    return Tool(
        name,
        description if isinstance(description, str) else "",
        as_text(finite(schema)) if schema is not None else '{"type": "object", "properties": {}}',
    )
