"""Marks on rollouts of the library, put and taken back on the engine's thread."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from rollstep.core.engine import Engine
from rollstep.core.errors import UsageError
from rollstep.core.marking import (
    Marked,
    MarkedRollout,
    Progress,
    for_all,
    mark_rollouts,
    own_mark,
    take_marks_back,
)
from rollstep.core.model.marks import Mark
from rollstep.core.rules.marking import MarkChange


def mark_keys(
    engine: Engine, keys: Sequence[int], change: MarkChange, progress: Progress
) -> Future[tuple[MarkChange, Marked]]:
    """Mark the rollouts of these keys; what was done to them, and what came of it."""

    async def marking() -> tuple[MarkChange, Marked]:
        library = engine.library
        if library is None:
            raise UsageError("There is no library.")
        ids, by = library.ids_of(keys), engine.author
        done = await for_all(library, ids, change, by, progress)
        found = await mark_rollouts(
            library, ids, done, by, open_session=engine.session, progress=progress
        )
        return done, found

    return engine.submit(marking())


def own_mark_of(engine: Engine, key: int) -> Future[Mark]:
    """What this person says of the rollout of this key."""

    async def reading() -> Mark:
        library = engine.library
        if library is None:
            raise UsageError("There is no library.")
        ids = library.ids_of([key])
        return own_mark(library, ids[0], engine.author) if ids else Mark("")

    return engine.submit(reading())


def unmark(engine: Engine, marked: Sequence[MarkedRollout], progress: Progress) -> Future[Marked]:
    """Take these marks back."""

    async def taking_back() -> Marked:
        if engine.library is None:
            raise UsageError("There is no library.")
        return await take_marks_back(
            engine.library,
            marked,
            by=engine.author,
            open_session=engine.session,
            progress=progress,
        )

    return engine.submit(taking_back())
