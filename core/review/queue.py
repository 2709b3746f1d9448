"""A queue: the rollouts that a query meant at one moment, where one person is in it, and what that
person has said of them so far. Pure: each change gives a new queue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from ..model.marks import Verdict

LONGEST = 600.0
"""Seconds that one decision counts for at most: who went for lunch has not looked on."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that was said of a rollout of the queue, on one of its steps. An entry that
    ``decides`` gives its verdict, or takes it away (None); others are ratings, tags, notes.
    ``seconds`` is how long the rollout was looked at for it.
    """

    rollout_id: str
    step_id: str
    verdict: Verdict | None = None
    decides: bool = False
    seconds: float = 0.0


class Queue(msgspec.Struct, frozen=True, omit_defaults=True):
    """``ids`` never change; ``at`` is the place in them, from 0. ``entries`` are in the order in
    which they were made: the last that decides on a rollout stands.
    """

    query: str
    by: str
    frozen_at: float
    ids: tuple[str, ...]
    at: int = 0
    entries: tuple[Entry, ...] = ()
    version: int = 1

    @property
    def name(self) -> str:
        """What it is kept under: when it was frozen, for whom, by which query."""
        return f"{self.frozen_at:.6f} {self.by} {self.query}"

    @property
    def current(self) -> str:
        """The rollout at hand."""
        return self.ids[self.at]

    def verdicts(self) -> dict[str, Verdict]:
        """The verdict that stands on each rollout which has one."""
        found: dict[str, Verdict] = {}
        for entry in self.entries:
            if not entry.decides:
                continue
            if entry.verdict is None:
                found.pop(entry.rollout_id, None)
            else:
                found[entry.rollout_id] = entry.verdict
        return found

    @property
    def finished(self) -> bool:
        """Whether each rollout has its verdict."""
        return len(self.verdicts()) == len(self.ids)


class Progress(NamedTuple):
    """How far it is. ``left`` counts rollouts without a verdict; ``each`` is the mean of the
    seconds that verdicts took, 0 before the first, and ``seconds`` what is left at that pace.
    """

    total: int
    accepted: int
    rejected: int
    unsure: int
    left: int
    each: float
    seconds: float


def go_to(queue: Queue, place: int) -> Queue:
    """At this place, or the nearest that there is."""
    place = min(max(place, 0), len(queue.ids) - 1)
    return msgspec.structs.replace(queue, at=place)


def added(queue: Queue, entry: Entry) -> Queue:
    """With one thing more said. The place stays."""
    seconds = min(max(entry.seconds, 0.0), LONGEST)
    entry = msgspec.structs.replace(entry, seconds=seconds)
    return msgspec.structs.replace(queue, entries=(*queue.entries, entry))


def withdrawn(queue: Queue, entry: Entry) -> Queue:
    """Without this entry (the last that is equal to it), at its rollout; the same queue where it
    has none such.
    """
    for index in range(len(queue.entries) - 1, -1, -1):
        if queue.entries[index] == entry:
            entries = queue.entries[:index] + queue.entries[index + 1 :]
            place = queue.ids.index(entry.rollout_id)
            return msgspec.structs.replace(queue, entries=entries, at=place)
    return queue


def undecided(queue: Queue, by: int = 1) -> int | None:
    """The place of the next rollout without a verdict, or (``by`` = -1) of the one before; round
    the ends, the one at hand last. None where all have one.
    """
    verdicts, count = queue.verdicts(), len(queue.ids)
    for distance in range(1, count + 1):
        place = (queue.at + by * distance) % count
        if queue.ids[place] not in verdicts:
            return place
    return None


def adjusted(
    queue: Queue, rollout_id: str, step_id: str, verdict: Verdict | None, given_at: float
) -> Queue:
    """As the rollout itself says: a verdict of this person that was given elsewhere since the queue
    was frozen is counted, and one that is gone or does not stand any more is not.
    """
    known = queue.verdicts().get(rollout_id)
    if verdict is not None and given_at < queue.frozen_at and known is None:
        return queue  # from before: this queue asks for another look
    if verdict == known:
        return queue
    return added(queue, Entry(rollout_id, step_id, verdict, decides=True))


def progress(queue: Queue) -> Progress:
    """How far it is."""
    verdicts = queue.verdicts()
    given = list(verdicts.values())
    left = len(queue.ids) - len(verdicts)
    took: Mapping[str, float] = {
        entry.rollout_id: entry.seconds
        for entry in queue.entries
        if entry.decides and entry.verdict is not None and entry.seconds > 0
    }
    each = sum(took.values()) / len(took) if took else 0.0
    return Progress(
        total=len(queue.ids),
        accepted=given.count("accept"),
        rejected=given.count("reject"),
        unsure=given.count("unsure"),
        left=left,
        each=each,
        seconds=each * left,
    )


Clock = Callable[[], float]


class Watch:
    """How long the rollout at hand has been looked at."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: float | None = None
        self._before = 0.0

    def begin(self) -> None:
        """Another rollout is looked at from now on."""
        self._before, self._since = 0.0, self._clock()

    def rest(self) -> None:
        """It is looked at no longer, for now."""
        self._before, self._since = self.seconds, None

    def go_on(self) -> None:
        """It is looked at again."""
        if self._since is None:
            self._since = self._clock()

    @property
    def seconds(self) -> float:
        """So long."""
        now = self._clock() - self._since if self._since is not None else 0.0
        return self._before + now
