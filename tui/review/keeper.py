"""What the queue's screen asks of the engine, on the engine's thread: rollouts loaded, marks given
and taken back one after the other, each followed by its entry in the queue. With what is asked
comes what other programs made of the same queue meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import NamedTuple, TypeVar

import msgspec
from rollstep.core.engine import Engine
from rollstep.core.errors import UsageError
from rollstep.core.model.marks import Mark
from rollstep.core.review.giving import give_mark, take_mark_back
from rollstep.core.review.keeping import KeptQueue, parked_among
from rollstep.core.review.queue import Entry, News
from rollstep.core.review.reading import keep_steps_read
from rollstep.core.rules.marking import MarkChange
from rollstep.core.store.library import Library

from .model import Loaded, load_rollout

T = TypeVar("T")


class Saved(NamedTuple):
    """The rollout's marks after one was saved or taken back, and what became of the queue.
    ``words`` say why there was nothing to be taken back; the marks are to be read again then.
    """

    marks: tuple[Mark, ...]
    news: News
    words: str = ""


class Keeper:
    """For one person's queue. Futures fail with a RollstepError that says why."""

    def __init__(self, engine: Engine, kept: KeptQueue) -> None:
        self._engine = engine
        self._kept = kept
        self._by = kept.queue.by
        self._lock: asyncio.Lock | None = None

    def load(self, rollout_id: str) -> Future[tuple[Loaded, News]]:
        """One rollout, ready to be shown."""

        async def loading() -> tuple[Loaded, News]:
            loaded = load_rollout(self._library, rollout_id, self._by)
            return loaded, self._kept.look(self._library)

        return self._engine.submit(loading())

    def parked(self) -> Future[int]:
        """How many rollouts of the queue wait for a human."""

        async def counting() -> int:
            return parked_among(self._library, self._kept.queue)

        return self._engine.submit(counting())

    def give(self, entry: Entry, change: MarkChange, at: int) -> Future[Saved]:
        """Save a mark, then its entry in the queue, which is at this place now."""

        async def giving() -> Saved:
            given = await give_mark(
                self._library,
                entry.rollout_id,
                entry.step_id,
                change,
                self._by,
                self._engine.session,
            )
            saved = msgspec.structs.replace(entry, command=given.command)
            return Saved(given.marks, self._kept.say(self._library, saved, at))

        return self._in_turn(giving)

    def take_back(self, entry: Entry, at: int) -> Future[Saved]:
        """Take a mark back, then its entry. The entry goes also where nothing was left of the mark
        to be taken back.
        """

        async def taking() -> Saved:
            saved = self._kept.queue.entry(entry.id)
            if saved is None:
                raise UsageError("This mark is not in the library: there is nothing to take back.")
            marks: tuple[Mark, ...] = ()
            words = ""
            try:
                marks = await take_mark_back(
                    self._library,
                    entry.rollout_id,
                    entry.step_id,
                    self._by,
                    self._engine.session,
                    command=saved.command,
                )
            except UsageError as error:
                words = str(error)
            return Saved(marks, self._kept.withdraw(self._library, entry.id, at), words)

        return self._in_turn(taking)

    def note(self, entry: Entry, at: int) -> Future[News]:
        """Save what a rollout says itself of its verdict, unless the queue knows it by now."""

        async def noting() -> News:
            return self._kept.say(self._library, entry, at, unless_so=True)

        return self._in_turn(noting)

    def stay_at(self, place: int) -> Future[News]:
        """Save the place, after all that was asked before."""

        async def staying() -> News:
            self._kept.stay_at(self._library, place)
            return self._kept.look(self._library)

        return self._in_turn(staying)

    def look(self) -> Future[News]:
        """What other programs have said in this queue since the last look."""

        async def looking() -> News:
            return self._kept.look(self._library)

        return self._in_turn(looking)

    def keep_read(self, rollout_id: str, step_ids: frozenset[str]) -> Future[None]:
        """Save that these steps were read."""

        async def keeping() -> None:
            keep_steps_read(self._library, rollout_id, self._by, step_ids)

        return self._in_turn(keeping)

    @property
    def _library(self) -> Library:
        library = self._engine.library
        if library is None:
            raise UsageError("There is no library to review rollouts of.")
        return library

    def _in_turn(self, work: Callable[[], Awaitable[T]]) -> Future[T]:
        async def working() -> T:
            self._lock = self._lock or asyncio.Lock()
            async with self._lock:
                return await work()

        return self._engine.submit(working())
