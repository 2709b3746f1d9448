"""Marks on rollouts that are not open: one after the other, each as a command of its own that can
be taken back there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from .clock import Clock, wall_clock
from .errors import RollstepError
from .events import Event, Unsaved
from .model.marks import Mark
from .rules.marking import MarkChange, changed, mark_of
from .session import Session
from .store.library import Library

T = TypeVar("T")

Progress = Callable[[int, int], bool]
"""Told how many of how many are done; False ends it there."""

_LABEL = "mark"


class MarkedRollout(msgspec.Struct, frozen=True):
    """One rollout that was marked: on which step."""

    rollout_id: str
    step_id: str


class Marked(msgspec.Struct, frozen=True):
    """What came of it: the rollouts that have a new mark, and those that could not be marked, each
    with the reason in words.
    """

    done: tuple[MarkedRollout, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()


def leaf_of(session: Session) -> str | None:
    """The end of the branch that would be shown: what a verdict stands on."""
    head = session.head if session.head in session.rollout.steps else None
    return session.rollout.newest_leaf(head)


async def put_mark(
    session: Session, step_id: str, change: MarkChange, by: str, clock: Clock = wall_clock
) -> Mark:
    """Change this person's mark on a step of an open rollout; the mark as it is now."""
    new = changed(mark_of(session.marks, step_id, by), change, clock())
    await session.mark(new)
    return new


async def mark_rollouts(
    library: Library,
    rollout_ids: Iterable[str],
    change: MarkChange,
    by: str,
    *,
    open_session: Session | None = None,
    progress: Progress | None = None,
    clock: Clock = wall_clock,
) -> Marked:
    """Mark the branch of each rollout that would be opened. ``open_session`` is asked where its
    rollout is one of them, so that its screen shows the mark.
    """
    ids = tuple(rollout_ids)
    done: list[MarkedRollout] = []
    failed: list[tuple[str, str]] = []
    async for rollout_id in one_by_one(ids, progress):
        try:
            session, own = session_for(library, rollout_id, open_session, by)
            leaf = leaf_of(session)
            if leaf is None:
                failed.append((rollout_id, "it has no step to be marked"))
                continue
            with unsaved_words(session) as why:
                await put_mark(session, leaf, change, by, clock)
                if own:
                    await session.close()
            if session.unsaved:
                failed.append((rollout_id, why[-1] if why else "the mark could not be saved"))
                continue
            done.append(MarkedRollout(rollout_id, leaf))
        except RollstepError as error:
            failed.append((rollout_id, str(error)))
    return Marked(tuple(done), tuple(failed))


async def take_marks_back(
    library: Library,
    marked: Iterable[MarkedRollout],
    *,
    by: str,
    open_session: Session | None = None,
    progress: Progress | None = None,
) -> Marked:
    """Undo the last mark of each of these rollouts; one where something else was done since is
    left, and said.
    """
    done: list[MarkedRollout] = []
    failed: list[tuple[str, str]] = []
    async for each in one_by_one(tuple(marked), progress):
        try:
            session, own = session_for(library, each.rollout_id, open_session, by)
            last = next((c for c in reversed(session.commands) if not c.undone), None)
            if last is None or last.label != _LABEL:
                failed.append((each.rollout_id, "something else was done there since"))
                continue
            with unsaved_words(session) as why:
                await session.undo()
                if own:
                    await session.close()
            if session.unsaved:
                failed.append((each.rollout_id, why[-1] if why else "it could not be saved"))
                continue
            done.append(each)
        except RollstepError as error:
            failed.append((each.rollout_id, str(error)))
    return Marked(tuple(done), tuple(failed))


@contextmanager
def unsaved_words(session: Session) -> Iterator[list[str]]:
    """Why something could not be saved, as it is told meanwhile."""
    words: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, Unsaved):
            words.append(event.words)

    stop = session.subscribe(hear)
    try:
        yield words
    finally:
        stop()


async def one_by_one(items: Sequence[T], progress: Progress | None) -> AsyncIterator[T]:
    """The items, until ``progress`` says that it is enough; between them others get their turn."""
    for number, item in enumerate(items):
        if progress is not None and not progress(number, len(items)):
            return
        yield item
        await asyncio.sleep(0)


def session_for(
    library: Library, rollout_id: str, open_session: Session | None, by: str
) -> tuple[Session, bool]:
    """The open session of this rollout, or one of our own."""
    if open_session is not None and open_session.rollout.header.id == rollout_id:
        return open_session, False
    return Session.reopen(library.load(rollout_id), library, author=by), True
