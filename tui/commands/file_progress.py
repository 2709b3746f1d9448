"""Telling how far the reading of files is, on stderr: one line on a terminal, lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

from rollstep.core.importing.summary import FileProgress
from rollstep.tui.sanitize import one_line

from .progress import say

_EVERY_ON_TERMINAL = 0.1
_EVERY = 5.0
"""Seconds between two plain lines."""


class FileLine:
    """How much of some files has been read, how fast, and how long the rest will take."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = self._told = clock()
        self._terminal = sys.stderr.isatty()
        self._shown = False

    def __call__(self, progress: FileProgress) -> None:
        """Tell it, if it has not been told just now."""
        now = self._clock()
        if now - self._told < (_EVERY_ON_TERMINAL if self._terminal else _EVERY):
            return
        self._told = now
        text = progress_words(progress, now - self._started)
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


def progress_words(progress: FileProgress, seconds: float) -> str:
    """The line: records, their rate, bytes, time left, and the file where there are several."""
    rate = progress.read / seconds if seconds > 0 else 0.0
    pieces = [f"{progress.read:,} records", f"{rate:,.0f}/s"]
    if progress.size:
        share = min(progress.done / progress.size, 1.0)
        pieces.append(f"{share:.0%} of {_bytes(progress.size)}")
        if 0 < share < 1 and seconds > 1:
            pieces.append(f"{_time(seconds / share - seconds)} left")
    if progress.of_files > 1:
        pieces.append(f"file {progress.files:,} of {progress.of_files:,}: {progress.path.name}")
    return ", ".join(pieces)


def _bytes(number: int) -> str:
    size = float(number)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
