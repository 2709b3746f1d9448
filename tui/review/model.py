"""What the queue's screen shows: the queue, the rollout at hand and its neighbours, loaded ahead.
Imports no Textual and reads no library on the screen's thread.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import NamedTuple

import msgspec
from rollstep.core.model.marks import Mark, Verdict
from rollstep.core.model.messages import TargetReply
from rollstep.core.review.giving import verdict_command
from rollstep.core.review.keeping import KeptQueue
from rollstep.core.review.queue import Entry, News, Progress, Watch
from rollstep.core.review.reading import steps_read, turns_read
from rollstep.core.rules.marking import MarkChange, changed, mark_of
from rollstep.core.rules.verdicts import Standing, standing_verdict
from rollstep.core.store.library import Library

from ..presenter import DebuggerModel
from ..snapshot import snapshot_of

NOTHING = News()
_KEPT = 8
"""Rollouts that are kept loaded: the one at hand, those around it, and the last ones."""
_LINT_SECONDS = 0.3
"""How long flags are looked for as a rollout is loaded; of a very long one, the first steps'."""


class Looks(NamedTuple):
    """What is worked out of one rollout when something was read or marked. ``turns``: of each,
    whether all of it was read; ``unverified``: the places of copied steps that were not read where
    they stand now; ``replies``: how many there are to be trained on, and ``untrained`` of them;
    ``off``: ids of all steps that are not.
    """

    turns: list[bool]
    unverified: list[int]
    replies: int
    untrained: int
    off: frozenset[str]


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
        mine = (mark for mark in self.model.marks if mark.by == self._by)
        off = frozenset(mark.step_id for mark in mine if mark.train is False)
        return Looks(
            turns_read(path.turn, [step.id for step in path.steps], read),
            [n for n, s in enumerate(path.steps) if s.copied_from and s.id not in read],
            len(replies),
            len(off & replies),
            off,
        )

    @property
    def verdict(self) -> Standing | None:
        """The person's own verdict on the branch that is shown; outdated, also where it stood on
        the branch that this one grew out of by an edit.
        """
        model = self.model
        key = (model.leaf, model.marks)
        if self._verdict is None or self._verdict[0] != key:
            mine = [mark for mark in model.marks if mark.by == self._by]
            commands = model.commands.values()
            self._verdict = (key, standing_verdict(model.rollout, mine, model.leaf, commands))
        return self._verdict[1]


def load_rollout(library: Library, rollout_id: str, by: str) -> Loaded:
    """A rollout of the library with its flags. For the engine's thread; raises InputError,
    StoreError.
    """
    model = DebuggerModel(snapshot_of(library.load(rollout_id)))
    model.lint.work(_LINT_SECONDS)
    return Loaded(model, steps_read(library, rollout_id, by), by)


class ReviewModel:
    """The state of one review: ``queue`` is what the human sees, what is being saved included."""

    def __init__(self, kept: KeptQueue, *, parked: int = 0, show_others: bool = False) -> None:
        self.kept = kept
        """The queue as it is in the library; the engine's thread's alone."""
        self.queue = kept.queue.copy()
        self.parked = parked
        self.show_others = show_others
        self.watch = Watch(time.monotonic)
        self.unsaved = ""
        """Why what was said last could not be saved."""
        self.asked: set[str] = set()
        """Rollouts of which it was said that not all of it was read."""
        self.gone: dict[str, str] = {}
        """Rollouts that cannot be loaded, with the reason."""
        self.unkept: dict[str, set[str]] = {}
        """Steps that were read, by rollout, which is not in the library yet."""
        self._loaded: OrderedDict[str, Loaded] = OrderedDict()
        self._stale: set[str] = set()
        """Loaded ones that another program has marked since."""
        self._saving: list[str] = []
        self._withdrawing: dict[str, Entry] = {}
        self._own: list[str] = []
        """What was said here, the last at the end."""
        self._unasked: set[str] = set()
        """Loaded ones that were not asked for their verdicts, since marks were being saved."""

    @property
    def progress(self) -> Progress:
        """How far the queue is."""
        return self.queue.progress

    @property
    def waiting(self) -> int:
        """Marks that are being saved or taken back."""
        return len(self._saving) + len(self._withdrawing)

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
        places = [queue.at, queue.undecided(), *(queue.at + n for n in (1, 2, -1))]
        ids = [queue.ids[p] for p in places if p is not None and 0 <= p < len(queue.ids)]
        return [i for i in dict.fromkeys(ids) if self._is_wanted(i)]

    def _is_wanted(self, rollout_id: str) -> bool:
        missing = rollout_id not in self._loaded and rollout_id not in self.gone
        return missing or rollout_id in self._stale

    def take(self, rollout_id: str, loaded: Loaded, news: News = NOTHING) -> Entry | None:
        """A rollout has been loaded, and this is new of the queue. What the rollout says itself of
        its verdict counts: the entry that says so, where the queue did not know.
        """
        self._merge(news)
        self._stale.discard(rollout_id)
        loaded.read |= self.unkept.get(rollout_id, set())
        if (old := self._loaded.get(rollout_id)) is not None:
            loaded.read |= old.read
            if len(loaded.model.path) == len(old.model.path):
                loaded.model.cursor = old.model.cursor
        self._loaded[rollout_id] = loaded
        self._loaded.move_to_end(rollout_id)
        while len(self._loaded) > _KEPT:
            self._stale.discard(self._loaded.popitem(last=False)[0])
        return self._adjust(rollout_id, loaded)

    def forget(self, rollout_id: str) -> None:
        """It has changed: it is loaded again."""
        self._loaded.pop(rollout_id, None)
        self._stale.discard(rollout_id)
        self.gone.pop(rollout_id, None)

    def adjustments(self) -> list[Entry]:
        """What the rollouts say themselves of their verdicts that were loaded while marks were
        being saved; to be noted.
        """
        if self.waiting:
            return []
        unasked = [(i, self._loaded[i]) for i in self._unasked if i in self._loaded]
        self._unasked.clear()
        entries = (self._adjust(*each) for each in unasked if each[0] not in self._stale)
        return [entry for entry in entries if entry is not None]

    def _is_waiting(self, rollout_id: str) -> bool:
        saving = (entry for each in self._saving if (entry := self.queue.entry(each)) is not None)
        return any(e.rollout_id == rollout_id for e in (*saving, *self._withdrawing.values()))

    def _adjust(self, rollout_id: str, loaded: Loaded) -> Entry | None:
        model = loaded.model
        if model.leaf is None:
            return None
        if self.waiting:
            self._unasked.add(rollout_id)
            return None
        verdict: Verdict | None = None
        given_at = 0.0
        if (found := loaded.verdict) is not None and not found.outdated:
            verdict, given_at = found.mark.verdict, found.mark.at
        entry = self.queue.adjustment(rollout_id, model.leaf, verdict, given_at)
        if entry is None:
            return None
        if entry.verdict is not None:
            commands = model.commands.values()
            command = verdict_command(commands, model.leaf, self.queue.by, entry.verdict)
            entry = msgspec.structs.replace(entry, command=command)
        entry = self.queue.add(entry)
        if entry.command and rollout_id == self.queue.current:  # given in the debugger, as a rule
            self._own.append(entry.id)
        return entry

    def noted(self, news: News) -> None:
        """What became of the queue in the library meanwhile."""
        self._merge(news)

    def _merge(self, news: News) -> None:
        went = [entry for each in news.gone if (entry := self.queue.entry(each)) is not None]
        said = tuple(entry for entry in news.said if entry.id not in self._withdrawing)
        came = [entry for entry in said if not self.queue.holds(entry.id)]
        self.queue.merge(news._replace(said=said), self._saving)
        touched = {entry.rollout_id for entry in (*went, *came)}
        self._stale |= touched & self._loaded.keys()

    # where the human is

    def go_to(self, place: int) -> bool:
        """To the rollout at this place; whether that is another."""
        before = self.queue.at
        self.queue.go_to(place)
        if moved := self.queue.at != before:
            self.watch.begin()
        return moved

    def next_undecided(self) -> bool:
        """To the next rollout without a verdict; False where all have one."""
        place = self.queue.undecided()
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
        entry = self.queue.add(Entry(self.queue.current, step_id, verdict, decides, seconds))
        self._saving.append(entry.id)
        self._own.append(entry.id)
        return entry

    def said(self, entry: Entry, marks: tuple[Mark, ...], news: News) -> None:
        """A mark was saved: these are the rollout's marks now, and this is new of the queue."""
        self._saving.remove(entry.id)
        self._is_saved(entry.rollout_id, marks, news)

    def not_said(self, entry: Entry, words: str, *, go: bool = True) -> None:
        """A mark could not be saved: it does not count, and the rollout is at hand again if the
        human is to ``go`` there.
        """
        self._saving.remove(entry.id)
        self.unsaved = words
        self.queue.withdraw(entry.id, go=go)
        self.forget(entry.rollout_id)

    def take_back(self) -> Entry | None:
        """Take the last mark back and return to its rollout; the entry, or None for none. The last
        is that of this program; where nothing was said in it, that of whichever was it.
        """
        while self._own and not self.queue.holds(self._own[-1]):
            self._own.pop()
        last = self.queue.entry(self._own.pop()) if self._own else self.queue.last()
        if last is None:
            return None
        self.queue.withdraw(last.id)
        self._withdrawing[last.id] = last
        self.watch.begin()
        return last

    def taken_back(self, entry: Entry, marks: tuple[Mark, ...], news: News) -> None:
        """A mark was taken back."""
        del self._withdrawing[entry.id]
        self._is_saved(entry.rollout_id, marks, news)

    def was_back_already(self, entry: Entry, news: News) -> None:
        """Nothing was left of a mark to be taken back; the queue has its entry no longer."""
        del self._withdrawing[entry.id]
        self._merge(news)
        self.forget(entry.rollout_id)

    def not_taken_back(self, entry: Entry, words: str = "") -> None:
        """It could not be, or was already. With ``words``, why that could not be saved: what was
        said counts then as before.
        """
        del self._withdrawing[entry.id]
        if words:
            self.unsaved = words
            self.queue.add(entry)
            self._own.append(entry.id)
        self.forget(entry.rollout_id)

    def _is_saved(self, rollout_id: str, marks: tuple[Mark, ...], news: News) -> None:
        self.unsaved = ""
        self._merge(news)
        if (loaded := self._loaded.get(rollout_id)) and not self._is_waiting(rollout_id):
            loaded.model.marks = marks
