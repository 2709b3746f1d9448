"""Wall time for display. Order is by sequence number, durations by the monotonic clock."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]
"""Seconds since the epoch."""


def wall_clock() -> float:
    """The machine's own time."""
    return time.time()
