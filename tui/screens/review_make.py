"""What the queue's keys decide: marks on the rollout at hand, on the screen at once, then saved."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from rollstep.core.errors import RollstepError, StoreError
from rollstep.core.model.marks import Mark, Verdict
from rollstep.core.rules.marking import MarkChange, mark_of

from ..actions import BY_ID
from ..sanitize import one_line
from ..verdicts import LETTERS, WORDS
from ..wrap import fit
from .marking import MarkAsking, Marked

if TYPE_CHECKING:
    from rollstep.core.review.queue import Entry

    from ..review.keeper import Saved
    from .review import ReviewScreen

_TITLE, _NOTE = 40, 30
"""Cells that a title, and what another one said, have in the line that says what was done."""


class Making:
    """The actions of one queue's screen."""

    def __init__(self, screen: ReviewScreen) -> None:
        self.screen = screen
        self._asking = MarkAsking(screen.rollstep, self._give)

    def act(self, what: str) -> None:
        """Do it, unless its key rests now."""
        screen, guard = self.screen, self.screen.rollstep.guard
        if guard.pasting if what == "mark" else guard.closed:
            screen.flash(guard.words(BY_ID[what].short))
            return
        screen.flashed = None
        if what == "undo":
            self._take_back()
        elif (marked := self._marked()) is not None:
            if what == "mark":
                self._asking.mark(marked)
            elif self._may_decide(BY_ID[what].short):
                self._decide(what, marked)

    def _decide(self, what: str, marked: Marked) -> None:
        verdict: Verdict = "accept" if what == "accept" else "unsure"
        if what == "reject":
            self._asking.reject(marked)
        else:
            self._give(marked.leaf.step_id, MarkChange(verdict=verdict))

    def _marked(self) -> Marked | None:
        screen, model = self.screen, self.screen.model
        shown = model.shown
        if shown is None:
            screen.flash("It is being loaded.", "dim")
            return None
        if shown.model.leaf is None:
            screen.flash("Nothing was played here yet: Enter opens it in the debugger.", "dim")
            return None
        step = shown.model.step
        at_cursor = mark_of(shown.model.marks, step.id, model.queue.by) if step else None
        return Marked(model.mine, at_cursor, shown.model.cursor + 1)

    def _may_decide(self, key: str) -> bool:
        """Whether all was read, or it was said already that it was not."""
        model = self.screen.model
        unread, rollout_id = model.unread(), model.queue.current
        if not unread or rollout_id in model.asked:
            return True
        model.asked.add(rollout_id)
        shown = model.shown
        assert shown is not None
        total = len(shown.looks.turns)
        self.screen.flash(
            f"{unread} of {total} turns not read yet: {BY_ID['read_on'].short} reads on; "
            f"{key} again decides all the same."
        )
        return False

    def _give(self, step_id: str, change: MarkChange) -> None:
        """The mark is on the screen at once; a verdict goes on to the next rollout."""
        screen, model = self.screen, self.screen.model
        if model.shown is None or step_id not in model.shown.model.rollout.steps:
            return
        title = model.shown.model.rollout.header.title
        entry = model.say(step_id, change, time.time())
        if entry is None:
            screen.flash("That is so already.", "dim")
            return
        decided = entry.decides and entry.verdict is not None
        undo = f"{BY_ID['undo'].short} takes it back."
        if decided:
            others = _others(model.others)
            on = model.next_undecided() and model.progress.left > 0
            screen.arrived()
            why = f" ({change.note})" if isinstance(change.note, str) else ""
            title = fit(one_line(title), _TITLE)
            words = f"{WORDS[entry.verdict or 'unsure']}{why}: {title}. {others}{undo}"
            if not on:
                leave = BY_ID["leave"].short
                words = f"Each rollout of this queue has its verdict: {leave} leaves, K goes back."
                words += f" {others}" if others else ""
            screen.flash(words[0].upper() + words[1:], "ok")
        else:
            screen.paint()
            screen.flash(f"{change.words[0].upper()}{change.words[1:]}; {undo}", "ok")
        saving = screen.keeper.give(entry, change, model.queue.at)
        screen.rollstep.later(self._saving(entry, saving, title))

    async def _saving(self, entry: Entry, saving: Future[Saved], title: str) -> None:
        model = self.screen.model
        try:
            saved = await asyncio.wrap_future(saving)
        except RollstepError as error:
            screen = self._shown
            model.not_said(entry, str(error), go=screen is not None)
            self._say_unsaved(screen, "not counted", error, title)
            return
        model.said(entry, saved.marks, saved.news)
        self._was_saved()

    def _take_back(self) -> None:
        screen, model = self.screen, self.screen.model
        entry = model.take_back()
        if entry is None:
            screen.flash("Nothing was said in this queue that could be taken back.", "dim")
            return
        screen.arrived()
        screen.rollstep.later(self._taking_back(entry))

    async def _taking_back(self, entry: Entry) -> None:
        model = self.screen.model
        try:
            taking = self.screen.keeper.take_back(entry, model.queue.at)
            saved = await asyncio.wrap_future(taking)
        except RollstepError as error:
            model.not_taken_back(entry, str(error) if isinstance(error, StoreError) else "")
            if isinstance(error, StoreError):
                self._say_unsaved(self._shown, "not taken back", error)
            elif (screen := self._shown) is not None:
                screen.arrived()
                screen.flash(str(error))
            return
        if saved.words:
            model.was_back_already(entry, saved.news)
        else:
            model.taken_back(entry, saved.marks, saved.news)
        self._was_saved()
        if (screen := self._shown) is not None:
            screen.flash(saved.words or "Taken back.", "warn" if saved.words else "ok")

    @property
    def _shown(self) -> ReviewScreen | None:
        """The screen that shows this queue now: another one where it was left meanwhile and come
        back to, none while a rollout is open.
        """
        from .review import ReviewScreen

        for screen in reversed(self.screen.rollstep.screen_stack):
            if isinstance(screen, ReviewScreen) and screen.model is self.screen.model:
                return screen
        return None

    def _was_saved(self) -> None:
        if (screen := self._shown) is not None:
            screen.note(self.screen.model.adjustments())
            screen.paint()
            screen.load_ahead()

    def _say_unsaved(
        self, screen: ReviewScreen | None, then: str, error: Exception, title: str = ""
    ) -> None:
        """Where the queue is, or where the human is now."""
        why = str(error).removeprefix("Not saved: ")
        words = f"NOT SAVED, and {then}: {why}"
        if screen is not None:
            screen.arrived()
            screen.flash(words, "alarm")
        else:
            what = f"your mark on {title}" if title else "your mark in the queue"
            self.screen.rollstep.say(f"{words} ({what})", "alarm")


def _others(marks: Sequence[Mark]) -> str:
    """What others said of it, who may be heard now: the next rollout is at hand already."""
    said = []
    for mark in marks:
        note = f" {fit(one_line(mark.note), _NOTE)}" if mark.note else ""
        said.append(
            f"{one_line(mark.by) or 'nobody named'}: {LETTERS[mark.verdict or 'unsure']}{note}"
        )
    return f"{', '.join(said)}. " if said else ""
