"""Budget of the model gateway: keys while its library loads, in a child process."""

from __future__ import annotations

import os
import time
from pathlib import Path
from statistics import median

from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project
from rollstep.core.store.library import Library

from .probe import Probe
from .report import Line, ratio
from .rollouts import make

_STEPS = 21
_SECONDS = 2.0
"""Of the three or more that loading takes."""

_NOWHERE = "http://127.0.0.1:9/v1"
"""A port where nobody answers: what happens after loading does not matter."""

_NEEDS_LITELLM = '{"drop_params": true}'
"""A parameter that only litellm knows; without one, such a server is asked directly."""


def lines(rollstep: Path, folder: Path) -> list[Line]:
    """Measure."""
    library = folder / "library.sqlite"
    project = Project(
        "Loading",
        LlmTarget("openai/nobody", api_base=_NOWHERE, params=_NEEDS_LITELLM),
        HeuristicEvaluator(),
        opening="Go.",
        max_turns=99,
    )
    with Library.open(library) as opened:
        make(opened, "loading", _STEPS, project=project)
    (folder / "home").mkdir()
    command: list[str | Path] = [rollstep, "open", "loading", "--library", library, "--trust"]
    env = {"HOME": str(folder / "home"), "PATH": os.defpath, "OPENAI_API_KEY": "none"}
    with Probe(command, "mark0", cwd=folder, env=env) as probe:
        idle = _keys(probe)
        probe.terminal.send("s")
        probe.terminal.wait_for("asking")
        loading = _keys(probe)
        still = _children(probe.terminal.pid)
        probe.terminal.send("ctrl+q")
    if not still:
        raise AssertionError("the gateway was not there while keys were measured")
    detail = f"{median(loading):.1f} against {median(idle):.1f} ms"
    return [Line("key while litellm loads, against idle", ratio(loading, idle), 1.5, detail=detail)]


def _keys(probe: Probe) -> list[float]:
    times = []
    until = time.perf_counter() + _SECONDS
    while time.perf_counter() < until:
        for key, step in (("k", _STEPS - 1), ("j", _STEPS)):
            times.append(probe.until_written(key, f"step {step}/".encode()))
            probe.busy(0.05)
    return times


def _children(pid: int) -> str:
    """Ids of the processes that any thread of this one has started."""
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return "".join(path.read_text(encoding="utf-8") for path in listed)
