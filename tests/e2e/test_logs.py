"""Somebody else's log in a real terminal: pick a sample, edit it, and find the edit again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..tui.logs_for_tests import chats, tau2
from .terminal import Terminal

Launch = Callable[..., Terminal]


def test_a_sample_is_picked_edited_and_found_again_with_its_edit(
    launch: Launch, tmp_path: Path
) -> None:
    log = tau2(tmp_path / "results.json", 1.0, 0.0, 1.0)
    terminal = launch("open", log)
    terminal.wait_for("3 samples")
    assert "FAILED 1" in terminal.text
    terminal.send("enter")
    terminal.wait_for("FAILED tau2 reward 0.0: issue_refund never called")
    terminal.wait_for("sample 1, message 1")
    terminal.send("j")
    terminal.wait_for("step 2/5")
    terminal.send("e")
    terminal.wait_for("Override step 2")
    terminal.send("B", "e", "t", "t", "e", "r", ".", "ctrl+s")
    terminal.wait_for("Then:")
    terminal.send("enter")
    terminal.wait_for("1 edit *")
    terminal.wait_for("all saved")
    terminal.send("ctrl+q")
    assert terminal.wait() == 0

    again = launch("open", f"{log}#2")
    again.wait_for("1 edit *")
    again.wait_for("Better.sample 1, message 2")
    again.wait_for("as imported: FAILED tau2 reward 0.0")
    again.send("ctrl+q")
    assert again.wait() == 0


def test_a_file_that_is_nothing_known_is_refused_in_words(launch: Launch, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary,\n")
    terminal = launch("open", path)
    assert terminal.wait() == 2
    assert "no file that rollstep opens" in terminal.text
    assert b"\x1b[?1049h" not in bytes(terminal.raw)


def test_thousands_of_samples_are_read_while_one_can_be_opened_already(
    launch: Launch, tmp_path: Path
) -> None:
    log = chats(tmp_path / "chats.jsonl", 20_000)
    terminal = launch("open", log)
    terminal.wait_for("question 1")
    terminal.send("enter")
    terminal.wait_for("answer 1")
    terminal.wait_for("step 1/2")
    terminal.send("q")
    terminal.wait_for("20,000 samples")
    terminal.send("ctrl+q")
    assert terminal.wait() == 0
