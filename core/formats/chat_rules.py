"""The rules that trainers hold chat rows to; a fault names the message, its step and the rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import Fault
from ..model.project import Tool
from .chat_messages import Message, renamed
from .options import WriteOptions

TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

RENAME = "Rename the tool in the project, or consent to another name (--rename)."


def fault(problem: str, step: int, where: str, rule: str, hint: str = "") -> Fault:
    """A fault of a message: what is wrong, where, and which rule that breaks."""
    place = f" (step {step})" if step else ""
    return Fault(f"{problem}{place}; rule: {rule}.", where=where, hint=hint)


def check_pairs(messages: Sequence[Message], field: str = "messages") -> list[Fault]:
    """Every call is answered, by id, before the next message that is no tool result."""
    faults: list[Fault] = []
    open_calls: dict[str, str] = {}
    for index, message in enumerate(messages):
        body = message.body
        if body["role"] == "tool":
            call_id = body.get("tool_call_id", "")
            if open_calls.pop(call_id, None) is None:
                faults.append(
                    fault(
                        f"no call just before has the id {call_id!r}",
                        message.step,
                        f"{field}[{index}].tool_call_id",
                        "a tool message answers a call of the assistant message before it",
                    )
                )
            continue
        if open_calls:
            faults += _unanswered(open_calls, message, index, field)
            open_calls = {}
        for place, call in enumerate(body.get("tool_calls", ())):
            where = f"{field}[{index}].tool_calls[{place}].id"
            if not call["id"]:
                rule = "a call has an id"
                faults.append(fault("the id is empty", message.step, where, rule))
            elif call["id"] in open_calls:
                rule = "ids differ within one message"
                faults.append(fault(f"{call['id']!r} stands twice", message.step, where, rule))
            open_calls[call["id"]] = where
    last = messages[-1] if messages else None
    return faults + _unanswered(open_calls, last, len(messages), field)


def _unanswered(
    open_calls: dict[str, str], before: Message | None, index: int, field: str
) -> list[Fault]:
    if before is None:
        return []
    rule = f"every call is answered before {field}[{index}]"
    return [
        fault(f"the call {call_id!r} has no result", before.step, where, rule)
        for call_id, where in open_calls.items()
    ]


def without_last_calls(messages: Sequence[Message]) -> list[Message]:
    """For ``check_pairs`` of an answer: its own calls are not answered yet, and need not be."""
    last = messages[-1]
    body = {key: value for key, value in last.body.items() if key != "tool_calls"}
    return [*messages[:-1], Message(body, last.step)]


def check_ends(messages: Sequence[Message], field: str = "messages") -> list[Fault]:
    """There is a user message, and the last message is the assistant's."""
    if not any(message.body["role"] == "user" for message in messages):
        return [Fault("there is no user message.", where=field, hint="A row needs one.")]
    last = messages[-1]
    if last.body["role"] == "assistant":
        return []
    hint = "Play on to the target's reply, or export up to the last one."
    where = f"{field}[{len(messages) - 1}].role"
    rule = "the last is the assistant's"
    return [fault(f"it is {last.body['role']}", last.step, where, rule, hint)]


def check_said(messages: Sequence[Message], field: str = "messages") -> list[Fault]:
    """An assistant message says or calls something; a part that is left out leaves something."""
    faults = []
    for index, message in enumerate(messages):
        body = message.body
        if _says(body.get("content")) or body.get("tool_calls") or body.get("refusal"):
            continue
        where = f"{field}[{index}].content"
        if message.no_parts:
            places = ", ".join(map(str, message.no_parts))
            problem = f"all that it holds is no text (part {places})"
            rule = "this format has no place for such parts"
            faults.append(fault(problem, message.step, where, rule))
        elif body["role"] == "assistant":
            rule = "an assistant message says or calls something"
            faults.append(fault("it is empty", message.step, where, rule))
    return faults


def check_objects(message: Message, where: str) -> Iterator[Fault]:
    """The arguments of calls are objects, for formats that have them so (``Dialect.objects``)."""
    rule = "this format has them as an object in which no key stands twice"
    hint = "Edit the call, or leave the trajectory out."
    for place, call in enumerate(message.body.get("tool_calls", ())):
        if isinstance(call["function"]["arguments"], str):
            path = f"{where}.tool_calls[{place}].function.arguments"
            yield fault("the arguments are no JSON object", message.step, path, rule, hint)


def _says(content: Any) -> bool:
    """Whether any part of a content holds something."""
    if not isinstance(content, list):
        return bool(content)
    return any(not isinstance(part, dict) or part.get("text") != "" for part in content)


def check_names(
    messages: Sequence[Message],
    tools: Iterable[Tool],
    options: WriteOptions,
    field: str = "messages",
    strict: bool = True,
) -> list[Fault]:
    """No two tools have one name; ``strict``: names are usable, every tool called is declared."""
    names = [renamed(tool.name, options) for tool in tools]
    faults = []
    for index, message in enumerate(messages):
        for place, call in enumerate(message.body.get("tool_calls", ())):
            name = call["function"]["name"]
            where = f"{field}[{index}].tool_calls[{place}].function.name"
            if strict and not TOOL_NAME.fullmatch(name):
                faults.append(_name_fault(name, where, message.step))
            elif strict and name not in names:
                rule = "every tool called is declared in tools"
                hint = "Add it to the project's tools."
                problem = f"the project declares no {name!r}"
                faults.append(fault(problem, message.step, where, rule, hint))
    for index, name in enumerate(names):
        where = f"tools[{index}].function.name"
        if strict and not TOOL_NAME.fullmatch(name):
            faults.append(_name_fault(name, where))
        elif name in names[:index]:
            rule = "names differ"
            faults.append(fault(f"{name!r} is declared twice", 0, where, rule))
    return faults


def _name_fault(name: str, where: str, step: int = 0) -> Fault:
    rule = "names are 1 to 64 of A-Z a-z 0-9 _ -"
    return fault(f"{name!r} is refused", step, where, rule, RENAME)
