"""Linting the path that is shown while nothing else happens, a slice at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..flags import linter_is_loaded

if TYPE_CHECKING:
    from .debugger import DebuggerScreen

_AT_ONCE = 24
"""So few new steps are looked at before they are painted."""
_REST = 0.2
"""Seconds without a paint (a key, an answer) after which the work begins, or goes on."""
_BETWEEN = 0.012
"""Seconds from one slice to the next: keys find the loop free."""
_REPAINT = 0.4
"""Marks that were found are painted so often while the work goes on."""


class IdleLint:
    """Keeps the flags of the shown path up to date, and no key waiting."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self._screen = screen
        self._busy = False
        self._quiet_from = 0.0
        self._painted = (0, 0.0)
        self._painting = False
        self._package = False

    def before_paint(self) -> None:
        """The screen is about to be painted: a few new steps are looked at now, many when there
        has been quiet for a while.
        """
        if self._painting:
            return
        self._quiet_from = time.monotonic() + _REST
        lint = self._screen.model.lint
        if 0 < lint.waiting <= _AT_ONCE and linter_is_loaded() and self._may_check():
            lint.work(seconds=1.0)
        if lint.waiting:
            self._later(_REST)

    def _later(self, seconds: float) -> None:
        if not self._busy:
            self._busy = True
            self._screen.set_timer(seconds, self._slice)

    def _slice(self) -> None:
        self._busy = False
        lint, now = self._screen.model.lint, time.monotonic()
        if not lint.waiting:
            self._paint()
        elif now < self._quiet_from:
            self._later(self._quiet_from - now)
        elif self._is_searching():
            self._later(_REST)
        elif not self._may_check():
            self._busy = True
            self._screen.rollstep.later(self._load())
        elif lint.work():
            if now > self._painted[1] + _REPAINT:
                self._paint()
            self._later(_BETWEEN)
        else:
            self._paint()

    def _paint(self) -> None:
        """Paint what was found since the last time."""
        version = self._screen.model.path.flags.version
        if version != self._painted[0]:
            self._painting = True
            self._screen.repaint(follow=False)
            self._painting = False
            self._screen.rollstep.tell_over(self._screen)
        self._painted = version, time.monotonic()

    def _is_searching(self) -> bool:
        """Whether somebody waits for a search, whose slices come first."""
        search = self._screen.search
        return search is not None and not search.done

    def _may_check(self) -> bool:
        return self._package or not self._screen.model.lint.needs_package()

    async def _load(self) -> None:
        """Load the package that odd schemas need, on a thread."""
        import asyncio

        from rollstep.core.rules.schemas import load_package

        await asyncio.to_thread(load_package)
        self._package, self._busy = True, False
        self._later(_BETWEEN)
