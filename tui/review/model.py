"""What the queue's screen shows: the queue, the rollout at hand and its neighbours, loaded ahead.
Imports no Textual and reads no library on the screen's thread.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import NamedTuple

from rollstep.core.model.marks import Mark, Verdict
from rollstep.core.model.messages import TargetReply
from rollstep.core.review.queue import (
    Entry,
    Progress,
    Queue,
    Watch,
    added,
    adjusted,
    go_to,
    progress,
    undecided,
    withdrawn,
)
from rollstep.core.review.reading import steps_read, turns_read
from rollstep.core.rules.marking import MarkChange, changed, mark_of
from rollstep.core.rules.verdicts import Standing, is_outdated
from rollstep.core.store.library import Library

from ..presenter import DebuggerModel
from ..snapshot import snapshot_of

_KEPT = 8
"""Rollouts that are kept loaded: the one at hand, those around it, and the last ones."""
_LINT_SECONDS = 0.3
"""How long flags are looked for as a rollout is loaded; of a very long one, the first steps'."""


class Looks(NamedTuple):
    """What is worked out of one rollout when something was read or marked. ``turns``: of each,
    whether all of it was read; ``unverified``: the places of copied steps that were not read where
    they stand now; ``replies``: how many there are to be trained on, and ``untrained`` of them.
    """

    turns: list[bool]
    unverified: list[int]
    replies: int
    untrained: int


class Loaded:
    """One rollout, ready to be shown: its model, and the ids of the steps that were read."""

    def __init__(self, model: DebuggerModel, read: frozenset[str], by: str) -> None:
        self.model = model
        self.read = set(read)
        self._by = by
        self._verdict: tuple[object, Standing | None] | None = None
        self._looks: tuple[object, Looks] | None = None
        path = model.path
        unread = (index for index, step in enumerate(path.steps) if step.id not in self.read)
        model.cursor = min(next(unread, 0), len(path) - 1)

    @property
    def looks(self) -> Looks:
        """What is worked out of it, as it is now."""
        key = (len(self.read), self.model.marks)
        if self._looks is None or self._looks[0] != key:
            self._looks = (key, self._look())
        return self._looks[1]

    def _look(self) -> Looks:
        path, read = self.model.path, self.read
        replies = {step.id for step in path.steps if isinstance(step.payload, TargetReply)}
        marks = (mark for mark in self.model.marks if mark.by == self._by)
        return Looks(
            turns_read(path.turn, [step.id for step in path.steps], read),
            [n for n, s in enumerate(path.steps) if s.copied_from and s.id not in read],
            len(replies),
            sum(mark.train is False and mark.step_id in replies for mark in marks),
        )

    @property
    def verdict(self) -> Standing | None:
        """The person's own verdict on the branch that is shown."""
        model = self.model
        key = (model.leaf, model.marks)
        if self._verdict is None or self._verdict[0] != key:
            mark = mark_of(model.marks, model.leaf or "", self._by)
            commands = model.commands.values()
            standing = (
                Standing(mark, is_outdated(model.rollout, mark, commands)) if mark.verdict else None
            )
            self._verdict = (key, standing)
        return self._verdict[1]


def load_rollout(library: Library, rollout_id: str, by: str) -> Loaded:
    """A rollout of the library with its flags. For the engine's thread; raises InputError,
    StoreError.
    """
    model = DebuggerModel(snapshot_of(library.load(rollout_id)))
    model.lint.work(_LINT_SECONDS)
    return Loaded(model, steps_read(library, rollout_id, by), by)


class ReviewModel:
    """The state of one review."""

    def __init__(self, queue: Queue, *, parked: int = 0, show_others: bool = False) -> None:
        self.queue = queue
        self.parked = parked
        self.show_others = show_others
        self.watch = Watch(time.monotonic)
        self.unsaved = ""
        """Why what was said last could not be saved."""
        self.waiting = 0
        """Marks that are being saved."""
        self.asked: set[str] = set()
        """Rollouts of which it was said that not all of it was read."""
        self.gone: dict[str, str] = {}
        """Rollouts that cannot be loaded, with the reason."""
        self._loaded: OrderedDict[str, Loaded] = OrderedDict()
        self._progress: tuple[tuple[Entry, ...], Progress] | None = None

    @property
    def progress(self) -> Progress:
        """How far the queue is."""
        if self._progress is None or self._progress[0] is not self.queue.entries:
            self._progress = (self.queue.entries, progress(self.queue))
        return self._progress[1]

    # the rollouts

    @property
    def shown(self) -> Loaded | None:
        """The rollout at hand; None while it is being loaded."""
        return self._loaded.get(self.queue.current)

    def wanted(self) -> list[str]:
        """Which rollouts are to be loaded, the first one first: the one at hand, and those that
        the next key may go to.
        """
        queue = self.queue
        places = [queue.at, undecided(queue), *(queue.at + n for n in (1, 2, -1))]
        ids = [queue.ids[p] for p in places if p is not None and 0 <= p < len(queue.ids)]
        return [i for i in dict.fromkeys(ids) if i not in self._loaded and i not in self.gone]

    def take(self, rollout_id: str, loaded: Loaded) -> None:
        """A rollout has been loaded: what it says itself of its verdict counts."""
        self._loaded[rollout_id] = loaded
        self._loaded.move_to_end(rollout_id)
        while len(self._loaded) > _KEPT:
            self._loaded.popitem(last=False)
        self._adjust(rollout_id, loaded)

    def forget(self, rollout_id: str) -> None:
        """It has changed: it is loaded again."""
        self._loaded.pop(rollout_id, None)
        self.gone.pop(rollout_id, None)

    def _adjust(self, rollout_id: str, loaded: Loaded) -> None:
        model = loaded.model
        if model.leaf is None or self.waiting:
            return
        verdict: Verdict | None = None
        given_at = 0.0
        if (found := loaded.verdict) is not None and not found.outdated:
            verdict, given_at = found.mark.verdict, found.mark.at
        self.queue = adjusted(self.queue, rollout_id, model.leaf, verdict, given_at)

    # where the human is

    def go_to(self, place: int) -> bool:
        """To the rollout at this place; whether that is another."""
        before = self.queue.at
        self.queue = go_to(self.queue, place)
        if moved := self.queue.at != before:
            self.watch.begin()
        return moved

    def next_undecided(self) -> bool:
        """To the next rollout without a verdict; False where all have one."""
        place = undecided(self.queue)
        return place is not None and (self.go_to(place) or place == self.queue.at)

    # what the human says

    @property
    def mine(self) -> Mark:
        """The person's mark on the end of the branch that is shown; an empty one for none."""
        shown = self.shown
        if shown is None or shown.model.leaf is None:
            return Mark("", by=self.queue.by)
        return mark_of(shown.model.marks, shown.model.leaf, self.queue.by)

    @property
    def others(self) -> list[Mark]:
        """The verdicts of others on this branch."""
        shown = self.shown
        if shown is None:
            return []
        leaf, by = shown.model.leaf, self.queue.by
        return [m for m in shown.model.marks if m.step_id == leaf and m.verdict and m.by != by]

    @property
    def shows_others(self) -> bool:
        """Whether they may be seen: after the person's own, unless the configuration says more."""
        return self.show_others or self.mine.verdict is not None

    def unread(self) -> int:
        """How many turns of the rollout at hand were not read."""
        return self.shown.looks.turns.count(False) if self.shown is not None else 0

    def say(self, step_id: str, change: MarkChange, now: float) -> Entry | None:
        """Take in a mark at once, as it is being saved; None where nothing changes."""
        shown = self.shown
        assert shown is not None
        by, model = self.queue.by, shown.model
        decides = change.verdict in ("accept", "reject", "unsure", None)
        verdict = change.verdict if isinstance(change.verdict, str) else None
        old = mark_of(model.marks, step_id, by)
        new = changed(old, change, now)
        if new == old:
            return None
        others = (m for m in model.marks if (m.step_id, m.by) != (step_id, by))
        model.marks = (*others, new)
        seconds = self.watch.seconds if decides else 0.0
        entry = Entry(self.queue.current, step_id, verdict, decides, seconds)
        self.queue = added(self.queue, entry)
        self.waiting += 1
        return self.queue.entries[-1]

    def said(self, rollout_id: str, marks: tuple[Mark, ...]) -> None:
        """A mark was saved, or taken back: these are the rollout's marks now."""
        self.waiting -= 1
        self.unsaved = ""
        if (loaded := self._loaded.get(rollout_id)) is not None and not self.waiting:
            loaded.model.marks = marks

    def not_said(self, entry: Entry, words: str) -> None:
        """A mark could not be saved: it does not count, and the rollout is at hand again."""
        self.waiting -= 1
        self.unsaved = words
        self.queue = withdrawn(self.queue, entry)
        self.forget(entry.rollout_id)

    def take_back(self) -> Entry | None:
        """Take the last mark back and return to its rollout; the entry, or None for none."""
        if not self.queue.entries:
            return None
        entry = self.queue.entries[-1]
        self.queue = withdrawn(self.queue, entry)
        self.waiting += 1
        self.watch.begin()
        return entry
