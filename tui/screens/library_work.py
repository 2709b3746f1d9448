"""Work on many rollouts of the library: how far it is, and Esc ends it where it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol, TypeVar

from rollstep.core.marking import Progress
from textual.timer import Timer

if TYPE_CHECKING:
    from .library import LibraryScreen

T = TypeVar("T")
Then = Callable[[T], None]


class _OfRollout(Protocol):
    @property
    def rollout_id(self) -> str: ...


Each = TypeVar("Each", bound=_OfRollout)

_SAID_EVERY = 0.3


class Working:
    """What one library screen has the engine do with many rollouts."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self.words = ""
        """What is being done; empty for nothing."""
        self._going_on = self._while_here = False
        self._done = (0, 0)
        self._timer: Timer | None = None

    def run(
        self,
        words: str,
        start: Callable[[Progress], Future[T]],
        then: Then[T],
        *,
        while_here: bool = False,
    ) -> None:
        """Have it done, and say so when it takes a while; ``then`` is told what came of it. It goes
        on when the screen is left, or only ``while_here``.
        """
        self.words, self._going_on, self._done = words, True, (0, 0)
        self._while_here = while_here
        self._timer = self.screen.set_interval(_SAID_EVERY, self._say)
        future = start(self._progress)

        async def waiting() -> None:
            try:
                found = await asyncio.wrap_future(future)
            finally:
                self._end()
            then(found)

        self.screen.rollstep.later(waiting())

    def _progress(self, done: int, of: int) -> bool:
        self._done = done, of
        return self._going_on

    def _end(self) -> None:
        self.words = ""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def give_up(self) -> bool:
        """Do no more of it; whether something was under way. What is done stays done."""
        self._going_on = False
        return bool(self.words)

    def leave(self) -> None:
        """The screen is left."""
        if self._while_here:
            self.give_up()

    def _say(self) -> None:
        done, of = self._done
        self.screen.flash(f"{self.words} … {done:,} of {of:,}; Esc ends it there", "dim")


def not_reached(
    wanted: Sequence[Each], done: Sequence[_OfRollout], failed: Sequence[tuple[str, str]]
) -> tuple[Each, ...]:
    """Those of which nothing came, since it was ended before."""
    over = {each.rollout_id for each in done} | {rollout_id for rollout_id, _ in failed}
    return tuple(each for each in wanted if each.rollout_id not in over)
