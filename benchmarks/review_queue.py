"""Budgets of a long queue: opening it, reading on, and a mark with the next rollout on the screen,
at its beginning and when nine of ten rollouts have their verdict.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from rollstep.core.review.keeping import KeptQueue
from rollstep.core.review.queue import Entry, Queue
from rollstep.core.store.library import Library

from .library_screen import make_library
from .probe import QUIET, Keys, Probe
from .report import Line, ratio
from .screen import FLOOR

_RESTS = 0.5
"""Seconds after which keys that decide do no longer rest on a rollout that has just come up."""
_START_BUDGET = 1.5
_KEY_BUDGET = 5
_SAME = 1.2


@dataclass
class Seen:
    """What was measured of one program, a value for each round."""

    start: list[float] = field(default_factory=list)
    keys: dict[str, Keys] = field(default_factory=lambda: defaultdict(Keys))


def lines(rollstep: Path, folder: Path, *, rollouts: int, rounds: int) -> list[Line]:
    """Measure, and judge."""
    path = folder / "library.sqlite"
    make_library(path, rollouts)
    done = rollouts * 9 // 10
    with Library.open(path) as library:
        _begin(library, "begun", rollouts, 0)
        _begin(library, "late", rollouts, done)
    env = {"HOME": str(folder / "home"), "PATH": os.defpath}
    (folder / "home").mkdir()
    floor, screen, begun, late = Seen(), Seen(), Seen(), Seen()
    for number in range(rounds + 1):
        # The first round fills the caches of the system.
        into = (floor, screen, begun, late) if number else (Seen(), Seen(), Seen(), Seen())
        with Probe([sys.executable, FLOOR], "floor 0", cwd=folder, env=env) as probe:
            into[0].start.append(probe.start_ms)
            into[0].keys["key"].extend(probe.press("jk" * 15))
        command: list[str | Path] = [rollstep, "library", "--library", path]
        with Probe(command, f"rollout {rollouts - 1:06d}.", cwd=folder, env=env) as probe:
            into[1].start.append(probe.start_ms)
        with ExitStack() as stack:
            probes = []
            for seen, name in ((into[2], "begun"), (into[3], "late")):
                command = [rollstep, "review", "", "--as", name, "--library", path]
                probe = Probe(command, "1   question ", cwd=folder, env=env)
                probes.append(stack.enter_context(probe))
                seen.start.append(probe.start_ms)
            _visit(probes, (into[2], into[3]))
    return _judge(floor, screen, begun, late, rollouts)


def _begin(library: Library, by: str, rollouts: int, decided: int) -> None:
    """A queue of all of them, in which so many were decided."""
    ids = tuple(f"r{number:06d}" for number in range(rollouts))
    said = (Entry(each, "s2", "accept", True, 5.0, f"e{each}") for each in ids[:decided])
    KeptQueue(Queue("", by, 1.0, ids, decided, said)).stay_at(library, decided)


def _visit(probes: Sequence[Probe], queues: Sequence[Seen]) -> None:
    """The same keys in both, in turn, so that both meet with the same machine."""
    for _ in range(8):
        for probe, seen in zip(probes, queues, strict=True):
            probe.terminal.settle(_RESTS)
            seen.keys["read"].extend(probe.press(" "))
            shown, saved = _mark(probe)
            seen.keys["mark"].ms.append(shown)
            seen.keys["saved"].ms.append(saved)
    for key in "JJJKKK":
        for probe, seen in zip(probes, queues, strict=True):
            probe.terminal.settle(_RESTS)
            seen.keys["next"].extend(probe.press(key))


def _mark(probe: Probe) -> tuple[float, float]:
    """Milliseconds from a verdict until the next rollout stands there, and until all is saved."""
    at = time.perf_counter()
    shown = probe.until_written("A", b"question ")
    return shown, (probe.terminal.settle(QUIET) - at) * 1000


def _judge(floor: Seen, screen: Seen, begun: Seen, late: Seen, rollouts: int) -> list[Line]:
    bare = floor.keys["key"].ms
    many = f"a queue of {rollouts:,}"
    found = [
        Line(
            f"{many} opens, nine of ten decided, against the library screen",
            ratio(late.start, screen.start),
            _START_BUDGET,
            detail=f"{median(late.start):.0f} against {median(screen.start):.0f} ms; the floor is "
            f"{median(floor.start):.0f}",
        )
    ]
    names = {
        "read": f"read on in {many}",
        "next": f"the next rollout of {many}",
        "mark": f"mark in {many}, the next rollout on the screen",
    }
    for name, words in names.items():
        both = late.keys[name].ms + begun.keys[name].ms
        found.append(
            Line(
                f"{words}, against a key in the bare app",
                ratio(both, bare),
                _KEY_BUDGET,
                detail=f"{median(both):.1f} against {median(bare):.1f} ms",
            )
        )
    first, last = begun.keys["saved"].ms, late.keys["saved"].ms
    found.append(
        Line(
            f"a mark in {many} until it is saved, nine of ten decided, against the first",
            ratio(last, first),
            _SAME,
            detail=f"{median(last):.1f} against {median(first):.1f} ms",
        )
    )
    return found
