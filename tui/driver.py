"""Textual's terminal driver, made to outlive bytes that are no text, but not its terminal."""

from __future__ import annotations

import codecs
import os
import signal
import threading

from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread

_PAUSE = 0.2
"""Seconds between two reads of a terminal that is gone, until the program has ended."""


def _terminal_is_gone() -> None:
    """End as one does when a terminal hangs up: it may be gone without a signal saying so."""
    os.kill(os.getpid(), signal.SIGHUP)


class _Decoder(codecs.IncrementalDecoder):
    """UTF-8 in which wrong bytes become U+FFFD. Nothing at all is what a terminal gives that is
    gone, again and again, as fast as it is asked.
    """

    def __init__(self) -> None:
        super().__init__("replace")
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._gone = threading.Event()

    def decode(self, data: bytes, final: bool = False) -> str:  # type: ignore[override]
        """The text of these bytes."""
        if not data and not final:
            if not self._gone.is_set():
                self._gone.set()
                _terminal_is_gone()
            threading.Event().wait(_PAUSE)
        return self._utf8.decode(data, final)


class _Writer(WriterThread):
    """Goes on taking what is written where the terminal is gone. Textual's thread dies of that, and
    whoever writes next waits for it for ever.
    """

    def run(self) -> None:
        """Write until told to stop."""
        gone = False
        while (text := self._queue.get()) is not None:
            try:
                if not gone:
                    self._file.write(text)
                    if self._queue.qsize() == 0:
                        self._file.flush()
            except (OSError, ValueError):
                gone = True
                _terminal_is_gone()
        if not gone:
            try:
                self._file.flush()
            except (OSError, ValueError):
                return  # it went with the last of it, and the program is ending anyway


class TerminalDriver(linux_driver.LinuxDriver):
    """A byte that is no UTF-8 (a latin-1 paste, noise on a serial line) arrives as U+FFFD, and a
    terminal that is gone ends the program.

    Textual decodes strictly and writes without a look at errors, in threads that offer no other way
    in than the names that they look up.
    """

    def start_application_mode(self) -> None:
        """Begin, with our writer."""
        linux_driver.WriterThread = _Writer  # type: ignore[attr-defined]
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def run_input_thread(self) -> None:
        """Wait for input and hand it on as events."""
        linux_driver.getincrementaldecoder = _made  # type: ignore[assignment, attr-defined]
        super().run_input_thread()


def _made(encoding: str) -> type[_Decoder]:
    return _Decoder
