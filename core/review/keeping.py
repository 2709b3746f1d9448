"""Queues in a library. A queue is written whole after each decision, so that what was decided, and
where, outlives the program.
"""

from __future__ import annotations

import msgspec

from ..errors import InputError, StoreError
from ..listing.facts import describe_some
from ..listing.rollout_list import list_rollouts
from ..store.library import Library
from .queue import Queue

KIND = "queue"
PARKED = "parked:yes"


def begin_queue(library: Library, query: str, by: str, now: float) -> Queue:
    """Freeze what the query means now, in the order in which the rollouts came into the library,
    so that it is the same for each reviewer; and keep it.

    Raises QueryError, and InputError where it means no rollout.
    """
    while describe_some(library):
        pass
    found = list_rollouts(library, query)
    if not len(found):
        meant = f"is meant by {query!r}" if query else "is in the library"
        raise InputError(f"No rollout {meant}: there is nothing to review.")
    keys = sorted(found.key(place) for place in range(len(found)))
    queue = Queue(query, by, now, tuple(library.ids_of(keys)))
    keep_queue(library, queue)
    return queue


def keep_queue(library: Library, queue: Queue) -> None:
    """Keep it as it is now. Raises StoreError."""
    library.keep(KIND, queue.name, msgspec.json.encode(queue))


def kept_queues(library: Library) -> list[Queue]:
    """All queues, the last begun first. Raises StoreError for one of another version."""
    found = []
    for name, body in library.kept(KIND).items():
        try:
            found.append(msgspec.json.decode(body, type=Queue))
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"The queue {name!r} was kept by another version of rollstep: {error}. "
                "Use that version, or begin another queue with --new."
            ) from error
    return sorted(found, key=lambda queue: queue.frozen_at, reverse=True)


def unfinished_queue(library: Library, query: str, by: str) -> Queue | None:
    """The last queue of this query and person that has rollouts left."""
    for queue in kept_queues(library):
        if (queue.query, queue.by) == (query, by) and not queue.finished:
            return queue
    return None


def parked_among(library: Library, queue: Queue) -> int:
    """How many rollouts of the queue wait for a human."""
    return len(frozenset(list_rollouts(library, PARKED).ids()).intersection(queue.ids))
