"""One rollout, with all of its branches that are exported, as a sample of a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ...model.marks import Mark
from ...model.messages import Stop, TargetReply, UserMessage, parts_text
from ...model.rollout import Branch
from ...model.steps import Call, Step
from ..jsonl import RawJson
from ..reading.values import table, text
from ..subject import Subject
from . import NAMES
from .content import read_contents
from .event_out import EventWriter
from .message_out import Messages, source_fields
from .model_out import iso, model_of, output_of, usage_of
from .own import KEY, Own, OwnEnd, OwnSample, plain
from .scores import scores_out
from .values_out import parsed, raw_fields, written

_STALE = ("output", "error", "error_retries", "limit", "uuid", "completed_at", "total_time")
"""What a sample that was read says of how it ended, and is not so any more once it was edited."""


class SampleWriter:
    """Makes the sample of the trajectories of one rollout; the first is the sample's own."""

    def __init__(self, subjects: Sequence[Subject], sample_id: int | str, epoch: int) -> None:
        self._subjects = subjects
        self._main = subjects[0]
        self._key = {"id": sample_id, "epoch": epoch}
        self._messages = Messages(subjects)
        self._beside = extra_of(self._main)
        self._source = source_of(self._main)
        steps = self._main.trajectory.steps
        self._edited = any(step.origin != "import" or step.copied_from for step in steps)

    def sample(self) -> dict[str, Any]:
        """The sample."""
        system = self._system()
        events = EventWriter(self._subjects, self._messages, system)
        timeline = events.timeline()
        found = {
            **self._key,
            "input": self._input(),
            "target": self._main.project.goal,
            "messages": [*([system] if system else []), *self._spoken()],
            "output": self._output(),
            "store": {},
            "model_usage": self._usage(),
            **self._times(),
            **raw_fields(self._kept()),
            "scores": self._scores(),
            "metadata": self._metadata(),
            "events": events.events,
            "timelines": [timeline],
            "events_data": {"messages": events.pool, "calls": []},
            "attachments": {},
        }
        return {**found, **self._key}

    def _kept(self) -> dict[str, Any]:
        """What the sample was read with, as far as it is still so."""
        stale = _STALE if self._edited else ()
        return {key: each for key, each in self._source.items() if key not in stale}

    def _system(self) -> dict[str, Any] | None:
        system = self._main.project.target.system
        if system is None:
            return None
        was = table(self._beside.get("$system"))
        if was and parts_text(read_contents(was.get("content")).parts) == system:
            return raw_fields(was)
        return {"id": "system", "role": "system", "content": system}

    def _spoken(self) -> Iterator[RawJson]:
        for step in self._main.trajectory.steps:
            message = self._messages.document(step, self._main)
            if message is not None:
                yield message

    def _input(self) -> str:
        steps = self._main.trajectory.steps
        first = next((s.payload for s in steps if isinstance(s.payload, UserMessage)), None)
        return parts_text(first.parts) if first else self._main.project.opening or ""

    def _output(self) -> dict[str, Any]:
        model = model_of(self._main)
        for step in reversed(self._main.trajectory.steps):
            if isinstance(step.payload, TargetReply):
                message = self._messages.document(step, self._main)
                return output_of(step.payload, message, step.call or Call(model))
        return {"model": model, "choices": []}

    def _usage(self) -> dict[str, Any]:
        sums: dict[str, Call] = {}
        for step in self._steps():
            add_calls(sums, step)
        return {model: usage_of(call) for model, call in sums.items()}

    def _steps(self) -> Iterator[Step]:
        seen: set[str] = set()
        for subject in self._subjects:
            for step in subject.trajectory.steps:
                if step.id not in seen:
                    seen.add(step.id)
                    yield step

    def _times(self) -> dict[str, Any]:
        times = [step.created_at for step in self._steps() if step.created_at]
        if not times:
            return {}
        took = written(max(times) - min(times))
        return {
            "started_at": iso(min(times)),
            "completed_at": iso(max(times)),
            "total_time": took,
            "working_time": took,
        }

    def _scores(self) -> dict[str, Any]:
        return scores_out(self._main.scores, self._messages.ids, self._source.get("scores"))

    def _metadata(self) -> dict[str, Any]:
        """What people read of the rollout, and what gives it back as it was."""
        main, given = self._main, table(self._source.get("metadata"))
        found: dict[str, Any] = {k: v for k, v in raw_fields(given).items() if k != KEY}
        stop = main.trajectory.stop
        if stop is not None and not _of_limit(main.trajectory.steps[-1], main):
            said = {"stop": stop.reason, "stop_by": stop.by, "stop_note": stop.note}
            found.update({key: each for key, each in said.items() if each})
        leaf = main.trajectory.steps[-1].id if main.trajectory.steps else ""
        for mark in main.marks:
            if mark.step_id == leaf:
                said_of = {"verdict": mark.verdict, "rating": mark.rating, "note": mark.note}
                found.update({key: each for key, each in said_of.items() if each})
                if mark.tags:
                    found["tags"] = list(mark.tags)
        ends = list(self._ends())
        own = self._own(tuple(end for end, _ in ends))
        if own is None:
            return found
        said_more = written(plain(own))
        for place, (_, message) in enumerate(ends):
            if message is not None:
                said_more["ends"][place]["message"] = message
        return {**found, KEY: said_more}

    def _own(self, ends: tuple[OwnEnd, ...]) -> OwnSample | None:
        """None where the sample is as it was read: then it says all there is."""
        main, ids = self._main, self._messages.ids
        marks = tuple(_marks(self._subjects, ids))
        branches = tuple(_branches(self._subjects, ids))
        plain_import = bool(self._source) and not self._edited
        if plain_import and not marks and not ends:
            return None
        leaf = main.trajectory.steps[-1].id if main.trajectory.steps else ""
        return OwnSample(
            1,
            main.title,
            None if plain_import else main.project,
            ends,
            marks,
            branches,
            ids.get(leaf, ""),
            *(("", "") if plain_import else self._origin()),
        )

    def _origin(self) -> tuple[str, str]:
        """The format that the rollout was first read from, and what else its record held."""
        given = self._beside.get("$source")
        if isinstance(given, list) and len(given) == 2:
            return text(given[0]), text(given[1])
        return self._main.format, self._main.extra

    def _ends(self) -> Iterator[tuple[OwnEnd, RawJson | None]]:
        """Stops, and messages at the end of branches that no model was sent."""
        ids = self._messages.ids
        told: set[str] = set()
        for subject in self._subjects:
            steps = subject.trajectory.steps
            for place, step in enumerate(steps):
                if step.id in told or not self._is_end(subject, place):
                    continue
                told.add(step.id)
                after = ids[steps[place - 1].id] if place else ""
                own = self._messages.own(step)
                stop = step.payload if isinstance(step.payload, Stop) else None
                message = self._messages.document(step, subject)
                yield OwnEnd(after, stop, None, own if stop else Own()), message

    def _is_end(self, subject: Subject, place: int) -> bool:
        """Whether neither the sample's messages nor an event holds the step."""
        steps = subject.trajectory.steps
        if isinstance(steps[place].payload, Stop):
            return not _of_limit(steps[place], subject)
        if subject is self._main:
            return False
        return not any(isinstance(each.payload, TargetReply) for each in steps[place:])


def extra_of(subject: Subject) -> dict[str, Any]:
    """What was kept of a sample that was read from a log of Inspect, and of the log around it."""
    if subject.format not in NAMES or not subject.extra:
        return {}
    return table(parsed(subject.extra))


def source_of(subject: Subject) -> dict[str, Any]:
    """The fields of the sample that it was read from."""
    return {key: each for key, each in extra_of(subject).items() if key[:1] != "$"}


def add_calls(sums: dict[str, Call], step: Step) -> None:
    """Add what a step cost to the sums of its model. What was copied was not paid for again."""
    call = step.call
    if call is not None and not step.copied_from and (call.usage.tokens or call.cost):
        sums[call.model] = _sum(sums[call.model], call) if call.model in sums else call


def _sum(one: Call, other: Call) -> Call:
    a, b = one.usage, other.usage
    usage = msgspec.structs.replace(
        a,
        prompt_tokens=a.prompt_tokens + b.prompt_tokens,
        completion_tokens=a.completion_tokens + b.completion_tokens,
        reasoning_tokens=a.reasoning_tokens + b.reasoning_tokens,
        cached_tokens=a.cached_tokens + b.cached_tokens,
    )
    known = [cost for cost in (one.cost, other.cost) if cost is not None]
    return msgspec.structs.replace(one, usage=usage, cost=sum(known) if known else None)


def _of_limit(step: Step, subject: Subject) -> bool:
    """Whether the sample's own limit tells of this stop."""
    return "$limit" in source_fields(step, subject)


def _marks(subjects: Sequence[Subject], ids: dict[str, str]) -> Iterator[Mark]:
    marks = {mark.step_id: mark for subject in subjects for mark in subject.marks}
    for mark in marks.values():
        if mark.step_id in ids:
            yield msgspec.structs.replace(mark, step_id=ids[mark.step_id])


def _branches(subjects: Sequence[Subject], ids: dict[str, str]) -> Iterator[Branch]:
    named = {each.leaf_id: each for subject in subjects for each in subject.named}
    for branch in named.values():
        if branch.leaf_id in ids and branch.name:
            yield msgspec.structs.replace(branch, leaf_id=ids[branch.leaf_id])
