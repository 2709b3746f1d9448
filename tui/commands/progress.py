"""Telling how far a run is, on stderr: one line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

from rollstep.core.counting import counted as counted
from rollstep.tui.sanitize import one_line, visible

_EVERY_ON_TERMINAL = 0.1
_EVERY = 5.0
"""Seconds between two plain lines."""


def say(text: str) -> None:
    """A line on stderr, everything in it that would act on a terminal shown instead."""
    print(visible(text), file=sys.stderr, flush=True)


class StatusLine:
    """How far work is whose end nobody knows: one line on a terminal, lines elsewhere."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = self._told = clock()
        self.terminal = sys.stderr.isatty()
        self._every = _EVERY_ON_TERMINAL if self.terminal else _EVERY
        self._shown = False

    def tell(self, words: Callable[[float], str], *, last: bool = False) -> None:
        """Say it, unless something was said just now; ``words`` are given the seconds since the
        beginning. On a terminal, the ``last`` words are always said.
        """
        now = self._clock()
        if now - self._told < self._every and not (last and self.terminal):
            return
        self._told = now
        text = words(now - self._started)
        if not self.terminal:
            say(text)
            return
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{one_line(text)[:width]}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line off the terminal, so that others can be printed."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False

    def close(self) -> None:
        """Leave the line as it is, and go to the next."""
        if self._shown:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._shown = False
