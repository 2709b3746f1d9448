"""For a moment after a paste or an answered dialog, keys that pay or decide do nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

PASTE_SECONDS = 0.3
"""An escape character inside a paste ends it, and its rest arrives as keys."""
SCREEN_SECONDS = 0.4
"""A key meant for the dialog before must not act here."""


class KeyGuard:
    """Knows whether keys that decide must be ignored just now."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = self._paste_until = clock()
        self.after = ""
        """What the keys rest after, for people."""

    def pasted(self) -> None:
        """A paste arrived now."""
        self._paste_until = self._clock() + PASTE_SECONDS
        self._rest(PASTE_SECONDS, "a paste")

    def opened(self, after: str = "the dialog") -> None:
        """A dialog or screen opened now, or one was answered."""
        self._rest(SCREEN_SECONDS, after)

    def _rest(self, seconds: float, after: str) -> None:
        self.after = after
        self._until = max(self._until, self._clock() + seconds)

    @property
    def closed(self) -> bool:
        """Whether keys that decide must be ignored."""
        return self._clock() < self._until

    @property
    def pasting(self) -> bool:
        """Whether a key may be the rest of a paste."""
        return self._clock() < self._paste_until

    def words(self, key: str) -> str:
        """Why a key did nothing."""
        return f"{key} rests for a moment after {self.after}: press it again."
