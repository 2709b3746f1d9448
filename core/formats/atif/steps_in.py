"""The steps of an ATIF trajectory, read tolerantly.

A step of an agent becomes a reply and one step for each of its results.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ...model.marks import Mark
from ...model.messages import (
    OtherPart,
    Part,
    Reasoning,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    text_parts,
)
from ...model.steps import Call, Usage
from ..edit_fields import Edits, iso_time
from ..reading.building import TreeBuilder
from ..reading.calls import read_arguments
from ..reading.content import SHAPE, read_content
from ..reading.json_in import as_text
from ..reading.values import count, items, number, seconds, table, text
from .fields import OURS, RESULT, is_native_part
from .steps import CALL, CALLS, TIMESTAMP, parsed_part

_HANDLED = frozenset(
    {
        *("step_id", "timestamp", "source", "message", "reasoning_content", "tool_calls"),
        *("observation", "extra"),
    }
)
_SYSTEM_MORE = frozenset({"timestamp", "extra", "is_copied_context", "llm_call_count"})
_TOOL_CALL = frozenset({"tool_call_id", "function_name", "arguments"})
_RESULT = frozenset({"source_call_id", "content", "extra"})


class StepReader:
    """Puts the steps of one document into a tree. ``agent`` is what the document says of the agent,
    ``system`` the system text that it begins with.
    """

    def __init__(self, builder: TreeBuilder, agent: dict[str, Any]) -> None:
        self.builder = builder
        self.edits = Edits(builder)
        self.marks: list[Mark] = []
        self.system: str | None = None
        self.system_more: dict[str, Any] = {}
        """What the step of the system text said besides."""
        self.agent = agent

    def read(self, values: list[Any], where: str, expected: int) -> list[str | None]:
        """All steps; for each, and for the beginning, where the tree stood then."""
        ends = [self.builder.here]
        for index, value in enumerate(values):
            step = table(value)
            place = f"{where}[{index}]"
            given = step.get("step_id")
            if given != expected:
                self.builder.note(f"it is {given!r} where {expected} is due", f"{place}.step_id")
            expected = given + 1 if isinstance(given, int) else expected + 1
            self._step(step, place, first=index == 0 and where == "steps" and len(values) > 1)
            ends.append(self.builder.here)
        return ends

    def _step(self, step: dict[str, Any], where: str, *, first: bool) -> None:
        source, message = step.get("source"), step.get("message")
        extra = dict(table(step.get("extra")))
        mine = extra.pop(OURS) if isinstance(extra.get(OURS), dict) else {}
        if mine.get("empty"):
            pass
        elif first and self._is_system_text(step, mine):
            self.system = message
            self.system_more = {key: step[key] for key in step if key in _SYSTEM_MORE}
        else:
            kept = {key: item for key, item in step.items() if key not in _HANDLED}
            if extra or ("extra" in step and not mine):
                kept["extra"] = extra if isinstance(step["extra"], dict) else step["extra"]
            if source == "agent":
                self._agent_step(step, kept, mine, where)
            elif source == "user":
                self._user_step(step, kept, mine, where)
            else:
                if source != "system":
                    words = f"the source {source!r} is not known; shown as a system note"
                    self.builder.note(words, f"{where}.source")
                    kept["source"] = source
                self._put(SystemNote(self._parts(step, kept, mine, where)), step, kept, mine)
        self._results(step, where)

    def _is_system_text(self, step: dict[str, Any], mine: dict[str, Any]) -> bool:
        plain = step.keys() <= {"step_id", "source", "message", *_SYSTEM_MORE}
        return (
            plain
            and not mine
            and step.get("source") == "system"
            and isinstance(step.get("message"), str)
        )

    def _agent_step(
        self, step: dict[str, Any], kept: dict[str, Any], mine: dict[str, Any], where: str
    ) -> None:
        parts = self._parts(step, kept, mine, where)
        calls = self._calls(step, kept, where)
        reply = TargetReply(
            parts,
            self._reasoning(step, kept, mine, where),
            calls,
            text(mine.get("finish_reason")),
            text(mine.get("refusal")),
        )
        step_id = self._put(reply, step, kept, mine)
        if step.get("is_copied_context") is True:
            self.marks.append(Mark(step_id, train=False))

    def _user_step(
        self, step: dict[str, Any], kept: dict[str, Any], mine: dict[str, Any], where: str
    ) -> None:
        for key in ("tool_calls", "reasoning_content"):
            if step.get(key) is not None:
                self.builder.note(f"{key} on a step of the user; kept aside", f"{where}.{key}")
                kept[key] = step[key]
        parts = self._parts(step, kept, mine, where)
        own = converted(mine.get("tool_calls"), tuple[ToolCall, ...])
        thought = converted(mine.get("reasoning"), tuple[Reasoning, ...])
        self._put(UserMessage(parts, thought or (), own or ()), step, kept, mine)

    def _put(
        self, payload: Any, step: dict[str, Any], kept: dict[str, Any], mine: dict[str, Any]
    ) -> str:
        """The step, with its time, its call, and what our own part of extra says of it."""
        stamp = step.get("timestamp")
        at = seconds(stamp)
        if stamp is not None and stamp != iso_time(at):
            kept[TIMESTAMP] = stamp
        call = converted(mine.get("call"), Call)
        if call is not None:
            kept[CALL] = True
        call = call or self._call(step)
        step_id = self.builder.add(
            payload, created_at=at, call=call, extra=as_text(kept) if kept else ""
        )
        self.marked(step_id, mine)
        return step_id

    def marked(self, step_id: str, mine: dict[str, Any]) -> None:
        """Edits and marks, as our own part of extra tells them."""
        edit = mine.get("edit")
        if isinstance(edit, dict):
            self.edits.put(step_id, edit)
        for given in items(mine.get("marks")):
            mark = converted({**table(given), "step_id": step_id}, Mark)
            if mark is not None and mark not in self.marks:
                self.marks.append(mark)

    def _reasoning(
        self, step: dict[str, Any], kept: dict[str, Any], mine: dict[str, Any], where: str
    ) -> tuple[Reasoning, ...]:
        given = step.get("reasoning_content")
        blocks: tuple[Reasoning, ...] | None
        blocks = converted(mine.get("reasoning"), tuple[Reasoning, ...])
        if blocks:
            return blocks
        if isinstance(given, str):
            return (Reasoning(given),)
        if given is not None:
            self.builder.note("it is no text; kept aside", f"{where}.reasoning_content")
            kept["reasoning_content"] = given
        return ()

    def _calls(
        self, step: dict[str, Any], kept: dict[str, Any], where: str
    ) -> tuple[ToolCall, ...]:
        given = step.get("tool_calls")
        if given is not None and not isinstance(given, list):
            self.builder.note("it is no list; kept aside", f"{where}.tool_calls")
            kept["tool_calls"] = given
        found, more = [], {}
        for index, value in enumerate(items(given)):
            call = table(value)
            place = f"{where}.tool_calls[{index}]"
            extra = dict(table(call.get("extra")))
            mine = extra.pop(OURS) if isinstance(extra.get(OURS), dict) else {}
            rest = {key: item for key, item in call.items() if key not in (*_TOOL_CALL, "extra")}
            if extra or ("extra" in call and not mine):
                rest["extra"] = extra
            if rest:
                more[str(index)] = rest
            found.append(self._one_call(call, mine, place, index))
        if more:
            kept[CALLS] = more
        return tuple(found)

    def _one_call(
        self, call: dict[str, Any], mine: dict[str, Any], where: str, index: int
    ) -> ToolCall:
        call_id, name = call.get("tool_call_id"), call.get("function_name")
        if not isinstance(call_id, str):
            self.builder.note("the tool call has no id; one was made", f"{where}.tool_call_id")
        if not isinstance(name, str) or not name:
            self.builder.note("the tool call has no name", f"{where}.function_name")
        arguments, shape = read_arguments(call.get("arguments"), where, self.builder.note)
        if shape != "object":
            self.builder.note("the arguments are no object", f"{where}.arguments")
        if isinstance(mine.get("arguments"), str):
            arguments = mine["arguments"]
        made = not isinstance(call_id, str) or mine.get("made_id") is True
        own_id = call_id if isinstance(call_id, str) else f"call_{index + 1}"
        return ToolCall(own_id, text(name), arguments, made_id=made)

    def _results(self, step: dict[str, Any], where: str) -> None:
        """The results of a step, each a step of ours."""
        known = {text(table(call).get("tool_call_id")) for call in items(step.get("tool_calls"))}
        observation = step.get("observation")
        results = table(observation).get("results")
        if observation is not None and not isinstance(results, list):
            self.builder.note("there are no results in it", f"{where}.observation")
        for index, value in enumerate(items(results)):
            self._result(table(value), known, f"{where}.observation.results[{index}]")

    def _result(self, value: dict[str, Any], known: set[str], where: str) -> None:
        given = value.get("source_call_id")
        extra = dict(table(value.get("extra")))
        mine = extra.pop(OURS) if isinstance(extra.get(OURS), dict) else {}
        call_id = text(given) or text(mine.get("call_id"))
        if given is None and "call_id" not in mine:
            self.builder.note("the result names no call", where)
        elif given is not None and (not isinstance(given, str) or given not in known):
            words = f"no call of its step has the id {given!r}"
            self.builder.note(words, f"{where}.source_call_id")
        kept = {key: item for key, item in value.items() if key not in _RESULT}
        parts = self._parts(value, kept, mine, where, key="content")
        error = bool(extra.pop("is_error", False))
        if extra:
            kept["extra"] = extra
        if "subagent_trajectory_ref" in value:
            fits = RESULT["subagent_trajectory_ref"](value["subagent_trajectory_ref"])
            words = "answered by a sub-agent, whose trajectory is kept and not shown"
            self.builder.note(words if fits else "this reference cannot be followed", where)
        call = converted(mine.get("call"), Call)
        if call is not None:
            kept[CALL] = True
        step_id = self.builder.add(
            ToolResult(call_id, parts, error),
            created_at=seconds(mine.get("at")),
            call=call,
            extra=as_text(kept) if kept else "",
        )
        self.marked(step_id, mine)

    def _parts(
        self,
        value: dict[str, Any],
        kept: dict[str, Any],
        mine: dict[str, Any],
        where: str,
        *,
        key: str = "message",
    ) -> tuple[Part, ...]:
        given = value.get(key)
        if isinstance(given, str):
            parts = text_parts(given)
        else:
            content = read_content(given, absent=key not in value)
            parts = content.parts
            if content.shape in ("null", "json") or (key == "message" and content.shape != "parts"):
                words = "it is null" if given is None else "it is no text; shown as JSON"
                self.builder.note(words if key in value else "it is not there", f"{where}.{key}")
            if content.shape != "parts" or len(parts) < 2:
                kept[SHAPE] = content.shape
            if any(isinstance(p, OtherPart) and not is_native_part(parsed_part(p)) for p in parts):
                self.builder.note("a part that ATIF does not have", f"{where}.{key}")
            if content.reasoning or content.calls:
                self.builder.note("a part that ATIF does not have", f"{where}.{key}")
                odd = [*(block.raw for block in content.reasoning), *map(as_text, content.calls)]
                parts = (*parts, *(OtherPart("unknown", "", 0, raw or "") for raw in odd))
        for other in items(mine.get("parts")):
            part = converted({**table(other), "type": "other"}, OtherPart)
            at = count(table(other).get("at"))
            if part is not None:
                parts = (*parts[:at], part, *parts[at:])
        return parts

    def _call(self, step: dict[str, Any]) -> Call | None:
        """What metrics say of how a step was made."""
        metrics = table(step.get("metrics"))
        model = text(step.get("model_name"))
        if not metrics and not model:
            return None
        usage = Usage(
            count(metrics.get("prompt_tokens")),
            count(metrics.get("completion_tokens")),
            cached_tokens=count(metrics.get("cached_tokens")),
        )
        return Call(
            model or text(self.agent.get("model_name")),
            usage=usage,
            cost=number(metrics.get("cost_usd")),
        )


def converted(value: Any, kind: Any) -> Any:
    """Our own part of extra as what it was; None where it is something else."""
    if value is None:
        return None
    try:
        return msgspec.convert(_bare(value), kind)
    except (msgspec.ValidationError, UnicodeError):
        return None


def _bare(value: Any) -> Any:
    """A value with its numbers as Python's own."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items()}
    return [_bare(item) for item in value] if isinstance(value, list) else value
