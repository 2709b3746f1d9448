"""Messages of Inspect's shape as steps of a tree."""

from __future__ import annotations

from typing import Any

from ...model.messages import (
    Payload,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    text_parts,
)
from ..jsonl import RawJson
from ..reading.building import TreeBuilder
from ..reading.calls import OpenCalls
from ..reading.json_in import as_text
from ..reading.pieces import digest_of
from ..reading.values import items, shown, table, text
from .content import contents_out, is_missing, read_contents, reply_out
from .own import KEY, Own, own_of
from .values_out import parsed

_TAKEN = ("role", "content", "tool_calls", "tool_call_id")


class Tree:
    """Puts lists of messages into one tree: what two of them begin with alike is there once."""

    def __init__(self, builder: TreeBuilder) -> None:
        self.system: str | None = None
        self.system_message: dict[str, Any] = {}
        """The message that it stood in."""
        self.by_id: dict[str, str] = {}
        """Steps by the id of their message, and of the step itself in a log of our own."""
        self.by_key: dict[str, list[str]] = {}
        """Steps by what makes messages the same."""
        self.own: dict[str, Own] = {}
        """What a log of our own says of its steps."""
        self._builder = builder
        self._children: dict[tuple[str | None, str], str | None] = {}

    def walk(self, messages: list[Any], where: str, after: str | None = None) -> str | None:
        """Follow the messages from the beginning, or behind the step ``after``; what is not there
        yet is added. The last step's id.
        """
        calls, here = OpenCalls(), after
        for index, message in enumerate(messages):
            here = self.add(message, f"{where}[{index}]", here, calls, first=index == 0)
        return here

    def add(
        self, message: Any, where: str, here: str | None, calls: OpenCalls, *, first: bool = False
    ) -> str | None:
        """The step of this message behind that one; where the message is the system text that comes
        first, nothing is added.
        """
        if not isinstance(message, dict):
            self._builder.note("this is no message object; kept as a note", where)
            message = {"role": "system", "content": as_text(message)}
        own = own_of(message)
        key = (here, message_key(message))
        if key not in self._children:
            payload, kept = _Message(message, own, where, self._builder).read(calls)
            if first and here is None and self._is_system(payload, own):
                self.system = parts_text(payload.parts) if isinstance(payload, SystemNote) else None
                self.system_message = message
                self._children[key] = None
            else:
                self._children[key] = step_id = self._put(message, own, payload, kept, here)
                self.by_key.setdefault(key[1], []).append(step_id)
        found = self._children[key]
        if found is not None:
            _pass(self._builder.step(found).payload, calls)
        return found or here

    def put(self, payload: Payload, own: Own, after: str | None) -> str:
        """A step for which there is no message."""
        self._builder.here = after
        step_id = self._builder.add(payload)
        self._remember(step_id, own, "")
        return step_id

    def link(self) -> None:
        """Name the steps that others replace or are copied from, now that all are there."""
        for step_id, own in self.own.items():
            replaces = self.by_id.get(own.replaces)
            copied = self.by_id.get(own.copied_from)
            if replaces or copied:
                self._builder.replace(step_id, replaces=replaces, copied_from=copied)

    def _is_system(self, payload: Payload, own: Own) -> bool:
        return (
            isinstance(payload, SystemNote)
            and not own.id
            and self.system is None
            and not any(is_missing(part) for part in payload.parts)
        )

    def _put(
        self,
        message: dict[str, Any],
        own: Own,
        payload: Payload,
        kept: dict[str, Any],
        here: str | None,
    ) -> str:
        extra = {key: value for key, value in message.items() if key not in _TAKEN}
        extra = {**(_without_own(extra) if own.id else extra), **kept}
        self._builder.here = here
        step_id = self._builder.add(payload, extra=as_text(extra) if extra else "")
        if message.get("source") == "operator" and not own.id:
            self._builder.replace(step_id, author="operator")
        self._remember(step_id, own, text(message.get("id")))
        return step_id

    def _remember(self, step_id: str, own: Own, message_id: str) -> None:
        for name in (own.id, message_id):
            if name:
                self.by_id.setdefault(name, step_id)
        if own.id:
            self.own[step_id] = own
            self._builder.replace(step_id, **own.step_fields())


def _pass(payload: Payload, calls: OpenCalls) -> None:
    """Which calls wait for a result behind this step."""
    if isinstance(payload, ToolResult):
        calls.answered(payload.call_id)
    elif isinstance(payload, TargetReply | UserMessage):
        calls.opened(payload.tool_calls)


class _Message:
    """Reads one message."""

    def __init__(self, message: dict[str, Any], own: Own, where: str, builder: TreeBuilder) -> None:
        self._message = message
        self._own = own
        self._where = where
        self._builder = builder

    def read(self, calls: OpenCalls) -> tuple[Payload, dict[str, Any]]:
        """The payload, and what a writer needs beside it to give the message back as it was."""
        role = self._message.get("role")
        contents = read_contents(self._message.get("content"))
        if role == "assistant":
            made = tuple(
                self._call(index, value, calls)
                for index, value in enumerate(items(self._message.get("tool_calls")))
            )
            ended = self._own.finish_reason
            reply = TargetReply(contents.parts, contents.reasoning, made, ended, contents.refusal)
            return reply, self._odd(reply_out(reply))
        if role == "tool":
            return self._result(calls)
        if role == "user":
            user = UserMessage(contents.parts, contents.reasoning, self._own.evaluator_calls)
            return user, self._odd(reply_out(user))
        kept = self._odd({"content": contents_out(contents.parts, contents.reasoning)})
        if role != "system":
            self._note(f"the role {shown(role)!r} is not known; shown as a system note")
            kept["role"] = role
        return SystemNote(contents.parts), kept

    def _call(self, index: int, value: Any, calls: OpenCalls) -> ToolCall:
        given, place = table(value), f".tool_calls[{index}]"
        name = text(given.get("function")) or text(given.get("name"))
        if not name:
            self._note("the tool call has no name", place)
        if given.get("parse_error") is not None:
            words = shown(given["parse_error"])
            self._note(f"the arguments of the call could not be parsed: {words}", place)
        arguments = given.get("arguments", {})
        document = arguments if isinstance(arguments, str) else as_text(arguments)
        call_id = text(given.get("id"))
        if not call_id:
            self._note("the tool call has no id; one was made", place)
        call = ToolCall(call_id or f"call_{calls.next_number()}", name, document, not call_id)
        return self._own.as_made(index, call)

    def _result(self, calls: OpenCalls) -> tuple[Payload, dict[str, Any]]:
        given = self._message.get("tool_call_id")
        call_id, known = calls.answered(given, self._message.get("function"))
        if not known:
            self._note(f"no open call has the id {shown(given)!r}", ".tool_call_id")
        contents = read_contents(self._message.get("content"))
        parts, error = contents.parts, self._message.get("error", self._message.get("tool_error"))
        kept = self._odd({"content": contents_out(parts, contents.reasoning)})
        if not given:
            kept["$made_id"] = True
        if error is not None and not self._own.id and not parts:
            parts = text_parts(text(table(error).get("message")) or shown(error))
            kept["$content"] = self._message.get("content")  # the model was told the error
        return ToolResult(call_id, parts, error is not None), kept

    def _odd(self, rebuilt: dict[str, Any]) -> dict[str, Any]:
        """Of content and calls what would not be written again as it stands."""
        kept: dict[str, Any] = {}
        if self._own.id:
            return kept
        for key in ("content", "tool_calls"):
            given = self._message.get(key)
            if key not in self._message:
                if key == "content":
                    kept["$content"] = None
            elif as_text(given) != as_text(_values(rebuilt.get(key))):
                kept[f"${key}"] = given
        return kept

    def _note(self, words: str, place: str = "") -> None:
        self._builder.note(words, self._where + place)


def _without_own(extra: dict[str, Any]) -> dict[str, Any]:
    """Without what only says how a step of our own was made: that stands in the step itself."""
    metadata = table(extra.get("metadata"))
    rest = {key: value for key, value in metadata.items() if key != KEY}
    found = {
        key: value
        for key, value in extra.items()
        if key not in ("metadata", "id", "source", "model", "function", "error")
    }
    return {**found, "metadata": rest} if rest else found


def _values(value: Any) -> Any:
    """With raw JSON as the values that it stands for, so that two messages can be compared."""
    if isinstance(value, RawJson):
        return parsed(value.text)
    if isinstance(value, dict):
        return {key: _values(each) for key, each in value.items()}
    return [_values(each) for each in value] if isinstance(value, list) else value


def message_key(message: dict[str, Any]) -> str:
    """What makes two messages the same: who says and calls what. Ids of messages do not count: the
    pools of a log hold equal messages once, under the id of one of them. Those of our own steps do.
    """
    calls = [
        [table(each).get(key) for key in ("id", "function", "arguments")]
        for each in items(message.get("tool_calls"))
    ]
    said = [message.get("role"), message.get("content"), calls, message.get("tool_call_id")]
    document = as_text([*said, table(table(message.get("metadata")).get(KEY)).get("id")])
    return digest_of(document.encode("utf-8", "surrogatepass"))
