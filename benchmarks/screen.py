"""Budgets of the debugger's screen: start, size, keys, search, idling, leaving."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from .probe import Keys, Probe
from .report import Line, p95, ratio
from .rollouts import NEEDLE, make_library, mark

SIZES = {"small": 20, "large": 5_000, "huge": 10_000}
FORKS = 2_000
FLOOR = Path(__file__).with_name("floor_app.py")


@dataclass
class Seen:
    """What was measured of one program, a value for each round."""

    start: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)
    leave: list[float] = field(default_factory=list)
    jump: list[float] = field(default_factory=list)
    find: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    keys: Keys = field(default_factory=Keys)
    outline: list[float] = field(default_factory=list)
    moves: Keys = field(default_factory=Keys)
    """In the outline."""


class Screen:
    """Runs the programs in turn, round by round, so that a machine that drifts drifts for all."""

    def __init__(self, rollstep: Path, folder: Path, *, rounds: int, presses: int) -> None:
        self.rollstep, self.folder = rollstep, folder
        self.rounds, self.presses = rounds, presses
        self.library = folder / "library.sqlite"
        self.env = {"HOME": str(folder / "home"), "PATH": os.defpath}
        (folder / "home").mkdir()
        self.seen: Mapping[str, Seen] = defaultdict(Seen)

    def lines(self) -> list[Line]:
        """Measure, and judge."""
        make_library(self.library, SIZES, FORKS)
        for number in range(self.rounds + 1):
            for name in ("floor", "demo", *SIZES, "forks"):
                seen = self._visit(name)
                if number:  # the first round fills the caches of the system
                    _add(self.seen[name], seen)
        return _judge(self.seen)

    def _visit(self, name: str) -> Seen:
        seen = Seen()
        with self._open(name) as probe:
            seen.start.append(probe.start_ms)
            if name in ("small", "huge"):
                seen.idle.append(probe.idle(2.0))
            self._keys(probe, name, seen)
            if name == "forks":
                self._outline(probe, seen)
            if name == "large":
                seen.find.append(self._find(probe))
            seen.peak.append(probe.peak_mb())
            seen.leave.append(probe.leave("q" if name == "floor" else "ctrl+q"))
        return seen

    def _open(self, name: str) -> Probe:
        if name == "floor":
            return Probe([sys.executable, FLOOR], "floor 0", cwd=self.folder, env=self.env)
        if name == "demo":
            return Probe([self.rollstep, "demo"], "step", cwd=self.folder, env=self.env)
        command: list[str | Path] = [self.rollstep, "open", name, "--library", self.library]
        return Probe(command, "mark0", cwd=self.folder, env=self.env)

    def _keys(self, probe: Probe, name: str, seen: Seen) -> None:
        """Up and down within the last steps, where the huge rollout is deepest."""
        if name == "demo":
            return
        if name in SIZES:
            probe.until("g", mark(1))
            seen.jump.append(probe.until("G", mark(SIZES[name])))
        there = min(self.presses, 15)
        keys = ("k" * there + "j" * there) * (1 + self.presses // (2 * there))
        seen.keys.extend(probe.press(keys[: self.presses]))

    def _outline(self, probe: Probe, seen: Seen) -> None:
        """From the key that opens it to the whole tree; then up and down in it."""
        seen.outline.append(probe.until("o", "how it ended"))
        probe.terminal.settle(0.3)
        probe.press("g")
        there = min(self.presses, 30)
        keys = ("j" * there + "k" * there) * (1 + self.presses // (2 * there))
        seen.moves.extend(probe.press(keys[: self.presses]))
        probe.press(["escape"])

    def _find(self, probe: Probe) -> float:
        """From the key that makes the query hit only the last step, to that step on the screen."""
        probe.until("g", mark(1))
        probe.press("/")
        probe.press(NEEDLE[:-1])
        time = probe.until(NEEDLE[-1], mark(SIZES["large"]))
        probe.press(["escape"])
        return time


def _add(to: Seen, seen: Seen) -> None:
    to.keys.extend(seen.keys)
    to.moves.extend(seen.moves)
    for name in ("start", "peak", "leave", "jump", "find", "idle", "outline"):
        getattr(to, name).extend(getattr(seen, name))


def _judge(seen: Mapping[str, Seen]) -> list[Line]:
    floor, demo, forks = seen["floor"], seen["demo"], seen["forks"]
    small, large, huge = (seen[name] for name in SIZES)
    steps = small.keys
    return [
        Line(
            "start to a usable debugger on a sample, against the floor",
            ratio(demo.start, floor.start),
            1.3,
            detail=f"{median(demo.start):.0f} against {median(floor.start):.0f} ms",
        ),
        Line(
            "open 5,000 steps (20 MB), against the floor",
            ratio(large.start, floor.start),
            1.5,
            detail=f"{median(large.start):.0f} against {median(floor.start):.0f} ms",
        ),
        Line(
            "open 10,000 steps, against 20",
            ratio(huge.start, small.start),
            2,
            detail=f"{median(huge.start):.0f} against {median(small.start):.0f} ms",
        ),
        Line(
            "peak memory with 20 steps, against the floor",
            ratio(small.peak, floor.peak),
            1.5,
            detail=f"{median(small.peak):.0f} against {median(floor.peak):.0f} MB",
        ),
        Line(
            "peak memory with 5,000 steps, against the floor",
            ratio(large.peak, floor.peak),
            2.2,
            detail=f"{median(large.peak):.0f} against {median(floor.peak):.0f} MB",
        ),
        Line(
            "step at 10,000, against 20",
            ratio(huge.keys.ms, steps.ms),
            1.2,
            detail=f"{median(huge.keys.ms):.1f} against {median(steps.ms):.1f} ms",
        ),
        Line(
            "step at 10,000, 95th percentile against median",
            p95(huge.keys.ms) / median(huge.keys.ms),
            3,
            detail=f"{p95(huge.keys.ms):.1f} against {median(huge.keys.ms):.1f} ms",
        ),
        Line(
            "step, against a key in the bare app",
            ratio(huge.keys.ms, floor.keys.ms),
            5,
            detail=f"{median(huge.keys.ms):.1f} against {median(floor.keys.ms):.1f} ms",
        ),
        Line(
            "jump to the end, against a step",
            ratio(huge.jump, huge.keys.ms),
            2,
            detail=f"{median(huge.jump):.1f} against {median(huge.keys.ms):.1f} ms",
        ),
        Line(
            "step in a rollout of 2,000 forks, against a key in the bare app",
            ratio(forks.keys.ms, floor.keys.ms),
            5,
            detail=f"{median(forks.keys.ms):.1f} against {median(floor.keys.ms):.1f} ms",
        ),
        Line(
            "outline of 2,000 forks opens, against the debugger's start",
            ratio(forks.outline, demo.start),
            2,
            detail=f"{median(forks.outline):.0f} against {median(demo.start):.0f} ms",
        ),
        Line(
            "move in the outline, against a key in the bare app",
            ratio(forks.moves.ms, floor.keys.ms),
            5,
            detail=f"{median(forks.moves.ms):.1f} against {median(floor.keys.ms):.1f} ms",
        ),
        Line("bytes to the terminal for a step", huge.keys.bytes_each / 1000, 20, "kB"),
        Line("search hit at the far end of 20 MB", median(large.find), 100, "ms"),
        Line("idle", median(huge.idle), 1, "% of a core"),
        Line(
            "leave, against the bare app",
            ratio(huge.leave, floor.leave),
            1.5,
            detail=f"{median(huge.leave):.0f} against {median(floor.leave):.0f} ms",
        ),
    ]
