"""From a saved rollout to the trajectories of it that an export writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ..errors import UsageError
from ..formats.options import WriteOptions
from ..formats.subject import Subject
from ..model.marks import Mark, Score
from ..model.messages import TargetReply, UserMessage
from ..model.rollout import Rollout, Trajectory
from ..model.steps import Step
from ..rules.branches import branch_label, find_leaf, leaf_named
from ..rules.verdicts import accepted_leaves, newest_verdict
from ..store.change import Saved
from .plan import Plan

_replace = msgspec.structs.replace


def subject_of(
    rollout: Rollout,
    leaf_id: str | None,
    *,
    up_to: int | None = None,
    marks: Sequence[Mark] = (),
    scores: Sequence[Score] = (),
    attempts: int = 0,
    options: WriteOptions | None = None,
) -> Subject:
    """The branch that ends at ``leaf_id``, or its first ``up_to`` steps, to be written so.

    Raises UsageError when the branch has no step of that number.
    """
    path = rollout.path(leaf_id)
    if up_to is not None and not 1 <= up_to <= len(path):
        raise UsageError(f"This branch has no step {up_to}; its steps are 1 to {len(path)}.")
    steps = path[:up_to]
    header = rollout.header
    return Subject(
        Trajectory(steps),
        tuple(rollout.projects),
        header.id,
        header.seed,
        header.record or 0,
        tuple(marks),
        tuple(scores),
        len(path) - len(steps),
        sum(leaf != leaf_id for leaf in rollout.leaves()),
        attempts,
        options or WriteOptions(),
        rollout,
        header.title,
        header.format,
        header.extra,
    )


def leaves_of(saved: Saved, rollout: Rollout, plan: Plan) -> list[str | None]:
    """The last steps of the branches that the plan asks for, in the order in which they were made;
    the branch that would be opened first, where all go into one document.

    Raises InputError for a branch that is not there.
    """
    if plan.leaf is not None:
        return [plan.leaf]
    if plan.branch:
        return [leaf_named(rollout, saved.branches, plan.branch)]
    if plan.branches == "this":
        return [current_leaf(saved, rollout)]
    hidden = {branch.leaf_id for branch in saved.branches if branch.hidden}
    leaves: list[str] = rollout.leaves()
    if plan.branches == "accepted":
        leaves = accepted_leaves(rollout, saved.marks, saved.commands)
    elif plan.branches == "kept":
        leaves = [leaf for leaf in leaves if not _is_rejected(saved, leaf)]
    found = [leaf for leaf in leaves if leaf not in hidden]
    if plan.fmt.collect is not None:  # the first one is what such a document shows first
        current = current_leaf(saved, rollout)
        found.sort(key=lambda leaf: leaf != current)
    if plan.branches == "kept" and not found:
        return [current_leaf(saved, rollout)]
    return [*found]


def _is_rejected(saved: Saved, leaf_id: str) -> bool:
    mark = newest_verdict(saved.marks, leaf_id)
    return mark is not None and mark.verdict == "reject"


def current_leaf(saved: Saved, rollout: Rollout) -> str | None:
    """The end of the branch that would be opened."""
    head = saved.head or None
    if saved.head is None or (head and (head not in rollout.steps or head in rollout.hidden)):
        head = None
    return rollout.newest_leaf(head)


def subjects_of(
    saved: Saved, rollout: Rollout, plan: Plan, up_to: int | None = None, *, lenient: bool = False
) -> Iterator[Subject]:
    """Every trajectory of the rollout that the plan asks for. ``lenient`` takes a branch whole that
    is shorter than the part asked for, and none where no branch has the name; else that raises
    UsageError and InputError.
    """
    if lenient and plan.branch and find_leaf(rollout, saved.branches, plan.branch) is None:
        return
    leaves = leaves_of(saved, rollout, plan)
    together = plan.fmt.collect is not None and plan.fmt.render is None
    for leaf in leaves:
        cut = up_to if up_to is not None else plan.up_to
        if lenient and cut is not None:
            cut = min(cut, len(rollout.path(leaf))) or None
        subject = subject_of(
            rollout,
            leaf,
            up_to=cut,
            marks=saved.marks,
            scores=saved.scores,
            attempts=len(saved.attempts),
            options=plan.options,
        )
        if together:  # what stands in the same document is not left out
            subject = _replace(subject, branches=len(set(rollout.leaves()) - {leaf, *leaves}))
        yield _replace(
            subject,
            named=saved.branches,
            branch=branch_label(rollout, leaf, saved.branches),
            silences=saved.silences,
            breakpoints=saved.breakpoints,
        )


def without_reasoning(saved: Saved) -> tuple[Saved, bool]:
    """The rollout without anybody's reasoning, and whether there was any."""
    steps = tuple(map(_without, saved.steps))
    if all(new is old for new, old in zip(steps, saved.steps, strict=True)):
        return saved, False
    return _replace(saved, steps=steps), True


def _without(step: Step) -> Step:
    payload = step.payload
    if isinstance(payload, TargetReply | UserMessage) and payload.reasoning:
        return _replace(step, payload=_replace(payload, reasoning=()))
    return step
