"""``eliza_native_v1`` JSONL: one row for each call of the model, with the full history.

A row is ``{format, boundary, request: {system?, messages, tools?}, response: {text, toolCalls?},
trajectoryId, stepId, callId, stepIndex, scenarioId?}``. The history in ``messages`` is in OpenAI's
chat shape; the arguments of the calls that a response makes are objects. Its readers refuse two
rows of the same request and response, so what branches share is written once. A reply that is
marked as not to be trained on makes no row of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...errors import ExportError, Fault
from ...model.messages import TargetReply, ToolCall, ToolResult, parts_text
from ...model.steps import Step
from ..chat_messages import Dialect, Message, chat_messages, is_object, renamed, without_nulls
from ..chat_notes import after_last_reply, chat_notes, listed
from ..chat_rules import fault
from ..ids import project_id, root_key, turn_step_id
from ..jsonl import RawJson, json_string, json_text, line_bytes
from ..reading.tools import function_tools
from ..report import payload_texts, surrogate_steps
from ..rows import Row
from ..source import Source, plain
from ..subject import Subject

NAME = "eliza-native"
FORMAT = "eliza_native_v1"
BOUNDARY = "vercel_ai_sdk.generateText"

KEYS = (
    *("format", "boundary", "request", "response"),
    *("trajectoryId", "stepId", "callId", "stepIndex", "scenarioId"),
)

HOLDS = frozenset({"messages", "tool_traffic", "tool_schemas", "system_notes", "system_changes"})
HEEDS = frozenset({"renames", "prune_nulls", "strip_stop"})

_DIALECT = Dialect(frozenset({NAME}))


def check(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which the readers of these rows would refuse one."""
    replies = _replies(subject)
    if not replies:
        hint = "Play on to the target's reply."
        return (Fault("the target says nothing: there is no call to write.", hint=hint),)
    users = [m.step for m in chat_messages(subject, _DIALECT) if m.body["role"] == "user"]
    faults: list[Fault] = []
    for number, reply in replies:
        if not users or users[0] > number:
            rule = "request.messages holds a user message"
            words = "no message of the evaluator stands before this reply"
            faults.append(fault(words, number, "request.messages", rule))
        if not parts_text(reply.parts).strip() and not reply.tool_calls:
            rule = "a response has a text or calls a tool"
            faults.append(fault("the reply is empty", number, "response.text", rule))
        for index, call in enumerate(reply.tool_calls):
            if call.arguments.strip() and not is_object(call.arguments):
                where = f"response.toolCalls[{index}].input"
                words = f"the arguments of {call.name!r} are no JSON object"
                hint = "Edit them."
                faults.append(fault(words, number, where, "input is an object", hint))
    return tuple(faults)


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    found = list(chat_notes(subject, chat_messages(subject, _DIALECT), frozenset({NAME})))
    if escaped := surrogate_steps(subject):
        found.append(f"lone surrogates (step {listed(escaped)}) are written as \\udXXX escapes")
    found += after_last_reply(subject)
    numbered = _numbered(subject)
    if untrained := [number for number, step in numbered if not _trained(subject, step)]:
        found.append(
            f"replies that are not to be trained on (step {listed(untrained)}) stand in the "
            "history and make no row of their own"
        )
    source = Source(subject, NAME)
    if bare := [n for n, step in numbered if source.has(step) and "$row" not in step.extra]:
        found.append(
            f"replies that the source had only as history (step {listed(bare)}) make no row"
        )
    calls = [(n, call) for n, reply in _replies(subject) for call in reply.tool_calls]
    kept = {number for number, step in numbered if source.has(step)}
    if any(number not in kept for number, _ in calls):
        found.append("arguments are objects in responses, and the text that came in the history")
    if empty := [number for number, call in calls if not call.arguments.strip()]:
        found.append(f"empty arguments (step {listed(empty)}) are written as {{}} in responses")
    return tuple(found)


def rows(subject: Subject) -> Iterator[Row]:
    """One row for each reply. Raises ExportError where ``check`` finds a fault."""
    faults = check(subject)
    if faults:
        raise ExportError("\n".join(each.render() for each in faults))
    yield from _Rows(subject).rows()


def _numbered(subject: Subject) -> list[tuple[int, Step]]:
    return [
        (number, step)
        for number, step in enumerate(subject.trajectory.steps, 1)
        if isinstance(step.payload, TargetReply)
    ]


def _replies(subject: Subject) -> list[tuple[int, TargetReply]]:
    """The replies that make rows, with the numbers of their steps."""
    return [
        (number, step.payload)
        for number, step in _numbered(subject)
        if isinstance(step.payload, TargetReply) and _trained(subject, step)
    ]


def _trained(subject: Subject, step: Step) -> bool:
    return not any(mark.step_id == step.id and mark.train is False for mark in subject.marks)


class _Rows:
    """Writes the rows of one trajectory, one after the other."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.source = Source(subject, NAME)
        self.record = self.source.of_record()
        self.own_id = project_id(subject.projects[0], subject.seed, subject.row)
        self.key = root_key(self.own_id, subject.seed, subject.row)
        self.scenario = _scenario(subject)
        self.known = True
        """Whether every step so far stands where the source had it."""
        self.system: tuple[Any, ...] = ()
        """The system text of the source that is in force, if it is not the project's."""

    def rows(self) -> Iterator[Row]:
        """All rows."""
        messages = {m.step: m for m in chat_messages(self.subject, _DIALECT) if m.step}
        history: list[Message] = []
        texts: list[RawJson] = []
        index = 0
        for number, step in enumerate(self.subject.trajectory.steps, 1):
            self.known = self.known and self.source.has(step)
            shapes = self.source.of_step(step)
            self._follow(step)
            if "$system" in shapes:
                self.system = (shapes["$system"],)
                continue
            if isinstance(step.payload, TargetReply):
                had_none = self.known and "$row" not in shapes
                if _trained(self.subject, step) and not had_none:
                    yield self._row(step, step.payload, shapes, index, history, texts)
                index += 1
            message = messages.get(number)
            if message is not None:
                history.append(message)
                texts.append(RawJson(json_text(message.body)))

    def _follow(self, step: Step) -> None:
        """The id of what follows depends on all that was said."""
        payload = step.payload
        ids: list[str] = []
        if isinstance(payload, TargetReply):
            ids = [call.id for call in payload.tool_calls]
        elif isinstance(payload, ToolResult):
            ids = [payload.call_id]
        texts = map(json_string, (*ids, *payload_texts(payload)))
        self.key = turn_step_id(self.key, step.role, *texts)

    def _row(
        self,
        step: Step,
        reply: TargetReply,
        shapes: dict[str, Any],
        index: int,
        history: list[Message],
        texts: list[RawJson],
    ) -> Row:
        if not self.known:
            shapes = {}
        request, system = self._request(step, shapes, history, texts)
        response: dict[str, Any] = {"text": parts_text(reply.parts)}
        if reply.tool_calls:
            response["toolCalls"] = [
                {
                    "toolCallId": call.id,
                    "toolName": renamed(call.name, self.subject.options),
                    "input": RawJson(self._arguments(call)),
                }
                for call in reply.tool_calls
            ]
        fields: dict[str, Any] = {
            "format": FORMAT,
            "boundary": BOUNDARY,
            "request": _like(request, shapes, "request"),
            "response": _like(response, shapes, "response"),
            "trajectoryId": self.own_id,
            "stepId": self.key,
            "callId": f"{self.own_id}:{self.key}",
            "stepIndex": index,
        }
        if self.scenario:
            fields["scenarioId"] = self.scenario
        fields.update({key: plain(value) for key, value in shapes.get("$row", {}).items()})
        steps = (*((0,) if system else ()), *(m.step for m in history))
        data = line_bytes(json_text(_like(fields, shapes, "row")))
        same = json_text([fields["request"], fields["response"]]).encode("utf-8", "surrogatepass")
        number = self.subject.trajectory.steps.index(step) + 1
        return Row(data, (*steps, number), same)

    def _arguments(self, call: ToolCall) -> str:
        if not call.arguments.strip():
            return "{}"
        prunes = self.subject.options.prune_nulls
        return without_nulls(call.arguments) if prunes else call.arguments

    def _request(
        self,
        step: Step,
        shapes: dict[str, Any],
        history: list[Message],
        texts: list[RawJson],
    ) -> tuple[dict[str, Any], bool]:
        """The request, and whether a system text stands in it."""
        request: dict[str, Any] = {}
        messages: Any = list(texts)
        text = self.system[0] if self.system else self.subject.project_of(step).target.system
        if text is not None:
            if shapes.get("$system_in"):
                messages.insert(0, {"role": "system", "content": text})
            else:
                request["system"] = text
        if "$messages" in shapes:
            messages = plain(shapes["$messages"])
        if shapes.get("$prompt") and len(history) == 1:
            request["prompt"] = history[0].body["content"]
        else:
            request["messages"] = messages
        tools = self._tools(step, shapes)
        if tools is not None:
            request["tools"] = tools
        return request, text is not None

    def _tools(self, step: Step, shapes: dict[str, Any]) -> Any:
        if "$tools" in shapes:
            return plain(shapes["$tools"]) if shapes["$tools"] is not None else None
        tools = self.subject.project_of(step).tools
        if self.known and "$tools" in self.record:
            return plain(self.record["$tools"])
        if not tools:
            return None
        declared = function_tools(tools)
        for each in declared:
            each["function"]["name"] = renamed(each["function"]["name"], self.subject.options)
        return declared


def _like(fields: dict[str, Any], shapes: dict[str, Any], name: str) -> dict[str, Any]:
    """The fields with what the source had besides, in the source's order."""
    fields.update({key: plain(value) for key, value in shapes.get(name, {}).items()})
    order = shapes.get("$order", {}).get(name)
    return {key: fields[key] for key in order if key in fields} if order else fields


def _scenario(subject: Subject) -> str:
    """The task that the project was made of, if it says so."""
    if "seed_task_id" not in subject.project.metadata:
        return ""
    try:
        found = json.loads(subject.project.metadata)
    except ValueError:
        return ""
    task = found.get("seed_task_id") if isinstance(found, dict) else None
    return task if isinstance(task, str) else ""
