"""Playing a branch as it was recorded: which step is shown, how far it is typed, and when the next
comes. Knows the time only from what it is told, asks nobody anything, and imports no Textual.
"""

from __future__ import annotations

from rollstep.core.model.messages import UserMessage
from rollstep.core.model.project import Project
from rollstep.core.model.steps import ROLES, Step

from .document import Block
from .path import Path
from .present_lanes import LanesPage
from .present_page import Page
from .present_steps import Shown, cover, shown_step

SPEEDS = (1, 2, 4, 8, 16)
TYPED = 40.0
"""Characters of a message that are typed in a second at 1×."""
BETWEEN = 0.8
"""Seconds between two steps at 1×."""
BEFORE_TURN = 2.0
"""Seconds before the next turn at 1×, which takes this one from the screen."""
_EARLIER = 40
"""Steps of a turn that stand on its page at most when one in the middle of it is gone to."""
_LONGEST = 0.25
"""Seconds that count at most between two ticks: a program that was held up does not jump."""


class Player:
    """Plays the steps of a path, from ``at`` on; -1 is the cover before the first."""

    def __init__(self, path: Path, project: Project, at: int) -> None:
        self._path = path
        self._project = project
        self.at = min(at, len(path) - 1)
        self.speed = 1
        self.playing = True
        self.page: Page | LanesPage = Page()
        self._beside = False
        played = {step.role for step in path.steps}
        self._roles = [role for role in ROLES if role != "tool" or role in played]
        self._wait = 0.0
        self._now: float | None = None
        self._show(typed=True)

    # what is shown

    @property
    def step(self) -> Step | None:
        """The step at hand; None at the cover."""
        return self._path.steps[self.at] if self.at >= 0 else None

    @property
    def turn(self) -> int:
        """Its turn, from 1; 0 at the cover."""
        return self._path.turn[self.at] if self.at >= 0 else 0

    @property
    def turns(self) -> int:
        """How many turns there are."""
        return self._path.turns

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self._path)

    @property
    def at_end(self) -> bool:
        """Whether the last step is whole."""
        return self.at == len(self._path) - 1 and self.page.whole

    def side_by_side(self, beside: bool) -> None:
        """Whether each role has a lane of its own, or all of them share one column."""
        if beside != self._beside:
            self._beside = beside
            self._show(typed=self.playing and not self.page.whole)

    # playing

    def tick(self, now: float) -> bool:
        """The clock says this; whether anything is to be seen of it."""
        before, self._now = self._now, now
        if not self.playing or before is None:
            return False
        seconds = min(max(now - before, 0.0), _LONGEST) * self.speed
        if not self.page.whole:
            self.page.type(seconds * TYPED)
            if self.page.whole:
                self._rest()
            return True
        self._wait -= seconds
        if self._wait > 0:
            return False
        if self.at == len(self._path) - 1:
            self.playing = False
        else:
            self._next()
        return True

    def _rest(self) -> None:
        following = self.at + 1
        new_turn = following < len(self._path) and isinstance(
            self._path.steps[following].payload, UserMessage
        )
        self._wait = BEFORE_TURN if new_turn else BETWEEN

    def toggle(self) -> bool:
        """Pause, or go on; False at the end, where nothing is left to be played."""
        if self.at_end:
            self.playing = False
            return False
        self.playing = not self.playing
        self._now = None
        if self.playing:
            self.page.to_end(True)
        return True

    def faster(self, by: int) -> bool:
        """The next speed, or the one before; whether there is one."""
        place = SPEEDS.index(self.speed) + by
        if not 0 <= place < len(SPEEDS):
            return False
        self.speed = SPEEDS[place]
        return True

    # moving

    def go(self, by: int) -> bool:
        """The next step, or the one before: typed while playing, else whole; whether there is one.
        At the last, what is left of it is shown.
        """
        target = self.at + by
        if target >= len(self._path) and not self.page.whole:
            self.page.finish()
            self._rest()
            return True
        return self.jump(target)

    def jump(self, target: int) -> bool:
        """To a step, or to the cover; whether there is one."""
        if not -1 <= target < len(self._path) or target == self.at:
            return False
        if target == self.at + 1:
            self._next()
        else:
            self.at = target
            self._show(typed=self.playing)
        return True

    def chapter(self, turn: int) -> bool:
        """To the beginning of a turn, counted from 1; 0 is the cover. Whether there is one."""
        if not 0 <= turn <= self.turns:
            return False
        self.at = self._path.turn_starts[turn - 1] if turn else -1
        self._show(typed=self.playing)
        return True

    def _next(self) -> None:
        before = self.turn
        self.at += 1
        if self.turn != before:
            self._show(typed=self.playing)
        else:
            self._begin(self.at, typed=self.playing)

    def _show(self, *, typed: bool) -> None:
        """A page with the turn up to the step at hand, which is typed or whole."""
        old = self.page
        if self.at < 0:
            self.page = Page(cover(self._project))
        else:
            self.page = LanesPage(self._roles) if self._beside else Page()
        self.page.resize(old.width, old.height)
        self._wait = BEFORE_TURN
        if self.at >= 0:
            start = self._path.turn_starts[self.turn - 1]
            first = max(start, self.at - _EARLIER)
            if first > start:
                words = f"… {first - start:,} steps of this turn before"
                self.page.begin([Shown(Block("text", "")), Shown(Block("dim", words))])
            for place in range(first, self.at):
                self._begin(place, typed=False)
            self._begin(self.at, typed=typed)

    def _begin(self, place: int, *, typed: bool) -> None:
        self.page.follow = True
        step, call = self._path.steps[place], self._path.call.get(place)
        self.page.begin(shown_step(place + 1, step, call, named=not self._beside))
        if not typed:
            self.page.finish()
        if self.page.whole:
            self._rest()
