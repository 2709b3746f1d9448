"""Marks on rollouts of a queue, given and taken back, each saved before the queue counts it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from ..errors import UsageError
from ..marking import has_marked, why_not_undone, working_on
from ..model.history import Command
from ..model.marks import Mark, Verdict
from ..rules.marking import MarkChange, mark_of
from ..session import Session
from ..store.library import Library

_LABEL = "mark"
_BACK = "mark taken back"
"""What a mark is taken back by where something else was done since. It is none to be taken back."""


class Given(NamedTuple):
    """All marks of the rollout after one was given, and by which command; 0 where that changed
    nothing.
    """

    marks: tuple[Mark, ...]
    command: int


async def give_mark(
    library: Library,
    rollout_id: str,
    step_id: str,
    change: MarkChange,
    by: str,
    open_session: Session | None = None,
) -> Given:
    """Change this person's mark on a step. ``open_session`` is asked where it is this rollout's.
    Raises StoreError where it could not be saved.
    """
    async with working_on(library, rollout_id, open_session, by) as session:
        new = await has_marked(session, step_id, change, by)
    # What was saved has its number for good.
    return Given(tuple(session.marks), session.commands[-1].n if new else 0)


async def take_mark_back(
    library: Library,
    rollout_id: str,
    step_id: str,
    by: str,
    open_session: Session | None = None,
    *,
    command: int | None = None,
) -> tuple[Mark, ...]:
    """Take back what this command said of the step, or (None) this person's last mark on it; all
    marks of the rollout after it. Where it was the last command it is undone; else what it changed
    is put as it was before, and what was done since stays. Raises UsageError where nothing of it is
    left, StoreError.
    """
    if open_session is not None and all(c.n != command for c in open_session.commands):
        open_session = None  # another program gave it meanwhile
    async with working_on(library, rollout_id, open_session, by) as session:
        mine = _mine(session.commands, step_id, by)
        found = mine[-1:] if command is None else [each for each in mine if each.n == command]
        if not found:
            raise UsageError("Your mark on this rollout was taken back already.")
        if not why_not_undone(session, found[0].n):
            await session.undo()
        else:
            now = mark_of(session.marks, step_id, by)
            before = _taken_back(now, found[0])
            if before == now:
                raise UsageError("Your mark on this rollout was changed since, and stays.")
            await session.mark(before, label=_BACK)
    return tuple(session.marks)


def verdict_command(
    commands: Iterable[Command], step_id: str, by: str, verdict: Verdict
) -> int | None:
    """The number of the command by which this person gave the step this verdict last."""
    mine = reversed(_mine(commands, step_id, by))
    return next((each.n for each in mine if _gave(each) == verdict), None)


def _gave(command: Command) -> Verdict | None:
    before, after = command.marks_before[0], command.marks_after[0]
    return after.verdict if after.verdict != before.verdict else None


def _mine(commands: Iterable[Command], step_id: str, by: str) -> Sequence[Command]:
    """The person's marks on this step that stand, the last at the end: each that was taken back
    by another command is gone with it.
    """
    stand: list[Command] = []
    for command in commands:
        if command.undone or not _is_on(command, step_id, by):
            continue
        if command.label == _LABEL:
            stand.append(command)
        elif command.label == _BACK:
            now, put = command.marks_before[0], command.marks_after[0]
            taken = (each for each in reversed(stand) if _taken_back(now, each) == put)
            if (gone := next(taken, None)) is not None:
                stand.remove(gone)
    return stand


def _taken_back(now: Mark, command: Command) -> Mark:
    return _without(now, command.marks_before[0], command.marks_after[0])


def _is_on(command: Command, step_id: str, by: str) -> bool:
    return any((mark.step_id, mark.by) == (step_id, by) for mark in command.marks_after)


def _without(now: Mark, before: Mark, after: Mark) -> Mark:
    """The mark as it is ``now`` without what changed from ``before`` to ``after``; what was changed
    again since stays.
    """
    fields: dict[str, object] = {}
    for name in ("verdict", "rating", "note", "train"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new and getattr(now, name) == new:
            fields[name] = old
    tags = [tag for tag in now.tags if tag in before.tags or tag not in after.tags]
    tags += [tag for tag in before.tags if tag not in after.tags and tag not in tags]
    if "verdict" in fields and before.verdict is not None:
        fields["at"] = before.at  # an edit between the two makes the one before outdated again
    return msgspec.structs.replace(now, tags=tuple(tags), **fields)
