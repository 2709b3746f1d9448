"""Rows in the shape of Anthropic's Messages API: ``{system?, messages, tools?}`` a trajectory.

The rules of the API are checked before a row is written: messages of user and assistant alternate
and the user begins; the results of all calls of a reply stand first in the next message of the
user; ``input`` is an object; no message and no block of text is empty; a system message in
mid-conversation follows one of the user. Thinking goes out as it came, with its signature, or not
at all.

Two messages of one role in a row become one message with both as blocks, and the report says so:
the API itself takes such messages for one turn ("Consecutive user or assistant turns in your
request will be combined into a single turn"), so that nothing changes for the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import ExportError, Fault
from ...model.messages import (
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
)
from ...model.steps import Step
from ..chat_messages import is_object, renamed, without_nulls
from ..chat_notes import AS_OBJECTS, chat_notes, listed
from ..chat_rules import RENAME, fault
from ..greeting import HINT, Greetings, is_greeting
from ..jsonl import RawJson, json_text, line_bytes
from ..reading.content import SHAPE
from ..report import surrogate_steps
from ..rows import Row
from ..source import Source, as_it_is, json_of, plain
from ..stop_words import without_stop_words
from ..subject import Subject
from .blocks import CallIds, RowMessage, image_source, system_words, thinking_block, with_more
from .reader import BLOCKS, ORDER, SYSTEM, TOOLS

NAME = "anthropic"

HOLDS = frozenset(
    {"messages", "tool_traffic", "tool_schemas", "is_error", "other_parts", "system_notes"}
)
HEEDS = frozenset({"greeting", "renames", "prune_nulls", "strip_stop"})

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_USER_BLOCKS = ("image", "document", "search_result", "container_upload")
_MADE_BY_API = ("server_tool_use", "_tool_result", "container_upload")


def check(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which the API would refuse these messages."""
    return tuple(_Writer(subject).faults)


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    found = list(chat_notes(subject, (), frozenset({NAME})))
    if escaped := surrogate_steps(subject):
        found.append(f"lone surrogates (step {listed(escaped)}) are written as \\udXXX escapes")
    return (*found, *_Writer(subject).notes())


def holds_also(subject: Subject) -> frozenset[str]:
    """Reasoning, where all of it has a signature that still holds."""
    blocks = [
        block
        for step in subject.trajectory.steps
        if isinstance(step.payload, TargetReply)
        for block in step.payload.reasoning
    ]
    signed = all(thinking_block(block) is not None for block in blocks)
    return frozenset({"reasoning"}) if signed else frozenset()


def rows(subject: Subject) -> Iterator[Row]:
    """The row. Raises ExportError where ``check`` finds a fault."""
    writer = _Writer(subject)
    if writer.faults:
        raise ExportError("\n".join(each.render() for each in writer.faults))
    yield writer.row()


class _Writer:
    """Puts one row together, and finds what is wrong with it."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.faults: list[Fault] = []
        self.messages: list[RowMessage] = []
        self.leading: list[str] = []
        self._begun = False
        self._greetings = Greetings(subject)
        self._source = Source(subject, NAME)
        self._record = self._source.of_record()
        self._said: dict[str, list[int]] = {}
        self._ids: dict[str, str] = {}
        """The ids of the calls that are open, and how each is written."""
        self._call_ids = CallIds()
        self._written_ids: dict[str, str] = {}
        """Those of the reply that is being written."""
        self._private: set[str] = set()
        """Calls of the evaluator, whose results the target never sees."""
        for number, step in enumerate(subject.trajectory.steps, 1):
            self._step(number, step)
        self.leading += self._greetings.told()
        self._check_end()

    def notes(self) -> Iterator[str]:
        """What is written in a way of its own, each with its steps."""
        for words, numbers in self._said.items():
            places = ", ".join(str(n) for n in dict.fromkeys(numbers) if n)
            yield f"{words} (step {places})" if places else words

    def row(self) -> Row:
        """The row."""
        fields: dict[str, Any] = {}
        system = self._system()
        if system is not None:
            fields["system"] = system
        fields["messages"] = [self._body(message) for message in self.messages]
        tools = self._tools()
        if tools is not None:
            fields["tools"] = tools
        for key, value in self._record.items():
            if not key.startswith("$"):
                fields[key] = plain(value)
        order = self._record.get(ORDER)
        if isinstance(order, list):
            fields = {key: fields[key] for key in order if key in fields} | fields
        steps = tuple(
            (message.results + message.blocks)[0][1] if message.results + message.blocks else 0
            for message in self.messages
        )
        return Row(line_bytes(json_text(fields)), steps)

    # -- steps -----------------------------------------------------------------------------------

    def _step(self, number: int, step: Step) -> None:
        payload = step.payload
        shapes = self._source.of_step(step)
        if isinstance(payload, UserMessage):
            self._private = {call.id for call in payload.tool_calls}
            kept = payload
            if self.subject.options.strip_stop:
                kept = without_stop_words(payload, self.subject.project_of(step))
            if kept.parts or not payload.parts or not self._is_last(number):
                self._user(number, kept, shapes if kept is payload else {})
        elif isinstance(payload, TargetReply):
            self._private = set()
            if not self._source.has(step) and payload.tool_calls:
                self._say(AS_OBJECTS, 0)
            self._reply(number, payload, shapes)
        elif isinstance(payload, ToolResult):
            if payload.call_id not in self._private:
                self._result(number, payload, shapes)
        elif isinstance(payload, SystemNote):
            self._note(number, parts_text(payload.parts))
        else:
            assert isinstance(payload, Stop)

    def _is_last(self, number: int) -> bool:
        """Whether nothing but the stop comes after a step."""
        rest = self.subject.trajectory.steps[number:]
        return all(isinstance(step.payload, Stop) for step in rest)

    def _user(self, number: int, payload: UserMessage, shapes: dict[str, Any]) -> None:
        blocks = self._parts(payload.parts, shapes, number, "user")
        self._begun = True
        last = self.messages[-1] if self.messages else None
        if not blocks:
            self._empty(number, "a message of the user")
            return
        if last is None or last.role != "user":
            if last is not None and last.role == "system":
                words = "the user speaks behind a system message"
                rule = "the assistant answers after a system message"
                where = f"messages[{len(self.messages)}].role"
                self.faults.append(fault(words, number, where, rule))
            self._add("user", blocks, shapes)
            return
        if last.blocks:
            self._say("two messages of the user in a row are written as one", number)
        last.blocks += blocks
        last.bare = None

    def _reply(self, number: int, payload: TargetReply, shapes: dict[str, Any]) -> None:
        self._open_calls_must_be_none(number)
        if not self._begun:
            if said := self._greetings.take(payload):
                self._say(said, number)
                return
            words, rule = "the target begins", "the first message is the user's"
            hint = HINT if is_greeting(payload) else ""
            self.faults.append(fault(words, number, "messages[0].role", rule, hint))
        blocks = self._reply_blocks(number, payload, shapes)
        if not blocks:
            self._empty(number, "a message of the assistant")
            return
        last = self.messages[-1] if self.messages else None
        if last is not None and last.role == "assistant":
            self._say("two replies in a row are written as one message", number)
            last.blocks += blocks
            last.bare = None
        else:
            self._add("assistant", blocks, shapes)
        self._ids = dict(self._written_ids)

    def _reply_blocks(
        self, number: int, payload: TargetReply, shapes: dict[str, Any]
    ) -> list[tuple[Any, int]]:
        self._written_ids = {}
        thinking = [self._thinking(block, number) for block in payload.reasoning]
        texts = [block for block, _ in self._parts(payload.parts, {}, number, "assistant")]
        calls = [self._call(call, number) for call in payload.tool_calls]
        if payload.refusal:
            self._say("refusals are not written", number)
        given = shapes.get(BLOCKS)
        if not isinstance(given, list):
            return [(block, number) for block in (*thinking, *texts, *calls) if block is not None]
        queues = {"thinking": thinking, "tool_use": calls}
        found = []
        rest = list(texts)
        for kind, more in given:
            queue = queues.get(kind, rest)
            block = queue.pop(0) if queue else None
            if block is not None:
                found.append((with_more(block, more), number))
        return found

    def _result(self, number: int, payload: ToolResult, shapes: dict[str, Any]) -> None:
        written = self._ids.pop(payload.call_id, None)
        if written is None:
            words = f"no call just before has the id {payload.call_id!r}"
            rule = "a tool_result answers a tool_use of the message before it"
            where = f"messages[{len(self.messages)}].content"
            self.faults.append(fault(words, number, where, rule))
            return
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": written}
        if payload.parts or shapes.get(SHAPE) == "empty":
            block["content"] = self._result_content(number, payload, shapes)
        if payload.is_error:
            block["is_error"] = True
        elif "$is_error" in shapes:
            block["is_error"] = plain(shapes["$is_error"])
        for key, value in shapes.items():
            if not key.startswith("$"):
                block[key] = plain(value)
        last = self.messages[-1]
        if last.role == "assistant":
            last = self._add("user", [], {})
        elif last.blocks:
            self._say("results are written before the message that came before them", number)
        last.results.append((block, number))
        last.bare = None

    def _result_content(self, number: int, payload: ToolResult, shapes: dict[str, Any]) -> Any:
        parts = payload.parts
        if shapes.get(SHAPE) == "parts" or any(isinstance(part, OtherPart) for part in parts):
            return [block for block, _ in self._parts(parts, shapes, number, "user")]
        return parts_text(parts)

    def _note(self, number: int, text: str) -> None:
        """A system message in mid-conversation, or one more block of the system text."""
        if not self.messages:
            self.leading.append(text)
            self._say("a system message that comes first is a block of the system text", number)
            return
        last = self.messages[-1]
        if last.role != "user" or self._ids:
            words = "a system message stands behind one of the assistant"
            rule = "a system message in messages follows one of the user, behind all results"
            where = f"messages[{len(self.messages)}].role"
            hint = "Leave it out, or move it behind the next message of the user."
            self.faults.append(fault(words, number, where, rule, hint))
            return
        if not text.strip():
            self._empty(number, "a system message")
            return
        self._say("system messages in mid-conversation are taken by newer models only", number)
        message = self._add("system", [({"type": "text", "text": text}, number)], {})
        message.bare = text

    # -- blocks ----------------------------------------------------------------------------------

    def _parts(
        self, parts: tuple[Part, ...], shapes: dict[str, Any], number: int, role: str
    ) -> list[tuple[Any, int]]:
        """Text and other parts as blocks; None stands where an empty text is left out."""
        given = shapes.get(BLOCKS)
        more = given if isinstance(given, list) and len(given) == len(parts) else None
        found: list[tuple[Any, int]] = []
        for index, part in enumerate(parts):
            if isinstance(part, Text):
                if not part.text.strip():
                    if part.text:
                        self._say("a text of white space only is left out", number)
                    if role == "assistant":
                        found.append((None, number))
                    continue
                block: Any = {"type": "text", "text": part.text}
            else:
                block = self._other(part, number, index, role)
            found.append((with_more(block, more[index][1]) if more else block, number))
        return found

    def _other(self, part: OtherPart, number: int, index: int, role: str) -> Any:
        value = json_of(part.raw)
        kind = value.get("type") if isinstance(value, dict) else None
        if isinstance(value, dict) and isinstance(kind, str):
            if role == "user" and kind in _USER_BLOCKS and (kind != "image" or "source" in value):
                return as_it_is(part.raw)
            if role == "assistant" and kind.endswith(_MADE_BY_API):
                return as_it_is(part.raw)
            source = image_source(value)
            if role == "user" and source is not None:
                self._say("images are written in Anthropic's shape", number)
                return {"type": "image", "source": source}
        words = f"part {index + 1} ({part.kind}) is none that Anthropic takes from the {role}"
        where = f"messages[{len(self.messages)}].content"
        rule = "parts are text, and images and documents of the user"
        self.faults.append(fault(words, number, where, rule))
        return None

    def _call(self, call: ToolCall, number: int) -> dict[str, Any]:
        name = renamed(call.name, self.subject.options)
        where = f"messages[{len(self.messages)}].content"
        if not _TOOL_NAME.fullmatch(name):
            rule = "names are 1 to 128 of A-Z a-z 0-9 _ -"
            self.faults.append(fault(f"{name!r} is refused", number, f"{where}.name", rule, RENAME))
        arguments = call.arguments
        if not arguments.strip():
            self._say("empty arguments are written as {}", number)
            arguments = "{}"
        elif not is_object(arguments):
            words = f"the arguments of {call.name!r} are no JSON object"
            rule = "input is an object"
            self.faults.append(fault(words, number, f"{where}.input", rule, "Edit them."))
        elif self.subject.options.prune_nulls:
            arguments = without_nulls(arguments)
        written = self._written_id(call, number)
        return {"type": "tool_use", "id": written, "name": name, "input": RawJson(arguments)}

    def _written_id(self, call: ToolCall, number: int) -> str:
        """The id, as it is taken; results find it in the ids of this reply."""
        if call.id in self._written_ids:
            where = f"messages[{len(self.messages)}].content.id"
            rule = "ids differ within one message"
            self.faults.append(fault(f"{call.id!r} stands twice", number, where, rule))
        written = self._call_ids(call.id)
        if written != call.id:
            words = "ids of calls are written otherwise: each once, of A-Z a-z 0-9 _ -"
            self._say(words, number)
        self._written_ids[call.id] = written
        return written

    def _thinking(self, block: Reasoning, number: int) -> Any:
        found = thinking_block(block)
        if found is None:
            self._say("thinking without a signature that holds is left out", number)
        return found

    # -- the row ---------------------------------------------------------------------------------

    def _system(self) -> Any:
        text = self.subject.project.target.system
        if self._record.get(SYSTEM) == "message" and not self.leading:
            return text
        given = self._record.get(SYSTEM)
        if isinstance(given, list) and not self.leading and system_words(given) == (text or ""):
            return plain(given)
        texts = [each for each in (text, *self.leading) if each is not None and each.strip()]
        if not self.leading:
            return texts[0] if texts else None
        return [{"type": "text", "text": each} for each in texts]

    def _tools(self) -> Any:
        if TOOLS in self._record:
            return plain(self._record[TOOLS])
        tools = self.subject.project.tools
        if not tools:
            return None
        return [
            {
                "name": renamed(tool.name, self.subject.options),
                **({"description": tool.description} if tool.description else {}),
                "input_schema": RawJson(tool.parameters),
            }
            for tool in tools
        ]

    def _add(self, role: str, blocks: list[tuple[Any, int]], shapes: dict[str, Any]) -> RowMessage:
        message = RowMessage(role, blocks, [])
        only = blocks[0][0] if len(blocks) == 1 else None
        if isinstance(only, dict) and only.keys() == {"type", "text"}:
            message.bare = None if shapes.get(SHAPE) == "parts" else only["text"]
        self.messages.append(message)
        return message

    def _body(self, message: RowMessage) -> dict[str, Any]:
        if message.bare is not None:
            return {"role": message.role, "content": message.bare}
        blocks = [block for block, _ in (*message.results, *message.blocks)]
        return {"role": message.role, "content": blocks}

    def _open_calls_must_be_none(self, number: int) -> None:
        for call_id in self._ids:
            where = f"messages[{len(self.messages)}].content"
            rule = "all results of a message's calls stand in the next message"
            self.faults.append(fault(f"the call {call_id!r} has no result", number, where, rule))
        self._ids = {}

    def _check_end(self) -> None:
        last = len(self.subject.trajectory.steps)
        self._open_calls_must_be_none(last)
        if not self.messages and not self.faults:
            hint = "Make a step first."
            self.faults.append(Fault("there is no message to write.", where="messages", hint=hint))

    def _empty(self, number: int, what: str) -> None:
        where = f"messages[{len(self.messages)}].content"
        rule = "no message and no text is empty or white space only"
        hint = "Edit it, or leave it out."
        self.faults.append(fault(f"{what} is empty", number, where, rule, hint))

    def _say(self, words: str, number: int) -> None:
        self._said.setdefault(words, []).append(number)
