"""Saving what many rollouts make at once: one transaction for all that came while the one before it
was being written, because the disk takes as long for one step as for a hundred.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable
from typing import NamedTuple, Protocol

import msgspec

from .store.change import Change


class Committer(Protocol):
    """The part of a library that is written to."""

    def commit_many(self, changes: Iterable[Change]) -> list[dict[str, int]]:
        """Save many changes in one transaction. Raises StoreError."""
        ...


class Saving(NamedTuple):
    """Wait for it to know that something is saved; nobody has to."""

    group: asyncio.Future[None]
    saver: GroupCommits

    def __await__(self) -> Generator[object, None, None]:
        """Raises StoreError when it could not be saved."""
        yield from asyncio.shield(self.group).__await__()
        if self.saver.ending:
            raise asyncio.CancelledError


class GroupCommits:
    """Lives on one event loop, which it never holds up. ``close`` it before the library."""

    def __init__(self, library: Committer) -> None:
        self._library = library
        self._waiting: dict[str, Change] = {}
        self._group: asyncio.Future[None] | None = None
        self._work: asyncio.Task[None] | None = None
        self.ending = False
        """Whether nobody should go on: who waits for something is cancelled when it is saved."""

    def save(self, change: Change) -> Saving:
        """Save it soon, after all that were given before it; what is given back is over when it is
        saved, and raises StoreError when it could not be.
        """
        loop = asyncio.get_running_loop()
        before = self._waiting.get(change.rollout_id)
        self._waiting[change.rollout_id] = change if before is None else _joined(before, change)
        if self._group is None:
            self._group = loop.create_future()
        if self._work is None:
            self._work = loop.create_task(self._save_all())
        return Saving(self._group, self)

    async def close(self) -> None:
        """Wait until everything is saved that was given."""
        if self._work is not None:
            await self._work

    async def _save_all(self) -> None:
        try:
            while (group := self._group) is not None:
                changes, self._waiting, self._group = [*self._waiting.values()], {}, None
                try:
                    await asyncio.to_thread(self._library.commit_many, changes)
                except Exception as error:  # noqa: BLE001 - it is told to whoever waits
                    group.set_exception(error)
                    group.exception()  # nobody needs to have waited
                else:
                    group.set_result(None)
        finally:
            self._work = None


def _joined(first: Change, then: Change) -> Change:
    """What a batch makes of one rollout, one after the other, as one change."""
    return msgspec.structs.replace(
        first,
        steps=first.steps + then.steps,
        requests=first.requests + then.requests,
        attempts=first.attempts + then.attempts,
        head=first.head if then.head is None else then.head,
        status=first.status if then.status is None else then.status,
        status_note=first.status_note if then.status is None else then.status_note,
        player=first.player if then.player is None else then.player,
    )
