"""Steps as ATIF has them: the results of calls stand where the calls stand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import msgspec

from ...model.marks import Mark
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
    reasoning_text,
)
from ...model.steps import Call, Step
from ..chat_messages import is_object
from ..chat_notes import AS_OBJECTS
from ..edit_fields import edit_of, iso_time
from ..jsonl import RawJson
from ..reading.content import SHAPE
from ..source import Source, as_it_is, json_of, plain
from ..subject import Subject
from .fields import (
    AGENT_ONLY,
    METRICS,
    OURS,
    RESULT,
    STEP,
    fitted,
    is_native_part,
    is_time,
    moved,
)

CALL = "$call"
CALLS = "$calls"
TIMESTAMP = "$timestamp"
SYSTEM = "$system"
NAME = "atif"


_SYSTEM_STEP = {"timestamp": is_time, "extra": lambda value: isinstance(value, dict)}


class StepWriter:
    """Writes paths of one subject's tree as ATIF steps. ``said`` gathers what is written in a way
    of its own: the words, and the numbers of the steps in the path.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.source = Source(subject, NAME)
        self.said: dict[str, list[int]] = {}
        self._marks: dict[str, list[Mark]] = {}
        for mark in subject.marks:
            self._marks.setdefault(mark.step_id, []).append(mark)

    def steps(
        self, path: Iterable[Step], system: str | None, *, first: int = 1
    ) -> list[dict[str, Any]]:
        """The steps of a path, the system text before them; the stop is none. They count from
        ``first``.
        """
        found: list[dict[str, Any]] = []
        if system is not None:
            found.append({"step_id": 1, "source": "system", "message": system})
            more, odd = fitted(self.source.of_record().get(SYSTEM, {}), {**STEP, **_SYSTEM_STEP})
            _add_extra(found[0], more.pop("extra", None))
            found[0].update({key: plain(value) for key, value in more.items()})
            _add_extra(found[0], odd)
        open_calls: dict[str, dict[str, Any]] = {}
        for number, step in enumerate(path, 1):
            payload = step.payload
            if isinstance(payload, Stop):
                continue
            if isinstance(payload, ToolResult):
                self._result(found, open_calls, step, payload, number)
                continue
            made = self._step(step, number, len(found) + first)
            if isinstance(payload, SystemNote) and not found and first == 1:
                _ours(made)["note"] = True  # else it would be taken for the system text
            found.append(made)
            if isinstance(payload, TargetReply):
                open_calls.update((call.id, made) for call in payload.tool_calls)
        return [_in_order(step) for step in found]

    # -- steps -----------------------------------------------------------------------------------

    def _step(self, step: Step, number: int, step_id: int) -> dict[str, Any]:
        payload = step.payload
        shapes = self.source.of_step(step)
        made: dict[str, Any] = {"step_id": step_id}
        at = shapes.get(TIMESTAMP)
        if at is not None and not is_time(at):
            _add_extra(made, {"timestamp": at})
        at = at if is_time(at) else iso_time(step.created_at)
        if at:
            made["timestamp"] = at
        assert not isinstance(payload, Stop | ToolResult)
        made["source"] = {UserMessage: "user", TargetReply: "agent", SystemNote: "system"}[
            type(payload)
        ]
        made["message"] = self._content(payload.parts, shapes, made, number)
        if isinstance(payload, TargetReply):
            self._reply(made, payload, shapes, number, came=self.source.has(step))
        elif isinstance(payload, UserMessage):
            self._evaluator(made, payload)
        if self.source.has(step):
            if step.call is not None and CALL in shapes:
                _ours(made)["call"] = _builtins(step.call)
            self._as_it_came(made, shapes, number)
        elif step.call is not None:
            self._call(made, step.call)
        self._ours(made, step, shapes)
        return made

    def _reply(
        self,
        made: dict[str, Any],
        payload: TargetReply,
        shapes: dict[str, Any],
        number: int,
        *,
        came: bool,
    ) -> None:
        """What a reply says and calls; ``came``: it was read as it is."""
        if payload.reasoning:
            made["reasoning_content"] = reasoning_text(payload.reasoning)
            if len(payload.reasoning) > 1 or payload.reasoning[0] != Reasoning(
                payload.reasoning[0].text
            ):
                _ours(made)["reasoning"] = msgspec.to_builtins(payload.reasoning)
        if payload.tool_calls:
            more = shapes.get(CALLS, {})
            made["tool_calls"] = [
                self._tool_call(call, more.get(str(index), {}), number, came=came)
                for index, call in enumerate(payload.tool_calls)
            ]
        if payload.finish_reason:
            _ours(made)["finish_reason"] = payload.finish_reason
        if payload.refusal:
            _ours(made)["refusal"] = payload.refusal

    def _tool_call(
        self, call: ToolCall, more: dict[str, Any], number: int, *, came: bool
    ) -> dict[str, Any]:
        made: dict[str, Any] = {
            "tool_call_id": call.id,
            "function_name": call.name,
            "arguments": RawJson("{}"),
        }
        if is_object(call.arguments):
            if not came:
                self.said.setdefault(AS_OBJECTS, [])
            made["arguments"] = RawJson(call.arguments)
        else:
            words = "arguments that are no JSON object stand as text in the call's extra"
            self._say(words, number)
            _ours(made)["arguments"] = call.arguments
        if call.made_id:
            _ours(made)["made_id"] = True
        _add_extra(made, more.get("extra"))
        _add_extra(made, {key: value for key, value in more.items() if key != "extra"})
        return made

    def _evaluator(self, made: dict[str, Any], payload: UserMessage) -> None:
        """What only agents may have in ATIF and the evaluator has too."""
        if payload.reasoning:
            _ours(made)["reasoning"] = msgspec.to_builtins(payload.reasoning)
        if payload.tool_calls:
            _ours(made)["tool_calls"] = msgspec.to_builtins(payload.tool_calls)

    def _result(
        self,
        found: list[dict[str, Any]],
        open_calls: dict[str, dict[str, Any]],
        step: Step,
        payload: ToolResult,
        number: int,
    ) -> None:
        if not found:
            words = "a result that comes first stands in a system step"
            self._say(words, number)
            found.append({"step_id": 1, "source": "system", "message": ""})
            _ours(found[0])["empty"] = True
        shapes = self.source.of_step(step)
        holder = open_calls.get(payload.call_id)
        made: dict[str, Any] = {}
        if holder is not None:
            made["source_call_id"] = payload.call_id
            if holder is not found[-1]:
                self._say("a result that came later stands with its call", number)
        else:
            holder = found[-1]
            if payload.call_id:
                _ours(made)["call_id"] = payload.call_id
            if not self.source.has(step):
                self._say("a result without its call names no call", number)
        content = self._content(payload.parts, shapes, made, number)
        if payload.parts or shapes.get(SHAPE) not in ("null", "absent"):
            made["content"] = content
        if payload.is_error:
            _add_extra(made, {"is_error": True})
        at = iso_time(step.created_at)
        if at:
            _ours(made)["at"] = at
        if step.call is not None and (CALL in shapes or not self.source.has(step)):
            _ours(made)["call"] = _builtins(step.call)
        good, odd = fitted(_leftover(shapes), RESULT)
        made.update({key: plain(value) for key, value in good.items()})
        _add_extra(made, odd.pop("extra", None))
        _add_extra(made, odd)
        self._ours(made, step, shapes)
        results = holder.setdefault("observation", {"results": []})["results"]
        results.append(_in_order(made))

    # -- fields ----------------------------------------------------------------------------------

    def _content(
        self, parts: tuple[Part, ...], shapes: dict[str, Any], made: dict[str, Any], number: int
    ) -> Any:
        """Text, or parts where there are several; what ATIF has no part for stands in ``extra``."""
        native: list[Any] = []
        others: list[dict[str, Any]] = []
        for index, part in enumerate(parts):
            if isinstance(part, Text):
                native.append({"type": "text", "text": part.text})
            elif is_native_part(parsed_part(part)):
                native.append(as_it_is(part.raw))
            else:
                others.append({"at": index, **msgspec.to_builtins(part)})
        if others:
            self._say("parts that ATIF has no shape for stand in the step's extra", number)
            _ours(made)["parts"] = others
        if shapes.get(SHAPE) != "parts":
            if not native:
                return ""
            if len(native) == 1 and isinstance(native[0], dict):
                return native[0]["text"]
        return native

    def _as_it_came(self, made: dict[str, Any], shapes: dict[str, Any], number: int) -> None:
        """What the source said of the step besides."""
        good, odd = fitted(_leftover(shapes), STEP)
        extra = odd.pop("extra", None)
        for key in AGENT_ONLY & good.keys() if made["source"] != "agent" else ():
            odd[key] = good.pop(key)
        if good.get("llm_call_count") == 0 and ("metrics" in good or "reasoning_content" in made):
            odd["llm_call_count"] = good.pop("llm_call_count")
        if odd:
            words = "fields of the source that ATIF 1.8 has no place for stand in extra"
            self._say(words, number)
        if "metrics" in good:
            good["metrics"] = moved(good["metrics"], METRICS)
        made.update({key: plain(value) for key, value in good.items()})
        _add_extra(made, extra)
        _add_extra(made, odd)

    def _call(self, made: dict[str, Any], call: Call) -> None:
        """How a live step was made: metrics, as far as ATIF has them, and the rest in extra."""
        _ours(made)["call"] = _builtins(call)
        if made["source"] != "agent":
            return
        if call.model:
            made["model_name"] = call.model
        usage = call.usage
        metrics: dict[str, Any] = {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        }
        if usage.cached_tokens:
            metrics["cached_tokens"] = usage.cached_tokens
        if call.cost is not None and math.isfinite(call.cost):
            metrics["cost_usd"] = RawJson(repr(call.cost))
        made["metrics"] = metrics
        made["llm_call_count"] = 2 if call.note else 1

    def _ours(self, made: dict[str, Any], step: Step, shapes: dict[str, Any]) -> None:
        """Edits and marks."""
        edit = edit_of(self.subject, step)
        if edit:
            _ours(made)["edit"] = edit
        copied = shapes.get("is_copied_context") is True
        marks = [m for m in self.marks(step) if not (copied and m == {"train": False})]
        if marks:
            _ours(made)["marks"] = marks

    def marks(self, step: Step) -> list[dict[str, Any]]:
        """What humans said of a step."""
        found = []
        for mark in self._marks.get(step.id, ()):
            fields = numbers(msgspec.to_builtins(mark))
            del fields["step_id"]
            found.append(fields)
        return found

    def _say(self, words: str, number: int) -> None:
        self.said.setdefault(words, []).append(number)


def _ours(made: dict[str, Any]) -> dict[str, Any]:
    """Our own part of a thing's extra."""
    found: dict[str, Any] = made.setdefault("extra", {}).setdefault(OURS, {})
    return found


def _add_extra(made: dict[str, Any], more: Any) -> None:
    """Keys of the source go into extra, and never over what stands there."""
    if not isinstance(more, dict):
        if more is None:
            return
        more = {"extra": more}
    extra = made.setdefault("extra", {}) if more else {}
    for key, value in more.items():
        extra.setdefault(key if key != OURS else f"{OURS}_of_the_source", plain(value))


_ORDER = (
    *("step_id", "timestamp", "source", "model_name", "reasoning_effort", "message"),
    *("reasoning_content", "tool_calls", "observation", "metrics", "is_copied_context"),
    *("llm_call_count", "source_call_id", "content", "subagent_trajectory_ref", "extra"),
)


def _in_order(made: dict[str, Any]) -> dict[str, Any]:
    return {key: made[key] for key in _ORDER if key in made}


def _leftover(shapes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shapes.items() if not key.startswith("$")}


def parsed_part(part: OtherPart) -> Any:
    """What a part is as JSON; None where it is none."""
    return json_of(part.raw)


def _builtins(call: Call) -> Any:
    """A call as JSON; the request is kept in the library only."""
    fields = msgspec.to_builtins(msgspec.structs.replace(call, request=""))
    return numbers(fields)


def numbers(value: Any) -> Any:
    """A value with its floats as JSON has them; NaN and infinities become null."""
    if isinstance(value, float):
        return RawJson(repr(float(value))) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [numbers(item) for item in value]
    return value
