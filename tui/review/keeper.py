"""What the queue's screen asks of the engine, on the engine's thread: rollouts loaded, marks given
and taken back one after the other, each followed by the queue as it is then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TypeVar

from rollstep.core.engine import Engine
from rollstep.core.errors import UsageError
from rollstep.core.model.marks import Mark
from rollstep.core.review.giving import give_mark, take_mark_back
from rollstep.core.review.keeping import keep_queue, parked_among
from rollstep.core.review.queue import Entry, Queue
from rollstep.core.review.reading import keep_steps_read
from rollstep.core.rules.marking import MarkChange
from rollstep.core.store.library import Library

from .model import Loaded, load_rollout

T = TypeVar("T")


class Keeper:
    """For one person. Futures fail with a RollstepError that says why."""

    def __init__(self, engine: Engine, by: str) -> None:
        self._engine = engine
        self._by = by
        self._lock: asyncio.Lock | None = None

    def load(self, rollout_id: str) -> Future[Loaded]:
        """One rollout, ready to be shown."""

        async def loading() -> Loaded:
            return load_rollout(self._library, rollout_id, self._by)

        return self._engine.submit(loading())

    def parked(self, queue: Queue) -> Future[int]:
        """How many rollouts of the queue wait for a human."""

        async def counting() -> int:
            return parked_among(self._library, queue)

        return self._engine.submit(counting())

    def give(self, queue: Queue, entry: Entry, change: MarkChange) -> Future[tuple[Mark, ...]]:
        """Save a mark, then the queue that counts it; the rollout's marks after it."""

        async def giving() -> tuple[Mark, ...]:
            marks = await give_mark(
                self._library,
                entry.rollout_id,
                entry.step_id,
                change,
                self._by,
                self._engine.session,
            )
            keep_queue(self._library, queue)
            return marks

        return self._in_turn(giving)

    def take_back(self, queue: Queue, entry: Entry) -> Future[tuple[Mark, ...]]:
        """Take a mark back, then save the queue without it; the rollout's marks after it."""

        async def taking() -> tuple[Mark, ...]:
            try:
                return await take_mark_back(
                    self._library, entry.rollout_id, entry.step_id, self._by, self._engine.session
                )
            finally:
                keep_queue(self._library, queue)

        return self._in_turn(taking)

    def keep(self, queue: Queue) -> Future[None]:
        """Save the queue, after all that was asked before."""

        async def keeping() -> None:
            keep_queue(self._library, queue)

        return self._in_turn(keeping)

    def keep_read(self, rollout_id: str, step_ids: frozenset[str]) -> Future[None]:
        """Save which steps were read."""

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
