"""The human's commands on one rollout, from which undo and redo work, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from .events import CommandDone, Event, VisibilityChanged
from .journal import Journal
from .model.history import Command, hidden_steps, moved
from .model.rollout import Rollout

_replace = msgspec.structs.replace

_EVERY = 64
"""A long run's command is written again only every so many steps: a kill in between costs the
undoing of those, never the steps."""

_OPEN = 16
"""More commands than are ever carried out at the same time."""


class History:
    """The human's commands on one rollout, newest last; what can be undone and redone."""

    def __init__(self, rollout: Rollout, journal: Journal, emit: Callable[[Event], None]) -> None:
        self._rollout = rollout
        self._journal = journal
        self._emit = emit
        self._commands: list[Command] = []
        self._undone: list[int] = []
        """Indices of the commands that redo can bring back, the next one last."""
        journal.renumber = self._renumber

    def load(self, commands: tuple[Command, ...]) -> None:
        """Take saved commands, and hide the steps of those that were undone."""
        self._commands = list(commands)
        self._journal.numbers = {command.n for command in commands}
        self._rollout.hidden |= hidden_steps(commands)
        self._find_undone()

    def take_over(self, hiding: Sequence[Command]) -> None:
        """What other programs have undone, redone or deleted is out of sight here, or in it again.
        ``hiding`` are the rollout's commands that leave steps out of sight, whoever gave them; what
        was done there meanwhile is not undone here.
        """
        stand = {command.n: command for command in hiding}
        for index, command in enumerate(self._commands):
            there = stand.pop(command.n, None)
            if not self._journal.keeps(command.n):
                continue
            undone = there is not None and there.undone
            abandoned = there is not None and there.abandoned
            if (undone, abandoned) != (command.undone, command.abandoned):
                self._commands[index] = _replace(command, undone=undone, abandoned=abandoned)
        self._find_undone()
        before = self._rollout.hidden
        hidden = hidden_steps([*self._commands, *stand.values()])
        if hidden != before:
            self._show(tuple(before - hidden), tuple(hidden - before))

    def _find_undone(self) -> None:
        redoable = [i for i, command in enumerate(self._commands) if _can_be_redone(command)]
        self._undone = redoable[::-1]

    def revision(self, default: int) -> int:
        """The project revision that the commands leave in use; ``default`` where none says."""
        for command in reversed(self._commands):
            if command.revision_after is not None and not command.undone:
                return command.revision_after
        undone = (c.revision_before for c in self._commands if c.revision_before is not None)
        return next(undone, default)

    @property
    def commands(self) -> tuple[Command, ...]:
        """All commands, oldest first."""
        return tuple(self._commands)

    def begin(self, label: str, head: str | None) -> int:
        """Start a command and give its index. Once it has an effect, what was undone before it can
        be redone no longer.
        """
        # Not their number: one that did nothing may have left a gap, and a saved one is replaced
        # by another of the same n.
        n = max((command.n for command in self._commands[-_OPEN:]), default=0) + 1
        self._commands.append(Command(n, label, head_before=head, head_after=head))
        return len(self._commands) - 1

    def add_step(self, index: int, step_id: str, head: str | None) -> None:
        """The command made a step."""
        command = self._commands[index]
        command = _replace(command, step_ids=(*command.step_ids, step_id), head_after=head)
        count = len(command.step_ids)
        if count == 1:
            self._abandon_undone()
        if count < _EVERY or count % _EVERY == 0:
            self._put(index, command)
        else:
            self._commands[index] = command

    def amend(self, index: int, **fields: object) -> None:
        """Set fields of a command that is being carried out."""
        self._abandon_undone()
        counts = bool(fields.get("hides")) or "revision_after" in fields
        self._put(index, _replace(self._commands[index], **fields), counts=counts)

    def drop_if_empty(self, index: int) -> bool:
        """Forget the command if it did nothing; whether it was forgotten."""
        command = self._commands[index]
        did_something = (
            command.step_ids
            or command.hides
            or command.branches_after
            or command.marks_after
            or command.silences_after
            or command.breakpoints_after is not None
            or command.revision_after is not None
            or command.head_after != command.head_before
        )
        if did_something:
            return False
        if index in self._undone:
            self._undone.remove(index)
        if index == len(self._commands) - 1:
            del self._commands[index]
        else:
            self._commands[index] = _replace(command, undone=True, abandoned=True)
        return True

    def finish(self, index: int) -> None:
        """The command is done: it is kept whole."""
        command = self._commands[index]
        if len(command.step_ids) > _EVERY:
            self._journal.command(command)

    def tell(self, index: int) -> None:
        """Those who watch are told of a command that is done; its number is for good when it has
        been saved.
        """
        self._emit(CommandDone(self._commands[index], "done"))

    def undo(self, head: str | None) -> Command | None:
        """Mark the newest command undone and hide its steps; None when there is none.

        Redo will come back to ``head``, where the human is now.
        """
        for index in range(len(self._commands) - 1, -1, -1):
            command = self._commands[index]
            if not command.undone:
                undone = _replace(command, undone=True, head_after=head)
                self._put(index, undone, counts=_counts(command))
                self._undone.append(index)
                self._show(command.hides, command.step_ids)
                self._emit(CommandDone(self._commands[index], "undone"))
                return self._commands[index]
        return None

    def redo(self, head: str | None) -> Command | None:
        """Bring back the command that was undone last; None when there is none.

        Undo will come back to ``head``.
        """
        if not self._undone:
            return None
        index = self._undone.pop()
        command = _replace(self._commands[index], undone=False, head_before=head)
        self._put(index, command, counts=_counts(command))
        self._show(command.step_ids, command.hides)
        self._emit(CommandDone(command, "redone"))
        return command

    def hide(self, index: int, step_ids: tuple[str, ...]) -> None:
        """The command takes these steps out of sight."""
        self.amend(index, hides=step_ids)
        self._show((), step_ids)

    def _show(self, shown: tuple[str, ...], hidden: tuple[str, ...]) -> None:
        self._rollout.hidden.difference_update(shown)
        self._rollout.hidden.update(hidden)
        self._emit(VisibilityChanged(hidden=hidden, shown=shown))

    def _abandon_undone(self) -> None:
        for index in self._undone:
            self._put(index, _replace(self._commands[index], abandoned=True))
        self._undone.clear()

    def _renumber(self, old: int, new: int) -> None:
        for index, command in enumerate(self._commands):
            if command.n == old:
                self._commands[index] = _replace(command, n=new)

    def move_revisions(self, start: int, by: int) -> None:
        """The project's revisions from ``start`` on are so many later."""
        self._commands = [moved(command, start, by) for command in self._commands]

    def _put(self, index: int, command: Command, *, counts: bool = False) -> None:
        self._commands[index] = command
        self._journal.command(command, counts=counts)


def _can_be_redone(command: Command) -> bool:
    return command.undone and not command.abandoned


def _counts(command: Command) -> bool:
    """Whether undoing or redoing it is kept by its own record alone."""
    return bool(command.step_ids or command.hides) or command.revision_after is not None
