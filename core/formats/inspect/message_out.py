"""Steps as messages of Inspect's shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from ...model.messages import (
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
)
from ...model.steps import Step
from ..jsonl import RawJson, json_text
from ..reading.json_in import as_text
from ..reading.values import table, text
from ..subject import Subject
from . import NAMES
from .content import contents_out, reply_out
from .own import KEY, Own, OwnCall, plain
from .values_out import parsed, raw, written

_ROLES: dict[type[Payload], str] = {
    UserMessage: "user",
    TargetReply: "assistant",
    ToolResult: "tool",
    SystemNote: "system",
}


class Messages:
    """Gives the messages of the steps of one rollout, each under an id of its own."""

    def __init__(self, subjects: Iterable[Subject]) -> None:
        self.ids: dict[str, str] = {}
        """The id of a step's message; of a stop its own."""
        self._names: dict[str, str] = {}
        self._made: dict[str, dict[str, Any]] = {}
        self._documents: dict[str, RawJson] = {}
        taken: set[str] = set()
        for subject in subjects:
            for step in subject.trajectory.steps:
                if step.id not in self.ids:
                    given = text(source_fields(step, subject).get("id"))
                    name = given if given and given not in taken else step.id
                    taken.add(name)
                    self.ids[step.id] = name
                    for call in getattr(step.payload, "tool_calls", ()):
                        self._names.setdefault(call.id, call.name)

    def message(self, step: Step, subject: Subject) -> dict[str, Any] | None:
        """The message of a step; None for a stop."""
        if isinstance(step.payload, Stop):
            return None
        if step.id not in self._made:
            self._made[step.id] = self._message(step, step.payload, subject)
        return self._made[step.id]

    def document(self, step: Step, subject: Subject) -> RawJson | None:
        """The same as JSON: a log holds it several times."""
        message = self.message(step, subject)
        if message is None:
            return None
        if step.id not in self._documents:
            self._documents[step.id] = RawJson(json_text(message))
        return self._documents[step.id]

    def own(self, step: Step) -> Own:
        """What our own words say of a step."""
        payload, call = step.payload, step.call
        reply = payload if isinstance(payload, TargetReply) else None
        asked = payload.tool_calls if isinstance(payload, UserMessage) else ()
        return Own(
            self.ids[step.id],
            step.origin,
            step.author,
            step.reason,
            self.ids.get(step.replaces or "", ""),
            self.ids.get(step.copied_from or "", ""),
            step.injected,
            step.late,
            step.state,
            step.state_stale,
            step.take,
            step.script_index,
            step.created_at,
            reply.finish_reason if reply else "",
            msgspec.structs.replace(call, request="") if call else None,
            tuple(_own_calls(reply.tool_calls)) if reply else (),
            asked,
        )

    def _message(
        self, step: Step, payload: UserMessage | TargetReply | ToolResult | SystemNote, of: Subject
    ) -> dict[str, Any]:
        found: dict[str, Any] = {"id": self.ids[step.id], **self._said(payload)}
        fields = source_fields(step, of)
        if fields:
            return _as_it_was(found, fields)
        source = _source(step)
        if source:
            found["source"] = source
        return {**found, "metadata": {KEY: written(plain(self.own(step)))}}

    def _said(self, payload: Payload) -> dict[str, Any]:
        role = {"role": _ROLES[type(payload)]}
        if isinstance(payload, UserMessage | TargetReply):
            return {**role, **reply_out(payload)}
        assert isinstance(payload, ToolResult | SystemNote)
        found: dict[str, Any] = {**role, "content": contents_out(payload.parts)}
        if isinstance(payload, ToolResult):
            found["tool_call_id"] = payload.call_id
            name = self._names.get(payload.call_id)
            if name:
                found["function"] = name
            if payload.is_error:
                found["error"] = {"type": "unknown", "message": parts_text(payload.parts)}
        return found


def source_fields(step: Step, subject: Subject) -> dict[str, Any]:
    """What a step that was read from a log of Inspect holds of its message beside the payload."""
    if subject.format not in NAMES or step.origin != "import" or not step.extra:
        return {}
    return table(parsed(step.extra))


def _as_it_was(made: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """The message with everything that it was read with."""
    more = {key: raw(each) for key, each in fields.items() if key[:1] != "$" and key != "role"}
    found = {**made, **more}
    for key in ("content", "tool_calls"):
        if f"${key}" in fields:
            found[key] = raw(fields[f"${key}"])
    if found["content"] is None:
        found["content"] = ""
    if fields.get("$made_id"):
        found.pop("tool_call_id", None)
    found["id"] = made["id"]
    return found


def _source(step: Step) -> str:
    """Who made a message, in Inspect's words."""
    if step.origin == "human":
        return "operator"
    if step.origin == "model":
        return "generate"
    return "input" if step.origin == "script" and step.role == "evaluator" else ""


def _own_calls(calls: tuple[ToolCall, ...]) -> Iterable[OwnCall]:
    for index, call in enumerate(calls):
        value = parsed(call.arguments)
        same = isinstance(value, dict) and as_text(value) == call.arguments
        if not same or call.made_id:
            yield OwnCall(index, None if same else call.arguments, call.made_id)
