"""What lists go by is worked out while the library screen is open: a few rollouts at a time on the
engine's thread, so that a key comes between any two of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rollstep.core.store.library import Library

    from ..rollstep_app import RollstepApp
    from .library import LibraryScreen

_AT_ONCE = 16
"""Rollouts that are looked through before another key may be heard."""
_PAUSE_SECONDS = 0.05
_INDEXED = 200
"""Steps that are put into the search index at a time, likewise."""


class LookingThrough:
    """The facts of all rollouts that have changed, a few at each ``some``."""

    def __init__(self, app: RollstepApp) -> None:
        self._app = app
        self._steps: Iterator[int] | None = None

    async def some(self) -> int:
        """How many are left; the first answer is given before any was looked at. Raises StoreError,
        after which another one has to be made.
        """
        from rollstep.core.listing.up_to_date import looking_through

        def work(library: Library) -> int:
            if self._steps is None:
                self._steps = looking_through(library, _AT_ONCE)
            return next(self._steps, 0)

        return await asyncio.wrap_future(self._app.controller.with_library(work)) or 0


class Upkeep:
    """Looks through and indexes for one library screen: once at a time, however often it is asked
    for.
    """

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self.waiting = 0
        """How many rollouts have changed and were not looked through yet."""
        self.known = False
        """Whether the facts of all rollouts have been known since the screen was opened."""
        self._under_way = False
        self._again = False

    def soon(self) -> None:
        """Rollouts have changed, or may have."""
        self._again = True
        if not self._under_way:
            self._under_way = True
            self.screen.rollstep.later(self._work())

    async def _work(self) -> None:
        try:
            while self._again and self.screen.is_attached:
                self._again = False
                await self._look_through()
                await self._index()
        finally:
            self._under_way = False

    async def _look_through(self) -> None:
        screen, steps = self.screen, LookingThrough(self.screen.rollstep)
        await asyncio.sleep(_PAUSE_SECONDS)
        self.waiting = await steps.some()
        while self.waiting and screen.is_attached:
            self.waiting = await steps.some()
            if not screen.is_attached:
                return
            screen.model.forget_rows()
            if not self.waiting and not self.known:
                # What the filter and the order go by is known now. A mark that is given later
                # moves no row away from under the cursor.
                screen.list_anew()
            screen.paint()
            if self.waiting:
                await asyncio.sleep(_PAUSE_SECONDS)
        self.known = self.known or not self.waiting

    async def _index(self) -> None:
        """Put steps into the search index: what is not in it is searched slowly."""

        def work(library: Library) -> int:
            return 0 if library.read_only else library.index_pending(_INDEXED)

        while self.screen.is_attached and not self._again:
            some = self.screen.rollstep.controller.with_library(work)
            if await asyncio.wrap_future(some) != _INDEXED:
                return
            await asyncio.sleep(_PAUSE_SECONDS)
