"""Which branches a human has accepted, and whether the verdict still stands. Pure.

A verdict is a mark on the last step of a branch. It stands while nobody has edited that branch
since: an edit makes a branch of its own, which has no verdict yet, and puts the old one in doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from ..model.edited import is_edit
from ..model.history import Command, Revert, reverts_of
from ..model.marks import Mark
from ..model.rollout import Rollout
from ..model.steps import Step


def newest_verdict(marks: Iterable[Mark], leaf_id: str) -> Mark | None:
    """The mark on this step that gave a verdict last, whoever gave it."""
    given = [mark for mark in marks if mark.step_id == leaf_id and mark.verdict is not None]
    return max(given, key=lambda mark: mark.at, default=None)


def is_outdated(rollout: Rollout, mark: Mark, commands: Iterable[Command] = ()) -> bool:
    """Whether the branch that ends at the mark's step was edited after the mark was given.

    An edit that was undone or reverted does not count.
    """
    reverts = reverts_of(commands)
    parent: str | None = None
    for step in rollout.path(mark.step_id):
        others = (rollout.steps[i] for i in rollout.children(parent) if i != step.id)
        if any(_edits(rollout, other, step, mark.at, reverts) for other in others):
            return True
        parent = step.id
    return False


def accepted_leaves(
    rollout: Rollout, marks: Iterable[Mark], commands: Iterable[Command] = ()
) -> list[str]:
    """The leaves whose newest verdict is accept and stands, in the order they were made in."""
    marks, commands = tuple(marks), tuple(commands)
    found = []
    for leaf_id in rollout.leaves():
        mark = newest_verdict(marks, leaf_id)
        if mark is None or mark.verdict != "accept":
            continue
        if not is_outdated(rollout, mark, commands):
            found.append(leaf_id)
    return found


class Standing(msgspec.Struct, frozen=True):
    """A verdict as it is shown on a branch; ``outdated`` where the branch changed since."""

    mark: Mark
    outdated: bool


def standing_verdict(
    rollout: Rollout, marks: Iterable[Mark], leaf_id: str | None, commands: Iterable[Command] = ()
) -> Standing | None:
    """The newest verdict on the branch that ends here. A branch that has none shows the newest of
    the one that it grew out of since by an edit, or by more steps: outdated.
    """
    if leaf_id is None:
        return None
    marks = tuple(marks)
    mark = newest_verdict(marks, leaf_id)
    if mark is not None:
        return Standing(mark, is_outdated(rollout, mark, commands))
    given = [m for m in marks if m.verdict is not None and m.step_id in rollout.steps]
    reverts = reverts_of(commands)
    for mark in sorted(given, key=lambda m: m.at, reverse=True):
        if _grew_out(rollout, leaf_id, mark, reverts):
            return Standing(mark, outdated=True)
    return None


def _grew_out(rollout: Rollout, leaf_id: str, mark: Mark, reverts: Mapping[str, Revert]) -> bool:
    """Whether the branch is the judged one as an edit, or more steps, have changed it since."""
    judged = {step.id: step for step in rollout.path(mark.step_id)}
    first = next((step for step in rollout.path(leaf_id) if step.id not in judged), None)
    if first is None:
        return False
    if first.parent_id == mark.step_id:
        return first.created_at > mark.at
    beside = next((s for s in judged.values() if s.parent_id == first.parent_id), None)
    return beside is not None and _edits(rollout, first, beside, mark.at, reverts)


def _edits(
    rollout: Rollout, other: Step, step: Step, at: float, reverts: Mapping[str, Revert]
) -> bool:
    """Whether this step was put beside that one by an edit, after ``at``."""
    if other.created_at <= at or other.id in reverts:
        return False
    if other.copied_from is not None:  # something before it was left out, or taken back
        return rollout.original(other).id != rollout.original(step).id
    return is_edit(other, rollout.project_of(other))
