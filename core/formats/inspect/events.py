"""The events of a sample: which model was called for which reply, with what and at what cost, and
what was tried on other branches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ...model.messages import TargetReply, ToolResult
from ...model.steps import Attempt, Call, Usage
from ..reading.building import TreeBuilder
from ..reading.json_in import as_text
from ..reading.pieces import digest_of
from ..reading.values import count, items, number, seconds, shown, table, text, without
from .messages import Tree, message_key
from .own import KEY
from .resolve import Resolver

Event = dict[str, Any]

_LEFT = frozenset(
    {
        *("approval", "compaction", "input", "interrupt", "logger", "sandbox", "sample_limit"),
        *("store", "subtask", "checkpoint", "review", "score_edit"),
    }
)
"""Events that tell more than the messages do."""
_ENDS = {"unknown": "", "max_tokens": "length"}
"""Why a reply ended, where Inspect has another word for it."""


class Lane(msgspec.Struct, frozen=True):
    """The events of a branch, in order, and its name."""

    name: str
    events: tuple[Event, ...]


class Events:
    """All events of a sample, and what follows from them for the steps of its tree."""

    def __init__(self, sample: dict[str, Any], resolver: Resolver, builder: TreeBuilder) -> None:
        old = table(sample.get("transcript"))
        listed = items(sample.get("events")) or items(old.get("events"))
        self.all: list[Event] = [each for each in listed if isinstance(each, dict)]
        self.requests: dict[str, str] = {}
        self.attempts: list[Attempt] = []
        self._resolver = resolver
        self._builder = builder
        self._timelines = items(sample.get("timelines"))

    def last_path(self, events: Iterable[Event], *, results: bool = True) -> list[Any]:
        """The messages up to the last reply of a model in these events, and the results of tools
        behind it.
        """
        taken = list(events)
        last = max((n for n, each in enumerate(taken) if _reply(each) is not None), default=-1)
        if last < 0:
            return []
        path = [*self._input(taken[last]), self._output(taken[last])]
        behind = taken[last:] if results else []
        return path + [self._result(each) for each in behind if each.get("event") == "tool"]

    def lanes(self) -> Iterator[Lane]:
        """What was tried on branches, as timelines tell, or else the spans of the events. A second
        timeline shows another conversation of the same sample (that of a target under audit, say).
        """
        by_id = {text(each.get("uuid")): each for each in self.all if text(each.get("uuid"))}
        told = False
        for number_of, timeline in enumerate(map(table, self._timelines)):
            if number_of:
                own = (table(each) for each in items(table(timeline.get("root")).get("content")))
                shown_there = (each for each in own if each.get("type") != "span")
                events = _content({"content": list(shown_there)}, by_id)
                yield Lane(text(timeline.get("name")), tuple(events))
            for lane in _of_span(table(timeline.get("root")), by_id):
                told = True
                yield lane
        if not told:
            yield from _of_events(self.all)

    def tell(self, tree: Tree) -> None:
        """Give the steps what the events say of them: how they were made, when, and how they ended.
        Calls that belong to no step of the conversation are noted.
        """
        steps = self._builder.steps
        replies = {step.id for step in steps if isinstance(step.payload, TargetReply)}
        open_replies = replies - tree.own.keys()
        strange = 0
        for event in self.all:
            if event.get("event") != "model" or _is_evaluators(event):
                continue
            reply = _reply(event)
            if reply is None:
                self._failed(event, tree)
                continue
            step_id = self._step_of(reply, event, tree, replies)
            if step_id in open_replies:
                open_replies.discard(step_id)
                self._made(step_id, event)
            elif step_id is None:
                strange += 1
        if strange:
            words = f"{strange} calls of models are no part of this conversation; left out"
            self._builder.note(words, "events")
        self._times_of_results(tree)
        others = Counter(kind for each in self.all if (kind := shown(each.get("event"))) in _LEFT)
        if others:
            words = ", ".join(f"{number} {kind}" for kind, number in sorted(others.items()))
            self._builder.note(f"events that are not kept: {words}", "events")

    def _step_of(
        self, reply: dict[str, Any], event: Event, tree: Tree, replies: set[str]
    ) -> str | None:
        known = tree.by_id.get(text(reply.get("id")))
        if known in replies:
            return known
        alike = tree.by_key.get(message_key(self._output(event)), [])
        for step_id in alike:
            if step_id in replies and self._builder.step(step_id).call is None:
                return step_id
        return alike[0] if alike else None

    def _made(self, step_id: str, event: Event) -> None:
        step = self._builder.step(step_id)
        payload = step.payload
        choice = table(next(iter(items(table(event.get("output")).get("choices"))), None))
        ended = text(choice.get("stop_reason"))
        if isinstance(payload, TargetReply) and not payload.finish_reason:
            payload = msgspec.structs.replace(payload, finish_reason=_ENDS.get(ended, ended))
        at = seconds(event.get("completed")) or seconds(event.get("timestamp"))
        self._builder.replace(step_id, payload=payload, call=self._call(event), created_at=at)

    def _call(self, event: Event) -> Call:
        output, made = table(event.get("output")), table(event.get("call"))
        usage = table(output.get("usage"))
        body = as_text(self._request(event))
        digest = digest_of(body.encode("utf-8", "surrogatepass"))
        self.requests[digest] = body
        took = (output.get("time"), made.get("time"), event.get("working_time"))
        return Call(
            text(output.get("model")) or text(event.get("model")),
            params=as_text(without(table(event.get("config")))),
            request=digest,
            usage=Usage(
                count(usage.get("input_tokens")),
                count(usage.get("output_tokens")),
                count(usage.get("reasoning_tokens")),
                count(usage.get("input_tokens_cache_read")),
            ),
            cost=number(usage.get("total_cost")),
            seconds=next((found for each in took if (found := number(each))), 0.0),
            attempts=count(event.get("retries")) + 1,
            response_id=text(output.get("response_id")),
            note=shown(event.get("error")) or shown(output.get("error")),
        )

    def _request(self, event: Event) -> dict[str, Any]:
        """What went out to the provider where that was kept; else what the model was given."""
        made = table(event.get("call"))
        sent = made.get("request")
        if isinstance(sent, dict) and sent:
            body = table(self._resolver.value(sent, "events[].call.request"))
            if items(made.get("call_refs")):
                pooled = self._resolver.pooled("calls", made["call_refs"], "events[].call")
                body = {**body, (text(made.get("call_key")) or "messages"): pooled}
            return body
        given = {"tools": event.get("tools"), "tool_choice": event.get("tool_choice")}
        more = table(self._resolver.value(without(given), "events[].tools"))
        return {
            "model": text(event.get("model")),
            "messages": self._input(event),
            **{key: each for key, each in more.items() if each},
            **without(table(event.get("config"))),
        }

    def _failed(self, event: Event, tree: Tree) -> None:
        """A call of a model that gave no reply."""
        words = shown(event.get("error")) or shown(table(event.get("output")).get("error"))
        if not words:
            return
        sent = self._input(event)
        last = table(sent[-1]) if sent else {}
        parent = tree.by_id.get(text(last.get("id"))) or next(
            iter(tree.by_key.get(message_key(last), [])), None
        )
        number_of = len(self.attempts) + 1
        self.attempts.append(
            Attempt(
                f"{self._builder.steps[0].id if self._builder.steps else 'a'}.attempt{number_of}",
                parent,
                "target",
                "server",
                words,
                detail=shown(event.get("traceback")),
                created_at=seconds(event.get("timestamp")),
            )
        )

    def _times_of_results(self, tree: Tree) -> None:
        waiting: dict[str, list[str]] = {}
        for step in self._builder.steps:
            if isinstance(step.payload, ToolResult) and step.id not in tree.own:
                waiting.setdefault(step.payload.call_id, []).append(step.id)
        for event in self.all:
            if event.get("event") == "tool" and waiting.get(text(event.get("id"))):
                at = seconds(event.get("completed")) or seconds(event.get("timestamp"))
                self._builder.replace(waiting[text(event["id"])].pop(0), created_at=at)

    def _input(self, event: Event) -> list[Any]:
        if event.get("input_refs") and not event.get("input"):
            return self._resolver.pooled("messages", event["input_refs"], "events[].input_refs")
        given = event.get("input")
        return items(self._resolver.value(given, "events[].input")) if given else []

    def _output(self, event: Event) -> dict[str, Any]:
        return table(self._resolver.value(_reply(event) or {}, "events[].output"))

    def _result(self, event: Event) -> dict[str, Any]:
        result = self._resolver.value(event.get("result"), "events[].result")
        content = result if isinstance(result, str | list) else shown(result)
        found = {"role": "tool", "content": content, "tool_call_id": event.get("id")}
        more = without({"id": event.get("message_id"), "function": event.get("function")})
        return {**found, **more, **without({"error": event.get("error")})}


def _reply(event: Event) -> dict[str, Any] | None:
    """The message that a model gave, if the event is of one that did."""
    if event.get("event") != "model" or _is_evaluators(event):
        return None
    choice = next(iter(items(table(event.get("output")).get("choices"))), None)
    message = table(choice).get("message")
    return message if isinstance(message, dict) and message else None


def _is_evaluators(event: Event) -> bool:
    """Whether a log of our own tells of the evaluator's model, which is no part of what the target
    was told.
    """
    return bool(table(event.get("metadata")).get(KEY))


def _of_span(span: dict[str, Any], by_id: dict[str, Event]) -> Iterator[Lane]:
    """The branches of a span of a timeline, and of all spans in it."""
    for branch in map(table, items(span.get("branches"))):
        yield Lane(text(branch.get("name")), tuple(_content(branch, by_id)))
        yield from _of_span(branch, by_id)
    for each in map(table, items(span.get("content"))):
        if each.get("type") == "span":
            yield from _of_span(each, by_id)


def _content(span: dict[str, Any], by_id: dict[str, Event]) -> Iterator[Event]:
    for each in map(table, items(span.get("content"))):
        event = each.get("event")
        if isinstance(event, dict):
            yield event
        elif isinstance(event, str) and event in by_id:
            yield by_id[event]
        elif each.get("type") == "span":
            yield from _content(each, by_id)


def _of_events(events: list[Event]) -> Iterator[Lane]:
    """Branches told by events alone: spans of the type branch in which a branch begins."""
    begun = {text(each.get("id")): each for each in events if each.get("event") == "span_begin"}
    marked = {text(each.get("span_id")) for each in events if each.get("event") == "branch"}
    lanes: dict[str, list[Event]] = {name: [] for name in begun if name and name in marked}
    nearest: dict[str, str] = {}
    for event in events if lanes else ():
        name = _lane_of(text(event.get("span_id")), begun, lanes.keys(), nearest)
        if name:
            lanes[name].append(event)
    for name, found in lanes.items():
        yield Lane(text(begun[name].get("name")), tuple(found))


def _lane_of(
    span: str, begun: dict[str, Event], lanes: Iterable[str], nearest: dict[str, str]
) -> str:
    """The branch that a span lies in, or is; empty where it lies in none."""
    walked: list[str] = []
    here = span
    while here and here not in nearest and here not in lanes:
        nearest[here] = ""  # spans that name each other in a circle lie in none
        walked.append(here)
        here = text(begun[here].get("parent_id")) if here in begun else ""
    found = here if here in lanes else nearest.get(here, "")
    nearest.update(dict.fromkeys(walked, found))
    return found
