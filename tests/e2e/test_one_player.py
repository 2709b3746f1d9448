"""Somebody works on a parked rollout in a real terminal while the same library's run is resumed."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.store.library import Library

from .conftest import Installed
from .terminal import Terminal

pytestmark = pytest.mark.xdist_group("wheel")

_PROJECT = """
title: Two turns
opening: Hello
target: {kind: echo}
evaluator: {kind: scripted, messages: [More, "Still more"]}
breakpoints: [turn = 1 role = target]
"""


def test_a_run_leaves_what_is_worked_on_and_goes_on_with_it_after_a_kill(
    launch: Callable[..., Terminal], installed: Installed, user_env: dict[str, str], tmp_path: Path
) -> None:
    project, path = tmp_path / "two.yaml", tmp_path / "library.sqlite"
    project.write_text(_PROJECT)

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [installed.command, "run", project, "--library", path]
        return subprocess.run(
            [*command, "--output-dir", tmp_path / "out", *options],
            env=user_env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    assert "parked" in run().stderr
    with Library.open(path) as library:
        rollout = library.ids_after(0)[0][1]
    with launch("open", rollout, "--library", path) as terminal:
        terminal.wait_for("parked: breakpoint 1")
        terminal.send("s")
        terminal.wait_for(lambda seen: "step 3/3" in seen and "all saved" in seen)
        resumed = run("--resume")
        assert resumed.returncode == 1
        words = (
            f"it is open in another rollstep, where somebody works on it (process {terminal.pid})"
        )
        assert words in resumed.stderr
        terminal.send("s")
        terminal.wait_for(lambda seen: "step 4/4" in seen and "all saved" in seen)
        terminal.kill(signal.SIGKILL)
    resumed = run("--resume")
    assert resumed.returncode == 0, resumed.stderr
    with Library.open(path) as library:
        steps = library.load(rollout).steps
        assert len(steps) == 7
        assert len({step.parent_id for step in steps}) == 7, "one branch: nothing was made twice"
