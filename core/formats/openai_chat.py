"""OpenAI chat JSONL: one row, ``{"messages": […], "tools": […]}``, for a whole trajectory.

Arguments stay the string that the target produced. The rules that a row must meet are checked
before it is written, each fault with message, field and rule: a tool call is answered by id before
the next assistant message, the last message is the assistant's, tool names and call ids are usable,
an assistant message says or calls something, and every tool called is declared. ``weight`` (0 or 1)
comes from train marks.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ..errors import ExportError, Fault
from ..model.messages import (
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
)
from .jsonl import RawJson, json_text, line_bytes
from .report import surrogate_steps
from .subject import Subject

HOLDS = frozenset({"messages", "tool_traffic", "tool_schemas", "system_notes", "train"})

_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class _Message(msgspec.Struct, frozen=True):
    """A message of the row, and the number of the step it comes from (0: the system text)."""

    body: dict[str, Any]
    step: int


def render(subject: Subject) -> bytes:
    """The row as a JSON line. Raises ExportError where ``check`` finds a fault."""
    faults = check(subject)
    if faults:
        raise ExportError("\n".join(fault.render() for fault in faults))
    row: dict[str, Any] = {"messages": [message.body for message in _messages(subject)]}
    if subject.project.tools:
        row["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    **({"description": tool.description} if tool.description else {}),
                    "parameters": RawJson(tool.parameters),
                },
            }
            for tool in subject.project.tools
        ]
    return line_bytes(json_text(row))


def check(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which a trainer would refuse this row."""
    messages = _messages(subject)
    faults = [*_check_pairs(messages), *_check_ends(messages)]
    declared = {tool.name for tool in subject.project.tools}
    for index, message in enumerate(messages):
        if message.body["role"] == "assistant":
            faults += _check_assistant(message, index, declared)
    for index, tool in enumerate(subject.project.tools):
        if not _TOOL_NAME.fullmatch(tool.name):
            faults.append(_name_fault(tool.name, f"tools[{index}].function.name"))
    return tuple(faults)


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    found = []
    if escaped := surrogate_steps(subject):
        found.append(
            f"lone surrogates (step {', '.join(map(str, escaped))}) are written as \\udXXX escapes"
        )
    found.append("this is one row; OpenAI asks for at least 10 to train on")
    return tuple(found)


def _messages(subject: Subject) -> list[_Message]:
    messages = []
    system = subject.project.target.system
    if system is not None:
        messages.append(_Message({"role": "system", "content": system}, 0))
    train = {mark.step_id: mark.train for mark in subject.marks if mark.train is not None}
    for position, step in enumerate(subject.trajectory.steps):
        payload = step.payload
        if isinstance(payload, Stop):
            continue
        text = parts_text(payload.parts)
        if isinstance(payload, UserMessage):
            body: dict[str, Any] = {"role": "user", "content": text}
        elif isinstance(payload, TargetReply):
            body = _assistant(payload, text)
            if step.id in train:
                body["weight"] = 1 if train[step.id] else 0
        elif isinstance(payload, ToolResult):
            body = {"role": "tool", "tool_call_id": payload.call_id, "content": text}
        else:
            assert isinstance(payload, SystemNote)
            body = {"role": "system", "content": text}
        messages.append(_Message(body, position + 1))
    return messages


def _assistant(payload: TargetReply, text: str) -> dict[str, Any]:
    if not payload.tool_calls:
        return {"role": "assistant", "content": text}
    return {
        "role": "assistant",
        "content": text or None,
        "tool_calls": [_call(call) for call in payload.tool_calls],
    }


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _check_pairs(messages: list[_Message]) -> list[Fault]:
    """Every call answered, by id, before the next message that is no tool result."""
    faults: list[Fault] = []
    open_calls: dict[str, str] = {}
    for index, message in enumerate(messages):
        body = message.body
        if body["role"] == "tool":
            if open_calls.pop(body["tool_call_id"], None) is None:
                faults.append(
                    _fault(
                        f"no call just before has the id {body['tool_call_id']!r}",
                        message,
                        f"messages[{index}].tool_call_id",
                        "a tool message answers a call of the assistant message before it",
                    )
                )
            continue
        faults += _unanswered(open_calls, message, index)
        open_calls = {}
        for place, call in enumerate(body.get("tool_calls", ())):
            where = f"messages[{index}].tool_calls[{place}].id"
            if not call["id"]:
                faults.append(_fault("the id is empty", message, where, "a call has an id"))
            elif call["id"] in open_calls:
                rule = "ids differ within one message"
                faults.append(_fault(f"{call['id']!r} stands twice", message, where, rule))
            open_calls[call["id"]] = where
    return faults + _unanswered(open_calls, messages[-1] if messages else None, len(messages))


def _unanswered(open_calls: dict[str, str], before: _Message | None, index: int) -> list[Fault]:
    if before is None:
        return []
    rule = f"every call is answered before messages[{index}]"
    return [
        _fault(f"the call {call_id!r} has no result", before, where, rule)
        for call_id, where in open_calls.items()
    ]


def _check_ends(messages: list[_Message]) -> list[Fault]:
    if not any(message.body["role"] == "user" for message in messages):
        return [Fault("there is no user message.", where="messages", hint="A row needs one.")]
    last = messages[-1]
    if last.body["role"] == "assistant":
        return []
    hint = "Play on to the target's reply, or export up to the last one."
    where = f"messages[{len(messages) - 1}].role"
    return [_fault(f"it is {last.body['role']}", last, where, "the last is the assistant's", hint)]


def _check_assistant(message: _Message, index: int, declared: set[str]) -> list[Fault]:
    calls = message.body.get("tool_calls", ())
    if not calls and not message.body["content"]:
        rule = "an assistant message says or calls something"
        return [_fault("it is empty", message, f"messages[{index}].content", rule)]
    faults = []
    for place, call in enumerate(calls):
        name = call["function"]["name"]
        where = f"messages[{index}].tool_calls[{place}].function.name"
        if not _TOOL_NAME.fullmatch(name):
            faults.append(_name_fault(name, where, message.step))
        elif name not in declared:
            rule = "every tool called is declared in tools"
            hint = "Add it to the project's tools."
            faults.append(_fault(f"the project declares no {name!r}", message, where, rule, hint))
    return faults


def _name_fault(name: str, where: str, step: int = 0) -> Fault:
    message = _Message({}, step)
    rule = "names are 1 to 64 of A-Z a-z 0-9 _ -"
    return _fault(f"{name!r} is refused", message, where, rule, "Rename the tool in the project.")


def _fault(problem: str, message: _Message, where: str, rule: str, hint: str = "") -> Fault:
    place = f" (step {message.step})" if message.step else ""
    return Fault(f"{problem}{place}; rule: {rule}.", where=where, hint=hint)
