"""Files with one message per line: all of them are one conversation, or one for each name of a
conversation that the lines carry. In OpenAI's or in Anthropic's dialect.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import Fault, FormatError
from ..model.messages import UserMessage, payload_text
from .anthropic import AnthropicReader, is_block_message
from .reading.building import TreeBuilder, imported_project
from .reading.chat import SYSTEM, TARGET, TOOL, USER, ChatReader
from .reading.record import Imported, Reader, Record
from .reading.values import seconds, shown, table

_ROLES = USER | TARGET | SYSTEM | TOOL
_SAYS = frozenset({"content", "tool_calls", "function_call", "parts", "text"})
_NAMES = ("conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "chat_id")
_TIMES = ("timestamp", "created_at", "createdAt", "time", "date")
_WHOLE = frozenset({"messages", "conversations", "prompt", "chosen", "completion"})
_TITLE = 80


def recognise(value: Any) -> int:
    """Whether it is one message."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return 0
    if value.keys() & _WHOLE:
        return 0
    if value["role"] in _ROLES:
        return 85 if value.keys() & _SAYS else 50
    return 40 if value.keys() & _SAYS else 0


def group(value: Any) -> str:
    """The name of the conversation that a message belongs to, where it carries one."""
    given = next((table(value)[name] for name in _NAMES if name in table(value)), None)
    return shown(given)


def read(record: Record) -> Iterator[Imported]:
    """The conversation. Raises FormatError where there is none."""
    values = record.value if isinstance(record.value, list) else [record.value]
    lines = record.lines or tuple(range(record.number, record.number + len(values)))
    builder = TreeBuilder(record.digest)
    chat = _read(builder, values, lines)
    if not builder.steps:
        fault = Fault("there is no message of a conversation.", line=record.number)
        raise FormatError(faults=(fault,))
    name = group(values[0])
    title = name or _opening(builder) or "Conversation"
    project = imported_project(title, system=chat.system.text if chat.system else None)
    yield Imported(
        project,
        builder.steps,
        title,
        marks=tuple(chat.marks),
        notes=tuple(builder.notes),
        created_at=builder.steps[0].created_at,
    )


READER = Reader(recognise, read, unit="group", group=group)


def _read(builder: TreeBuilder, values: list[Any], lines: tuple[int, ...]) -> ChatReader:
    """All messages, in the dialect that they are in."""
    blocks = any(map(is_block_message, values))
    anthropic = AnthropicReader(builder) if blocks else None
    chat = anthropic.chat if anthropic else ChatReader(builder)
    for line, value in zip(lines, values, strict=False):
        before = builder.here
        if anthropic is not None:
            anthropic.read_one(value, f"line {line}")
        else:
            chat.read_one(value, f"line {line}")
        _time(builder, value, before)
    return chat


def _time(builder: TreeBuilder, value: Any, before: str | None) -> None:
    """When the message was said goes to the steps that it became."""
    times = (seconds(table(value).get(name)) for name in _TIMES)
    at = next((each for each in times if each), 0.0)
    step_id = builder.here
    while at and step_id is not None and step_id != before:
        builder.replace(step_id, created_at=at)
        step_id = builder.step(step_id).parent_id


def _opening(builder: TreeBuilder) -> str:
    for step in builder.steps:
        if isinstance(step.payload, UserMessage) and payload_text(step.payload).strip():
            return payload_text(step.payload).strip().split("\n")[0][:_TITLE]
    return ""
