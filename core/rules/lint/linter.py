"""A path linted step by step, so that long ones can be worked through in slices."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

import msgspec

from ...model.marks import Silence
from ...model.rollout import Rollout
from ...model.steps import Step
from ..stepper import START, Position, advance_anyway
from . import alone, tools
from .edits import Edits
from .findings import Finding
from .leak import Leaks
from .order import Order, answered
from .seen import Seen


class Linter:
    """Give it the steps of a path in order: ``add`` says what is odd so far. Taking in one more
    step costs the same for a path of any length.
    """

    def __init__(self, rollout: Rollout) -> None:
        self._rollout = rollout
        self._position: Position = START
        self._count = 0
        self._edits = Edits(rollout)
        self._order = Order()
        self._leaks = Leaks()
        self._drift = tools.Drift()

    def add(self, step: Step) -> tuple[Finding, ...]:
        """Take one more step in; the findings that this makes, some of which may be on steps
        before it (a call that is left without a result).
        """
        call = answered(self._position.open_calls, step.payload)
        # Each step is held against the revision that it was made from.
        project = self._rollout.project_of(step)
        seen = Seen(self._count, step, self._position, project, call)
        found = (
            *self._edits.look(seen),
            *self._order.look(seen),
            *tools.schemas(seen),
            *self._drift.look(seen),
            *self._leaks.look(seen),
            *alone.cheap(step),
            *alone.hidden(step),
        )
        self._position = advance_anyway(self._position, step.payload)
        self._count += 1
        return found

    def fork(self) -> Linter:
        """One that goes on from here along another branch."""
        other = copy(self)
        other._order, other._drift = self._order.fork(), self._drift.fork()
        return other


class Flag(msgspec.Struct, frozen=True):
    """A finding, with the silence that a human put over it if there is one."""

    finding: Finding
    silence: Silence | None = None


def findings(rollout: Rollout, leaf_id: str | None) -> tuple[Finding, ...]:
    """All that is odd on the path to this leaf, in the order of its steps."""
    linter = Linter(rollout)
    by_step: dict[str, list[Finding]] = {}
    for step in rollout.path(leaf_id):
        by_step[step.id] = []
        for finding in linter.add(step):
            by_step[finding.step_id].append(finding)
    return tuple(finding for found in by_step.values() for finding in found)


def findings_everywhere(rollout: Rollout) -> tuple[Finding, ...]:
    """All that is odd on any visible branch, each finding once, in the order of the tree: steps
    that branches share are looked at once.
    """
    found: dict[Finding, None] = {}
    waiting = _siblings(rollout.children(None), Linter(rollout))
    while waiting:
        step_id, linter, alone = waiting.pop()
        if not alone:
            linter = linter.fork()
        found.update(dict.fromkeys(linter.add(rollout.steps[step_id])))
        waiting += _siblings(rollout.children(step_id), linter)
    return tuple(found)


def _siblings(ids: list[str], linter: Linter) -> list[tuple[str, Linter, bool]]:
    """The steps that follow one, last first, with its linter and whether they are only one."""
    return [(step_id, linter, len(ids) == 1) for step_id in reversed(ids)]


def with_silences(found: Iterable[Finding], silences: Iterable[Silence]) -> tuple[Flag, ...]:
    """Each finding with the silence that is over it."""
    silent = {(each.step_id, each.rule): each for each in silences if not each.lifted}
    return tuple(Flag(each, silent.get((each.step_id, each.rule))) for each in found)


def findings_with_silences(
    rollout: Rollout, leaf_id: str | None, silences: Iterable[Silence]
) -> tuple[Flag, ...]:
    """All that is odd on the path to this leaf, each with the silence that is over it."""
    return with_silences(findings(rollout, leaf_id), silences)
