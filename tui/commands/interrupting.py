"""Ctrl+C that ends the work at the next record, and at once when it is pressed again."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""The exit status of a command that was interrupted."""


@contextmanager
def stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Gives what tells whether Ctrl+C was pressed; the second one interrupts as usual."""
    pressed = False

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
