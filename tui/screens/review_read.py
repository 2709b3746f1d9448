"""What was read of the rollout at hand of the queue, and kept."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rollstep.core.errors import RollstepError

from ..actions import BY_ID

if TYPE_CHECKING:
    from .review import ReviewScreen


class Reading:
    """The reading on one queue's screen."""

    def __init__(self, screen: ReviewScreen) -> None:
        self.screen = screen

    def seen(self, items: list[int]) -> None:
        """These steps were read."""
        screen = self.screen
        column = screen.column
        if column is None:
            return
        loaded, steps = column.loaded, column.path.steps
        ids = {steps[item].id for item in items} - loaded.read
        loaded.read |= ids
        model = screen.model
        model.unkept.setdefault(model.queue.current, set()).update(ids)
        self.keep()

    def keep(self) -> None:
        """Keep which steps were read; what could not be kept is sent again with the next."""
        screen, model = self.screen, self.screen.model
        unkept, model.unkept = model.unkept, {}
        for rollout_id, ids in unkept.items():
            if ids:
                screen.rollstep.later(self._keeping_read(rollout_id, frozenset(ids)))

    async def _keeping_read(self, rollout_id: str, ids: frozenset[str]) -> None:
        screen = self.screen
        try:
            await asyncio.wrap_future(screen.keeper.keep_read(rollout_id, ids))
        except RollstepError:
            screen.model.unkept.setdefault(rollout_id, set()).update(ids)
            raise

    def end_words(self) -> str:
        """Whether all of it is read, where it cannot be read on."""
        unread = self.screen.model.unread()
        if unread:
            turns = f"{unread:,} turn{'s' if unread != 1 else ''}"
            return f"The end; {turns} before it not read yet: {BY_ID['first'].short} goes there."
        decide = " ".join(BY_ID[name].short for name in ("accept", "reject", "unsure"))
        return f"All of it is read: {decide} decide."
