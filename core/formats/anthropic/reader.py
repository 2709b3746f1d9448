"""Reading Anthropic's Messages shape: rows, stored request bodies, and bare lists of messages.

A message of the user that holds tool results becomes a step for each result and one for what else
it says. Thinking blocks are kept as they came, with their signatures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import Fault, FormatError
from ...model.messages import (
    Part,
    Reasoning,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    text_parts,
)
from ...model.steps import Call, Usage
from ..reading.building import TreeBuilder, imported_project
from ..reading.chat import ChatReader
from ..reading.content import SHAPE, other_part, read_thinking
from ..reading.json_in import as_text
from ..reading.record import Imported, Reader, Record
from ..reading.tools import read_declared
from ..reading.values import count, table, text
from .blocks import system_words

BLOCKS = "$blocks"
"""The key of ``Step.extra`` for the blocks of a message, in order: each its kind and what it held
besides what we know (``[[kind, {more}], …]``), where a writer could not know."""

ORDER = "$order"
SYSTEM = "$system"
TOOLS = "$tools"

_KINDS = {"text": "text", "thinking": "thinking", "redacted_thinking": "thinking"}
_KNOWN = {
    "text": frozenset({"type", "text"}),
    "tool_use": frozenset({"type", "id", "name", "input"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error"}),
}
_BLOCK_TYPES = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls"}
_TITLE = 80
_LOOKED_AT = 40
"""Messages that are looked at to recognise a record."""


def recognise(value: Any) -> int:
    """How surely a record is of this shape."""
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return 0
    messages = value["messages"][:_LOOKED_AT]
    roles = {text(table(message).get("role")) for message in messages}
    others = roles - {"user", "assistant", "system", ""}
    if others or any("tool_calls" in table(message) for message in messages):
        return 0
    kinds = {kind for message in messages for kind in _block_types(message)}
    tools = value.get("tools")
    schemas = isinstance(tools, list) and any("input_schema" in table(tool) for tool in tools)
    if kinds & _BLOCK_TYPES or schemas or "anthropic_version" in value:
        return 96
    if "system" in roles:
        return 0
    if "system" in value and isinstance(value["system"], str | list):
        return 92
    plain = "max_tokens" in value and "model" in value
    return 70 if plain and "claude" in str(value["model"]) else 30 if plain else 0


def is_block_message(message: Any) -> bool:
    """Whether one message, a line of a file say, can only be of this shape."""
    return bool(_block_types(message) & _BLOCK_TYPES)


def read(record: Record) -> Iterator[Imported]:
    """The conversation of a row. Raises FormatError where it has no messages."""
    value = table(record.value)
    messages = value.get("messages")
    if not isinstance(messages, list) or not messages:
        raise FormatError(faults=(Fault("there are no messages.", record.number, 0, "messages"),))
    builder = TreeBuilder(record.digest)
    reader = AnthropicReader(builder)
    reader.read(messages)
    yield _imported(value, builder, reader)


READER = Reader(recognise, read)


class AnthropicReader:
    """Puts messages of this shape into a tree. Messages of other shapes are read as any chat's."""

    def __init__(self, builder: TreeBuilder) -> None:
        self.builder = builder
        self.chat = ChatReader(builder)

    def read(self, messages: list[Any], where: str = "messages") -> None:
        """All messages of a list."""
        for index, message in enumerate(messages):
            self.read_one(message, f"{where}[{index}]")

    def read_one(self, message: Any, where: str) -> None:
        """One message."""
        role, content = table(message).get("role"), table(message).get("content")
        if isinstance(content, str) and message.keys() == {"role", "content"}:
            if role == "user":
                self.builder.add(UserMessage(text_parts(content)))
                return
            if role == "assistant":
                self.chat.calls.opened(())
                self.builder.add(TargetReply(text_parts(content)))
                return
        if role == "user" and isinstance(content, list):
            self._user(message, content, where)
        elif role == "assistant" and isinstance(content, str | list):
            self._assistant(message, content, where)
        else:
            self.chat.read_one(message, where)

    def _user(self, message: dict[str, Any], content: list[Any], where: str) -> None:
        """The results that it holds, and what else it says, in their order."""
        said: list[tuple[Any, str]] = []
        extra = _more(message)
        made = False
        for index, block in enumerate(content):
            place = f"{where}.content[{index}]"
            if table(block).get("type") != "tool_result":
                said.append((block, place))
                continue
            if said:
                self.builder.note("a text stands before a tool result here", place)
                self._say(said, extra)
                said, extra = [], {}
            self._result(block, place, extra)
            extra, made = {}, True
        if said or not made:
            if not content:
                self.builder.note("the message is empty", f"{where}.content")
            self._say(said, extra)

    def _say(self, said: list[tuple[Any, str]], extra: dict[str, Any]) -> None:
        parts: list[Part] = []
        blocks: list[list[Any]] = []
        for block, _ in said:
            kind, more, part = _part(block)
            parts.append(part)
            blocks.append([kind, more])
        shape: dict[str, Any] = (
            {SHAPE: "parts"} if len(parts) == 1 and isinstance(parts[0], Text) else {}
        )
        if not parts:
            shape = {SHAPE: "empty"}
        if parts == [Text("")]:
            parts = []
        if any(more for _, more in blocks):
            shape[BLOCKS] = blocks
        kept = {**extra, **shape}
        self.builder.add(UserMessage(tuple(parts)), extra=as_text(kept) if kept else "")

    def _result(self, block: dict[str, Any], where: str, extra: dict[str, Any]) -> None:
        given, content = block.get("tool_use_id"), block.get("content")
        call_id, known = self.chat.calls.answered(given)
        if not known:
            self.builder.note(f"no open call has the id {given!r}", f"{where}.tool_use_id")
        parts: tuple[Part, ...] = ()
        kept = {**extra, **_beside(block, "tool_result")}
        if isinstance(content, str):
            parts = text_parts(content)
            if not content:
                kept[SHAPE] = "empty"
        elif isinstance(content, list):
            read = [_part(item) for item in content]
            parts = tuple(part for _, _, part in read)
            kept[SHAPE] = "parts"
            if any(more for _, more, _ in read):
                kept[BLOCKS] = [[kind, more] for kind, more, _ in read]
        elif content is not None:
            self.builder.note("the content is no text; shown as JSON", f"{where}.content")
            parts, kept[SHAPE] = text_parts(as_text(content)), "json"
        elif "content" in block:
            kept[SHAPE] = "null"
        error = block.get("is_error")
        if "is_error" in block and error is not True:
            kept["$is_error"] = error
        result = ToolResult(call_id, parts, bool(error))
        self.builder.add(result, extra=as_text(kept) if kept else "")

    def _assistant(self, message: dict[str, Any], content: str | list[Any], where: str) -> None:
        parts: list[Part] = []
        reasoning: list[Reasoning] = []
        calls: list[ToolCall] = []
        blocks: list[list[Any]] = []
        kept = _more(message)
        listed = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for index, block in enumerate(listed):
            kind = _KINDS.get(text(table(block).get("type")), "")
            if kind == "thinking":
                reasoning.append(read_thinking(block))
                blocks.append([kind, {}])
            elif table(block).get("type") == "tool_use":
                calls.append(self._call(block, f"{where}.content[{index}]"))
                blocks.append(["tool_use", _beside(block, "tool_use")])
            else:
                kind, more, part = _part(block)
                parts.append(part)
                blocks.append([kind, more])
        order = [kind for kind, _ in blocks]
        usual = sorted(order, key=("thinking", "text", "other", "tool_use").index)
        if any(more for _, more in blocks) or order != usual:
            kept[BLOCKS] = blocks
        elif isinstance(content, list) and order == ["text"]:
            kept[SHAPE] = "parts"
        if not listed:
            self.builder.note("the message is empty", f"{where}.content")
            kept[SHAPE] = "empty"
        if parts == [Text("")]:
            parts = []
        reason = text(message.get("stop_reason"))
        self.chat.calls.opened(calls)
        self.builder.add(
            TargetReply(tuple(parts), tuple(reasoning), tuple(calls), _REASONS.get(reason, reason)),
            extra=as_text(kept) if kept else "",
            call=_used(message),
        )

    def _call(self, block: dict[str, Any], where: str) -> ToolCall:
        call_id, name, given = block.get("id"), block.get("name"), block.get("input")
        number = self.chat.calls.next_number()
        if not isinstance(call_id, str) or not call_id:
            self.builder.note("the tool call has no id; one was made", f"{where}.id")
        if not isinstance(name, str) or not name:
            self.builder.note("the tool call has no name", f"{where}.name")
        if not isinstance(given, dict):
            self.builder.note("the input is no object; kept as its JSON text", f"{where}.input")
        return ToolCall(
            text(call_id) or f"call_{number}",
            text(name),
            given if isinstance(given, str) else as_text(given),
            made_id=not text(call_id),
        )


def _imported(value: dict[str, Any], builder: TreeBuilder, reader: AnthropicReader) -> Imported:
    declared = read_declared(value.get("tools"), "tools", builder.note)
    given = value.get("system")
    kept = {k: v for k, v in value.items() if k not in ("system", "messages", "tools")}
    system = reader.chat.system.text if reader.chat.system is not None else None
    if isinstance(given, list):
        system = system_words(given)
        kept[SYSTEM] = given
        if any(table(block).get("type") != "text" for block in given):
            builder.note("not every block of the system text is text; kept aside", "system")
    elif isinstance(given, str):
        system = given
    elif reader.chat.system is not None:
        kept[SYSTEM] = "message"
    if declared.raw or value.get("tools") == []:
        kept[TOOLS] = value.get("tools")
    usual = [key for key in ("system", "messages", "tools") if key in value]
    if list(value) != [*usual, *(key for key in value if key not in usual)]:
        kept[ORDER] = list(value)
    opening = next((s.payload for s in builder.steps if isinstance(s.payload, UserMessage)), None)
    words = [p.text for p in opening.parts if isinstance(p, Text)] if opening is not None else []
    said = "".join(words)
    project = imported_project(
        said.strip().split("\n")[0][:_TITLE],
        system=system,
        tools=declared.tools,
        opening=said or None,
    )
    return Imported(
        project,
        builder.steps,
        title=project.title,
        marks=tuple(reader.chat.marks),
        extra=as_text(kept) if kept else "",
        notes=tuple(builder.notes),
    )


def _block_types(message: Any) -> set[str]:
    content = table(message).get("content")
    if not isinstance(content, list):
        return set()
    return {text(table(block).get("type")) for block in content}


def _part(block: Any) -> tuple[str, dict[str, Any], Part]:
    """A block that is no call, result or thinking: its kind, what else it held, and the part."""
    if (
        isinstance(block, dict)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    ):
        return "text", _beside(block, "text"), Text(block["text"])
    return "other", {}, other_part(block)


def _beside(block: dict[str, Any], kind: str) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key not in _KNOWN[kind]}


def _more(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key not in ("role", "content")}


def _used(message: dict[str, Any]) -> Call | None:
    """What a stored answer says of its model and tokens."""
    model, usage = text(message.get("model")), table(message.get("usage"))
    if not model and not usage:
        return None
    cached = count(usage.get("cache_read_input_tokens"))
    created = count(usage.get("cache_creation_input_tokens"))
    prompt = count(usage.get("input_tokens")) + cached + created
    tokens = Usage(prompt, count(usage.get("output_tokens")), cached_tokens=cached)
    return Call(model, usage=tokens, response_id=text(message.get("id")))
