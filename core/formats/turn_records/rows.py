"""Turn records as rows: strict ones, ones with the whole history, and those of a file that was read
as turn records, with the ids and fields that it had.

With the whole history a row's ``messages`` begin with everything up to its turn, and hold tool
calls, tool results and system notes too, as OpenAI's chat shape has them (``is_error`` beside a
result, ``reasoning_content`` and ``weight`` beside a reply). Behind ``termination`` follow
``tools`` (declarations) and ``edits`` (``message`` is a place in ``messages``, the rest as in
``edit_fields``), each only where there is any. Everything that a strict row has stands where it
always stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ...errors import ExportError
from ...model.messages import (
    Stop,
    TargetReply,
    Text,
    ToolResult,
    UserMessage,
    parts_text,
    payload_text,
    reasoning_text,
)
from ...model.steps import Step
from ..edit_fields import edit_of
from ..ids import project_id, root_key, turn_step_id
from ..jsonl import RawJson, json_string, json_text, line_bytes
from ..reading.tools import function_tools
from ..report import payload_texts
from ..rows import Row
from ..source import Source, as_it_is, has_odd_numbers, plain
from ..subject import Subject
from .fields import MORE_KEYS, SYNTH_KIND, is_odd_field, termination
from .strict import Numbered, check, complete_turns, cut, is_full

NAME = "turn-records"


def rows(subject: Subject) -> Iterator[Row]:
    """The records. Raises ExportError where ``check`` finds a fault."""
    faults = check(subject)
    if faults:
        raise ExportError("\n".join(fault.render() for fault in faults))
    odd = any(has_odd_numbers(project.metadata) for project in subject.projects)
    if is_full(subject) or subject.format == NAME or odd:
        yield from _Records(subject).rows()
        return
    steps = _strict_steps(subject)
    for line, places in zip(
        complete_turns(subject).data.splitlines(keepends=True), steps, strict=True
    ):
        yield Row(line, places)


class _Message(msgspec.Struct, frozen=True):
    """A message as JSON text, the number of its step (0: the system text), and the edit in it."""

    text: str
    step: int
    edit: dict[str, Any]


class _Records:
    """Writes the rows of one trajectory, one after the other."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.full = is_full(subject)
        self.source = Source(subject, NAME)
        self.record = self.source.of_record()
        self.own_id = project_id(subject.projects[0], subject.seed, subject.row)
        self.key = root_key(self.own_id, subject.seed, subject.row)
        self.parent: str | None = None
        self.known = True
        """Whether every step so far stands where the source had it, so that its ids hold."""
        self.index = 0
        self.history: list[_Message] = []
        self.system: tuple[Any, ...] = ()
        """The system message of the source that is in force, if it is not the project's text."""
        if "$system" in self.record:
            self.system = (self.record["$system"],)
        self.weights = {m.step_id: m.train for m in subject.marks if m.train is not None}
        self.more = self.full or any("$history" in step.extra for step in subject.trajectory.steps)
        """Whether messages have more fields than those of strict rows."""

    def rows(self) -> Iterator[Row]:
        """All rows."""
        turns = cut(self.subject.trajectory.steps, joined=True)
        for place, turn in enumerate(turns):
            row = self._row(turn, last=place + 1 == len(turns))
            if row is not None:
                yield row

    def _row(self, turn: Numbered, *, last: bool) -> Row | None:
        closing = next(step for _, step in reversed(turn) if isinstance(step.payload, TargetReply))
        opening = next(step for _, step in turn if isinstance(step.payload, UserMessage))
        self.known = self.known and all(self.source.has(step) for _, step in turn)
        shapes = self.source.of_step(closing) if self.known else {}
        own = self._own(turn)
        step_id = self._step_id(turn, shapes)
        if self.known and "$step_id" not in shapes and "$row" not in shapes:
            self.history += own  # the source had it in the history of a later row only
            self.parent = step_id
            self.index += 1
            return None
        whole = self.full or shapes.get("$history") == "full"
        messages = self._messages(own, opening, closing, shapes.get("$history", ""))
        fields: dict[str, Any] = {
            "synth_kind": SYNTH_KIND,
            "session_id": self._session_id(),
            "project": self._project(closing),
            "turn_index": self.index,
            "parent_step_id": self.parent,
            "step_id": step_id,
            "messages": [RawJson(message.text) for message in messages],
            "user_text": payload_text(opening.payload),
            "agent_text": payload_text(closing.payload),
            "termination": self._termination(whole) if last else None,
        }
        keys = shapes.get("$keys")
        if whole or keys is not None:
            self._add_more(fields, messages, closing)
        fields.update({key: plain(item) for key, item in shapes.get("row", {}).items()})
        if "$messages" in shapes:
            fields["messages"] = plain(shapes["$messages"])
        if keys is not None and self.full:
            keys += [key for key in MORE_KEYS if key not in keys]
        self.history += own
        self.parent = step_id
        self.index += 1
        data = line_bytes(json_text(_in_order(fields, keys)))
        return Row(data, tuple(message.step for message in messages))

    def _messages(
        self, own: list[_Message], opening: Step, closing: Step, history: str
    ) -> list[_Message]:
        system = self._system(closing)
        if self.full or history == "full":
            return [*system, *self.history, *own]
        if history == "turn":
            return [*system, *own]
        strict = (opening, closing)
        return [*system, *(message for message in own if self._step(message) in strict)]

    def _step(self, message: _Message) -> Step:
        return self.subject.trajectory.steps[message.step - 1]

    def _system(self, closing: Step) -> list[_Message]:
        if self.system:
            given = self.system[0]
            return [_Message(plain(given).text, 0, {})] if given is not None else []
        text = self.subject.project_of(closing).target.system
        if text is None:
            return []
        return [_Message(json_text({"role": "system", "content": text}), 0, {})]

    def _own(self, turn: Numbered) -> list[_Message]:
        """The messages of a turn, without what only the evaluator saw: its calls' results."""
        found = []
        private: set[str] = set()
        for number, step in turn:
            payload = step.payload
            if isinstance(payload, UserMessage):
                private = {call.id for call in payload.tool_calls}
            elif isinstance(payload, TargetReply):
                private = set()
            elif isinstance(payload, ToolResult) and payload.call_id in private:
                continue
            shapes = self.source.of_step(step)
            if "$system" in shapes:
                self.system = (shapes["$system"],)
                continue
            body = self._body(step, shapes)
            found.append(_Message(json_text(body), number, edit_of(self.subject, step)))
        return found

    def _body(self, step: Step, shapes: dict[str, Any]) -> dict[str, Any]:
        payload = step.payload
        assert not isinstance(payload, Stop)
        text = parts_text(payload.parts)
        if isinstance(payload, UserMessage):
            body: dict[str, Any] = {"role": "user", "content": text}
        elif isinstance(payload, TargetReply):
            body = _reply(payload, text) if self.more else {"role": "assistant", "content": text}
        elif isinstance(payload, ToolResult):
            error = {"is_error": True} if payload.is_error else {}
            body = {"role": "tool", "tool_call_id": payload.call_id, "content": text, **error}
        else:
            body = {"role": "system", "content": text}
        if self.more and step.id in self.weights and isinstance(payload, TargetReply):
            body["weight"] = int(bool(self.weights[step.id]))
        for key, value in shapes.items():
            if not key.startswith("$") and key != "row":
                body[key] = plain(value)
        if shapes.get("$content") == "null":
            body["content"] = None
        elif shapes.get("$content") == "parts":
            body["content"] = _parts(payload.parts)
        return body

    # -- the other fields ------------------------------------------------------------------------

    def _step_id(self, turn: Numbered, shapes: dict[str, Any]) -> str:
        """The row's id: the source's, as long as the path is the source's; else derived."""
        user = rest = agent = ""
        for _, step in turn:
            payload = step.payload
            if isinstance(payload, UserMessage):
                user = json_string(parts_text(payload.parts))
                rest += "".join(
                    json_string(p.raw) for p in payload.parts if not isinstance(p, Text)
                )
            elif isinstance(payload, TargetReply) and not payload.tool_calls:
                agent = json_string(parts_text(payload.parts))
            else:
                rest += "".join(map(json_string, payload_texts(payload)))
        derived = turn_step_id(self.key, user, rest, agent)
        given = shapes.get("$step_id")
        self.key = given if isinstance(given, str) else derived
        return self.key

    def _session_id(self) -> Any:
        if "$session_id" not in self.record:
            return self.own_id
        return plain(self.record["$session_id"])

    def _project(self, closing: Step) -> Any:
        project = self.subject.project_of(closing)
        given = self.record.get("$project", {})
        if not isinstance(given, dict):
            return plain(given)
        fields: dict[str, Any] = {
            "id": self.own_id,
            "title": project.title,
            "goal": project.goal,
            "metadata": as_it_is(project.metadata),
        }
        if "$project" not in self.record:
            return fields
        odd = {key: plain(value) for key, value in given.items() if is_odd_field(key, value)}
        return _in_order({**fields, **odd}, list(given))

    def _termination(self, whole: bool) -> Any:
        steps = self.subject.trajectory.steps
        last = steps[-1]
        if not isinstance(last.payload, Stop):
            return None
        shapes = self.source.of_step(last)
        if "$termination" in shapes:
            return plain(shapes["$termination"])
        return termination(last.payload, full=whole)

    def _add_more(self, fields: dict[str, Any], messages: list[_Message], closing: Step) -> None:
        tools = self.subject.project_of(closing).tools
        if tools:
            fields["tools"] = function_tools(tools)
        edits = [
            {"message": place, **message.edit}
            for place, message in enumerate(messages)
            if message.edit
        ]
        if edits:
            fields["edits"] = edits


def _reply(payload: TargetReply, text: str) -> dict[str, Any]:
    body: dict[str, Any] = {"role": "assistant", "content": text}
    if payload.reasoning:
        body["reasoning_content"] = reasoning_text(payload.reasoning)
    if payload.tool_calls:
        body["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in payload.tool_calls
        ]
    if payload.refusal:
        body["refusal"] = payload.refusal
    return body


def _parts(parts: tuple[Any, ...]) -> list[Any]:
    return [
        {"type": "text", "text": part.text} if isinstance(part, Text) else as_it_is(part.raw)
        for part in parts
    ]


def _in_order(fields: dict[str, Any], keys: Any) -> dict[str, Any]:
    """The fields as the source had them, where it had them otherwise."""
    if not isinstance(keys, list):
        return fields
    return {key: fields[key] for key in keys if key in fields}


def _strict_steps(subject: Subject) -> Iterator[tuple[int, ...]]:
    """For each strict row, from which steps its messages come."""
    user = 0
    for number, step in enumerate(subject.trajectory.steps, 1):
        payload = step.payload
        if isinstance(payload, UserMessage):
            user = number
        elif user and isinstance(payload, TargetReply) and not payload.tool_calls:
            system = () if subject.project_of(step).target.system is None else (0,)
            yield (*system, user, number)
            user = 0
