"""When keys that pay or decide must do nothing: just after a paste, or after the screen changed."""

from __future__ import annotations

import time
from collections.abc import Callable

AFTER_PASTE = 0.3
AFTER_SCREEN = 0.4


class KeyGuard:
    """Remembers the moment until which such keys rest. Any ESC inside a paste ends it, and the
    rest of it arrives as keys; and a key meant for one screen must not act on the next."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._until = float("-inf")

    def pasted(self) -> None:
        """A paste has arrived."""
        self._until = max(self._until, self.clock() + AFTER_PASTE)

    def screen_changed(self) -> None:
        """Another screen came to the top."""
        self._until = max(self._until, self.clock() + AFTER_SCREEN)

    @property
    def resting(self) -> bool:
        """Whether keys that pay or decide do nothing now."""
        return self.clock() < self._until
