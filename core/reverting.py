"""Taking a human's edit back: the original stands in its place again, on a new branch with what
followed the edit kept. The edit stays where it was, and the ledger says by whom it was reverted.
"""

from __future__ import annotations

import msgspec

from .edits import Overridden, do_delete, left_over, name_of, plan_delete
from .errors import UsageError
from .model.edited import is_edit
from .model.history import INSERT, Revert, reverts_of
from .model.messages import Payload, ToolResult
from .model.steps import Step
from .rules.keep import Kept, plan_keep
from .rules.stepper import advance
from .writer import TreeWriter


class Reverting(msgspec.Struct, frozen=True):
    """What a revert will do: put ``original`` in the place of ``steps[0]``, or, where the human
    wrote what nobody had said, leave ``steps`` out. ``kept`` is the plan for what follows.
    """

    steps: tuple[Step, ...]
    kept: Kept
    original: Step | None = None
    payload: Payload | None = None

    @property
    def label(self) -> str:
        """What the command is called."""
        return f"revert of {name_of(self.steps[0])}"


def plan_revert(writer: TreeWriter, step_id: str) -> Reverting:
    """Plan to take back the edit that this step is, or is a copy of. Raises UsageError where there
    is none, where it was undone or reverted already, or where nothing can stand in its place.
    """
    step = writer.known(step_id)
    edit = edit_behind(writer, step)
    _must_stand(writer, step)
    if edit.replaces is None:
        return _plan_leaving_out(writer, step, edit)
    original = writer.rollout.steps.get(edit.replaces)
    if original is None:
        raise UsageError(f"What {name_of(edit)} replaced is not in this rollout.")
    payload = original.payload
    if isinstance(payload, ToolResult) and isinstance(step.payload, ToolResult):
        payload = msgspec.structs.replace(payload, call_id=step.payload.call_id)
    position = advance(writer.position(step.parent_id), payload)
    kept = plan_keep(position, writer.following(step.id), step.payload, payload)
    return Reverting((step,), kept, original, payload)


def do_revert(writer: TreeWriter, command: int, plan: Reverting, reason: str) -> Overridden:
    """Carry a revert out, within its command."""
    first = plan.steps[0]
    if plan.original is None or plan.payload is None:
        done = do_delete(writer, command, plan.steps, plan.kept)
    else:
        parent = writer.rollout.steps.get(first.parent_id or "")
        step = writer.put_copy(
            plan.original,
            plan.payload,
            first.parent_id,
            stale=parent is not None and parent.state_stale,
            author=writer.author,
            reason=reason,
            replaces=first.id,
        )
        writer.copy(plan.kept, step.id)
        done = Overridden(step, len(plan.kept.copies), left_over(plan.kept))
    at = writer.now()
    reverts = tuple(Revert(step.id, writer.author, at, reason) for step in plan.steps)
    writer.history.amend(command, reverts=reverts)
    return done


def edit_behind(writer: TreeWriter, step: Step) -> Step:
    """The human's edit that this step is, or that it was copied from. Raises UsageError."""
    edit = writer.rollout.original(step)
    if is_edit(edit, writer.rollout.project_of(edit)):
        return edit
    if step.copied_from is not None and step.replaces is not None:
        raise UsageError(f"{_named(step)} is a revert itself. u undoes it.")
    raise UsageError(f"{_named(step)} is no edit, so there is nothing to revert.")


def _must_stand(writer: TreeWriter, step: Step) -> None:
    commands = writer.history.commands
    revert = reverts_of(commands).get(step.id)
    if revert is not None:
        by = f" by {revert.by}" if revert.by else ""
        raise UsageError(f"{_named(step)} was reverted already{by}.")
    if any(command.undone and step.id in command.step_ids for command in commands):
        raise UsageError(f"{_named(step)} was undone already; there is nothing to revert.")
    if step.id in writer.rollout.hidden:
        raise UsageError(f"{_named(step)} was deleted already; there is nothing to revert.")


def _plan_leaving_out(writer: TreeWriter, step: Step, edit: Step) -> Reverting:
    """Leave out a step that the human wrote; one of an insertion, with the rest of it."""
    steps = _inserted_with(writer, edit) if step is edit else ()
    planned, kept = plan_delete(writer, [each.id for each in steps or (step,)])
    return Reverting(tuple(planned), kept)


def _inserted_with(writer: TreeWriter, edit: Step) -> tuple[Step, ...]:
    """The steps that one command put in together with this one, in their order."""
    for command in writer.history.commands:
        if command.label == INSERT and edit.id in command.step_ids:
            made = (writer.rollout.steps[step_id] for step_id in command.step_ids)
            return tuple(step for step in made if step.copied_from is None)
    return ()


def _named(step: Step) -> str:
    name = name_of(step)
    return name[0].upper() + name[1:]
