"""Another window may have the same queue: what is said there holds here, within a second."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rollstep.core.errors import StoreError

if TYPE_CHECKING:
    from .review import ReviewScreen

SECONDS = 1.0
"""Between two looks."""


class LookingAbout:
    """The look-out of one screen."""

    def __init__(self, screen: ReviewScreen) -> None:
        self.screen = screen
        self._looking = False

    def begin(self) -> None:
        """Look again and again, as long as the screen is there."""
        self.screen.set_interval(SECONDS, self._look)

    def _look(self) -> None:
        if not self._looking:
            self._looking = True
            self.screen.rollstep.later(self._look_about())

    async def _look_about(self) -> None:
        screen = self.screen
        try:
            news = await asyncio.wrap_future(screen.keeper.look())
        except StoreError:
            return  # whoever saves next says why
        finally:
            self._looking = False
        screen.noted(news)
        here = screen.model.queue.current
        if screen.is_current and any(e.decides and e.rollout_id == here for e in news.said):
            screen.flash("Decided in another window just now.")
