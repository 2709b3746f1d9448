"""Presenting and replaying as an audience sees it: the installed program in a real terminal."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from rollstep.core.store.library import Library

from .terminal import PATIENCE, Terminal

Launch = Callable[..., Terminal]


def press_until(terminal: Terminal, key: str, words: str) -> None:
    """Press a key until it has done its work: keys rest for a moment after the editor."""
    end = time.perf_counter() + PATIENCE
    while words not in terminal.text and time.perf_counter() < end:
        terminal.send(key)
        again = time.perf_counter() + 1
        while words not in terminal.text and time.perf_counter() < again:
            terminal.read(0.05)
    terminal.wait_for(words)


def test_p_plays_the_recorded_sample_and_e_goes_on_from_there(
    launch: Launch, tmp_path: Path
) -> None:
    library = tmp_path / "library.sqlite"
    terminal = launch("demo", "refund", "--recorded", "--library", library)
    terminal.wait_for("recorded: ")
    terminal.send("p")
    terminal.wait_for("playing   1×")
    terminal.send("+", "+", "+", "+")
    terminal.wait_for("playing   16×")
    terminal.wait_for("turn 2 of 6")
    terminal.send(" ")
    terminal.wait_for("paused   16×")
    terminal.send("i")
    terminal.wait_for("as sent to the ")
    terminal.send("i", "3")
    terminal.wait_for("turn 3 of 6")
    terminal.send("left", "right")
    terminal.wait_for("3 ← →")
    terminal.send("e")
    terminal.wait_for("Yours from here")
    terminal.send("e")
    terminal.wait_for("Override step")
    terminal.send("So?", "ctrl+s")
    terminal.wait_for("Then:")
    terminal.send("enter")
    terminal.wait_for("s gives the target's reply as recorded")
    press_until(terminal, "s", "Not recorded: the target's reply")
    terminal.send("ctrl+q")
    assert terminal.wait() == 0
    assert terminal.left_on() == []


def test_replay_types_a_branch_and_asks_nobody(launch: Launch, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    terminal = launch("demo", "refund", "--recorded", "--library", library)
    terminal.wait_for("recorded: ")
    terminal.send("ctrl+q")
    assert terminal.wait() == 0
    with Library.open(library, create=False) as opened:
        (summary,) = opened.recent()
    command = ("replay", f"{summary.id[:6]}@as it went", "--library", library, "--speed", "16")
    terminal = launch(*command, rows=200)
    terminal.wait_for("-- turn 1 of 6 ")
    terminal.wait_for("19 steps, 6 turns; unrecoverable")
    assert "-- turn 6 of 6 " in terminal.text
    assert terminal.wait() == 0
    with Library.open(library, create=False) as opened:
        assert len(opened.load(summary.id).steps) == summary.steps


def test_an_interrupted_replay_leaves_the_terminal_as_it_was(
    launch: Launch, tmp_path: Path
) -> None:
    library = tmp_path / "library.sqlite"
    terminal = launch("demo", "refund", "--recorded", "--library", library)
    terminal.wait_for("recorded: ")
    terminal.send("ctrl+q")
    terminal.wait()
    with Library.open(library, create=False) as opened:
        (summary,) = opened.recent()
    terminal = launch("replay", summary.id, "--library", library)
    terminal.wait_for("1  Evaluator")
    terminal.write(b"\x03")
    assert terminal.wait() == 130
    assert terminal.left_on() == []
    assert "interrupted" in terminal.text
