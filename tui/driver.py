"""Textual's terminal driver, made to outlive bytes that are no text."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from textual.drivers import linux_driver


def _decoder(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    made = codecs.getincrementaldecoder(encoding)
    return lambda: made("replace")


class TerminalDriver(linux_driver.LinuxDriver):
    """A byte that is no UTF-8 (a latin-1 paste, noise on a serial line) arrives as U+FFFD.

    Textual decodes strictly, in a function of its input thread that offers no other way in than the
    decoder it looks up; one such byte ended the program.
    """

    def run_input_thread(self) -> None:
        """Wait for input and hand it on as events."""
        linux_driver.getincrementaldecoder = _decoder  # type: ignore[assignment, attr-defined]
        super().run_input_thread()
