"""The harness itself: what the other end-to-end tests lean on."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from .terminal import Terminal

PROGRAM = """
import os, signal, sys
def show(*_):
    columns, rows = os.get_terminal_size()
    os.write(1, f"size {rows}x{columns}\\r\\n".encode())
signal.signal(signal.SIGWINCH, show)
show()
for line in sys.stdin:
    if line == "modes\\n":
        print("\\x1b[?1049h\\x1b[?1000;1006h\\x1b[?25l", end="modes on", flush=True)
    if line == "restore\\n":
        print("\\x1b[?1006l\\x1b[?1000l\\x1b[?1049l\\x1b[?25h", end="modes off", flush=True)
    if line == "leave\\n":
        sys.exit(3)
"""


def start(tmp_path: Path) -> Terminal:
    return Terminal(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env={"PATH": os.defpath},
        rows=20,
        columns=70,
    )


def test_the_program_sees_the_window_and_is_told_of_a_new_size(tmp_path: Path) -> None:
    with start(tmp_path) as terminal:
        terminal.wait_for("size 20x70")
        terminal.resize(30, 100)
        terminal.wait_for("size 30x100")
        terminal.send("leave", "enter")
        assert terminal.wait() == 3


def test_modes_left_on_are_named(tmp_path: Path) -> None:
    with start(tmp_path) as terminal:
        terminal.send("modes", "enter")
        terminal.wait_for("modes on")
        assert terminal.left_on() == [
            "mode 1049 is on",
            "mode 1000 is on",
            "mode 1006 is on",
            "the cursor is hidden",
        ]
        terminal.send("restore", "enter")
        terminal.wait_for("modes off")
        assert terminal.left_on() == []


def test_a_killed_program_is_gone(tmp_path: Path) -> None:
    with start(tmp_path) as terminal:
        terminal.wait_for("size")
        terminal.kill()
        assert not terminal.alive
        assert terminal.wait() == -signal.SIGKILL


def test_a_condition_that_does_not_come_fails_with_the_screen(tmp_path: Path) -> None:
    with start(tmp_path) as terminal:
        terminal.wait_for("size")
        with pytest.raises(AssertionError, match="size 20x70"):
            terminal.wait_for("never", timeout=0.1)
