"""The live sample, played by a server on loopback: in a terminal, and headless."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.model.messages import Stop, ToolResult, UserMessage, payload_text
from rollstep.core.model.steps import Step
from rollstep.core.store.library import Library

from .conftest import ROOT, Installed
from .terminal import Terminal

Launch = Callable[..., Terminal]
Serve = Callable[..., str]

LONG = "Your refund of 49.00 is on its way, and its reference is RF-2209; anything else, Eleni?"
SCRIPT: dict[str, list[dict[str, Any]]] = {
    "agent": [
        {
            "text": "One moment.",
            "calls": [{"name": "get_order", "arguments": '{"order_id": "4471"}', "id": None}],
        },
        {"text": LONG, "pace": 0.05, "piece": 4},
    ],
    "tools": [{"text": "Delivered."}, {"text": '{"order_id": "4471", "status": "delivered"}'}],
    "user": [
        {
            "calls": [
                {
                    "name": "end_conversation",
                    "arguments": '{"reason": "goal_reached", "note": "Paid."}',
                }
            ]
        }
    ],
}


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start the project's own server as a program; its address."""
    started: list[subprocess.Popen[str]] = []

    def start(script: dict[str, Any] | None = None) -> str:
        command = [sys.executable, "-m", "tests.provider.server"]
        if script is not None:
            (tmp_path / "script.json").write_text(json.dumps(script))
            command += ["--script", str(tmp_path / "script.json")]
        server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        started.append(server)
        assert server.stdout is not None
        return server.stdout.readline().strip()

    yield start
    for server in started:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)


def sample(folder: Path, address: str) -> Path:
    """The live sample with its three models at this address."""
    text = (ROOT / "sample_projects" / "refund_live.yaml").read_text("utf-8")
    for name in ("agent", "user", "tools"):
        own = f"model: openai/{name}\n  api_base: {address}"
        text = text.replace("model: openai/gpt-4.1-mini", own, 1)
    path = folder / "live.yaml"
    path.write_text(text, "utf-8")
    return path


def steps_in(library: Path) -> tuple[Step, ...]:
    with Library.open(library, create=False) as opened:
        (only,) = opened.recent()
        return opened.load(only.id).steps


def test_the_live_sample_is_stepped_in_a_terminal(
    launch: Launch, serve: Serve, tmp_path: Path
) -> None:
    path, library = sample(tmp_path, serve(SCRIPT)), tmp_path / "library.sqlite"
    terminal = launch("open", path, "--library", library, "--trust")
    terminal.wait_for("Press s to begin")
    terminal.send("s")
    terminal.wait_for("step 1/1 ")
    terminal.send("s")
    terminal.wait_for("step 2/2 ")
    terminal.send("s")
    terminal.wait_for("step 3/3 ")
    terminal.wait_for("could not be used")
    terminal.send("s")
    terminal.wait_for(lambda text: "Your refund of" in text and "step 3/3 " in text)
    terminal.wait_for("step 4/4 ")
    terminal.send("s")
    terminal.wait_for("goal_reached")
    terminal.wait_for("all saved")
    terminal.send("ctrl+q")
    assert terminal.wait() == 0
    opening, first, result, reply, stop = steps_in(library)
    assert isinstance(opening.payload, UserMessage)
    assert isinstance(result.payload, ToolResult)
    assert result.call is not None
    assert result.call.attempts == 2
    assert payload_text(reply.payload) == LONG
    assert stop.payload == Stop("goal_reached", "evaluator", "Paid.")
    assert all(step.call and step.call.request for step in (first, result, reply, stop))


def test_the_live_sample_runs_headless_against_the_server_as_it_comes(
    installed: Installed, user_env: dict[str, str], serve: Serve, tmp_path: Path
) -> None:
    path, library = sample(tmp_path, serve()), tmp_path / "library.sqlite"
    command = [installed.command, "run", path, "--output-dir", tmp_path / "out", "--trust"]
    env = {**os.environ, **user_env}
    done = subprocess.run(
        [*command, "--library", library], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    steps = steps_in(library)
    assert isinstance(steps[-1].payload, Stop)
    results = [step for step in steps if isinstance(step.payload, ToolResult)]
    assert results
    assert all(step.call and step.call.attempts == 1 for step in results)
    rows = (tmp_path / "out" / "multi_turn_project.jsonl").read_text("utf-8").splitlines()
    assert json.loads(rows[-1])["termination"]
