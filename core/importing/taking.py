"""Putting what was read into a library, many rollouts in one transaction."""

from __future__ import annotations

import msgspec

from ..formats.reading.files import Read
from ..formats.reading.record import Imported
from ..store.change import Change, Saved
from ..store.importing import change_for, new_change, same_step
from ..store.library import Library
from .ids import keyed_id
from .saved import rollouts_of

_STEPS_AT_ONCE = 2000
"""Steps that one transaction takes in, at least."""
_ROLLOUTS_AT_ONCE = 500
"""And rollouts, of which each has more than steps to be written."""


class Taking:
    """Takes in what was read, and counts what became of it. Nothing is in the library for sure
    before ``flush``; what was taken in before stays whatever happens after.
    """

    def __init__(self, library: Library, *, forced: bool = False) -> None:
        self.written = self.grown = self.held = 0
        self._library = library
        self._forced = forced
        self._new: dict[str, Change] = {}
        self._steps = 0

    def take(self, read: Read, source: str) -> list[str]:
        """Take in the trajectories of one record; the ids of their rollouts."""
        ids = [
            self._put(saved, imported, read.digest)
            for saved, imported in rollouts_of(read, source, forced=self._forced)
        ]
        if self._steps >= _STEPS_AT_ONCE or len(self._new) >= _ROLLOUTS_AT_ONCE:
            self.flush()
        return ids

    def flush(self) -> None:
        """Commit what waits. Raises StoreError."""
        if not self._new:
            return
        # Another program may import the same file: what it was quicker with is left as it is now.
        known = self._library.held(self._new)
        fresh = [change for name, change in self._new.items() if name not in known]
        self._library.commit_many(fresh)
        self.written += len(fresh)
        self.held += len(known)
        self._new, self._steps = {}, 0

    def _put(self, saved: Saved, imported: Imported, digest: str) -> str:
        rollout_id = saved.header.id
        if rollout_id in self._new:
            self.flush()
        if imported.key and self._library.holds(rollout_id):
            return self._put_beside(saved, imported, digest)
        if rollout_id not in self._new:
            self._new[rollout_id] = new_change(saved, dict(imported.requests))
            self._steps += len(saved.steps)
        return rollout_id

    def _put_beside(self, saved: Saved, imported: Imported, digest: str) -> str:
        """A rollout whose name is held: the same, a later state of it, or another one that has the
        same name, which then gets one of its own.
        """
        here = self._library.load(saved.header.id)
        if _one_source(saved, here):
            change = change_for(saved, dict(imported.requests), self._library)
            if change.steps or set(change.scores) - set(here.scores):
                self._library.commit_many([change])
                self.grown += 1
            else:
                self.held += 1
            return saved.header.id
        other_id = keyed_id(saved.header.format, f"{imported.key}\0{digest}")
        header = msgspec.structs.replace(saved.header, id=other_id)
        other = msgspec.structs.replace(saved, header=header)
        if self._library.holds(other_id):
            self.held += 1
        elif other_id not in self._new:
            self._new[other_id] = new_change(other, dict(imported.requests))
            self._steps += len(other.steps)
        return other_id


def _one_source(new: Saved, here: Saved) -> bool:
    """Whether both are states of one source: they have steps in common, and none differs."""
    ours = {step.id: step for step in here.steps}
    both = [step for step in new.steps if step.id in ours]
    if not all(same_step(step, ours[step.id]) for step in both):
        return False
    return bool(both) or not new.steps or not here.steps
