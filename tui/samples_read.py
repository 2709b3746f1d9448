"""A log being read for the picker: lines come in batches, from a thread that can be told to end.

Imports no Textual.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.errors import RollstepError

if TYPE_CHECKING:
    from rollstep.core.importing import SampleLine

MOST_ROWS = 50_000
"""Samples that are listed; ``LOG#N`` opens any other."""
_FIRST, _LAST = 0.15, 1.5
"""Seconds before the first batch, and between two of many: showing a long list takes a while."""

Batch = Callable[[list["SampleLine"], bool, str], None]
"""Given the lines since the last time, whether that was all, and what went wrong."""


def read_samples(
    path: Path, tell: Batch, stop: threading.Event, read_as: str | None = None
) -> None:
    """Read to the end, to the most that is listed, or until told to stop. Blocking."""
    from rollstep.core.importing import list_samples

    batch: list[SampleLine] = []
    count = 0
    told, pause = time.monotonic(), _FIRST
    try:
        for line in _closing(list_samples(path, format=read_as)):
            if stop.is_set():
                return
            batch.append(line)
            count += 1
            if count >= MOST_ROWS:
                words = f"The first {count:,} are listed; {path.name}#N opens any other."
                tell(batch, True, words)
                return
            if time.monotonic() - told >= pause:
                tell(batch, False, "")
                batch, told, pause = [], time.monotonic(), min(pause * 1.3, _LAST)
    except RollstepError as error:
        tell(batch, True, str(error))
        return
    tell(batch, True, "")


def _closing(lines: Iterator[SampleLine]) -> Iterator[SampleLine]:
    """The lines, with the file closed whatever happens."""
    try:
        yield from lines
    finally:
        close = getattr(lines, "close", None)
        if close is not None:
            close()
