"""Telling how far a run is, on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import Any

from rollstep.tui.sanitize import one_line, visible

_EVERY_ON_TERMINAL = 0.1
_EVERY = 5.0
"""Seconds between two plain lines."""


def say(text: str) -> None:
    """A line on stderr, everything in it that would act on a terminal shown instead."""
    print(visible(text), file=sys.stderr, flush=True)


def counted(number: int, what: str) -> str:
    """A number and the word for what it counts, as in ``2 turns``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class StatusLine:
    """How far work is whose end nobody knows: one line on a terminal, lines elsewhere."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = self._told = clock()
        self._terminal = sys.stderr.isatty()
        self._shown = False

    def tell(self, words: Callable[[float], str]) -> None:
        """Say it, unless something was said just now; ``words`` are given the seconds since the
        beginning.
        """
        now = self._clock()
        if now - self._told < (_EVERY_ON_TERMINAL if self._terminal else _EVERY):
            return
        self._told = now
        text = words(now - self._started)
        if not self._terminal:
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


class Progress:
    """How many of ``total`` rollouts are done."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._clock = clock
        self._told = clock()
        self._shown = 0
        self._bar = _bar(total) if sys.stderr.isatty() else None

    def step(self, rollouts: int, records: int) -> None:
        """So many rollouts are done, with so many records."""
        now = self._clock()
        if self._bar is not None:
            if now - self._told >= 0.1 or rollouts == self._total:
                self._bar.update(rollouts - self._shown)
                self._shown, self._told = rollouts, now
        elif now - self._told >= _EVERY and rollouts < self._total:
            say(f"{rollouts:,} of {self._total:,} rollouts, {records:,} records")
            self._told = now

    def say(self, text: str) -> None:
        """A line that does not run into the bar."""
        if self._bar is not None:
            sys.stderr.write("\r\x1b[K")
        say(text)

    def close(self) -> None:
        """Leave the bar as it is and go to the next line."""
        if self._bar is not None:
            self._bar.render_finish()


def _bar(total: int) -> Any:
    import click

    return click.progressbar(length=total, file=sys.stderr, show_pos=True, label="rollouts")
