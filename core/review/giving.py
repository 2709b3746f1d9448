"""Marks on rollouts of a queue, given and taken back, each saved before the queue counts it."""

from __future__ import annotations

from ..errors import StoreError, UsageError
from ..marking import put_mark, session_for, unsaved_words
from ..model.history import Command
from ..model.marks import Mark
from ..rules.marking import MarkChange
from ..session import Session
from ..store.library import Library

_LABEL = "mark"


async def give_mark(
    library: Library,
    rollout_id: str,
    step_id: str,
    change: MarkChange,
    by: str,
    open_session: Session | None = None,
) -> tuple[Mark, ...]:
    """Change this person's mark on a step; all marks of the rollout after it. ``open_session`` is
    asked where it is this rollout's. Raises StoreError where it could not be saved.
    """
    session, own = session_for(library, rollout_id, open_session, by)
    with unsaved_words(session) as words:
        await put_mark(session, step_id, change, by)
        return await _saved(session, own, words)


async def take_mark_back(
    library: Library,
    rollout_id: str,
    step_id: str,
    by: str,
    open_session: Session | None = None,
) -> tuple[Mark, ...]:
    """Take back this person's last mark on the step; all marks of the rollout after it. Where it
    was the last command it is undone; else the mark before it is put in its place, so that what
    others did since stays. Raises UsageError where there is none.
    """
    session, own = session_for(library, rollout_id, open_session, by)
    commands = [command for command in session.commands if not command.undone]
    mine = [command for command in commands if _is_mine(command, step_id, by)]
    if not mine:
        raise UsageError("Your mark on this rollout was taken back already.")
    with unsaved_words(session) as words:
        if mine[-1] is commands[-1]:
            await session.undo()
        else:
            await session.mark(mine[-1].marks_before[0])
        return await _saved(session, own, words)


def _is_mine(command: Command, step_id: str, by: str) -> bool:
    marks = command.marks_after
    return command.label == _LABEL and any((m.step_id, m.by) == (step_id, by) for m in marks)


async def _saved(session: Session, own: bool, words: list[str]) -> tuple[Mark, ...]:
    if own:
        await session.close()
    if session.unsaved:
        raise StoreError(words[-1] if words else "The mark is not in the library.")
    return tuple(session.marks)
