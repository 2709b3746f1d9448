"""Which steps of a rollout a person has read. Kept beside the queues, by rollout and person, so
that a step is read once, whatever queue it comes up in. A copy of a step is another step: nobody
has verified it where it stands now. A step that was read stays so, whichever program says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..store.codec import Codec, encode
from ..store.library import Library

_KIND = "read "
_IDS = Codec(tuple[str, ...])


def _kind(rollout_id: str) -> str:
    """What one rollout's readers are kept as; ids that are no text are made some."""
    return _KIND + rollout_id.encode("utf-8", "backslashreplace").decode()


def steps_read(library: Library, rollout_id: str, by: str) -> frozenset[str]:
    """The ids of the steps that this person has read."""
    with library.shelf() as shelf:
        return _read(shelf.get(_kind(rollout_id), by))


def keep_steps_read(library: Library, rollout_id: str, by: str, step_ids: Iterable[str]) -> None:
    """These were read, too, besides those that were before. Raises StoreError."""
    with library.shelf(writing=True) as shelf:
        kind = _kind(rollout_id)
        before = _read(shelf.get(kind, by))
        shelf.put(kind, by, encode(tuple(sorted(before.union(step_ids)))))


def _read(body: bytes | None) -> frozenset[str]:
    return frozenset(_IDS.decode(body)) if body else frozenset()


def turns_read(turns: Sequence[int], step_ids: Sequence[str], read: Iterable[str]) -> list[bool]:
    """Of each turn, whether all its steps were read. ``turns`` has each step's turn, from 1."""
    seen = frozenset(read)
    found = [True] * (turns[-1] if turns else 0)
    for turn, step_id in zip(turns, step_ids, strict=True):
        if step_id not in seen:
            found[turn - 1] = False
    return found
