"""A short way for the rows that most files consist of: plain messages in the usual shape.

A row that has exactly the pairs it should have is understood here; any other is left to the long
way, which gives the same for these.
"""

from __future__ import annotations

import json
from typing import Any

from ...model.messages import (
    Payload,
    Reasoning,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from ...model.project import Tool
from ...model.steps import Role, Step
from ..jsonl import json_string, json_text
from .building import imported_project
from .calls import ARGUMENTS
from .json_in import JsonProblem, JsonReader, Number
from .quick_rows import QuickRows
from .record import Imported
from .role_rows import title_of
from .tools import read_declared

_TOP = frozenset({"messages", "tools", "functions", "parallel_tool_calls"})
_PLAIN = (str, int, bool)


class QuickChat(QuickRows):
    """Understands rows of messages and tools."""

    others = False

    def __init__(self) -> None:
        super().__init__()
        self._end = ""
        self._tools: tuple[Tool, ...] = ()

    def read(self, text: str, digest: str) -> Imported | None:
        """The trajectory of a row; None or an error where it is otherwise than most are."""
        fields = self._fields(text)
        if fields is None:
            return None
        messages, tools, more = fields
        if type(messages) is not list or not messages:
            return None
        system = _system(messages[0])
        steps = _steps(messages if system is None else messages[1:], digest)
        if steps is None:
            return None
        title = title_of(steps)
        project = imported_project(title, system=system, tools=tools)
        return Imported(project, steps, title, extra=json_text(more) if more else "")

    def _fields(self, text: str) -> tuple[Any, tuple[Tool, ...], dict[str, Any]] | None:
        """The messages, the tools, and what else the row holds. Most rows of a file end with the
        same tools: those are parsed once. Raises ValueError and its like.
        """
        tools: tuple[Tool, ...] | None = None
        if self._end and text.endswith(self._end):
            pairs, tools = self.pairs(text[: -len(self._end)] + "}"), self._tools
        else:
            pairs = self.pairs(text)
        messages = None
        more: dict[str, Any] = {}
        for key, value in pairs:
            if key == "messages" and messages is None:
                messages = value
            elif key == "tools" and messages is not None and tools is None:
                tools = self._declared(text if pairs[-1][0] == "tools" else "", value)
                if tools is None:
                    return None
            elif not self._is_other(key, value) or key in more:
                return None
            else:
                more[key] = value
        return messages, tools or (), more

    def _is_other(self, key: str, value: Any) -> bool:
        return self.others and key not in _TOP and (value is None or type(value) in _PLAIN)

    def _declared(self, text: str, value: Any) -> tuple[Tool, ...] | None:
        """The tools of a row. Where they end its ``text``, the next rows most likely end so too."""
        if type(value) is not list:
            return None
        tools = _read_tools(value)
        place = text.rfind(', "tools": [')
        if tools is None or place < 0:
            return tools
        try:
            head = self.pairs(text[:place] + "}")
        except (ValueError, StopIteration):
            return tools  # the words stood somewhere in the tools themselves
        if [key for key, _ in head].count("messages") == 1 and "tools" not in dict(head):
            self._end, self._tools = text[place:], tools
        return tools


class QuickRow(QuickChat):
    """The same where rows may have other fields, which are kept aside."""

    others = True


def _system(message: Any) -> str | None:
    """The text of a system message."""
    if type(message) is tuple and len(message) == 2 and message[0] == ("role", "system"):
        key, content = message[1]
        if key == "content" and type(content) is str:
            return content
    return None


def _steps(messages: list[Any], digest: str) -> tuple[Step, ...] | None:
    """The steps of the messages; None where one is not as most are."""
    steps: list[Step] = []
    before: str | None = None
    waiting: list[str] = []
    role: Role
    payload: Payload
    for number, message in enumerate(messages, 1):
        try:
            (key, kind), (content_key, content), *more = message
        except (TypeError, ValueError):
            return None
        if key != "role" or type(message) is not tuple:
            return None
        extra = ""
        if more or kind == "tool":
            made = _with_more(kind, content_key, content, more, waiting)
            if made is None:
                return None
            payload, role, extra = made
        elif content_key != "content" or type(content) is not str:
            return None
        elif kind == "user":
            payload, role = UserMessage((Text(content),)), "evaluator"
        elif kind == "assistant":
            payload, role = TargetReply((Text(content),)), "target"
            waiting.clear()
        elif kind == "system":
            payload, role = SystemNote((Text(content),)), "target"
        else:
            return None
        step_id = f"{digest}.{number}"
        steps.append(Step(step_id, before, role, payload, "import", extra=extra))
        before = step_id
    return tuple(steps)


def _with_more(
    kind: Any, key: Any, value: Any, more: list[Any], waiting: list[str]
) -> tuple[Payload, Role, str] | None:
    """A message with more fields: a tool's result, or a reply that reasons, calls, or both; and its
    ``Step.extra``. ``waiting`` are the ids of calls without a result so far.
    """
    last_key, last = more[-1] if more else (None, None)
    if kind == "tool":
        if key != "tool_call_id" or last_key != "content" or type(last) is not str:
            return None
        if len(more) != 1 or value not in waiting:
            return None
        waiting.remove(value)
        return ToolResult(value, (Text(last),)), "tool", ""
    if kind != "assistant" or key != "content" or not (value is None or type(value) is str):
        return None
    reasoning: tuple[Reasoning, ...] = ()
    if more[0][0] == "reasoning_content" and type(more[0][1]) is str:
        reasoning = (Reasoning(more.pop(0)[1]),)
    parts = () if value is None else (Text(value),)
    if not more and parts:
        waiting.clear()
        return TargetReply(parts, reasoning), "target", ""
    if len(more) != 1 or last_key != "tool_calls":
        return None
    calls, extra = _calls(last)
    if not calls:
        return None
    waiting[:] = [call.id for call in calls]
    return TargetReply(parts, reasoning, calls), "target", extra


_NO_CALLS: tuple[tuple[ToolCall, ...], str] = ((), "")


def _calls(calls: Any) -> tuple[tuple[ToolCall, ...], str]:
    """Calls that each have an id, a name and arguments, and the extra that tells how the arguments
    stood; no calls where anything else stands there.
    """
    if type(calls) is not list or not calls:
        return _NO_CALLS
    made = []
    shapes = []
    for call in calls:
        if type(call) is not tuple:
            return _NO_CALLS
        try:
            (key_1, call_id), (key_2, kind), (key_3, function) = call
            (key_4, name), (key_5, arguments) = function
        except (TypeError, ValueError):
            return _NO_CALLS
        if (key_1, key_2, kind, key_3, key_4, key_5) != _CALL or type(function) is not tuple:
            return _NO_CALLS
        shape = "object" if type(arguments) is tuple else "string"
        try:
            given = _object_text(arguments) if shape == "object" else arguments
        except ValueError:
            return _NO_CALLS
        if not (type(call_id) is type(name) is type(given) is str and call_id and name):
            return _NO_CALLS
        if given[:1] == '"':  # it may be JSON twice over
            return _NO_CALLS
        made.append(ToolCall(call_id, name, given))
        shapes.append(shape)
    return tuple(made), json_text({ARGUMENTS: shapes}) if "object" in shapes else ""


_CALL = ("id", "type", "function", "function", "name", "arguments")


def _object_text(value: Any) -> str:
    """JSON of a value in which objects are tuples of pairs, as ``as_text`` has it.

    Raises ValueError where a key stands twice.
    """
    if type(value) is tuple:
        if len({key for key, _ in value}) != len(value):
            raise ValueError("a key stands twice")
        pairs = (f"{json_string(key)}: {_object_text(item)}" for key, item in value)
        return "{" + ", ".join(pairs) + "}"
    if type(value) is list:
        return "[" + ", ".join(map(_object_text, value)) + "]"
    return value.text if isinstance(value, Number) else json_text(value)


def _read_tools(value: list[Any]) -> tuple[Tool, ...] | None:
    noted: list[str] = []
    try:
        found, twice = JsonReader().parse(_as_json(value))
    except JsonProblem:
        return None
    declared = read_declared(found, "tools", lambda words, where: noted.append(words))
    return None if twice or noted or declared.raw else declared.tools


def _as_json(value: Any) -> str:
    """JSON of a value in which objects are tuples of pairs."""
    if type(value) is tuple:
        return "{" + ", ".join(f"{json.dumps(k)}: {_as_json(v)}" for k, v in value) + "}"
    if type(value) is list:
        return "[" + ", ".join(map(_as_json, value)) + "]"
    return value.text if isinstance(value, Number) else json.dumps(value)
