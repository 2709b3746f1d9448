"""A human's edits: override, insert, delete. Each is a new branch; what was there stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from .errors import UsageError
from .model.checking import check
from .model.messages import Payload, Stop, ToolResult
from .model.steps import Step
from .rules.branches import opened_leaf
from .rules.keep import Kept, plan_keep
from .rules.replacing import TextHit, replaced
from .rules.stepper import advance
from .writer import TreeWriter


class Overridden(msgspec.Struct, frozen=True):
    """What an edit did.

    ``step`` is its (last) new step, None for a deletion; ``copied`` how many later steps were
    copied under it; ``left`` says what was left over and why, or is empty.
    """

    step: Step | None
    copied: int = 0
    left: str = ""


def put_override(
    writer: TreeWriter,
    old: Step,
    payload: Payload,
    *,
    keep: bool,
    reason: str = "",
    state: str | None = None,
    injected: str = "",
) -> Overridden:
    """A human's step in the place of ``old``; with ``keep``, what follows is copied under it.
    ``injected`` names the fault that it is.
    """
    check(payload, Payload, "step")
    if isinstance(old.payload, ToolResult) and isinstance(payload, ToolResult):
        payload = msgspec.structs.replace(payload, call_id=old.payload.call_id)
    position = advance(writer.position(old.parent_id), payload)
    following = writer.following(old.id) if keep else ()
    plan = plan_keep(position, following, old.payload, payload)
    step = writer.put_human(
        payload, old.parent_id, reason=reason, replaced=old, state=state, injected=injected
    )
    writer.copy(plan, step.id)
    return Overridden(step, len(plan.copies), left_over(plan))


def put_replacements(writer: TreeWriter, hits: Mapping[str, Sequence[TextHit]], reason: str) -> str:
    """An override of each of these steps of the newest branch, what follows copied under it; in
    words what could not be. Raises UsageError where one of them is not on that branch.
    """
    rollout = writer.rollout
    leaf = opened_leaf(rollout, writer.head)
    path = list(rollout.path(leaf))
    if leaf is None or not {step.id for step in path} >= hits.keys():
        raise UsageError("The branch is another by now: look for the words again.")
    writer.follow(leaf)
    left = ""
    for place, step in enumerate(tuple(path)):
        if step.id not in hits or place >= len(path):
            continue
        old = path[place]  # the step, or its copy under an earlier override
        payload = replaced(old.payload, hits[step.id])
        put = put_override(writer, old, payload, keep=True, reason=reason)
        assert put.step is not None
        left = put.left or left
        path = [*path[:place], put.step, *writer.following(put.step.id)]
    return left


def put_insert(
    writer: TreeWriter, parent: str | None, payloads: Sequence[Payload], reason: str = ""
) -> Overridden:
    """New steps after ``parent``, with what followed it copied after them."""
    if not payloads:
        raise UsageError("There is nothing to insert.")
    following = writer.following(parent)
    position = writer.position(parent)
    for payload in payloads:
        check(payload, Payload, "step")
        position = advance(position, payload)
    plan = plan_keep(position, following)
    for payload in payloads:
        step = writer.put_human(payload, parent, reason=reason)
        parent = step.id
    writer.copy(plan, parent)
    return Overridden(step, len(plan.copies), left_over(plan))


def plan_delete(writer: TreeWriter, step_ids: Sequence[str]) -> tuple[list[Step], Kept]:
    """The steps to leave out, and the plan for what follows them.

    Raises UsageError where they are not in a row, or what follows cannot stand without them.
    """
    steps = [writer.known(step_id) for step_id in step_ids]
    if not steps:
        raise UsageError("There is nothing to delete.")
    if any(after.parent_id != before.id for before, after in pairwise(steps)):
        raise UsageError("Only steps that follow one another can be deleted together.")
    plan = plan_keep(writer.position(steps[0].parent_id), writer.following(steps[-1].id))
    if plan.left and not plan.copies:
        raise UsageError(f"What follows cannot stand without it. {plan.why}")
    if not plan.copies and _others_follow(writer, steps):
        raise UsageError("Another branch goes on from here, so it stays. Hide that branch first.")
    return steps, plan


def do_delete(writer: TreeWriter, command: int, steps: Sequence[Step], plan: Kept) -> Overridden:
    """Carry out a deletion: a new branch with what follows kept; at the end of a branch the steps
    are taken out of sight instead.
    """
    parent = steps[0].parent_id
    if plan.copies:
        writer.copy(plan, parent)
    else:
        writer.set_head(parent)
        writer.history.hide(command, tuple(step.id for step in steps))
        writer.history.amend(command, head_after=parent)
    return Overridden(None, len(plan.copies), left_over(plan))


def _others_follow(writer: TreeWriter, steps: Sequence[Step]) -> bool:
    ids = {step.id for step in steps}
    return any(child not in ids for step in steps for child in writer.rollout.children(step.id))


def name_of(step: Step) -> str:
    """What a step is called in the words of a command: ``tool result 20``."""
    kinds = {"tool": "tool result", "target": "target reply", "evaluator": "evaluator message"}
    kind = "stop" if isinstance(step.payload, Stop) else kinds[step.role]
    return f"{kind} {step.seq}" if step.seq else kind


def left_over(plan: Kept) -> str:
    """What a plan leaves behind, in words; empty for nothing."""
    if not plan.left:
        return ""
    count = len(plan.left)
    steps = "1 later step was" if count == 1 else f"{count} later steps were"
    return f"{steps} left on the old branch. {plan.why}"
