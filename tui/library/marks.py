"""Marks on rollouts of the library, put and taken back on the engine's thread."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from rollstep.core.engine import Engine
from rollstep.core.errors import UsageError
from rollstep.core.marking import Marked, MarkedRollout, mark_rollouts, take_marks_back
from rollstep.core.rules.marking import MarkChange


def mark_keys(engine: Engine, keys: Sequence[int], change: MarkChange) -> Future[Marked]:
    """Mark the rollouts of these keys."""

    async def marking() -> Marked:
        if engine.library is None:
            raise UsageError("There is no library.")
        ids = engine.library.ids_of(keys)
        return await mark_rollouts(
            engine.library, ids, change, engine.author, open_session=engine.session
        )

    return engine.submit(marking())


def unmark(engine: Engine, marked: Sequence[MarkedRollout]) -> Future[Marked]:
    """Take the last marks of these rollouts back."""

    async def taking_back() -> Marked:
        if engine.library is None:
            raise UsageError("There is no library.")
        return await take_marks_back(
            engine.library, marked, by=engine.author, open_session=engine.session
        )

    return engine.submit(taking_back())
