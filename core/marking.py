"""Marks on rollouts that are not open: one after the other, each as a command of its own that can
be taken back there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Protocol, TypeVar

import msgspec

from .clock import Clock, wall_clock
from .errors import LibraryLockedError, NotSavedError, RollstepError, UsageError
from .events import Event, Unsaved
from .model.marks import Mark
from .rules.branches import opened_leaf
from .rules.marking import MarkChange, changed, mark_of
from .session import Session
from .store.library import Library

T = TypeVar("T")

Progress = Callable[[int, int], bool]
"""Told how many of how many are done; False ends it there."""
MAY_BE_LATER = (NotSavedError, LibraryLockedError, UsageError)
"""What goes wrong now and may go well later: a full disk, a role that is being asked."""


class MarkedRollout(msgspec.Struct, frozen=True):
    """One rollout that was marked: on which step, by which of its commands."""

    rollout_id: str
    step_id: str
    command: int


class Marked(msgspec.Struct, frozen=True):
    """What came of it: the rollouts that have another mark now, and those that could not be marked,
    each with the reason in words. ``over`` are those where there is nothing to be taken back any
    more, with the reason, too; ``same`` counts those that said so already.
    """

    done: tuple[MarkedRollout, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    over: tuple[tuple[str, str], ...] = ()
    same: int = 0


def leaf_of(session: Session) -> str | None:
    """The end of the branch that would be shown: what a verdict stands on."""
    return opened_leaf(session.rollout, session.head)


def own_mark(library: Library, rollout_id: str, by: str) -> Mark:
    """The person's mark on the branch that would be shown; an empty one for none."""
    saved = library.load(rollout_id)
    return mark_of(saved.marks, opened_leaf(saved.tree(), saved.head) or "", by)


async def put_mark(
    session: Session, step_id: str, change: MarkChange, by: str, clock: Clock = wall_clock
) -> Mark:
    """Change this person's mark on a step of an open rollout; the mark as it is now."""
    new = changed(mark_of(session.marks, step_id, by), change, clock())
    await session.mark(new)
    return new


async def has_marked(
    session: Session, step_id: str, change: MarkChange, by: str, clock: Clock = wall_clock
) -> bool:
    """Change this person's mark on a step; whether anything changed, so that the session's last
    command is that.
    """
    before = mark_of(session.marks, step_id, by)
    return await put_mark(session, step_id, change, by, clock) != before


async def for_all(
    library: Library,
    rollout_ids: Sequence[str],
    change: MarkChange,
    by: str,
    progress: Progress | None = None,
) -> MarkChange:
    """The change as it is made to all of these. A tag that is switched goes on all of several, or
    off all where each has it from this person already.
    """
    tag = change.toggle_tag
    if not tag or len(rollout_ids) < 2:
        return change
    async for rollout_id in one_by_one(rollout_ids, progress):
        with suppress(RollstepError):  # one that cannot be read has no say; marking it tells why
            if tag not in own_mark(library, rollout_id, by).tags:
                return MarkChange(tag=tag)
    return MarkChange(no_tag=tag)


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
    done: list[MarkedRollout] = []
    failed: list[tuple[str, str]] = []
    same = 0
    async for rollout_id in one_by_one(tuple(rollout_ids), progress):
        try:
            async with working_on(library, rollout_id, open_session, by) as session:
                leaf = leaf_of(session)
                if leaf is None:
                    raise UsageError("it has no step to be marked")
                new = await has_marked(session, leaf, change, by, clock)
            if new:  # what was saved has its number for good
                done.append(MarkedRollout(rollout_id, leaf, session.commands[-1].n))
            else:
                same += 1
        except RollstepError as error:
            failed.append((rollout_id, str(error)))
    return Marked(tuple(done), tuple(failed), same=same)


async def take_marks_back(
    library: Library,
    marked: Iterable[MarkedRollout],
    *,
    by: str,
    open_session: Session | None = None,
    progress: Progress | None = None,
) -> Marked:
    """Undo these marks; one that is not the last thing done in its rollout is left, and said."""
    return Marked(*await undo_each(library, marked, by, open_session, progress))


class Made(Protocol):
    """Something that was done in a rollout, by the command of this number."""

    @property
    def rollout_id(self) -> str: ...  # noqa: D102
    @property
    def command(self) -> int: ...  # noqa: D102


M = TypeVar("M", bound=Made)
Said = tuple[tuple[str, str], ...]
"""Rollouts, each with the words on it."""


async def undo_each(
    library: Library,
    made: Iterable[M],
    by: str,
    open_session: Session | None,
    progress: Progress | None,
) -> tuple[tuple[M, ...], Said, Said]:
    """Undo these commands, one rollout after the other: those that are undone, those that may be
    later, and those that cannot be, each with why.
    """
    done: list[M] = []
    failed: list[tuple[str, str]] = []
    over: list[tuple[str, str]] = []
    async for each in one_by_one(tuple(made), progress):
        try:
            async with working_on(library, each.rollout_id, open_session, by) as session:
                why = why_not_undone(session, each.command)
                if not why:
                    await session.undo()
            if why:
                over.append((each.rollout_id, why))
            else:
                done.append(each)
        except MAY_BE_LATER as error:
            failed.append((each.rollout_id, str(error)))
        except RollstepError as error:
            over.append((each.rollout_id, str(error)))
    return tuple(done), tuple(failed), tuple(over)


def why_not_undone(session: Session, command: int) -> str:
    """Why undo would not take back the command of this number, in words; empty where it would."""
    found = next((c for c in session.commands if c.n == command), None)
    if found is None or found.undone:
        return "it was taken back already"
    last = next(c for c in reversed(session.commands) if not c.undone)
    return "" if last is found else f"something else was done there since: {last.label}"


@asynccontextmanager
async def working_on(
    library: Library, rollout_id: str, open_session: Session | None, by: str
) -> AsyncIterator[Session]:
    """The open session of this rollout, or one of our own, which is closed then. Raises
    NotSavedError where what was done with it could not be saved.
    """
    own = open_session is None or open_session.rollout.header.id != rollout_id
    if own or open_session is None:
        session = Session.reopen(library.load(rollout_id), library, author=by)
    else:
        session = open_session
    with unsaved_words(session) as words:
        try:
            yield session
        finally:
            if own:
                await session.close()
    if session.unsaved:
        raise NotSavedError(words[-1] if words else "Not saved: it is not in the library.")


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
