"""Rows that hold a list of role messages and their tools, read so that they can be written back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from ...errors import Fault, FormatError
from ...model.marks import Mark
from ...model.messages import UserMessage, parts_text
from ...model.project import Tool
from ...model.steps import Step
from .building import TreeBuilder, imported_project
from .chat import ChatReader, SystemText
from .json_in import JsonReader, as_text
from .record import Imported, Record
from .tools import read_declared

ORDER = "$order"
"""The key of ``extra`` that lists the keys of a message (or record) in the order in which they
stood, where that is not the usual one."""

_PLACES = {
    "role": 0,
    "tool_call_id": 1,
    "content": 2,
    "refusal": 3,
    "reasoning_content": 4,
    "reasoning": 4,
    "thinking": 4,
    "tool_calls": 5,
    "weight": 6,
}
_LAST = 9
_PLAIN = ("role", "content")
_TITLE = 60


def key_order(message: dict[str, Any]) -> list[str] | None:
    """The keys of a message, where a writer would not give them in this order by itself."""
    keys = list(message)
    usual = sorted(keys, key=lambda key: _PLACES.get(key, _LAST))
    if keys == usual and message.get("refusal", "") is not None:
        return None
    return keys


def with_extra(extra: str, more: dict[str, Any]) -> str:
    """A JSON object as text with more members."""
    found = JsonReader().parse(extra)[0] if extra else {}
    return as_text({**found, **more})


class RoleRows:
    """Takes in the message lists of one record, or of several that make one tree."""

    def __init__(self, record: Record, *, shared: bool = False) -> None:
        self.builder = TreeBuilder(record.digest, shared=shared)
        self.chat = ChatReader(self.builder)
        self.tools: tuple[Tool, ...] = ()
        self.line = 0
        """The line of what is being read, where the record is of several."""

    def refuse(self, words: str, where: str, hint: str = "") -> FormatError:
        """The error that says why the record cannot be used."""
        return FormatError(faults=(Fault(words, self.line, where=where, hint=hint),))

    def read(self, messages: Any, where: str = "messages") -> list[str | None]:
        """Take in a list of messages; the ids of their steps. Raises FormatError."""
        if not isinstance(messages, list):
            raise self.refuse("this is no list of messages.", where)
        if not messages:
            raise self.refuse("there is no message in it.", where)
        return [self.read_one(each, f"{where}[{index}]") for index, each in enumerate(messages)]

    def read_one(self, message: Any, where: str) -> str | None:
        """Take in one message; the id of its step, None for the system text."""
        step_id = self.chat.read_one(message, where)
        if not isinstance(message, dict) or (step_id is not None and tuple(message) == _PLAIN):
            return step_id
        order = key_order(message)
        if step_id is None:
            self._system(message, order)
        elif order is not None:
            extra = self.builder.step(step_id).extra
            self.builder.replace(step_id, extra=with_extra(extra, {ORDER: order}))
        return step_id

    def _system(self, message: dict[str, Any], order: list[str] | None) -> None:
        system = self.chat.system
        assert system is not None
        more: dict[str, Any] = {ORDER: order} if order else {}
        if isinstance(message.get("content"), list):
            more["content"] = message["content"]
        if more:
            self.chat.system = SystemText(system.text, with_extra(system.extra, more))

    def take_tools(self, value: Any, where: str, extra: dict[str, Any]) -> None:
        """Take in the declarations of tools; how they stood goes into ``extra``."""
        declared = read_declared(value, where, self.builder.note)
        self.tools = declared.tools
        if declared.raw:
            extra["$tools"] = JsonReader().parse(declared.raw)[0]

    def imported(self, extra: dict[str, Any], **fields: Any) -> Imported:
        """What was read. ``fields`` are more of ``Imported``'s."""
        system = self.chat.system
        if system is not None and system.extra:
            extra["$system"] = JsonReader().parse(system.extra)[0]
        steps = self.builder.steps
        title = title_of(steps)
        project = imported_project(
            title, system=system.text if system is not None else None, tools=self.tools
        )
        given: dict[str, Any] = {
            "marks": tuple(self.chat.marks),
            "notes": tuple(self.builder.notes),
            "extra": as_text(extra) if extra else "",
            **fields,
        }
        return Imported(project, steps, title, **given)


def title_of(steps: Iterable[Step]) -> str:
    """The first line of the first evaluator message, cut to what a list has room for."""
    for step in steps:
        if isinstance(step.payload, UserMessage):
            lines = parts_text(step.payload.parts).split("\n")
            line = next((line.strip() for line in lines if line.strip()), "")
            if line:
                return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"
    return "Untitled"


def with_marks(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """One mark for each step, in the order in which steps were first marked."""
    found: dict[str, Mark] = {}
    for mark in marks:
        before = found.get(mark.step_id)
        found[mark.step_id] = mark if before is None else _joined(before, mark)
    return tuple(found.values())


def _joined(one: Mark, other: Mark) -> Mark:
    given = {
        name: value
        for name in ("verdict", "rating", "train")
        if (value := getattr(other, name)) is not None
    }
    return msgspec.structs.replace(one, **given)
