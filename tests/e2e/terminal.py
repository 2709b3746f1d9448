"""A real pseudo-terminal with a program in it, its screen read through a terminal emulator.

Used by the end-to-end tests and by ``benchmarks/``. Nothing here sleeps for a fixed time: tests
wait for a condition on the screen, and fail with a picture of the screen when it does not come.
"""

from __future__ import annotations

import os
import re
import select
import signal
import termios
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte
from ptyprocess import PtyProcess

PATIENCE = 20.0
"""Seconds to wait for a condition before a test fails; far more than any takes."""

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f5": "\x1b[15~",
    "f10": "\x1b[21~",
    "ctrl+c": "\x03",
    "ctrl+q": "\x11",
    "ctrl+s": "\x13",
}

# What a full-screen program switches on, by the number in ESC [ ? number h: the alternate screen,
# mouse reports of four kinds, focus reports, bracketed paste. Each must be off again at the end.
MODES = ("1049", "1000", "1002", "1003", "1006", "1004", "2004")
CURSOR = "25"


class _Screen(pyte.Screen):
    """pyte's screen, which stumbles over private forms of sequences that it does not know."""

    def select_graphic_rendition(self, *attrs: int, **kwargs: object) -> None:
        if not kwargs.get("private"):
            super().select_graphic_rendition(*attrs)


class Terminal:
    """A program in a terminal of ``rows`` × ``columns``; use it in a ``with`` block.

    ``env`` is the program's whole environment besides TERM and the like.
    """

    def __init__(
        self,
        argv: Sequence[str | Path],
        *,
        cwd: Path,
        env: Mapping[str, str],
        rows: int = 45,
        columns: int = 160,
    ) -> None:
        self.rows, self.columns = rows, columns
        self.raw = bytearray()
        """Every byte that the program has written."""
        self.last_byte_at = time.perf_counter()
        """When the last of them was read."""
        self._screen = _Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._fed = 0
        settings = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", **env}
        self.started_at = time.perf_counter()
        with warnings.catch_warnings():
            # Python 3.12 warns of a fork beside other threads; the child does nothing but exec.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = PtyProcess.spawn(
                [str(word) for word in argv], cwd=str(cwd), env=settings, dimensions=(rows, columns)
            )
        self.pid: int = self._process.pid
        self._fd: int = self._process.fd
        self.settings_before = termios.tcgetattr(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.isalive():
            self.kill()
        self._process.close(force=True)

    # ---- reading

    def read(self, timeout: float = 0.0) -> bool:
        """Take what the program has written; wait up to ``timeout`` s for it. False: nothing."""
        ready, _, _ = select.select([self._fd], [], [], timeout)
        if not ready:
            return False
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:  # Linux says so when the other end is closed
            return False
        if data:
            self.last_byte_at = time.perf_counter()
            self.raw += data
        return bool(data)

    def settle(self, quiet: float = 0.05, timeout: float = PATIENCE) -> float:
        """Read until the program has been quiet for ``quiet`` s; when its last byte came."""
        end = time.perf_counter() + timeout
        while self.read(quiet):
            if time.perf_counter() > end:
                raise AssertionError(f"still writing after {timeout} s\n{self.text}")
        return self.last_byte_at

    @property
    def text(self) -> str:
        """The screen now: what has been read, a line per row, trailing spaces cut off."""
        if self._fed < len(self.raw):
            self._stream.feed(bytes(self.raw[self._fed :]))
            self._fed = len(self.raw)
        return "\n".join(line.rstrip() for line in self._screen.display)

    def wait_for(
        self, condition: str | re.Pattern[str] | Callable[[str], bool], timeout: float = PATIENCE
    ) -> str:
        """Read until the screen holds a text, matches a pattern or meets a condition; the screen.

        Raises AssertionError, with the screen in its message, when it has not come in time.
        """
        end = time.perf_counter() + timeout
        while not _holds(condition, self.text):
            left = end - time.perf_counter()
            if left <= 0 or not (self.read(min(left, 0.25)) or self.alive):
                state = "in time" if self.alive else "and the program has ended"
                raise AssertionError(f"{condition!r} did not come {state}:\n{self.text}")
        return self.text

    # ---- acting

    def send(self, *keys: str) -> None:
        """Press keys, by name (``enter``, ``down``) or as the characters themselves."""
        for key in keys:
            self.write(KEYS.get(key, key).encode())

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        os.write(self._fd, data)

    def resize(self, rows: int, columns: int) -> None:
        """Make the window another size; the program is told by SIGWINCH."""
        self.text  # noqa: B018  (what came before is for the old size)
        self.rows, self.columns = rows, columns
        self._screen.resize(rows, columns)
        self._process.setwinsize(rows, columns)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the program a signal; with SIGKILL, wait until it is gone."""
        os.kill(self.pid, number)
        if number == signal.SIGKILL:
            self.wait()

    def wait(self, timeout: float = PATIENCE) -> int:
        """Wait until the program has ended, reading on; its exit status, or minus the signal."""
        end = time.perf_counter() + timeout
        while self._process.isalive():
            if time.perf_counter() > end:
                raise AssertionError(f"still running after {timeout} s:\n{self.text}")
            self.read(0.02)
        while self.read():
            pass
        if self._process.exitstatus is not None:
            return int(self._process.exitstatus)
        return -int(self._process.signalstatus)

    @property
    def alive(self) -> bool:
        """Is the program still running?"""
        return bool(self._process.isalive())

    # ---- the state that the program leaves the terminal in

    def left_on(self) -> list[str]:
        """Terminal modes that the program switched on and has not switched off again."""
        state = {}
        for numbers, what in re.findall(rb"\x1b\[\?([\d;]+)([hl])", bytes(self.raw)):
            for number in numbers.decode().split(";"):
                state[number] = what == b"h"
        wrong = [f"mode {number} is on" for number in MODES if state.get(number)]
        if state.get(CURSOR) is False:
            wrong.append("the cursor is hidden")
        if termios.tcgetattr(self._fd)[:4] != self.settings_before[:4]:
            wrong.append("the terminal is raw")
        return wrong


def _holds(condition: str | re.Pattern[str] | Callable[[str], bool], text: str) -> bool:
    if isinstance(condition, str):
        return condition in text
    if isinstance(condition, re.Pattern):
        return condition.search(text) is not None
    return condition(text)
