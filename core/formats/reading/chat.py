"""Lists of messages with roles, as OpenAI's chat shape has them and most logs in some dialect.

Whatever stands there is taken in: odd roles, missing ids, contents that are no text, results that
come as objects. What had to be understood in one way or another is noted. What a step has no field
for stays in ``Step.extra``, as do the shapes that a writer of the same format needs to give the
message back as it was (keys that begin with ``$``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from ...model.marks import Mark
from ...model.messages import (
    Part,
    Reasoning,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from .building import TreeBuilder
from .calls import ARGUMENTS, OpenCalls, read_call
from .content import PARTS, SHAPE, Content, read_content, read_thinking
from .json_in import as_text

USER = frozenset({"user", "human"})
TARGET = frozenset({"assistant", "gpt", "model", "ai", "agent", "bot"})
SYSTEM = frozenset({"system", "developer"})
TOOL = frozenset({"tool", "function", "observation", "ipython", "tool_result", "environment"})

_MASKS = ("weight", "training")
_KNOWN = frozenset(
    {
        *("role", "content", "tool_calls", "tool_call_id", "function_call", "refusal", *_MASKS),
        *("reasoning_content", "reasoning", "thinking", "thinking_blocks", "is_error"),
    }
)
_PLAIN = frozenset({"role", "content"})
_REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")


class SystemText(msgspec.Struct, frozen=True):
    """The system message that a list begins with; ``extra`` as in ``Step.extra``."""

    text: str
    extra: str = ""


class ChatReader:
    """Puts the messages of one list, or of several that follow each other, into a tree.

    ``fields`` gives more fields of the step that a message becomes (its author, time, call).
    ``begun`` says that messages stood before these: a system message among them is a note.
    """

    def __init__(
        self,
        builder: TreeBuilder,
        *,
        fields: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        begun: bool = False,
    ) -> None:
        self.system: SystemText | None = None
        self.marks: list[Mark] = []
        self.calls = OpenCalls()
        self._builder = builder
        self._fields = fields
        self._begun = begun

    def read(self, messages: list[Any], where: str = "messages") -> None:
        """Take in all messages; a system message that comes first becomes ``system``."""
        for index, message in enumerate(messages):
            self.read_one(message, f"{where}[{index}]")

    def read_one(self, message: Any, where: str) -> str | None:
        """Take in one message; the id of its step, None for the system message that comes first."""
        if not isinstance(message, dict):
            self._builder.note("this is no message object; kept as a note", where)
            return self._add(SystemNote((Text(as_text(message)),)), {}, {})
        role = message.get("role", message.get("from"))
        if isinstance(role, list | dict):
            role = as_text(role)
        first, self._begun = not self._begun, True
        if role in SYSTEM:
            return self._system(message, str(role), where, first)
        if role in TARGET:
            return self._target(message, str(role), where)
        if role in TOOL:
            return self._result(message, str(role), where)
        if role in USER:
            return self._user(message, str(role), where)
        self._builder.note(f"the role {role!r} is not known; shown as a system note", where)
        content = self._content(message, where)
        return self._add(SystemNote(content.parts), message, _shapes(content, role, ""))

    def _content(self, message: dict[str, Any], where: str) -> Content:
        content = read_content(message.get("content"), absent="content" not in message)
        if content.shape == "json":
            self._builder.note("the content is no text; shown as JSON", f"{where}.content")
        return content

    def _system(self, message: dict[str, Any], role: str, where: str, first: bool) -> str | None:
        content = self._content(message, where)
        extra = _shapes(content, role, "system")
        self._no_weight(message, where, extra)
        if first and all(isinstance(part, Text) for part in content.parts):
            text = "".join(part.text for part in content.parts if isinstance(part, Text))
            self.system = SystemText(text, self._extra(message, extra))
            return None
        return self._add(SystemNote(content.parts), message, extra)

    def _user(self, message: dict[str, Any], role: str, where: str) -> str:
        content = self._content(message, where)
        if message.keys() <= _PLAIN and not content.shape and role == "user":
            return self._add(UserMessage(content.parts), None, None)
        extra = _shapes(content, role, "user")
        self._no_weight(message, where, extra)
        calls = self._calls(message, content, where, extra)
        reasoning, extra["$reasoning"] = _reasoning(message, extra)
        reasoning = (*reasoning, *content.reasoning)
        return self._add(UserMessage(content.parts, reasoning, calls), message, extra)

    def _target(self, message: dict[str, Any], role: str, where: str) -> str:
        content = self._content(message, where)
        if message.keys() <= _PLAIN and not content.shape and role == "assistant":
            self.calls.opened(())
            return self._add(TargetReply(content.parts), None, None)
        extra = _shapes(content, role, "assistant")
        calls = self._calls(message, content, where, extra)
        reasoning, extra["$reasoning"] = _reasoning(message, extra)
        if calls and content.shape == "null":
            extra.pop(SHAPE)  # as every reply that only calls stands in this shape
        refusal = message.get("refusal")
        reply = TargetReply(
            content.parts,
            (*reasoning, *content.reasoning),
            calls,
            refusal=refusal if isinstance(refusal, str) else "",
        )
        trained = self._trained(message, where, extra)
        if message.get("training_detail"):
            words = "training_detail masks single characters; it is kept aside, and not heeded"
            self._builder.note(words, f"{where}.training_detail")
        step_id = self._add(reply, message, extra)
        if trained is not None:
            self.marks.append(Mark(step_id, train=trained))
        return step_id

    def _calls(
        self, message: dict[str, Any], content: Content, where: str, extra: dict[str, Any]
    ) -> tuple[ToolCall, ...]:
        given: list[Any] = list(content.calls)
        listed = message.get("tool_calls")
        if isinstance(listed, list):
            given += listed
        elif listed is not None:
            self._builder.note("tool_calls is no list; kept aside", f"{where}.tool_calls")
            extra["tool_calls"] = listed
        place = f"{where}.tool_calls"
        old = message.get("function_call")
        if isinstance(old, dict):
            given.append(old)
            extra["$function_call"] = True
            place = f"{where}.function_call"
        calls, shapes = [], []
        for index, value in enumerate(given):
            path = place if old is not None and len(given) == 1 else f"{place}[{index}]"
            note: Callable[[str, str], None] = self._builder.note
            if extra.get("$function_call"):
                note = _silent  # the old shape has no ids, and that is no fault
            call, shape = read_call(value, self.calls.next_number(), path, note)
            calls.append(call)
            shapes.append(shape)
            more = _unread(value)
            if more:
                extra.setdefault("$calls", {})[str(index)] = more
        if any(shape != "string" for shape in shapes):
            extra[ARGUMENTS] = shapes
        self.calls.opened(calls)
        return tuple(calls)

    def _result(self, message: dict[str, Any], role: str, where: str) -> str:
        content = self._content(message, where)
        extra = _shapes(content, role, "tool")
        self._no_weight(message, where, extra)
        parts: tuple[Part, ...] = content.parts
        if not parts and content.shape in ("null", "absent"):
            self._builder.note("the tool result has no content; shown as empty", where)
        given = message.get("tool_call_id") or message.get("tool_use_id") or message.get("id")
        call_id, known = self.calls.answered(given, message.get("name"))
        if not known:
            self._builder.note(f"no open call has the id {given!r}", f"{where}.tool_call_id")
        if not given:
            extra["$made_id"] = True
        error = message.get("is_error", message.get("error"))
        return self._add(ToolResult(call_id, parts, bool(error)), message, extra)

    def _trained(self, message: dict[str, Any], where: str, extra: dict[str, Any]) -> bool | None:
        """The loss mask: OpenAI's ``weight`` (0 or 1), Axolotl's ``training`` (true or false)."""
        found = None
        for key in _MASKS:
            value = message.get(key)
            if value is None:
                continue
            if isinstance(value, bool) == (key == "weight") or value not in (0, 1):
                rule = "0 or 1" if key == "weight" else "true or false"
                self._builder.note(f"{key} is {as_text(value)}, not {rule}", f"{where}.{key}")
                extra[key] = value
            else:
                found = value == 1
        return found

    def _no_weight(self, message: dict[str, Any], where: str, extra: dict[str, Any]) -> None:
        for key in _MASKS:
            if message.get(key) is not None:
                if key == "weight":
                    words = "only a reply of the target has a weight; this is not taken"
                    self._builder.note(words, f"{where}.{key}")
                extra[key] = message[key]

    def _add(self, payload: Any, message: dict[str, Any] | None, extra: Any) -> str:
        fields = self._fields(message) if self._fields is not None and message else {}
        if message is None:
            return self._builder.add(payload, **fields)
        return self._builder.add(payload, extra=self._extra(message, extra), **fields)

    def _extra(self, message: dict[str, Any], shapes: dict[str, Any]) -> str:
        found = {key: value for key, value in message.items() if key not in _KNOWN}
        found.pop("from", None)
        found.update({key: value for key, value in shapes.items() if value not in (None, "")})
        return as_text(found) if found else ""


def _shapes(content: Content, role: Any, usual: str) -> dict[str, Any]:
    """How the content stood, and the role where it is not the usual one."""
    return {
        SHAPE: content.shape,
        PARTS: content.more or None,
        "role": role if role != usual else None,
    }


def _silent(message: str, where: str) -> None:
    """Nothing is said."""


def _unread(call: Any) -> dict[str, Any]:
    """What a call holds besides its id, name and arguments."""
    if not isinstance(call, dict):
        return {}
    known = {"id", "type", "function", "name", "arguments", "input"}
    return {key: value for key, value in call.items() if key not in known}


def _reasoning(
    message: dict[str, Any], extra: dict[str, Any]
) -> tuple[tuple[Reasoning, ...], str | None]:
    """The reasoning, and its key where that is not the first of ``_REASONING_KEYS``. What stands
    under another key too, and is not the same, goes into ``extra``.
    """
    found: tuple[Reasoning, ...] = ()
    used = None
    blocks = message.get("thinking_blocks")
    if isinstance(blocks, list) and blocks:
        found = tuple(read_thinking(block) for block in blocks if isinstance(block, dict))
        used = "thinking_blocks"
    for key in _REASONING_KEYS:
        text = message.get(key)
        if not isinstance(text, str):
            if text is not None:
                extra[key] = text
        elif used is None:
            found = (Reasoning(text),)
            used = key
        elif text and text not in (block.text for block in found):
            extra[key] = text
    return found, used if used != _REASONING_KEYS[0] else None
