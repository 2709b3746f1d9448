"""Which steps of a rollout a person has read. Kept beside the queues, by rollout and person, so
that a step is read once, whatever queue it comes up in. A copy of a step is another step: nobody
has verified it where it stands now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ..store.library import Library

_KIND = "read "


def _kind(rollout_id: str) -> str:
    """What one rollout's readers are kept as; ids that are no text are made some."""
    return _KIND + rollout_id.encode("utf-8", "backslashreplace").decode()


def steps_read(library: Library, rollout_id: str, by: str) -> frozenset[str]:
    """The ids of the steps that this person has read."""
    body = library.kept(_kind(rollout_id)).get(by)
    return frozenset(msgspec.json.decode(body, type=tuple[str, ...])) if body else frozenset()


def keep_steps_read(library: Library, rollout_id: str, by: str, step_ids: Iterable[str]) -> None:
    """Keep which they are."""
    library.keep(_kind(rollout_id), by, msgspec.json.encode(sorted(step_ids)))


def turns_read(turns: Sequence[int], step_ids: Sequence[str], read: Iterable[str]) -> list[bool]:
    """Of each turn, whether all its steps were read. ``turns`` has each step's turn, from 1."""
    seen = frozenset(read)
    found = [True] * (turns[-1] if turns else 0)
    for turn, step_id in zip(turns, step_ids, strict=True):
        if step_id not in seen:
            found[turn - 1] = False
    return found
