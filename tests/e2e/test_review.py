"""Reviewing by keyboard in a real terminal: a kill loses nothing, each reviewer has a queue."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Installed, library_of_seeds
from .terminal import Terminal

pytestmark = pytest.mark.xdist_group("wheel")

Launch = Callable[..., Terminal]
"""Starts the program in a terminal."""

_RESTS = "rests for a moment"


@pytest.fixture
def library(installed: Installed, user_env: dict[str, str], tmp_path: Path) -> Path:
    """Six rollouts of seed rows."""
    return library_of_seeds(installed, user_env, tmp_path, 6)


def _shows(terminal: Terminal, *texts: str) -> None:
    """Wait until all of these are on the screen."""
    terminal.wait_for(lambda seen: all(text in seen for text in texts))


def _read_and_press(terminal: Terminal, key: str, then: str) -> None:
    """Read on, and decide: keys that do rest for a moment when another rollout has come up."""
    while True:
        terminal.send(" ")
        terminal.wait_for(lambda seen: "read ──" in seen and _RESTS not in seen)
        terminal.send(key)
        if then in terminal.wait_for(lambda seen: then in seen or _RESTS in seen):
            return


def _listed(installed: Installed, env: dict[str, str], library: Path) -> str:
    command = [installed.command, "review", "--list", "--library", library]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return done.stdout


def test_three_are_reviewed_a_kill_loses_nothing_and_the_place_is_kept(
    launch: Launch, installed: Installed, user_env: dict[str, str], library: Path
) -> None:
    words = ("review", "--as", "mira", "--library", library)
    with launch(*words, rows=30, columns=120) as terminal:
        _shows(terminal, "1 of 6")
        _read_and_press(terminal, "A", "2 of 6")
        _read_and_press(terminal, "R", "Reject: why?")
        terminal.send("2")
        _shows(terminal, "3 of 6")
        _read_and_press(terminal, "M", "4 of 6")
        _shows(terminal, "A 1  R 1  M 1", "all saved")
        terminal.kill(signal.SIGKILL)
    assert "mira  verdict:none  (3 of 6 left; A 1  R 1  M 1)" in _listed(
        installed, user_env, library
    )
    with launch(*words, rows=30, columns=120) as terminal:
        _shows(terminal, "4 of 6", "A 1  R 1  M 1", "all saved")
        terminal.send("K")
        _shows(terminal, "3 of 6", "M unsure")
        terminal.send("K")
        _shows(terminal, "2 of 6", "R rejected", "ignores a tool result")
        terminal.send("q")
        assert terminal.wait() == 0


def test_two_reviewers_each_give_their_own_verdict(
    launch: Launch, installed: Installed, user_env: dict[str, str], library: Path
) -> None:
    for name, key in (("mira", "A"), ("jo", "R")):
        with launch(
            "review", "turns>0", "--as", name, "--library", library, rows=24, columns=80
        ) as terminal:
            _shows(terminal, "1 of 6", f"by {name}")
            if key == "A":
                _read_and_press(terminal, "A", "2 of 6")
            else:
                _shows(terminal, "others: after yours")
                _read_and_press(terminal, "R", "Reject: why?")
                terminal.send(*"rude", "enter")
            _shows(terminal, "2 of 6", "all saved")
            terminal.send("K")
            _shows(terminal, "1 of 6", "verdict A" if key == "A" else "others mira A")
            terminal.send("q")
            assert terminal.wait() == 0
    listed = _listed(installed, user_env, library)
    assert "mira  turns>0  (5 of 6 left; A 1  R 0  M 0)" in listed
    assert "jo  turns>0  (5 of 6 left; A 0  R 1  M 0)" in listed
