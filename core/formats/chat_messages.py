"""A trajectory as a list of chat messages, as OpenAI's shape has them, in the dialects of those who
took it over.

What the source said of a message besides what steps hold (``Step.extra``) is written back only into
the format that it came from, and only for steps that nobody edited.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ..model.messages import (
    OtherPart,
    Part,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    reasoning_text,
)
from ..model.steps import Step
from .jsonl import RawJson, json_string, json_text
from .options import WriteOptions
from .reading.content import PARTS, SHAPE
from .reading.json_in import JsonReader, as_text
from .reading.role_rows import ORDER
from .source import as_it_is, plain
from .stop_words import without_stop_words
from .subject import Subject

SYSTEM = "$system"
"""The key of ``Subject.extra`` for what the source said of the system message: as in
``Step.extra``, and ``content`` where that was a list of parts."""


class Dialect(msgspec.Struct, frozen=True):
    """How a format writes chat messages.

    ``formats`` are the names that it reads back as its own. ``objects``: arguments are objects and
    no text. ``reasoning`` is the key of a reply's reasoning, empty where it has none. ``weights``:
    train marks are written; ``refusals``: refusals are. ``empty`` is the content of a reply that
    only calls. ``keys`` gives, by role, the keys of the source that are written back; None takes
    them all. ``parts`` are the types of parts that may stand in a user's message beside text; None
    takes what a source of its own has. ``call_id`` gives the id that is written for a call's.
    """

    formats: frozenset[str]
    objects: bool = False
    reasoning: str = ""
    weights: bool = False
    refusals: bool = False
    empty: str | None = None
    keys: Mapping[str, frozenset[str]] | None = None
    parts: frozenset[str] | None = frozenset()
    call_id: Callable[[str], str] = str


class Message(msgspec.Struct, frozen=True):
    """A message of the row, the number of the step it comes from (0: the system text), the keys of
    its source that are not written, and the places of the parts that are not.
    """

    body: dict[str, Any]
    step: int
    dropped: tuple[str, ...] = ()
    no_parts: tuple[int, ...] = ()


def chat_messages(subject: Subject, dialect: Dialect) -> list[Message]:
    """The messages of a trajectory, without its stop and without what only the evaluator saw: its
    own tool calls and their results.
    """
    return _Writer(subject, dialect).messages()


_encode = json.JSONEncoder(ensure_ascii=False).encode


def body_text(body: dict[str, Any]) -> str:
    """A message as JSON text: as ``json_text`` has it, and quicker."""
    try:
        return _encode(body)
    except TypeError:  # JSON text stands in it, to be kept as it is
        return json_text(body)


def row_text(row: Mapping[str, Any]) -> str:
    """A row as JSON text; what stands in it as ``RawJson`` is text already."""
    return "{" + ", ".join(f"{json_string(key)}: {_value(item)}" for key, item in row.items()) + "}"


def _value(item: Any) -> str:
    if not isinstance(item, list):
        return json_text(item)
    try:
        return _encode(item)
    except TypeError:
        return f"[{', '.join(body_text(each) for each in item)}]"


def subject_extra(subject: Subject, formats: frozenset[str]) -> dict[str, Any]:
    """What the record of the source held besides, where it was of one of these formats."""
    if subject.format not in formats or not subject.extra:
        return {}
    found = JsonReader().parse(subject.extra)[0]
    return found if isinstance(found, dict) else {}


def renamed(name: str, options: WriteOptions) -> str:
    """A tool's name as it is to be written."""
    return next((theirs for ours, theirs in options.renames if ours == name), name)


def without_nulls(arguments: str) -> str:
    """Arguments without the members that are null; as they are where that changes nothing."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return arguments
    if not isinstance(value, dict) or None not in value.values():
        return arguments
    kept = JsonReader().parse(arguments)[0]
    return as_text({key: item for key, item in kept.items() if item is not None})


class _Writer:
    def __init__(self, subject: Subject, dialect: Dialect) -> None:
        self._subject = subject
        self._dialect = dialect
        self._own = subject.format in dialect.formats
        self._train = {m.step_id: m.train for m in subject.marks if m.train is not None}
        self._private: set[str] = set()
        """Calls of the evaluator, whose results the target never sees."""

    def messages(self) -> list[Message]:
        found = []
        system = self._subject.project.target.system
        if system is not None:
            found.append(self._system(system))
        for number, step in enumerate(self._subject.trajectory.steps, 1):
            message = self._message(step, number)
            if message is not None:
                found.append(message)
        return found

    def _system(self, text: str) -> Message:
        extra = subject_extra(self._subject, self._dialect.formats).get(SYSTEM, {})
        content: Any = extra.pop("content", None)
        parts = content if isinstance(content, list) else []
        same = "".join(part.get("text", "") for part in parts if isinstance(part, dict)) == text
        body = {"role": "system", "content": plain(parts) if parts and same else text}
        return self._finish(body, 0, extra)

    def _message(self, step: Step, number: int) -> Message | None:
        payload = step.payload
        if isinstance(payload, Stop):
            return None
        extra = self._extra(step)
        if isinstance(payload, ToolResult):
            if payload.call_id in self._private:
                return None
            body: dict[str, Any] = {"role": "tool"}
            if payload.call_id or not extra.get("$made_id"):
                body["tool_call_id"] = self._dialect.call_id(payload.call_id)
            body["content"] = parts_text(payload.parts)
            return self._finish(body, number, extra, payload.parts)
        if isinstance(payload, TargetReply):
            return self._reply(step, payload, number, extra)
        if isinstance(payload, UserMessage):
            self._private = {call.id for call in payload.tool_calls}
            if self._subject.options.strip_stop:
                kept = without_stop_words(payload, self._subject.project_of(step))
                if kept is not payload and not kept.parts and self._is_last(number):
                    return None  # it was nothing but the sign that ends it
                payload = kept
            content, left = self._content(payload.parts, extra, step)
            body = {"role": "user", "content": content}
            return self._finish(body, number, extra, payload.parts, left)
        assert isinstance(payload, SystemNote)
        body = {"role": "system", "content": parts_text(payload.parts)}
        return self._finish(body, number, extra, payload.parts)

    def _reply(
        self, step: Step, payload: TargetReply, number: int, extra: dict[str, Any]
    ) -> Message:
        self._private = set()
        calls = payload.tool_calls
        body: dict[str, Any] = {"role": "assistant", "content": parts_text(payload.parts)}
        if not payload.parts and (calls or payload.refusal or extra.get(SHAPE) == "null"):
            body["content"] = None if self._is_own(step) else self._dialect.empty
        if payload.parts and extra.get(SHAPE) == "parts":
            body["content"] = self._text_list(payload.parts, extra)
        if payload.refusal and self._dialect.refusals:
            body["refusal"] = payload.refusal
        if payload.reasoning and self._dialect.reasoning:
            key, value = self._reasoning(payload.reasoning, extra)
            body[key] = value
        if calls:
            body["tool_calls"] = [self._call(call) for call in calls]
        if self._dialect.weights and step.id in self._train:
            body["weight"] = 1 if self._train[step.id] else 0
        return self._finish(body, number, extra, payload.parts)

    def _reasoning(
        self, blocks: tuple[Reasoning, ...], extra: dict[str, Any]
    ) -> tuple[str, str | list[RawJson]]:
        """The key of a reply's reasoning, and its text; blocks of a source of its own as they came,
        where all its fields are written back.
        """
        key = extra.get("$reasoning") if self._dialect.keys is None else None
        if key == "thinking_blocks" and all(block.raw for block in blocks):
            return key, [as_it_is(block.raw or "") for block in blocks]
        named = isinstance(key, str) and key != "thinking_blocks"
        return key if named and key else self._dialect.reasoning, reasoning_text(blocks)

    def _call(self, call: ToolCall) -> dict[str, Any]:
        options = self._subject.options
        text = without_nulls(call.arguments) if options.prune_nulls else call.arguments
        as_object = self._dialect.objects and is_object(text)
        return {
            "id": self._dialect.call_id(call.id),
            "type": "function",
            "function": {
                "name": renamed(call.name, options),
                "arguments": RawJson(text) if as_object else text,
            },
        }

    def _content(
        self, parts: tuple[Part, ...], extra: dict[str, Any], step: Step
    ) -> tuple[Any, tuple[int, ...]]:
        """The content of a user's message, and the places of the parts that are left out."""
        if len(parts) == 1 and isinstance(parts[0], Text) and not extra:
            return parts[0].text, ()
        allowed = self._dialect.parts
        raw = {
            index: as_it_is(part.raw)
            for index, part in enumerate(parts)
            if isinstance(part, OtherPart)
            and (self._is_own(step) if allowed is None else _type_of(part) in allowed)
        }
        left = _others(parts, raw)
        if not raw and (not parts or extra.get(SHAPE) != "parts"):
            return parts_text(parts), left
        return self._text_list(parts, extra, raw), left

    def _text_list(
        self,
        parts: tuple[Part, ...],
        extra: dict[str, Any],
        raw: Mapping[int, RawJson] | None = None,
    ) -> list[Any]:
        """A content as a list of parts; those that are text with the other fields they had."""
        more = extra.get(PARTS, {}) if self._dialect.keys is None else {}
        found: list[Any] = []
        for index, part in enumerate(parts):
            if isinstance(part, Text):
                other = {key: plain(value) for key, value in more.get(str(index), {}).items()}
                found.append({"type": "text", "text": part.text, **other})
            elif raw and index in raw:
                found.append(raw[index])
        return found

    def _is_last(self, number: int) -> bool:
        """Whether nothing but a stop follows a step."""
        later = self._subject.trajectory.steps[number:]
        return all(isinstance(step.payload, Stop) for step in later)

    def _is_own(self, step: Step) -> bool:
        """Whether a step came from this format, and nobody edited it."""
        return self._own and step.origin == "import"

    def _extra(self, step: Step) -> dict[str, Any]:
        if not step.extra or not self._is_own(step):
            return {}
        found = JsonReader().parse(step.extra)[0]
        return found if isinstance(found, dict) else {}

    def _finish(
        self,
        body: dict[str, Any],
        number: int,
        extra: dict[str, Any],
        parts: tuple[Part, ...] = (),
        left: tuple[int, ...] | None = None,
    ) -> Message:
        """The message with what its source said besides, in its source's order."""
        left = _others(parts, {}) if left is None else left
        if not extra:
            return Message(body, number, (), left)
        if body["role"] == "system" and extra.get("role") == "developer":
            body["role"] = "developer"
        allowed = None if self._dialect.keys is None else self._dialect.keys[body["role"]]
        dropped = [] if allowed is None else _part_fields(extra)
        for key, value in extra.items():
            if key[:1] == "$" or key in ("role", *body):
                continue
            if value is None and key not in _NULLABLE:
                continue
            # What no call could be made of is none that a row may hold.
            if key == "tool_calls" or (allowed is not None and key not in allowed):
                dropped.append(key)
            else:
                body[key] = plain(value)
        if extra.get(SHAPE) == "absent" and not body["content"]:
            del body["content"]
        order = extra.get(ORDER)
        if isinstance(order, list):
            body = _ordered(body, order, allowed)
        return Message(body, number, tuple(dropped), left)


_NULLABLE = frozenset({"refusal", "audio"})
"""Keys that may be null in a message; other nulls are columns that a table filled up."""


def is_object(text: str) -> bool:
    """Whether a text is a JSON object, by the strict rules: no NaN, no key twice."""
    try:
        _decode_once(text)
    except (ValueError, RecursionError):
        return False
    return text.lstrip(" \t\r\n")[:1] == "{"


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


_decode_once = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once).decode


def _ordered(body: dict[str, Any], order: list[Any], allowed: Any) -> dict[str, Any]:
    found = {}
    for key in order:
        if key in body:
            found[key] = body[key]
        elif key in _NULLABLE and (allowed is None or key in allowed):
            found[key] = None
    return {**found, **{key: value for key, value in body.items() if key not in found}}


def _part_fields(extra: dict[str, Any]) -> list[str]:
    """The other fields of parts that are text, which a strict format leaves out."""
    names = {key: None for fields in extra.get(PARTS, {}).values() for key in fields}
    return [f"content[].{name}" for name in names]


def _others(parts: tuple[Part, ...], raw: Mapping[int, RawJson]) -> tuple[int, ...]:
    if len(parts) == 1 and isinstance(parts[0], Text):
        return ()
    return tuple(
        index
        for index, part in enumerate(parts)
        if isinstance(part, OtherPart) and index not in raw
    )


def _type_of(part: OtherPart) -> str:
    try:
        value = json.loads(part.raw)
    except ValueError:
        return ""
    return str(value.get("type", "")) if isinstance(value, dict) else ""
