"""The events of a rollout's branches, and the timeline that shows them as branches.

Every reply is an event of a model with what it was given, every tool result an event of a tool.
Where a branch goes off there is an anchor, and the branch names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ...model.messages import Stop, TargetReply, ToolCall, ToolResult, UserMessage, parts_text
from ...model.steps import Call, Step
from ..jsonl import RawJson
from ..subject import Subject
from .lanes import MAIN, Lane, anchor, lanes_of, span_of
from .message_out import Messages
from .model_out import config_of, iso, model_of, output_of, spent_on, tool_out
from .own import KEY
from .values_out import as_number, parsed


class Told(msgspec.Struct):
    """What lies behind a place of a branch: the messages there, as ranges of the pool, and the
    calls by their ids.
    """

    ranges: list[list[int]]
    calls: dict[str, ToolCall]

    def copy(self) -> Told:
        """The same, to go on from on another branch."""
        return Told([list(each) for each in self.ranges], dict(self.calls))

    def add(self, place: int) -> None:
        """One message more."""
        if self.ranges and self.ranges[-1][1] == place:
            self.ranges[-1][1] = place + 1
        else:
            self.ranges.append([place, place + 1])


class EventWriter:
    """Makes the events of one sample, and the pool of messages that they name."""

    def __init__(
        self, subjects: Sequence[Subject], messages: Messages, system: dict[str, Any] | None
    ) -> None:
        self.events: list[dict[str, Any]] = []
        self.pool: list[Any] = [] if system is None else [system]
        self._main = lanes_of(subjects)
        self._messages = messages
        self._at: dict[str | None, Told] = {None: Told([[0, 1]] if self.pool else [], {})}
        steps = (step for subject in subjects for step in subject.trajectory.steps)
        self._began = self._now = next((s.created_at for s in steps if s.created_at), 0.0)
        self._tools: dict[int, list[dict[str, Any]]] = {}

    def timeline(self) -> dict[str, Any]:
        """Make all events; the timeline of them."""
        self._lane(self._main)
        return {"name": "Default", "description": "", "root": span_of(self._main)}

    def _lane(self, lane: Lane) -> None:
        """The events of a lane. A branch is a span of its own; the main lane is what is in none."""
        anchors = {each.after for each in lane.branches}
        told = self._at[lane.after].copy()
        if lane.id != MAIN:
            span = {"id": lane.id, "name": lane.name, "type": "branch", "parent_id": lane.within}
            self._event(lane, "span_begin", span, show=False)
            self._event(lane, "branch", {"from_anchor": anchor(lane.after)})
        elif None in anchors:
            self._event(lane, "anchor", {"anchor_id": anchor(None)})
        for step in lane.steps:
            self._step(lane, step, told)
            if step.id in anchors:
                self._at[step.id] = told.copy()
                self._event(lane, "anchor", {"anchor_id": anchor(step.id)})
        for branch in lane.branches:
            self._lane(branch)
        if lane.id != MAIN:
            self._event(lane, "span_end", {"id": lane.id}, show=False)

    def _step(self, lane: Lane, step: Step, told: Told) -> None:
        self._now = step.created_at or self._now
        payload = step.payload
        message = self._messages.message(step, lane.subject)
        if message is None:
            assert isinstance(payload, Stop)
            said = {"stop": payload.reason, "by": payload.by, "note": payload.note}
            self._event(lane, "info", {"source": KEY, "data": said})
            return
        if isinstance(payload, TargetReply):
            self._event(lane, "model", self._reply(lane, step, payload, told))
        elif isinstance(payload, ToolResult):
            self._event(lane, "tool", self._result(payload, message, told))
        elif isinstance(payload, UserMessage) and step.call is not None:
            self._event(lane, "model", _asked(step.call, message))
        told.calls.update({call.id: call for call in getattr(payload, "tool_calls", ())})
        told.add(len(self.pool))
        self.pool.append(self._messages.document(step, lane.subject))

    def _reply(self, lane: Lane, step: Step, payload: TargetReply, told: Told) -> dict[str, Any]:
        call = step.call or Call(model_of(lane.subject))
        message = self._messages.document(step, lane.subject)
        return {
            **_model(call, output_of(payload, message, call)),
            "input_refs": [list(each) for each in told.ranges],
            "tools": self._declared(lane, step),
        }

    def _declared(self, lane: Lane, step: Step) -> list[dict[str, Any]]:
        project = lane.subject.project_of(step)
        if id(project) not in self._tools:
            self._tools[id(project)] = [tool_out(tool) for tool in project.tools]
        return self._tools[id(project)]

    def _result(self, payload: ToolResult, message: dict[str, Any], told: Told) -> dict[str, Any]:
        call = told.calls.get(payload.call_id)
        usable = call is not None and isinstance(parsed(call.arguments), dict)
        content = message["content"]
        found = {
            "type": "function",
            "id": payload.call_id,
            "function": call.name if call else "",
            "arguments": RawJson(call.arguments) if call and usable else {},
            "result": content if isinstance(content, str) else parts_text(payload.parts),
            "events": [],
            "completed": iso(self._now),
            "message_id": message["id"],
        }
        return {**found, "error": message["error"]} if "error" in message else found

    def _event(self, lane: Lane, kind: str, fields: dict[str, Any], *, show: bool = True) -> None:
        name = f"event-{len(self.events) + 1}"
        self.events.append(
            {
                "uuid": name,
                "span_id": None if lane.id == MAIN else lane.id,
                "timestamp": iso(self._now),
                "working_start": RawJson(as_number(max(0.0, self._now - self._began))),
                "event": kind,
                **fields,
            }
        )
        if show:
            lane.content.append({"type": "event", "event": name})


def _asked(call: Call, message: dict[str, Any]) -> dict[str, Any]:
    """The evaluator's own model call, which is no part of the target's conversation."""
    said = {"role": "assistant", "content": message["content"]}
    output = {"model": call.model, "choices": [{"message": said, "stop_reason": "stop"}]}
    ours = {"role": "evaluator", "metadata": {KEY: {"message": message["id"]}}}
    return {**_model(call, {**output, **spent_on(call)}), "tools": [], **ours}


def _model(call: Call, output: dict[str, Any]) -> dict[str, Any]:
    found = {
        "model": call.model,
        "input": [],
        "tool_choice": "auto",
        "config": config_of(call),
        "output": output,
    }
    return {**found, "working_time": RawJson(as_number(call.seconds))} if call.seconds else found
