"""What a format cannot hold, said before anything is written.

Pure: looks at the subject and at what the format declares, touches no file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import msgspec

from ..errors import Fault
from ..model.messages import (
    OtherPart,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolResult,
    UserMessage,
)
from ..model.steps import Step
from .jsonl import surrogates_in
from .subject import Subject

FEATURES: dict[str, str] = {
    "messages": "messages and replies",
    "project": "roles, rules, limits and breakpoints of the project",
    "tool_traffic": "tool calls and their results",
    "tool_schemas": "declarations of tools",
    "reasoning": "reasoning of the target",
    "evaluator_reasoning": "reasoning of the evaluator",
    "evaluator_calls": "tool calls of the evaluator",
    "is_error": "the sign that a tool result is an error",
    "refusals": "refusals",
    "finish_reasons": "why a reply ended",
    "other_parts": "parts that are not text",
    "system_notes": "system messages in mid-conversation",
    "system_changes": "system texts that the project changed on the way",
    "stop": "the stop and its reason",
    "stop_details": "who decided the stop, and its note",
    "edits": "who made a step, what it replaced, and why",
    "faults": "that a tool result is an injected fault",
    "calls": "models, tokens, costs and times",
    "state": "states of the tool simulator",
    "train": "train marks on replies",
    "marks": "verdicts, ratings, tags and notes",
    "scores": "scores",
    "branches": "other branches of the rollout",
    "later": "later steps of this branch",
    "attempts": "failed attempts",
    "source_fields": "fields of the source that have no place here",
}
"""Everything that a trajectory may hold, in the order in which reports name it."""


class Loss(msgspec.Struct, frozen=True):
    """One thing that the format cannot hold: ``what`` is its key in FEATURES, ``steps`` the numbers
    of the steps that have it, counted along the path from 1, ``count`` how many there are (where
    steps are not what is counted).
    """

    what: str
    words: str
    count: int
    steps: tuple[int, ...] = ()

    def render(self) -> str:
        """The loss in one line."""
        if not self.steps:
            return f"{self.words} ({self.count})" if self.count > 1 else self.words
        shown = ", ".join(str(number) for number in self.steps[:8])
        more = f" and {len(self.steps) - 8} more" if len(self.steps) > 8 else ""
        return f"{self.words} (step {shown}{more})"


class Report(msgspec.Struct, frozen=True):
    """What a format keeps and loses of a trajectory, why it refuses it, and how it writes what it
    has to write differently (``notes``). ``pairless`` says that it is refused for no other reason
    than that there is no pair in it, for a format of pairs.
    """

    format: str
    kept: tuple[str, ...]
    lost: tuple[Loss, ...] = ()
    refused: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    pairless: bool = False

    def render(self) -> str:
        """The report as lines for people."""
        lines = [f"cannot be written: {fault.render()}" for fault in self.refused]
        lines += [f"not kept: {loss.render()}" for loss in self.lost]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines) or "nothing is lost"


Check = Callable[[Subject], tuple[Fault, ...]]
"""Why a format refuses a subject; empty when it takes it."""

Notes = Callable[[Subject], tuple[str, ...]]
"""What a format writes in a way of its own."""


def found_in(subject: Subject) -> dict[str, list[int]]:
    """The features that a subject has, each with the numbers of its steps (a list of zeros, one
    for each, where it is not steps that are counted).
    """
    found: dict[str, list[int]] = {name: [] for name in FEATURES}
    for position, step in enumerate(subject.trajectory.steps):
        number = position + 1
        for name in _step_features(step):
            found[name].append(number)
    _add_rollout_features(subject, found)
    return {name: numbers for name, numbers in found.items() if numbers}


def losses(subject: Subject, holds: frozenset[str]) -> tuple[tuple[str, ...], tuple[Loss, ...]]:
    """What a format that holds these features keeps and loses of a subject."""
    found = found_in(subject)
    kept = tuple(FEATURES[name] for name in found if name in holds)
    lost = tuple(
        Loss(name, FEATURES[name], len(numbers), tuple(n for n in numbers if n))
        for name, numbers in found.items()
        if name not in holds
    )
    return kept, lost


def surrogate_steps(subject: Subject) -> tuple[int, ...]:
    """Numbers of the steps whose own texts hold lone surrogates."""
    return tuple(
        position + 1
        for position, step in enumerate(subject.trajectory.steps)
        if any(surrogates_in(text) for text in payload_texts(step.payload))
    )


def payload_texts(payload: Payload) -> Iterator[str]:
    """Every text of a payload that an export may show: parts, reasoning, names and arguments."""
    if isinstance(payload, Stop):
        yield payload.reason
        yield payload.note
        return
    for part in payload.parts:
        yield part.text if isinstance(part, Text) else part.raw
    if isinstance(payload, UserMessage | TargetReply):
        yield from (block.text for block in payload.reasoning)
        for call in payload.tool_calls:
            yield call.name
            yield call.arguments


def _step_features(step: Step) -> Iterator[str]:
    payload = step.payload
    yield from _payload_features(payload)
    if step.origin == "human" or step.replaces or step.copied_from or step.reason:
        yield "edits"
    if step.injected:
        yield "faults"
    if step.call is not None:
        yield "calls"
    if step.state is not None:
        yield "state"
    if not isinstance(payload, Stop) and any(isinstance(p, OtherPart) for p in payload.parts):
        yield "other_parts"
    if step.extra and step.origin == "import" and _has_source_fields(step.extra):
        yield "source_fields"


def _payload_features(payload: Payload) -> Iterator[str]:
    if isinstance(payload, UserMessage):
        yield "messages"
        if payload.reasoning:
            yield "evaluator_reasoning"
        if payload.tool_calls:
            yield "evaluator_calls"
    elif isinstance(payload, TargetReply):
        yield from _reply_features(payload)
    elif isinstance(payload, ToolResult):
        yield "tool_traffic"
        if payload.is_error:
            yield "is_error"
    elif isinstance(payload, SystemNote):
        yield "system_notes"
    else:
        yield "stop"
        if payload.note or payload.by == "human":
            yield "stop_details"


def _reply_features(payload: TargetReply) -> Iterator[str]:
    yield "messages"
    if payload.tool_calls:
        yield "tool_traffic"
    if payload.reasoning:
        yield "reasoning"
    if payload.refusal:
        yield "refusals"
    if payload.finish_reason not in ("", "stop", "tool_calls"):
        yield "finish_reasons"


def _has_source_fields(extra: str) -> bool:
    """Whether what was kept of a source is more than how things stood there (keys with a ``$``)."""
    try:
        found = json.loads(extra)
    except ValueError:
        return True
    return not isinstance(found, dict) or any(not key.startswith("$") for key in found)


def _add_rollout_features(subject: Subject, found: dict[str, list[int]]) -> None:
    steps = subject.trajectory.steps
    project = subject.project
    numbers = {step.id: position + 1 for position, step in enumerate(steps)}
    found["project"] = [0]
    found["tool_schemas"] = [0] * len(project.tools)
    found["scores"] = [0] * len(subject.scores)
    found["branches"] = [0] * subject.branches
    found["later"] = [0] * subject.later
    found["attempts"] = [0] * subject.attempts
    if not found["source_fields"] and subject.extra and _has_source_fields(subject.extra):
        found["source_fields"] = [0]
    systems = {subject.project_of(step).target.system for step in steps}
    found["system_changes"] = [0] * (len(systems) - 1)
    for mark in subject.marks:
        if mark.step_id not in numbers:
            continue
        if mark.train is not None:
            found["train"].append(numbers[mark.step_id])
        if mark.verdict or mark.rating or mark.tags or mark.note:
            found["marks"].append(numbers[mark.step_id])
