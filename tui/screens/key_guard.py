"""For a moment after a paste or a change of screen, keys that pay or decide do nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

PASTE_SECONDS = 0.3
"""An escape character inside a paste ends it, and its rest arrives as keys."""
SCREEN_SECONDS = 0.4
"""A key meant for the screen before must not answer this one."""


class KeyGuard:
    """Knows whether keys that decide must be ignored just now."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = clock()

    def pasted(self) -> None:
        """A paste arrived now."""
        self._until = max(self._until, self._clock() + PASTE_SECONDS)

    def opened(self) -> None:
        """The screen changed now."""
        self._until = max(self._until, self._clock() + SCREEN_SECONDS)

    @property
    def closed(self) -> bool:
        """Whether keys that decide must be ignored."""
        return self._clock() < self._until
