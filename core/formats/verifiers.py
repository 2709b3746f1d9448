"""Results of verifiers: rows with prompt, completion and reward (``results.jsonl``, up to 0.3), and
traces (``traces.jsonl``, from 0.4), whose messages are a graph: every leaf of it is a branch.

Token ids and their probabilities are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..errors import Fault, FormatError
from ..model.marks import Mark, Score
from ..model.messages import Stop, TargetReply, UserMessage, payload_text
from ..model.steps import Attempt, Call, Usage
from .reading.building import TreeBuilder, imported_project
from .reading.chat import ChatReader
from .reading.json_in import JsonProblem, JsonReader, as_text
from .reading.record import Imported, Reader, Record
from .reading.tools import read_tools
from .reading.trees import open_calls
from .reading.values import count, items, number, score_value, seconds, shown, table, text, without

_TITLE = 80
_TOKENS = ("token_ids", "mask", "logprobs")
_ROW = (
    *("prompt", "completion", "reward", "metrics", "answer", "task", "info", "example_id", "id"),
    *("error", "stop_condition", "is_completed", "is_truncated", "trajectory", "rollout_index"),
)
_ENDS = {"stop": "stop", "length": "length", "tool_calls": "tool_calls"}


def recognise(value: Any) -> int:
    """Whether it is a row of results, or a trace."""
    if not isinstance(value, dict):
        return 0
    nodes = value.get("nodes")
    if isinstance(nodes, list):
        first = table(next(iter(nodes), None))
        signs = value.keys() & {"rewards", "task", "calls", "stop_condition", "verifiers"}
        return 97 if len(signs) > 1 and (not nodes or "message" in first) else 0
    if {"prompt", "completion", "reward"} <= value.keys():
        return 96 if isinstance(value["completion"], list | str) else 50
    return 0


def read(record: Record) -> Iterator[Imported]:
    """The trajectory of a row, or the tree of a trace. Raises FormatError."""
    value = table(record.value)
    builder = TreeBuilder(record.digest)
    yield _Trace(value, builder).read() if "nodes" in value else _row(value, builder)


READER = Reader(recognise, read)


def _row(value: dict[str, Any], builder: TreeBuilder) -> Imported:
    chat = ChatReader(builder)
    for key, role in (("prompt", "user"), ("completion", "assistant")):
        given = value.get(key)
        if isinstance(given, str):
            chat.read_one({"role": role, "content": given}, key)
        elif isinstance(given, list):
            chat.read([_calls_parsed(each) for each in given], key)
        elif given is not None:
            builder.note("these are no messages; left out", key)
    if not builder.steps:
        raise FormatError(faults=(Fault("there are no messages.", where="prompt"),))
    last = builder.here
    error = value.get("error")
    attempts: tuple[Attempt, ...] = ()
    if error is not None:
        words = shown(table(error).get("message")) or shown(error)
        attempts = (Attempt(f"{last}.error", last, "target", "raised", words),)
    if text(value.get("stop_condition")):
        builder.add(Stop(text(value["stop_condition"]), "rule"))
    info = table(value.get("info"))
    tools = info.get("oai_tools", info.get("tool_defs"))
    title = _title(builder, value.get("task"), value.get("example_id", value.get("id")))
    return Imported(
        imported_project(
            title,
            system=chat.system.text if chat.system else None,
            tools=read_tools(tools, "info.oai_tools", builder.note),
            goal=shown(value.get("answer")),
        ),
        builder.steps,
        title,
        scores=tuple(_row_scores(value)),
        attempts=attempts,
        extra=as_text(without(value, "prompt", "completion")),
        notes=tuple(builder.notes),
    )


def _calls_parsed(message: Any) -> Any:
    """In rows a call may stand as JSON text."""
    calls = table(message).get("tool_calls")
    if not isinstance(calls, list) or not any(isinstance(call, str) for call in calls):
        return message
    return {**message, "tool_calls": [_parsed(call) for call in calls]}


def _parsed(call: Any) -> Any:
    try:
        return JsonReader().parse(call)[0] if isinstance(call, str) else call
    except JsonProblem:
        return call


def _row_scores(value: dict[str, Any]) -> Iterator[Score]:
    judge = "verifiers"
    yield Score("reward", score_value(value.get("reward")), "", judge)
    for name, each in table(value.get("metrics")).items():
        yield Score(name, score_value(each), "", judge)
    for name, each in value.items():
        if name not in _ROW and not name.endswith("_ms") and isinstance(each, int | float):
            yield Score(name, score_value(each), "", judge)


def _title(builder: TreeBuilder, task: Any, name: Any) -> str:
    title = " ".join(word for word in (shown(task), shown(name)) if word)
    if title:
        return title[:_TITLE]
    said = (s.payload for s in builder.steps if isinstance(s.payload, UserMessage))
    first = next((payload_text(each).strip() for each in said), "")
    return first.split("\n")[0][:_TITLE] or "verifiers"


class _Trace:
    """Reads one trace."""

    def __init__(self, trace: dict[str, Any], builder: TreeBuilder) -> None:
        self._trace = trace
        self._builder = builder
        self._chat = ChatReader(builder)
        self._steps: dict[int, str | None] = {}
        self._marks: list[Mark] = []

    def read(self) -> Imported:
        """The tree. Raises FormatError where it has no messages."""
        trace, builder = self._trace, self._builder
        for index, node in enumerate(items(trace.get("nodes"))):
            self._node(node, index)
        if not builder.steps:
            raise FormatError(faults=(Fault("the trace has no messages.", where="nodes"),))
        failed = list(self._calls())
        head = builder.steps[-1].id
        failed += self._errors(head)
        if text(trace.get("stop_condition")):
            builder.here = head
            head = builder.add(Stop(text(trace["stop_condition"]), "rule"))
        if any(table(each).get("token_ids") for each in items(trace.get("nodes"))):
            builder.note("token ids and their probabilities are not kept", "nodes")
        task = table(trace.get("task"))
        data = table(task.get("data")) or task
        name = next((data[k] for k in ("name", "example_id", "idx", "id") if k in data), None)
        title = _title(builder, task.get("type"), name)
        said = {"task": task, "agent": trace.get("agent")}
        return Imported(
            imported_project(
                title,
                system=self._chat.system.text if self._chat.system else None,
                tools=read_tools(trace.get("tools"), "tools", builder.note),
                goal=shown(data.get("answer")),
                metadata=as_text({"verifiers": without(said)}),
            ),
            builder.steps,
            title,
            key=text(trace.get("id")),
            head=head,
            scores=tuple(self._scores()),
            marks=tuple(self._marks),
            attempts=tuple(failed),
            extra=as_text(without(trace, "nodes", "calls", "tools", "task", "agent")),
            notes=tuple(builder.notes),
            created_at=seconds(table(trace.get("timing")).get("start")),
        )

    def _node(self, node: Any, index: int) -> None:
        where = f"nodes[{index}]"
        given = table(node)
        message, parent = given.get("message"), given.get("parent")
        here = None
        if type(parent) is int and parent in self._steps:
            here = self._steps[parent]
        elif parent is not None:
            self._builder.note(f"the message before it, {shown(parent)}, is not there", where)
        role, content = table(message).get("role"), table(message).get("content")
        system = self._chat.system
        if here is None and role == "system" and system is not None and content == system.text:
            self._steps[index] = None  # the root of another branch
            return
        self._builder.here = here
        self._chat.calls.opened(open_calls(self._builder, here))
        step_id = self._chat.read_one(message, f"{where}.message")
        self._steps[index] = step_id
        if step_id is None:
            return
        payload = self._builder.step(step_id).payload
        ended = _ENDS.get(text(given.get("finish_reason")), "")
        if isinstance(payload, TargetReply):
            payload = msgspec.structs.replace(payload, finish_reason=ended)
            self._builder.replace(step_id, payload=payload)
            if given.get("sampled") is False:
                self._marks.append(Mark(step_id, train=False, note="not made by the model"))

    def _calls(self) -> Iterator[Attempt]:
        """How each reply was made; those that failed are attempts."""
        for index, call in enumerate(map(table, items(self._trace.get("calls")))):
            time, node = table(call.get("time")), call.get("node")
            step_id = self._steps.get(node) if type(node) is int else None
            error = table(call.get("error"))
            if error or step_id is None:
                words = shown(error.get("message")) or "the call gave no message"
                detail, at = shown(error.get("traceback")), seconds(time.get("start"))
                name = f"{self._builder.steps[0].id}.call{index}"
                yield Attempt(name, step_id, "target", "server", words, "", detail, created_at=at)
                continue
            usage = table(call.get("usage"))
            prompt = usage.get("prompt_tokens", usage.get("input_tokens"))
            given = usage.get("completion_tokens", usage.get("output_tokens"))
            took = (number(time.get("end")) or 0.0) - (number(time.get("start")) or 0.0)
            made = Call(
                text(call.get("model")),
                params=as_text(without(table(call.get("sampling")))),
                usage=Usage(count(prompt), count(given)),
                seconds=max(0.0, took),
            )
            at = seconds(time.get("end"))
            self._builder.replace(step_id, call=made, created_at=at)

    def _errors(self, head: str) -> Iterator[Attempt]:
        for index, error in enumerate(map(table, items(self._trace.get("errors")))):
            words = ": ".join(
                w for w in (shown(error.get("type")), shown(error.get("message"))) if w
            )
            detail = shown(error.get("traceback"))
            name = f"{head}.error{index}"
            yield Attempt(name, head, "target", "raised", words or "error", detail=detail)

    def _scores(self) -> Iterator[Score]:
        """The sum of the weighted rewards, then each, with what its judge said; then metrics."""
        rewards = table(self._trace.get("rewards"))
        said = {
            shown(table(each).get("name")): _judged(table(each))
            for each in items(table(self._trace.get("info")).get("judge_calls"))
        }
        parts = {name: _weighted(each) for name, each in rewards.items()}
        known = [each for each in parts.values() if each is not None]
        if known:
            yield Score("reward", score_value(sum(known)), "", "verifiers")
        for name, each in rewards.items():
            given = table(each)
            value = given.get("score") if given else each
            weight = number(given.get("weight"))
            words = said.get(name, "")
            if weight not in (None, 1.0):
                words = f"weight {weight:g}" + (f"\n{words}" if words else "")
            yield Score(name, score_value(value), words, "verifiers")
        for name, each in table(self._trace.get("metrics")).items():
            yield Score(name, score_value(each), said.get(name, ""), "verifiers")


def _weighted(reward: Any) -> float | None:
    given = table(reward)
    score = number(given.get("score") if given else reward)
    weight = number(given.get("weight")) if given else None
    return None if score is None else score * (1.0 if weight is None else weight)


def _judged(call: dict[str, Any]) -> str:
    return shown(table(table(call.get("response")).get("message")).get("content"))
