"""Marks on rollouts of the library, put and taken back on the engine's thread."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from rollstep.core.engine import Engine
from rollstep.core.errors import UsageError
from rollstep.core.marking import Marked, MarkedRollout, Progress, mark_rollouts, take_marks_back
from rollstep.core.rules.marking import MarkChange
from rollstep.core.store.library import Library


def mark_keys(
    engine: Engine, keys: Sequence[int], change: MarkChange, progress: Progress
) -> Future[tuple[MarkChange, Marked]]:
    """Mark the rollouts of these keys; what was done to them, and what came of it. A tag that is
    switched goes on all of several, or off all where each has it already.
    """

    async def marking() -> tuple[MarkChange, Marked]:
        library = engine.library
        if library is None:
            raise UsageError("There is no library.")
        done = change
        if change.toggle_tag and len(keys) > 1:
            tag = change.toggle_tag
            done = MarkChange(no_tag=tag) if _all_have(library, keys, tag) else MarkChange(tag=tag)
        ids = library.ids_of(keys)
        return done, await mark_rollouts(
            library,
            ids,
            done,
            engine.author,
            open_session=engine.session,
            progress=progress,
        )

    return engine.submit(marking())


def _all_have(library: Library, keys: Sequence[int], tag: str) -> bool:
    for row in library.listed(keys).values():
        tags = row.facts.tags if row.facts is not None and row.fresh else None
        if tags is None:
            marks = library.load(row.summary.id).marks
            tags = tuple(tag for mark in marks for tag in mark.tags)
        if tag not in tags:
            return False
    return True


def unmark(engine: Engine, marked: Sequence[MarkedRollout], progress: Progress) -> Future[Marked]:
    """Take the last marks of these rollouts back."""

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
