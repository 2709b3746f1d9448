"""Reckoning what the next step would cost, while nothing else happens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rollstep.core.errors import RollstepError
from rollstep.core.rules.stepper import Ask

if TYPE_CHECKING:
    from .debugger import DebuggerScreen

_REST = 0.15
"""Seconds that the cursor has rested before it is reckoned."""


class IdlePrice:
    """Asks the engine what the next step would cost, once for each place, and no key waits. What
    that step needs is loaded then, in the child process, before a human waits for it.
    """

    def __init__(self, screen: DebuggerScreen) -> None:
        self._screen = screen
        self._waiting = False

    def before_paint(self) -> None:
        """The screen is about to be painted: see whether a price is missing."""
        if not self._waiting and self._screen.model.lacks_price():
            self._waiting = True
            self._screen.set_timer(_REST, self._rested)

    def _rested(self) -> None:
        model = self._screen.model
        if not model.lacks_price():
            self._waiting = False
            return
        self._screen.rollstep.later(self._reckon())

    async def _reckon(self) -> None:
        model = self._screen.model
        place, at = model.price_key, model.step_id
        try:
            found = await asyncio.wrap_future(self._screen.rollstep.controller.forecast(at))
        except RollstepError:
            found = None  # of another rollout, opened meanwhile; else asking says what is wrong
        finally:
            self._waiting = False
        if model is not self._screen.model:
            return
        model.prices[place] = found
        action = model.next_here()
        if found is not None and isinstance(action, Ask):
            from rollstep.core.roles.llm_requests import model_of  # loaded by the reckoning

            spec = model_of(model.project, action.role)
            if spec is not None:
                self._screen.rollstep.controller.warm_up(spec)
        self._screen.repaint(follow=False)
