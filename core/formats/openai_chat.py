"""OpenAI chat JSONL: one row, ``{"messages": […], "tools": […]}``, for a whole trajectory.

Arguments stay the string that the target produced. The rules that a row must meet are checked
before it is written, each fault with message, field and rule: a tool call is answered by id before
the next assistant message, the last message is the assistant's, tool names are usable, an assistant
message says or calls something, and every tool called is declared. ``weight`` (0 or 1) comes from
train marks. Keys that OpenAI's messages do not have are left out, and the report names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import ExportError, Fault
from .chat_messages import Dialect, Message, chat_messages, renamed, row_text, subject_extra
from .chat_notes import chat_notes, listed
from .chat_rules import check_ends, check_names, check_pairs, check_said
from .fitting import called_notes, left_notes, up_to_last_reply, with_called_tools
from .jsonl import line_bytes
from .reading.quick_chat import QuickRow
from .reading.record import Imported, Reader, Record
from .reading.role_rows import ORDER, RoleRows
from .reading.tools import function_tools, read_tools
from .report import surrogate_steps
from .rows import Row
from .source import plain
from .subject import Subject

HOLDS = frozenset({"messages", "tool_traffic", "tool_schemas", "system_notes", "train", "refusals"})
HEEDS = frozenset({"renames", "prune_nulls", "strip_stop"})
LEAST_ROWS = 10
"""Rows that OpenAI asks for before it trains."""

FORMATS = frozenset({"openai", "openai-preference"})
_TOP = ("messages", "tools", "parallel_tool_calls")
_CALL_ID = re.compile(r"[\x21-\x7e]{1,40}")

_NAMED = frozenset({"name"})
_KEYS = {
    "system": _NAMED,
    "developer": _NAMED,
    "user": _NAMED,
    "assistant": frozenset({"name", "refusal", "audio"}),
    "tool": frozenset[str](),
}


class CallIds:
    """Ids of calls as OpenAI takes them: 1 to 40 printable characters."""

    def __init__(self) -> None:
        self.changed: dict[str, str] = {}

    def __call__(self, call_id: str) -> str:
        """The id itself, or one in its place. The empty one stays, and is refused."""
        if not call_id or _CALL_ID.fullmatch(call_id):
            return call_id
        return self.changed.setdefault(call_id, f"call_id_{len(self.changed) + 1}")


def dialect(ids: CallIds | None = None) -> Dialect:
    """How OpenAI has chat messages."""
    return Dialect(
        FORMATS,
        weights=True,
        refusals=True,
        keys=_KEYS,
        parts=frozenset({"image_url", "input_audio", "file"}),
        call_id=ids or CallIds(),
    )


def holds_also(subject: Subject) -> frozenset[str]:
    """Parts that are no text, where they are all of those that OpenAI has."""
    messages = chat_messages(subject, dialect())
    return frozenset() if any(each.no_parts for each in messages) else frozenset({"other_parts"})


def rows(subject: Subject) -> Iterator[Row]:
    """The row as a JSON line. Raises ExportError where ``check`` finds a fault."""
    subject = with_called_tools(subject)
    messages = up_to_last_reply(subject, chat_messages(subject, dialect()))
    faults = _faults(subject, messages)
    if faults:
        raise ExportError("\n".join(fault.render() for fault in faults))
    row: dict[str, Any] = {"messages": [message.body for message in messages]}
    row.update(tools_and_more(subject))
    extra = subject_extra(subject, FORMATS)
    order = extra.get(ORDER, ())
    row = {key: row[key] for key in order if key in row} | row
    yield Row(line_bytes(row_text(row)), tuple(message.step for message in messages))


def render(subject: Subject) -> bytes:
    """The row's bytes. Raises ExportError where ``check`` finds a fault."""
    return b"".join(row.data for row in rows(subject))


def check(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which a trainer would refuse this row."""
    subject = with_called_tools(subject)
    messages = up_to_last_reply(subject, chat_messages(subject, dialect()))
    return tuple(_faults(subject, messages))


def _faults(subject: Subject, messages: Sequence[Message]) -> list[Fault]:
    return [
        *check_pairs(messages),
        *check_ends(messages),
        *check_said(messages),
        *check_names(messages, subject.project.tools, subject.options),
    ]


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    ids = CallIds()
    messages = chat_messages(subject, dialect(ids))
    kept = up_to_last_reply(subject, messages)
    return (
        *left_notes(messages, kept),
        *called_notes(subject),
        *openai_notes(subject, kept),
        *id_notes(ids),
        *top_notes(subject),
    )


def openai_notes(subject: Subject, messages: Sequence[Message]) -> Iterator[str]:
    """What of these messages is written in a way of its own."""
    if escaped := surrogate_steps(subject):
        yield f"lone surrogates (step {listed(escaped)}) are written as \\udXXX escapes"
    yield from chat_notes(subject, messages, FORMATS)


def id_notes(ids: CallIds) -> Iterator[str]:
    """The ids of calls that are written otherwise."""
    if ids.changed:
        pairs = ", ".join(f"{old!r} as {new}" for old, new in ids.changed.items())
        yield f"ids of calls that are not 1 to 40 printable ASCII characters are changed: {pairs}"


def tools_and_more(subject: Subject) -> dict[str, Any]:
    """``tools`` and ``parallel_tool_calls``, as far as there are any."""
    extra = subject_extra(subject, FORMATS)
    found: dict[str, Any] = {}
    tools = tools_of(subject, extra)
    if tools is not None:
        found["tools"] = tools
    if isinstance(extra.get("parallel_tool_calls"), bool):
        found["parallel_tool_calls"] = extra["parallel_tool_calls"]
    return found


def tools_of(subject: Subject, extra: dict[str, Any]) -> Any:
    """The declarations: as the source has them, where nobody changed them; None for none."""
    tools = subject.project.tools
    options = subject.options
    raw = extra.get("$tools")
    if _in_shape(raw) and not options.renames and read_tools(raw, "", _silent) == tools:
        return plain(raw)
    if not tools:
        return None
    found = function_tools(tools)
    for declaration in found:
        body = declaration["function"]
        body["name"] = renamed(body["name"], options)
    return found


def _in_shape(raw: Any) -> bool:
    """Whether declarations stand as OpenAI has them, whatever else they say."""
    return isinstance(raw, list) and all(
        isinstance(item, dict)
        and item.get("type") == "function"
        and isinstance(item.get("function"), dict)
        for item in raw
    )


def top_notes(subject: Subject) -> Iterator[str]:
    """The fields of the source's record that are not written."""
    for key in subject_extra(subject, FORMATS):
        if key[:1] != "$" and key not in _TOP:
            yield f"the field {key!r} of the source's record is not written"


def _silent(words: str, where: str) -> None:
    """Nothing is said: it was, when this was read."""


def recognise(value: Any) -> int:
    """How surely a record is a row of chat messages."""
    if not isinstance(value, dict):
        return 0
    messages = value.get("messages")
    if not isinstance(messages, list) or not messages:
        return 20 if isinstance(messages, list) else 0
    if not all(isinstance(message, dict) for message in messages[:4]):
        return 10
    return 70 if "role" in messages[0] and ("content" in messages[0] or len(messages) > 1) else 30


def read(record: Record) -> Iterable[Imported]:
    """The trajectory of one row. Raises FormatError where it holds no list of messages."""
    row = record.value
    taken = RoleRows(record)
    if not isinstance(row, dict):
        raise taken.refuse("this is no object with messages.", "")
    extra = {key: value for key, value in row.items() if key not in ("messages", "tools")}
    taken.read(row.get("messages"))
    old = row.get("tools") is None and isinstance(row.get("functions"), list)
    key = "functions" if old else "tools"
    taken.take_tools(row.get(key), key, extra)
    extra.pop(key, None)
    order = [key for key in row if key in _TOP]
    if order != [key for key in _TOP if key in row]:
        extra[ORDER] = order
    yield taken.imported(extra)


READER = Reader(recognise, read, quick=QuickRow)
