"""Numbers of what the library lists: counted beside all else, with how far it is; Esc leaves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from ..asking import Asking
from .library_upkeep import LookingThrough

if TYPE_CHECKING:
    from .library import LibraryScreen

_SAID_EVERY = 0.25
_COUNTING = "Counting … Esc stops"


class Numbers:
    """Counts for one library screen."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self._asking = Asking(screen.rollstep, screen)
        self._describing: object | None = None
        """Stands for the looking through that is under way."""
        self._done = (0, 0)
        self._timer: Timer | None = None

    def count(self) -> None:
        """Count what is listed, and show it."""
        self.stop()
        self._done = (0, 0)
        self._timer = self.screen.set_interval(_SAID_EVERY, self._say)
        self.screen.flash(_COUNTING, "dim")
        self.screen.rollstep.later(self._describe())

    def stop(self) -> bool:
        """Count no further; whether it was under way."""
        under_way = self._asking.stop() or self._describing is not None
        self._end()
        return under_way

    def give_up(self) -> bool:
        """The same, and say so."""
        if under_way := self.stop():
            self.screen.flash("Not counted to the end.", "dim")
        return under_way

    async def _describe(self) -> None:
        """What was written since lists were made is looked through first, a few at a time."""
        mine = self._describing = object()
        steps = LookingThrough(self.screen.rollstep)
        try:
            while mine is self._describing and await steps.some():
                pass
            wanted = mine is self._describing
        finally:
            if mine is self._describing:
                self._describing = None
        if wanted:
            self._count()

    def _count(self) -> None:
        from rollstep.core.listing.stats import count_rollouts

        query = self.screen.model.listed_query

        def progress(done: int, of: int) -> bool:
            self._done = done, of
            return True

        self._asking.ask(
            lambda library: count_rollouts(library, query, progress),
            lambda stats: self._show(stats, query),
        )

    def _show(self, stats: Any, query: str) -> None:
        from .stats import StatsScreen

        self._end()
        if self.screen.is_current:
            self.screen.flash("", "dim")
            self.screen.app.push_screen(StatsScreen(stats, query))
        else:
            self.screen.flash("Counted, but something else was opened: # counts again.", "dim")

    def _end(self) -> None:
        self._describing = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _say(self) -> None:
        if not (self._describing is not None or self._asking.under_way):
            self._end()  # it has failed, and why was said
            return
        done, of = self._done
        self.screen.flash(f"Counting … {done:,} of {of:,}; Esc stops" if of else _COUNTING, "dim")
