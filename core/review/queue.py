"""A queue: the rollouts that a query meant at one moment, where one person is in it, and what that
person has said of them so far. Knows no library. Whatever its length, a change and a look at how
far it is cost the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from ..model.marks import Verdict

LONGEST = 600.0
"""Seconds that one decision counts for at most: who went for lunch has not looked on."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that was said of a rollout of the queue, on one of its steps. An entry that
    ``decides`` gives its verdict, or takes it away (None); others are ratings, tags, notes.
    ``seconds`` is how long the rollout was looked at for it; ``id`` is its own, wherever the queue
    is open. ``command`` is the number of the rollout's command that marked it, 0 where the mark
    said so already; None where that is not known.
    """

    rollout_id: str
    step_id: str
    verdict: Verdict | None = None
    decides: bool = False
    seconds: float = 0.0
    id: str = ""
    command: int | None = None


class News(NamedTuple):
    """What became of a queue: entries that came, in their order, and ids of those that went."""

    said: tuple[Entry, ...] = ()
    gone: tuple[str, ...] = ()


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


class Tally:
    """What was said, and what stands of it: of each rollout, the last entry that decides. Entries
    are in the order in which they were made.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._said = {entry.id: entry for entry in entries}
        self._deciding: dict[str, tuple[Entry, ...]] = {}
        self._stands: dict[str, Verdict] = {}
        self._took: dict[str, float] = {}
        self._seconds = 0.0
        self._counts: dict[Verdict, int] = {"accept": 0, "reject": 0, "unsure": 0}
        for entry in self._said.values():
            if entry.decides:
                before = self._deciding.get(entry.rollout_id, ())
                self._deciding[entry.rollout_id] = (*before, entry)
        for rollout_id in self._deciding:
            self._settle(rollout_id)

    def copy(self) -> Tally:
        """Another one, as this one is now."""
        other = Tally()
        other._said, other._deciding = self._said.copy(), self._deciding.copy()
        other._stands, other._took = self._stands.copy(), self._took.copy()
        other._seconds, other._counts = self._seconds, self._counts.copy()
        return other

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that was said."""
        return tuple(self._said.values())

    def __contains__(self, entry_id: str) -> bool:
        """Whether there is an entry of this id."""
        return entry_id in self._said

    def __len__(self) -> int:
        return len(self._said)

    def last(self) -> Entry | None:
        """What was said last; None for nothing."""
        return next(reversed(self._said.values()), None)

    def get(self, entry_id: str) -> Entry | None:
        """The entry of this id; None where it is gone."""
        return self._said.get(entry_id)

    def verdict_of(self, rollout_id: str) -> Verdict | None:
        """The verdict that stands on this rollout."""
        return self._stands.get(rollout_id)

    def verdicts(self) -> dict[str, Verdict]:
        """The verdict that stands on each rollout which has one."""
        return dict(self._stands)

    def add(self, entry: Entry) -> None:
        """One thing more, the last now."""
        self._said[entry.id] = entry
        if entry.decides:
            before = self._deciding.get(entry.rollout_id, ())
            self._deciding[entry.rollout_id] = (*before, entry)
            self._settle(entry.rollout_id)

    def remove(self, entry_id: str) -> Entry | None:
        """Without this entry, which is given back; None where there is none such."""
        entry = self._said.pop(entry_id, None)
        if entry is not None and entry.decides:
            deciding = self._deciding[entry.rollout_id]
            self._deciding[entry.rollout_id] = tuple(e for e in deciding if e.id != entry_id)
            self._settle(entry.rollout_id)
        return entry

    def progress(self, total: int) -> Progress:
        """How far it is, of so many rollouts."""
        left = total - len(self._stands)
        each = max(self._seconds, 0.0) / len(self._took) if self._took else 0.0
        counts = self._counts
        return Progress(
            total, counts["accept"], counts["reject"], counts["unsure"], left, each, each * left
        )

    def _settle(self, rollout_id: str) -> None:
        """What stands on this rollout now, and how long it took."""
        if (old := self._stands.pop(rollout_id, None)) is not None:
            self._counts[old] -= 1
        if (took := self._took.pop(rollout_id, None)) is not None:
            self._seconds -= took
        deciding = self._deciding[rollout_id]
        if deciding and (verdict := deciding[-1].verdict) is not None:
            self._stands[rollout_id] = verdict
            self._counts[verdict] += 1
        for entry in reversed(deciding):
            if entry.verdict is not None and entry.seconds > 0:
                self._took[rollout_id] = entry.seconds
                self._seconds += entry.seconds
                break


class Queue:
    """``query``, ``by``, ``frozen_at`` and ``ids`` never change; ``at`` is the place in the ids,
    from 0.
    """

    def __init__(
        self,
        query: str,
        by: str,
        frozen_at: float,
        ids: tuple[str, ...],
        at: int = 0,
        entries: Iterable[Entry] = (),
    ) -> None:
        self.query = query
        self.by = by
        self.frozen_at = frozen_at
        self.ids = ids
        self.at = min(max(at, 0), len(ids) - 1)
        self._place = {rollout_id: place for place, rollout_id in enumerate(ids)}
        self._decided = bytearray(len(ids))
        self._tally = Tally(_as_kept(entry) for entry in entries if entry.rollout_id in self._place)
        for rollout_id in self._tally.verdicts():
            self._decided[self._place[rollout_id]] = 1

    def copy(self) -> Queue:
        """Another one, as this one is now."""
        other = Queue(self.query, self.by, self.frozen_at, (self.current,))
        other.ids, other.at, other._place = self.ids, self.at, self._place
        other._decided, other._tally = self._decided[:], self._tally.copy()
        return other

    @property
    def name(self) -> str:
        """What it is kept under: when it was frozen, for whom, by which query."""
        return queue_name(self.query, self.by, self.frozen_at)

    @property
    def current(self) -> str:
        """The rollout at hand."""
        return self.ids[self.at]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What was said, in the order in which it was."""
        return self._tally.entries

    @property
    def said(self) -> int:
        """How many entries there are."""
        return len(self._tally)

    def verdicts(self) -> dict[str, Verdict]:
        """The verdict that stands on each rollout which has one."""
        return self._tally.verdicts()

    def verdict_of(self, rollout_id: str) -> Verdict | None:
        """The verdict that stands on this rollout."""
        return self._tally.verdict_of(rollout_id)

    def holds(self, entry_id: str) -> bool:
        """Whether this was said, and not taken back."""
        return entry_id in self._tally

    def entry(self, entry_id: str) -> Entry | None:
        """The entry of this id; None where it is gone."""
        return self._tally.get(entry_id)

    def last(self) -> Entry | None:
        """What was said last; None for nothing."""
        return self._tally.last()

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return self._tally.progress(len(self.ids))

    @property
    def finished(self) -> bool:
        """Whether each rollout has its verdict."""
        return not self.progress.left

    def go_to(self, place: int) -> None:
        """To this place, or the nearest that there is."""
        self.at = min(max(place, 0), len(self.ids) - 1)

    def undecided(self, by: int = 1) -> int | None:
        """The place of the next rollout without a verdict, or (``by`` = -1) of the one before;
        round the ends, the one at hand last. None where all have one.
        """
        decided, at = self._decided, self.at
        if by > 0:
            found = decided.find(0, at + 1)
            found = found if found >= 0 else decided.find(0, 0, at + 1)
        else:
            found = decided.rfind(0, 0, at)
            found = found if found >= 0 else decided.rfind(0, at)
        return found if found >= 0 else None

    def add(self, entry: Entry) -> Entry:
        """One thing more is said; the entry as it is kept. The place stays. Of a rollout that is
        not in the queue nothing is said.
        """
        entry = _as_kept(entry)
        if entry.rollout_id in self._place:
            self._tally.add(entry)
            self._look_at(entry)
        return entry

    def withdraw(self, entry_id: str, *, go: bool = True) -> Entry | None:
        """Without this entry, at its rollout if it is to ``go`` there; None, and nothing done,
        where it has none such.
        """
        entry = self._remove(entry_id)
        if entry is not None and go:
            self.at = self._place[entry.rollout_id]
        return entry

    def merge(self, news: News, waiting: Iterable[str] = ()) -> None:
        """Take in how the queue stands in the library. What is ``waiting`` to be saved comes after
        all that is.
        """
        for entry_id in news.gone:
            self._remove(entry_id)
        ours = [entry for each in waiting if (entry := self._remove(each)) is not None]
        arrived = {entry.id for entry in news.said}
        for entry in news.said:
            self._remove(entry.id)
            self.add(entry)
        for entry in ours:
            if entry.id not in arrived:
                self.add(entry)

    def adjustment(
        self, rollout_id: str, step_id: str, verdict: Verdict | None, given_at: float
    ) -> Entry | None:
        """What the rollout itself says that the queue does not know: a verdict of this person that
        was given elsewhere since the queue was frozen counts, and one that is gone or does not
        stand any more does not.
        """
        known = self.verdict_of(rollout_id)
        if verdict is not None and given_at < self.frozen_at and known is None:
            return None  # from before: this queue asks for another look
        if verdict == known:
            return None
        return Entry(rollout_id, step_id, verdict, decides=True)

    def _remove(self, entry_id: str) -> Entry | None:
        entry = self._tally.remove(entry_id)
        if entry is not None:
            self._look_at(entry)
        return entry

    def _look_at(self, entry: Entry) -> None:
        if entry.decides:
            decided = self._tally.verdict_of(entry.rollout_id) is not None
            self._decided[self._place[entry.rollout_id]] = decided


def _as_kept(entry: Entry) -> Entry:
    """With an id, and no longer than a decision may count."""
    if entry.id and 0.0 <= entry.seconds <= LONGEST:
        return entry
    seconds = min(max(entry.seconds, 0.0), LONGEST)
    return msgspec.structs.replace(entry, seconds=seconds, id=entry.id or os.urandom(8).hex())


def queue_name(query: str, by: str, frozen_at: float) -> str:
    """What a queue is kept under."""
    return f"{frozen_at:.6f} {by} {query}"


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
