"""Tool calls from outside, in the shapes that they come in, and pairing results with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from ...model.messages import ToolCall
from .json_in import JsonProblem, JsonReader, as_text

ARGUMENTS = "$arguments"
"""The key of ``Step.extra`` that tells how arguments stood where they were no string: a list, one
entry for each call: ``string``, ``object``, ``double`` (a JSON string of a JSON string),
``absent``."""

NO_ID = "the tool call has no id; one was made"
"""What is noted of a call without one."""

Note = Callable[[str, str], None]
"""Told of something odd: the words, and the path in the record."""


def read_call(value: Any, number: int, where: str, note: Note) -> tuple[ToolCall, str]:
    """One call and how its arguments stood. ``number`` makes an id where none came."""
    if not isinstance(value, dict):
        note("a tool call that is no object; kept as its arguments", where)
        return ToolCall(f"call_{number}", "", as_text(value), made_id=True), "string"
    inner = value.get("function", _in_text(value))
    body = inner if isinstance(inner, dict) else value
    name = body.get("name", value.get("toolName", value.get("tool_name")))
    if not isinstance(name, str) or not name:
        note("the tool call has no name", f"{where}.name")
        name = name if isinstance(name, str) else ""
    arguments, shape = read_arguments(_given(body, value), where, note)
    call_id = value.get("id") or value.get("tool_call_id") or value.get("toolCallId")
    if not isinstance(call_id, str) or not call_id:
        note(NO_ID, f"{where}.id")
        return ToolCall(f"call_{number}", name, arguments, made_id=True), shape
    return ToolCall(call_id, name, arguments), shape


def _in_text(value: dict[str, Any]) -> Any:
    """The call that a part holds as JSON text (``{"type": "tool_call", "value": "{…}"}``)."""
    text = value.get("value")
    if not isinstance(text, str) or "name" in value:
        return None
    try:
        return JsonReader().parse(text)[0]
    except JsonProblem:
        return None


def _given(body: dict[str, Any], value: dict[str, Any]) -> Any:
    for key in ("arguments", "input", "args", "parameters"):
        for holder in (body, value):
            if key in holder:
                return holder[key]
    return None


def read_arguments(value: Any, where: str, note: Note) -> tuple[str, str]:
    """The arguments as JSON text, and how they stood. A string is kept to the letter."""
    if isinstance(value, str):
        if value[:1] == '"':
            try:
                inside = json.loads(value)
            except ValueError:
                inside = None
            if isinstance(inside, str) and inside.lstrip()[:1] in ("{", "["):
                note("the arguments were encoded twice; shown once decoded", f"{where}.arguments")
                return inside, "double"
        return value, "string"
    if value is None:
        return "{}", "absent"
    return as_text(value), "object"


class OpenCalls:
    """The calls that wait for a result, so that results find them by id, else by name, else by
    their place.
    """

    def __init__(self) -> None:
        self._open: list[ToolCall] = []
        self.made = 0

    def next_number(self) -> int:
        """A number for an id that has to be made."""
        self.made += 1
        return self.made

    def opened(self, calls: Iterable[ToolCall]) -> None:
        """These calls wait from now on, and those before them no longer do."""
        self._open = list(calls)

    def answered(self, call_id: Any, name: Any = None) -> tuple[str, bool]:
        """The id of the call that a result answers, and whether there is such a call."""
        for call in self._open:
            if call.id == call_id or (not call_id and name and call.name == name):
                self._open.remove(call)
                return call.id, True
        if not call_id and self._open:
            return self._open.pop(0).id, True
        return (call_id if isinstance(call_id, str) else ""), False

    def waiting(self) -> tuple[ToolCall, ...]:
        """Calls without a result so far."""
        return tuple(self._open)
