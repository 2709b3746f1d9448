"""A role's answer as a model would have to give it, in the form in which it was asked."""

from __future__ import annotations

from typing import Any

from ..formats.jsonl import RawJson, json_text
from ..model.messages import (
    OtherPart,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    reasoning_text,
    text_parts,
)
from ..model.project import LlmSimulator
from ..model.steps import Step
from ..model.view import View
from ..roles.llm_evaluator import END, SEND
from ..roles.llm_simulator import fails_as_error, state_before
from ..rules.json_values import MISSING, parse
from .asked import Asked


def answer_of(step: Step, asked: Asked, view: View) -> TargetReply:
    """What the model would have answered that makes this step."""
    payload = step.payload
    if isinstance(payload, ToolResult):
        return TargetReply(_result_parts(step, payload, view))
    assert isinstance(payload, UserMessage | Stop)
    if asked.form == "call":
        return _by_call(step.id, payload)
    if asked.form == "json":
        return _by_json(payload)
    if isinstance(payload, UserMessage):
        return TargetReply(payload.parts, payload.reasoning, payload.tool_calls)
    note = f"\n{payload.note}" if payload.note else ""
    return TargetReply(text_parts(f"STOP: {payload.reason}{note}"))


def _by_call(step_id: str, payload: UserMessage | Stop) -> TargetReply:
    reasoning: tuple[Reasoning, ...] = ()
    if isinstance(payload, UserMessage):
        name, arguments = SEND, {"message": parts_text(payload.parts)}
        reasoning = payload.reasoning
    else:
        name, arguments = END, {"reason": payload.reason}
        if payload.note:
            arguments["note"] = payload.note
    call = ToolCall(f"call_{step_id}", name, json_text(arguments), made_id=True)
    others = () if isinstance(payload, Stop) else payload.parts
    parts = tuple(part for part in others if isinstance(part, OtherPart))
    return TargetReply(parts, reasoning, (call,))


def _by_json(payload: UserMessage | Stop) -> TargetReply:
    if isinstance(payload, Stop):
        note = payload.note or None
        value: dict[str, Any] = {"reasoning": "", "message": note, "stop": payload.reason}
        return TargetReply(text_parts(json_text(value)))
    # What a provider sent as reasoning of its own was never a part of the JSON.
    own = tuple(block for block in payload.reasoning if block.raw is None)
    rest = tuple(block for block in payload.reasoning if block.raw is not None)
    text = parts_text(payload.parts)
    value = {"reasoning": reasoning_text(own), "message": text, "stop": None}
    return TargetReply(text_parts(json_text(value)), rest)


def _result_parts(step: Step, payload: ToolResult, view: View) -> tuple[Any, ...]:
    """A result as its simulator has to write it: JSON, with the state where it keeps one."""
    text = parts_text(payload.parts)
    others = tuple(part for part in payload.parts if isinstance(part, OtherPart))
    value = parse(text)
    assert view.call is not None
    says_so = isinstance(value, dict) and "error" in value
    if payload.is_error and not says_so and fails_as_error(view.project.tool(view.call.name)):
        text = json_text({"error": text if value is MISSING else RawJson(text)})
        value = parse(text)
    spec = view.project.tool_simulator
    before = state_before(view, spec) if isinstance(spec, LlmSimulator) else None
    if before is not None:
        raw = value is not MISSING and not isinstance(value, str)
        answer: dict[str, Any] = {"result": RawJson(text) if raw else text}
        if step.state is not None and step.state != before:
            answer["state"] = RawJson(step.state)
        text = json_text(answer)
    return (*((Text(text),) if text else ()), *others)
