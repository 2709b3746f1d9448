"""Measures a full-screen program from outside: what its user would wait for.

The program runs in a real pseudo-terminal. A time ends with the last byte of the repaint, not with
the first, and not with what the program thinks of itself.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Self

from tests.e2e.terminal import Terminal

QUIET = 0.03
"""Seconds without a byte after which a repaint is over."""

_STAYS = 0.3
"""Seconds without a byte after which nothing that a key has caused comes any more."""

_TICKS = os.sysconf("SC_CLK_TCK")
_AT_WORK = 5
"""Percent of a core above which a program is not idle."""


@dataclass
class Keys:
    """Presses of keys: milliseconds until the last byte of the repaint, and bytes of it."""

    ms: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    @property
    def bytes_each(self) -> float:
        """Bytes written to the terminal for a key."""
        return mean(self.sizes)

    def extend(self, other: Keys) -> None:
        """Add another run's."""
        self.ms += other.ms
        self.sizes += other.sizes


class Probe:
    """A program under measurement, in a ``with`` block; started and usable when it begins."""

    def __init__(
        self,
        argv: Sequence[str | Path],
        usable: str | Callable[[str], bool],
        *,
        cwd: Path,
        env: Mapping[str, str],
    ) -> None:
        self.terminal = Terminal(argv, cwd=cwd, env=env)
        self.start_ms = (self._shown(usable, 0.1) - self.terminal.started_at) * 1000
        """From the start of the process to the last byte of the first usable picture."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.terminal.__exit__(None, None, None)

    def press(self, keys: Iterable[str]) -> Keys:
        """Press keys one by one, each after the repaint for the one before."""
        pressed = Keys()
        for key in keys:
            before = len(self.terminal.raw)
            at = time.perf_counter()
            self.terminal.send(key)
            if not self.terminal.read(5.0):
                raise AssertionError(f"{key!r} changed nothing\n{self.terminal.text}")
            pressed.ms.append((self.terminal.settle(QUIET) - at) * 1000)
            pressed.sizes.append(len(self.terminal.raw) - before)
        return pressed

    def until(self, keys: str, condition: str | Callable[[str], bool]) -> float:
        """Send keys at once; milliseconds until the condition holds and the repaint is over."""
        at = time.perf_counter()
        self.terminal.send(keys)
        return (self._shown(condition, QUIET) - at) * 1000

    def hold(self, key: str, seconds: float, rate: int = 30) -> float:
        """Hold a key down: it comes so many times a second. Milliseconds from the last one until
        the screen is as it stays.
        """
        begun = at = time.perf_counter()
        for number in range(max(round(seconds * rate), 1)):
            while (at := time.perf_counter()) < begun + number / rate:
                self.terminal.read(0.002)
            self.terminal.send(key)
        return (self.terminal.settle(_STAYS) - at) * 1000

    def until_written(self, key: str, mark: bytes) -> float:
        """Milliseconds from a key until the program writes these bytes, while it writes others."""
        while self.terminal.read():
            pass
        before = len(self.terminal.raw)
        at = time.perf_counter()
        self.terminal.send(key)
        while mark not in self.terminal.raw[before:]:
            if not self.terminal.read(5.0):
                raise AssertionError(f"{mark!r} did not come\n{self.terminal.text}")
        return (self.terminal.last_byte_at - at) * 1000

    def idle(self, seconds: float) -> float:
        """Percent of a core that the program takes while nobody touches it, when it has done what
        it does by itself after opening something: the linter looks through the branch.
        """
        self.terminal.settle(0.3)
        for _ in range(60):
            if self.busy(0.5) < _AT_WORK:
                break
        return self.busy(seconds)

    def busy(self, seconds: float) -> float:
        """Percent of a core that the program takes in the next seconds."""
        before, at = self._cpu_seconds(), time.perf_counter()
        while time.perf_counter() - at < seconds:
            self.terminal.read(0.02)
        return 100 * (self._cpu_seconds() - before) / (time.perf_counter() - at)

    def peak_mb(self) -> float:
        """The most memory that the program has had in use so far, in MB."""
        return peak_mb(self.terminal.pid)

    def leave(self, key: str) -> float:
        """Milliseconds from the key that quits to the end of the process."""
        at = time.perf_counter()
        self.terminal.send(key)
        self.terminal.wait()
        return (time.perf_counter() - at) * 1000

    def _shown(self, condition: str | Callable[[str], bool], quiet: float) -> float:
        """When the last byte of the burst came after which the condition holds.

        The emulator runs only between bursts: it takes longer to draw a screen than the program
        does, and a terminal that does not read holds the program up.
        """
        end = time.perf_counter() + 120
        while time.perf_counter() < end:
            if self.terminal.read(0.25):
                at = self.terminal.settle(quiet)
                text = self.terminal.text
                if condition in text if isinstance(condition, str) else condition(text):
                    return at
            elif not self.terminal.alive:
                raise AssertionError(f"the program has ended\n{self.terminal.text}")
        raise AssertionError(f"{condition!r} did not come\n{self.terminal.text}")

    def _cpu_seconds(self) -> float:
        stat = Path(f"/proc/{self.terminal.pid}/stat").read_text(encoding="utf-8")
        fields = stat.rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


def peak_mb(pid: int) -> float:
    """The most memory that a running process has had in use so far, in MB; 0 when it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except FileNotFoundError:
        return 0.0
    kilobytes = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return int(kilobytes[0]) / 1024 if kilobytes else 0.0
