"""Numbers of what the library lists: counted beside all else, with how far it is; Esc leaves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from ..asking import Asking

if TYPE_CHECKING:
    from .library import LibraryScreen

_SAID_EVERY = 0.25
_DESCRIBED = 16
"""Rollouts that are looked through at a time, so that a mark can come between."""


class Numbers:
    """Counts for one library screen."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self._asking = Asking(screen.rollstep, screen)
        self._describing = False
        self._done = (0, 0)
        self._timer: Timer | None = None

    def count(self) -> None:
        """Count what is listed, and show it."""
        self.stop()
        self._describing = True
        self._done = (0, 0)
        self._timer = self.screen.set_interval(_SAID_EVERY, self._say)
        self._say()
        self._describe()

    def stop(self) -> bool:
        """Count no further; whether it was under way."""
        under_way = self._asking.stop() or self._describing
        self._end()
        return under_way

    def give_up(self) -> bool:
        """The same, and say so."""
        if under_way := self.stop():
            self.screen.flash("Not counted to the end.", "dim")
        return under_way

    def _describe(self) -> None:
        """What was written since lists were made is looked through first, a few at a time."""
        from rollstep.core.listing.facts import describe_some

        def describe(library: Any) -> int:
            return 0 if library.read_only else describe_some(library, _DESCRIBED)

        def described(some: int) -> None:
            if self._describing:
                self._describe() if some else self._count()

        self.screen.ask(describe, described)

    def _count(self) -> None:
        from rollstep.core.listing.stats import count_rollouts

        self._describing = False
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
        self._describing = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _say(self) -> None:
        if not (self._describing or self._asking.under_way):
            self._end()  # it has failed, which was said
            return
        done, of = self._done
        how_far = f" {done:,} of {of:,};" if of else ""
        self.screen.flash(f"Counting …{how_far} Esc stops", "dim")
