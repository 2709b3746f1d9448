"""Words replaced in rollouts of a library: found with their places, and put in as overrides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from .errors import RollstepError, UsageError
from .marking import Progress, one_by_one, undo_each, working_on
from .model.steps import Step
from .rules.branches import opened_leaf
from .rules.replacing import Replacement, TextHit, check_replacement, hits_in
from .session import Session
from .store.library import Library

MOST_HITS = 2_000
"""So many are shown to a human at once; what is left is found when these are done."""


class Place(msgspec.Struct, frozen=True):
    """A hit, and where it is: the rollout and the step as they are."""

    rollout_id: str
    title: str
    step: Step
    hit: TextHit


class Changed(msgspec.Struct, frozen=True):
    """One rollout that was changed: by which of its commands, and in how many places."""

    rollout_id: str
    command: int
    places: int
    left: str = ""
    """What could not be kept after a change, in words."""


class ReplacedMany(msgspec.Struct, frozen=True):
    """What came of it; ``failed`` are rollouts that could not be changed, each with the reason, and
    ``over`` those where there is nothing to be taken back any more.
    """

    done: tuple[Changed, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    over: tuple[tuple[str, str], ...] = ()


def find_places(
    library: Library,
    rollout_ids: Sequence[str],
    wanted: Replacement,
    *,
    most: int = MOST_HITS,
    progress: Progress | None = None,
) -> tuple[list[Place], bool]:
    """Where the words stand on the branch of each rollout that would be opened, and whether that is
    all of them. Raises UsageError, InputError, StoreError.
    """
    check_replacement(wanted)
    found: list[Place] = []
    for number, rollout_id in enumerate(rollout_ids):
        if progress is not None and not progress(number, len(rollout_ids)):
            return found, False
        saved = library.load(rollout_id)
        rollout = saved.tree()
        path = {step.id: step for step in rollout.path(opened_leaf(rollout, saved.head))}
        for hit in hits_in(path.values(), wanted):
            if len(found) == most:
                return found, False
            found.append(Place(rollout_id, saved.header.title, path[hit.step_id], hit))
    return found, True


async def replace_places(
    library: Library,
    places: Sequence[Place],
    *,
    reason: str,
    by: str,
    open_session: Session | None = None,
    progress: Progress | None = None,
) -> ReplacedMany:
    """Put the new words into these places: in each rollout one command, in each step one override,
    with what follows kept.
    """
    by_rollout: dict[str, dict[str, list[TextHit]]] = {}
    for place in places:
        steps = by_rollout.setdefault(place.rollout_id, {})
        steps.setdefault(place.step.id, []).append(place.hit)
    done: list[Changed] = []
    failed: list[tuple[str, str]] = []
    async for rollout_id, hits in one_by_one(tuple(by_rollout.items()), progress):
        try:
            async with working_on(library, rollout_id, open_session, by) as session:
                before = len(session.commands)
                left = await session.replace_texts(hits, reason)
                if len(session.commands) == before:
                    raise UsageError("these words stand there already")
            count = sum(map(len, hits.values()))
            # What was saved has its number for good.
            done.append(Changed(rollout_id, session.commands[-1].n, count, left))
        except RollstepError as error:
            failed.append((rollout_id, str(error)))
    return ReplacedMany(tuple(done), tuple(failed))


async def take_replacements_back(
    library: Library,
    changed: Iterable[Changed],
    *,
    by: str,
    open_session: Session | None = None,
    progress: Progress | None = None,
) -> ReplacedMany:
    """Undo these commands; a rollout in which something else was done since is left, and said."""
    return ReplacedMany(*await undo_each(library, changed, by, open_session, progress))
