"""Logs of Inspect (EvalLog), one rollout for each sample.

The messages of the sample are the branch that is opened; what its timelines or events tell of other
branches makes the tree. A log of our own gives the rollout back as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from ...errors import Fault, FormatError
from ...model.marks import Mark
from ...model.messages import Stop
from ...model.project import Project
from ...model.rollout import Branch
from ...model.steps import Attempt
from ..reading.building import TreeBuilder, imported_project
from ..reading.calls import OpenCalls
from ..reading.json_in import as_text, not_finite
from ..reading.record import Imported, Record
from ..reading.tools import read_tools
from ..reading.values import items, seconds, shown, table, text, without
from . import NAMES
from .events import Events
from .messages import Tree
from .own import KEY, OwnSample, read_own
from .resolve import Resolver
from .scores import read_scores

_TAKEN = (
    *("messages", "events", "timelines", "attachments", "events_data", "message_pool"),
    *("call_pool", "transcript", "model_usage", "role_usage"),
)
"""Of a sample what is in the steps, or follows from them."""
_Placed = TypeVar("_Placed", Mark, Branch)

LIMIT = '{"$limit": true}'
"""The ``extra`` of a stop that a sample's ``limit`` tells of."""
_OF_LOG = ("version", "status", "eval", "plan", "error", "tags", "metadata", "log_updates")
"""Of a log what each of its samples is kept with."""


_IN_PIECES = Fault(
    "the sample is stored in pieces (messages and events in entries of their own).",
    hint="Write the log anew as JSON: inspect log convert --to json.",
)


def read_log(record: Record) -> Iterator[Imported]:
    """The sample, or every sample of a whole log. Raises FormatError."""
    value = record.value
    if record.path.endswith("/sample.json"):
        raise FormatError(faults=(_IN_PIECES,))
    if isinstance(value, dict) and ("eval" in value or "samples" in value):
        around = without(value, "samples")
        samples = items(value.get("samples"))
        if not samples:
            raise FormatError(faults=(_no_samples(value),))
        for index, sample in enumerate(samples):
            yield _sample(sample, around, f"{record.digest}.{index}")
    else:
        yield _sample(value, table(record.around), record.digest)


def _no_samples(log: dict[str, Any]) -> Fault:
    words = "no samples: the log holds its header only."
    error = text(table(log.get("error")).get("message"))
    if error:
        words += f" It ended with an error: {error}"
    status = shown(log.get("status"))
    return Fault(words, where="samples", hint=f"Its status is {status}." if status else "")


def _sample(value: Any, log: dict[str, Any], digest: str) -> Imported:
    if not isinstance(value, dict):
        raise FormatError(faults=(Fault("this is no sample object."),))
    return _Sample(value, log, digest).read()


class _Sample:
    """Reads one sample."""

    def __init__(self, sample: dict[str, Any], log: dict[str, Any], digest: str) -> None:
        self._sample = sample
        self._log = log
        self._digest = digest
        self._builder = TreeBuilder(digest)
        self._name = repr(shown(sample.get("id")))
        self._resolver = Resolver(sample, self._name, self._builder)
        self._events = Events(sample, self._resolver, self._builder)
        self._tree = Tree(self._builder)
        said = table(sample.get("metadata")).get(KEY)
        self._own = read_own(said, OwnSample) or OwnSample()

    def read(self) -> Imported:
        """The rollout. Raises FormatError where the sample holds no messages."""
        sample, builder, tree = self._sample, self._builder, self._tree
        head = self._main()
        branches = list(self._branches(head))
        self._own_ends()
        self._events.tell(tree)
        tree.link()
        head = self._end(head) if head is not None else None
        if not builder.steps:
            raise FormatError(faults=(self._empty(),))
        self._notes()
        marks = self._placed(self._own.marks, "step_id")
        named = self._placed(self._own.branches, "leaf_id")
        head = tree.by_id.get(self._own.head, head)
        return Imported(
            self._own.project or self._project(),
            builder.steps,
            self._title(),
            head=head,
            scores=tuple(read_scores(sample, tree.by_id)),
            marks=marks,
            branches=named or tuple(branches),
            attempts=(*self._events.attempts, *self._errors(head)),
            requests=tuple(self._events.requests.items()),
            extra=self._extra(),
            notes=tuple(builder.notes),
            created_at=self._began(),
        )

    def _main(self) -> str | None:
        given = enumerate(items(self._sample.get("messages")))
        messages = [self._resolver.value(each, f"messages[{index}]") for index, each in given]
        if not messages:
            messages = self._events.last_path(self._events.all)
            if messages:
                words = "the sample has no messages; those of its last model call are shown"
                self._builder.note(words, "messages")
        if not messages:
            messages = self._input()
        return self._tree.walk(messages, "messages")

    def _input(self) -> list[Any]:
        given = self._resolver.value(self._sample.get("input"), "input")
        if isinstance(given, str):
            return [{"role": "user", "content": given}]
        return items(given)

    def _branches(self, main: str | None) -> Iterator[Branch]:
        for lane in self._events.lanes():
            path = self._events.last_path(lane.events, results=not self._own.ends)
            leaf = self._tree.walk(path, f"branch {lane.name}") if path else None
            if leaf is not None and leaf != main and lane.name:
                yield Branch(leaf, lane.name)

    def _own_ends(self) -> None:
        """Stops, and messages that no model was sent."""
        said = items(table(table(self._sample.get("metadata")).get(KEY)).get("ends"))
        for index, end in enumerate(self._own.ends):
            after = self._tree.by_id.get(end.after)
            where = f"metadata.{KEY}.ends[{index}]"
            if end.message is not None:  # as it stands in the log, with its numbers
                self._tree.add(table(said[index])["message"], where, after, OpenCalls())
            elif end.stop is not None:
                self._tree.put(end.stop, end.own, after)

    def _end(self, head: str) -> str:
        """The stop of a sample that ran into a limit."""
        limit = table(self._sample.get("limit"))
        kind = text(limit.get("type"))
        if not kind or self._own.ends:
            return head
        note = text(limit.get("reason")) or f"limit: {shown(limit.get('limit'))}"
        self._builder.here = head
        return self._builder.add(Stop(f"{kind}_limit", "rule", note), extra=LIMIT)

    def _errors(self, head: str | None) -> Iterator[Attempt]:
        error = table(self._sample.get("error"))
        if error:
            words = shown(error.get("message")) or "the sample ended with an error"
            detail = shown(error.get("traceback"))
            name = f"{self._digest}.error"
            at = seconds(self._sample.get("completed_at"))
            yield Attempt(name, head, "target", "raised", words, detail=detail, created_at=at)

    def _empty(self) -> Fault:
        error = text(table(self._sample.get("error")).get("message"))
        more = f" It ended with an error: {error}" if error else ""
        return Fault(f"sample {self._name} holds no messages.{more}", where="messages")

    def _notes(self) -> None:
        note = self._builder.note
        log, sample = self._log, self._sample
        error = table(log.get("error"))
        if error or log.get("status") in ("error", "cancelled"):
            words = shown(error.get("message")) or "no more is said"
            note(f"the log's status is {shown(log.get('status'))}: {words}", "error")
        error = table(sample.get("error"))
        if error:
            note(f"the sample ended with an error: {shown(error.get('message'))}", "error")
        if items(sample.get("error_retries")):
            count = len(items(sample["error_retries"]))
            note(f"the sample was tried {count} times before; those are not shown", "error_retries")
        if sample.get("invalidation") is not None:
            why = shown(table(sample["invalidation"]).get("reason"))
            note(f"the sample was declared invalid: {why}", "invalidation")
        if not_finite([sample.get("scores"), log.get("results")]):
            note("NaN or infinity stands among the scores; shown by name", "scores")

    def _project(self) -> Project:
        sample, spec = self._sample, table(self._log.get("eval"))
        targets = sample.get("target")
        wanted = [shown(each) for each in (targets if isinstance(targets, list) else [targets])]
        said = {
            "task": spec.get("task"),
            "model": spec.get("model"),
            "target": targets if targets != "" else None,
            "choices": sample.get("choices"),
            "metadata": sample.get("metadata") or None,
        }
        return imported_project(
            self._title(),
            system=self._tree.system,
            tools=read_tools(self._tools(), "events[].tools", self._builder.note),
            goal="\n".join(word for word in wanted if word),
            metadata=as_text({"inspect": without(said)}),
        )

    def _tools(self) -> list[Any]:
        """The tools that the model was last given."""
        given = (items(each.get("tools")) for each in reversed(self._events.all))
        found = next((tools for tools in given if tools), [])
        return items(self._resolver.value(found, "events[].tools"))

    def _placed(self, said: tuple[_Placed, ...], field: str) -> tuple[_Placed, ...]:
        """What our own words say of steps, of those that are here, by the ids that they have
        here.
        """
        ids, replace = self._tree.by_id, msgspec.structs.replace
        known = ((each, ids.get(getattr(each, field))) for each in said)
        return tuple(replace(each, **{field: here}) for each, here in known if here is not None)

    def _title(self) -> str:
        if self._own.title:
            return self._own.title
        task = text(table(self._log.get("eval")).get("task"))
        name = shown(self._sample.get("id"))
        epoch = self._sample.get("epoch")
        title = f"{task} {name}".strip() or "Inspect sample"
        return f"{title}, epoch {shown(epoch)}" if epoch not in (None, 1) else title

    def _began(self) -> float:
        first = next(iter(self._events.all), {})
        spec = table(self._log.get("eval"))
        times = (self._sample.get("started_at"), first.get("timestamp"), spec.get("created"))
        return next((at for each in times if (at := seconds(each))), 0.0)

    def _extra(self) -> str:
        """What a writer needs to give the sample back, and the log around it."""
        own = self._own
        if own.project is not None and own.format in NAMES:
            return own.extra
        if own.project is not None:  # of another format, which no writer is to take for Inspect's
            return as_text({"$source": [own.format, own.extra]}) if own.extra else ""
        sample = table(self._resolver.value(without(self._sample, *_TAKEN), "sample"))
        log = {key: self._log[key] for key in _OF_LOG if self._log.get(key) is not None}
        system = self._tree.system_message
        beside = {"$log": log, "$system": system if system.keys() > {"role", "content"} else None}
        return as_text({**sample, **{key: each for key, each in beside.items() if each}})
