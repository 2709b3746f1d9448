"""Work on many rollouts of the library: how far it is, Esc ends it where it is, and what takes it
back. It is the app's: it goes on when its screen is left, and the next one shows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from rollstep.core.errors import RollstepError
from rollstep.core.marking import Progress
from textual.timer import Timer

from ..library.words import with_failed

if TYPE_CHECKING:
    from ..rollstep_app import RollstepApp
    from .library import LibraryScreen

    Undo: TypeAlias = Callable[[LibraryScreen], None]

T = TypeVar("T")
Then = Callable[[T], None]
Failed = Sequence[tuple[str, str]]


class _OfRollout(Protocol):
    @property
    def rollout_id(self) -> str: ...


Each = TypeVar("Each", bound=_OfRollout)

_SAID_EVERY = 0.3


class Working:
    """What library screens have the engine do with rollouts, one thing at a time."""

    def __init__(self, app: RollstepApp) -> None:
        self.app = app
        self.words = ""
        """What is being done; empty for nothing."""
        self.done: list[Undo] = []
        """What takes back each thing that was done, the last at the end; each is told the screen
        that it is asked on.
        """
        self._screen: LibraryScreen | None = None
        self._going_on = self._while_here = False
        self._done = (0, 0)
        self._timer: Timer | None = None

    @property
    def screen(self) -> LibraryScreen | None:
        """The library's screen, where there is one."""
        screen = self._screen
        return screen if screen is not None and screen.is_attached else None

    def come(self, screen: LibraryScreen) -> None:
        """It is shown on this screen from now on."""
        self._screen = screen

    def leave(self, screen: LibraryScreen) -> None:
        """The screen is left."""
        if self._screen is screen:
            self._screen = None
            if self._while_here:
                self.give_up()

    def run(
        self,
        words: str,
        start: Callable[[Progress], Future[T]],
        then: Then[T],
        *,
        while_here: bool = False,
        undoes: Undo | None = None,
    ) -> None:
        """Have it done, and say so when it takes a while; ``then`` is told what came of it. It goes
        on when the screen is left, or only ``while_here``. What it ``undoes`` can be taken back
        again when nothing came of it.
        """
        self.words, self._going_on, self._done = words, True, (0, 0)
        self._while_here = while_here
        self._timer = self.app.set_interval(_SAID_EVERY, self._say)
        future = start(self._progress)

        async def waiting() -> None:
            try:
                found = await asyncio.wrap_future(future)
            except RollstepError:
                if undoes is not None:
                    self.done.append(undoes)
                raise
            finally:
                self._end()
            then(found)

        self.app.later(waiting())

    def _progress(self, done: int, of: int) -> bool:
        self._done = done, of
        return self._going_on

    def _end(self) -> None:
        self.words, self._while_here = "", False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def give_up(self) -> bool:
        """Do no more of it; whether something was under way. What is done stays done."""
        self._going_on = False
        return bool(self.words)

    def say_done(self, words: str, failed: Failed = ()) -> None:
        """Rollouts were changed: say so where the human is, and which could not be."""
        if (screen := self.screen) is not None:
            screen.was_done(words, failed)
        else:
            self.app.say(*with_failed(words, failed))

    def _say(self) -> None:
        done, of = self._done
        how_far = f" {done:,} of {of:,}; Esc ends it there" if of else ""
        if (screen := self.screen) is not None:
            screen.flash(f"{self.words} …{how_far}", "dim")


def left_of(
    wanted: Sequence[Each], done: Sequence[_OfRollout], over: Failed = ()
) -> tuple[Each, ...]:
    """Those of which nothing came, so that it may be asked again."""
    settled = {each.rollout_id for each in done} | {rollout_id for rollout_id, _ in over}
    return tuple(each for each in wanted if each.rollout_id not in settled)
