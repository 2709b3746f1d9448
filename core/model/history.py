"""The human's commands on a rollout, so that each can be undone and redone by name."""

from collections.abc import Iterable

import msgspec

from .debugging import Breakpoint
from .marks import Mark, Silence
from .rollout import Branch


class Revert(msgspec.Struct, frozen=True, omit_defaults=True):
    """A human's edit (or a copy of one) that was taken back: which step, by whom, when and why."""

    step_id: str
    by: str = ""
    at: float = 0.0
    reason: str = ""


INSERT = "insert"
"""The label of the command that puts steps in between. The ledger knows them by it."""


class Command(msgspec.Struct, frozen=True, omit_defaults=True):
    """One command: the steps it made, where it moved the head, what it renamed, hid, marked,
    silenced or set.

    ``n`` counts from 1. ``hides`` are steps that the command took out of sight (a deleted tail);
    undo shows them again. ``reverts`` are the edits that it took back. ``undone`` commands' steps
    are hidden; a command made after an undo makes the undone ones ``abandoned``: they stay hidden
    and cannot be redone.
    """

    n: int
    label: str
    step_ids: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    head_before: str | None = None
    head_after: str | None = None
    branches_before: tuple[Branch, ...] = ()
    branches_after: tuple[Branch, ...] = ()
    marks_before: tuple[Mark, ...] = ()
    marks_after: tuple[Mark, ...] = ()
    silences_before: tuple[Silence, ...] = ()
    silences_after: tuple[Silence, ...] = ()
    breakpoints_before: tuple[Breakpoint, ...] | None = None
    breakpoints_after: tuple[Breakpoint, ...] | None = None
    revision_before: int | None = None
    revision_after: int | None = None
    reverts: tuple[Revert, ...] = ()
    undone: bool = False
    abandoned: bool = False

    @property
    def moves(self) -> bool:
        """Whether it was the head's mover. A mark or a breakpoint is set wherever the head is, also
        while a run moves it: taking that back leaves it there.
        """
        if self.step_ids or self.hides:
            return True
        says = bool(self.branches_after or self.marks_after or self.silences_after)
        sets = self.breakpoints_after is not None or self.revision_after is not None
        return not says and not sets


def hidden_steps(commands: Iterable[Command]) -> set[str]:
    """Ids of the steps that these commands leave out of sight."""
    hidden: set[str] = set()
    for command in commands:
        hidden.update(command.step_ids if command.undone else command.hides)
    return hidden


def reverts_of(commands: Iterable[Command]) -> dict[str, Revert]:
    """The edits that stand reverted, by the id of their step."""
    return {
        each.step_id: each for command in commands if not command.undone for each in command.reverts
    }


def moved(command: Command, start: int, by: int) -> Command:
    """The command where the project's revisions from ``start`` on are so many later."""
    before, after = command.revision_before, command.revision_after
    if (before is None or before < start) and (after is None or after < start):
        return command
    return msgspec.structs.replace(
        command,
        revision_before=before + by if before is not None and before >= start else before,
        revision_after=after + by if after is not None and after >= start else after,
    )


class Draft(msgspec.Struct, frozen=True, omit_defaults=True):
    """Text that a human has typed and not saved as a step: ``slot`` names what it is for
    (``override:<step id>``, ``write:<parent id>``), ``body`` is the editor's own JSON.
    """

    slot: str
    body: str
    updated_at: float = 0.0
