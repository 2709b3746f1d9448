"""Pairs of answers of which one is preferred: edits (human over model) and takes with verdicts.

Pure: looks at the tree only. A pair is made where both sides answer the same history and say
something else; why one is not made is said in words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from ..errors import Fault
from ..model.marks import Mark
from ..model.messages import (
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    UserMessage,
    parts_text,
    reasoning_text,
)
from ..model.rollout import Rollout
from ..model.steps import Role, Step
from ..rules.verdicts import is_outdated, newest_verdict
from .subject import Subject

Source = Literal["edit", "verdict"]

OPTED_OUT = "its train mark is off"
"""Why there is no pair where a human wants none."""


class Pair(msgspec.Struct, frozen=True):
    """Two answers to the same history: ``prefix`` are the steps before both. ``source`` says what
    made one of them the chosen one; of a verdict, ``leaves`` are those that it and the other one
    were given to.
    """

    prefix: tuple[Step, ...]
    chosen: Step
    rejected: Step
    source: Source
    leaves: tuple[str, str] = ("", "")


class NoPair(msgspec.Struct, frozen=True):
    """Two steps that make no pair, and why not; ``step`` is the number of the first in the
    trajectory that was asked about (0: it is not in it).
    """

    chosen_id: str
    rejected_id: str
    why: str
    step: int = 0


class Found(msgspec.Struct, frozen=True):
    """What there is for a trajectory."""

    pairs: tuple[Pair, ...]
    refused: tuple[NoPair, ...]

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to make a pair of: no edit, no verdicts, or none that is meant
        for one. That refuses nothing.
        """
        return not self.pairs and all(each.why == OPTED_OUT for each in self.refused)

    def faults(self, what: str) -> tuple[Fault, ...]:
        """Why there is no pair at all; empty where there is one."""
        if self.pairs:
            return ()
        if not self.refused:
            return (Fault(f"there is no pair: {what}."),)
        return tuple(
            Fault(f"no pair: {each.why}.", where=f"step {each.step}" if each.step else "")
            for each in self.refused
        )

    def notes(self) -> tuple[str, ...]:
        """The pairs that are not made, beside those that are."""
        if not self.pairs:
            return ()
        return tuple(
            f"no pair of {f'step {each.step}' if each.step else 'another take'}: {each.why}"
            for each in self.refused
        )


def find_pairs(subject: Subject, role: Role = "target", *, reasoning: bool = False) -> Found:
    """The pairs of one role's steps that this trajectory has a part in.

    Edits: a human's step in the place of another role's, where that edit is on the trajectory.
    Verdicts: two leaves, one accepted and one rejected, that part at a step of the role; one of
    them is the trajectory's. ``reasoning`` says whether reasoning counts as a part of what a side
    says: where it is not written, sides that differ in it alone are equal.
    """
    if subject.rollout is None:
        return Found((), ())
    finder = _Finder(subject, subject.rollout, role, reasoning)
    found: dict[tuple[str, str], Pair | NoPair] = {}
    for made in (*finder.by_verdict(), *finder.by_edit()):
        chosen, rejected = _ids(made)
        if (rejected, chosen) in found:
            if isinstance(made, NoPair):
                continue
            made = finder.no(made.chosen, made.rejected, "the verdicts say the opposite")
        found.setdefault((chosen, rejected), made)
    made_pairs = tuple(each for each in found.values() if isinstance(each, Pair))
    return Found(made_pairs, tuple(each for each in found.values() if isinstance(each, NoPair)))


def _ids(made: Pair | NoPair) -> tuple[str, str]:
    if isinstance(made, Pair):
        return made.chosen.id, made.rejected.id
    return made.chosen_id, made.rejected_id


def held_by(pairs: Iterable[Pair], subject: Subject) -> frozenset[str]:
    """What pairs hold of a rollout besides messages: its verdicts, where they are nothing but what
    made the pairs, and its branches, where those are nothing but the sides.
    """
    judged = {leaf for pair in pairs for leaf in pair.leaves if leaf}
    rollout = subject.rollout
    if rollout is None or not judged:
        return frozenset()
    bare = all(
        mark.step_id in judged and not (mark.rating or mark.tags or mark.note)
        for mark in subject.marks
        if mark.verdict or mark.rating or mark.tags or mark.note
    )
    sides = set(rollout.leaves()) <= judged
    return frozenset(name for name, held in (("marks", bare), ("branches", sides)) if held)


class _Finder:
    def __init__(self, subject: Subject, rollout: Rollout, role: Role, reasoning: bool) -> None:
        self._subject = subject
        self._rollout = rollout
        self._role = role
        self._reasoning = reasoning
        self._path = subject.trajectory.steps
        self._numbers = {step.id: number for number, step in enumerate(self._path, 1)}
        self._off = {mark.step_id for mark in subject.marks if mark.train is False}

    def no(self, chosen: Step, rejected: Step, why: str) -> NoPair:
        """That these two make no pair."""
        number = self._numbers.get(chosen.id) or self._numbers.get(rejected.id, 0)
        return NoPair(chosen.id, rejected.id, why, number)

    def by_edit(self) -> Iterator[Pair | NoPair]:
        """A human's step on the path over the one that it replaced."""
        for step in self._path:
            if step.role != self._role:
                continue
            edit = self._rollout.original(step)
            if edit.origin != "human" or edit.replaces is None:
                continue
            replaced = self._replaced(edit)
            if replaced is None:
                continue
            if edit.injected:
                yield self.no(step, replaced, "it is a fault that was put in on purpose")
                continue
            yield self._pair(step, replaced, "edit")

    def _replaced(self, edit: Step) -> Step | None:
        """What stood there before the human came, however often they edited it."""
        walked = {edit.id}
        step: Step | None = edit
        while step is not None and step.origin == "human" and step.replaces is not None:
            step = self._rollout.steps.get(step.replaces)
            if step is None or step.id in walked:  # a file made by others may go in circles
                return None
            walked.add(step.id)
            step = self._rollout.original(step) if step.copied_from else step
        return step if step is not None and step.origin != "human" else None

    def by_verdict(self) -> Iterator[Pair | NoPair]:
        """The trajectory's leaf over the rejected ones, or under the accepted ones."""
        verdicts = _verdicts(self._subject.marks, self._rollout)
        here = verdicts.get(self._path[-1].id) if self._path else None
        if here is None:
            return
        for there in verdicts.values():
            if here.verdict == there.verdict:
                continue
            ours, theirs = _parting(self._path, self._rollout.path(there.step_id))
            if ours is None or theirs is None:
                continue
            if here.verdict == "accept":
                yield self._judged(ours, theirs, here, there)
            else:
                yield self._judged(theirs, ours, there, here)

    def _judged(self, good: Step, bad: Step, accepted: Mark, rejected: Mark) -> Pair | NoPair:
        """What two verdicts say of the steps at which their branches part."""
        if good.role != self._role or bad.role != self._role:
            if good.role != bad.role:
                return self.no(good, bad, "the branches part at steps of two roles")
            return self.no(good, bad, f"the branches part at a step of the {good.role}")
        if is_outdated(self._rollout, accepted):
            return self.no(good, bad, "the accepted branch was edited after its verdict")
        return self._pair(good, bad, "verdict", (accepted.step_id, rejected.step_id))

    def _pair(
        self, chosen: Step, rejected: Step, source: Source, leaves: tuple[str, str] = ("", "")
    ) -> Pair | NoPair:
        why = self._why_not(chosen, rejected)
        if why:
            return self.no(chosen, rejected, why)
        return Pair(self._rollout.path(chosen.parent_id), chosen, rejected, source, leaves)

    def _why_not(self, chosen: Step, rejected: Step) -> str:
        if chosen.id in self._off:
            return OPTED_OUT
        if isinstance(chosen.payload, Stop) or isinstance(rejected.payload, Stop):
            return "one side is a stop, which says nothing"
        if type(chosen.payload) is not type(rejected.payload):
            return "the sides are of two roles"
        if not self._same_history(chosen, rejected):
            return "the sides answer different histories"
        ours, theirs = (said(each.payload, self._reasoning) for each in (chosen, rejected))
        if ours == theirs:
            return "both sides say the same"
        if "".join(ours.split()) == "".join(theirs.split()):
            return "the sides differ in white space only"
        return ""

    def _same_history(self, one: Step, other: Step) -> bool:
        if self._shown(one) != self._shown(other):
            return False
        if one.parent_id == other.parent_id:
            return True
        ours, theirs = (self._rollout.path(each.parent_id) for each in (one, other))
        return [step.payload for step in ours] == [step.payload for step in theirs]

    def _shown(self, step: Step) -> object:
        """What a role is shown beside the steps: system text and tools, as they were then."""
        project = self._rollout.project_of(step)
        return project.target.system, project.tools


def _verdicts(marks: Iterable[Mark], rollout: Rollout) -> dict[str, Mark]:
    """The newest verdict over each leaf that was accepted or rejected."""
    marked = {mark.step_id: None for mark in marks if mark.verdict in ("accept", "reject")}
    leaves = set(rollout.leaves())
    found = {
        leaf: verdict
        for leaf in marked
        if leaf in leaves and (verdict := newest_verdict(marks, leaf)) is not None
    }
    return {leaf: mark for leaf, mark in found.items() if mark.verdict in ("accept", "reject")}


def _parting(ours: tuple[Step, ...], theirs: tuple[Step, ...]) -> tuple[Step | None, Step | None]:
    """The first steps at which two paths are not the same; None where one has ended."""
    for index in range(max(len(ours), len(theirs))):
        one = ours[index] if index < len(ours) else None
        other = theirs[index] if index < len(theirs) else None
        if one is None or other is None or one.id != other.id:
            return one, other
    return None, None


def said(payload: Payload, reasoning: bool) -> str:
    """All that a side says, as one text: equal texts are equal sides. Ids of calls differ always,
    and the spelling of arguments that mean the same is none of it.
    """
    if isinstance(payload, Stop):
        return payload.reason
    pieces = [parts_text(payload.parts)]
    pieces += [part.raw for part in payload.parts if hasattr(part, "raw")]
    if isinstance(payload, TargetReply | UserMessage):
        pieces += [f"{call.name}\0{_meant(call)}" for call in payload.tool_calls]
        if reasoning:
            pieces.append(reasoning_text(payload.reasoning))
    if isinstance(payload, TargetReply):
        pieces.append(payload.refusal)
    return "\0".join(pieces)


def _meant(call: ToolCall) -> str:
    try:
        return json.dumps(json.loads(call.arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return call.arguments
