"""Painting an answer while it arrives: ten times a second, and never in the way of a key."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen

STREAM_SECONDS = 0.1
"""Streamed text is painted at most so often; keys paint at once, and paint it too."""


class StreamPaint:
    """Looks for streamed text from time to time, so that the engine need not tell of each piece."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self._screen = screen
        self._painted = 0.0
        self._fresh = False
        """Text has been taken that is not painted yet."""
        self._watching = False

    def before_paint(self) -> None:
        """The screen is about to be painted, with all text that has been taken."""
        self._painted, self._fresh = time.monotonic(), False

    def news(self) -> None:
        """Text has come: paint it now, or, where a key has just painted, a little later."""
        self._fresh = True
        if not self._watching:
            self._watch()

    def _watch(self) -> None:
        self._watching = True
        left = self._painted + STREAM_SECONDS - time.monotonic()
        if left <= 0:
            self._screen.repaint()
            left = STREAM_SECONDS
        self._screen.rollstep.controller.rest(left)
        self._screen.set_timer(left, self._look)

    def _look(self) -> None:
        self._watching = False
        self._screen.rollstep.take_news()
        if self._fresh and not self._watching:
            self._watch()
