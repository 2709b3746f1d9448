"""Budget of streaming: what 600 tokens a second cost while they arrive, and what keys cost then.

Three panes at 200 tokens a second each is what the budget speaks of; roles act one after the other,
so all 600 go into one pane here.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from statistics import median

from rollstep.core.model.project import HeuristicEvaluator, Project, PythonTarget
from rollstep.core.store.library import Library

from .probe import Probe
from .report import Line, p95, ratio
from .rollouts import make

TOKENS_A_SECOND = 600
SECONDS = 10
_STEPS = 21
_TARGET = f'''
import asyncio, time

class Target:
    """Streams for {SECONDS} seconds, at the pace of three fast models."""

    async def reply(self, view, stream):
        start, sent = time.perf_counter(), 0
        while sent < {SECONDS * TOKENS_A_SECOND}:
            due = int((time.perf_counter() - start) * {TOKENS_A_SECOND})
            stream(" token" * (due - sent))
            sent = due
            await asyncio.sleep(0.005)
        return "The end."
'''


def lines(rollstep: Path, folder: Path) -> list[Line]:
    """Measure."""
    library = folder / "library.sqlite"
    (folder / "chatter.py").write_text(_TARGET, encoding="utf-8")
    project = Project(
        "Stream", PythonTarget("chatter:Target"), HeuristicEvaluator(), opening="Go.", max_turns=99
    )
    with Library.open(library) as opened:
        make(opened, "stream", _STEPS, project=project)
    (folder / "home").mkdir()
    command: list[str | Path] = [rollstep, "open", "stream", "--library", library, "--trust"]
    env = {"HOME": str(folder / "home"), "PATH": os.defpath}
    with Probe(command, "mark0", cwd=folder, env=env) as probe:
        probe.terminal.settle(0.5)
        idle = _keys(probe, until=time.perf_counter() + SECONDS / 4)
        probe.terminal.send("s")
        probe.terminal.wait_for("token token token")
        cpu = probe.busy(SECONDS / 4)
        keys = _keys(probe, until=time.perf_counter() + SECONDS / 2)
        probe.terminal.send("ctrl+q")
    detail = f"{len(keys)} keys, median {median(keys):.1f} ms"
    against = f"{median(keys):.1f} against {median(idle):.1f} ms"
    return [
        Line("streaming 600 tokens a second", cpu, 25, "% of a core"),
        Line("a key meanwhile, against an idle screen", ratio(keys, idle), 1.5, detail=against),
        Line("a key meanwhile, 95th percentile", p95(keys), 50, "ms", detail=detail),
    ]


def _keys(probe: Probe, until: float) -> list[float]:
    """The cursor goes up and down; the status line tells when it has moved."""
    times = []
    while time.perf_counter() < until:
        for key, step in (("k", _STEPS - 1), ("j", _STEPS)):
            times.append(probe.until_written(key, f"step {step}/".encode()))
            probe.busy(0.05)
    return times
