"""Breakpoints as their user meets them: the installed program in a real terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rollstep.core.store.library import Library

from .terminal import Terminal
from .test_debugger import step_to

Launch = Callable[..., Terminal]
WHY = "breakpoint 1 at step 6: kind = reply and tool = check_policy"


def test_b_enter_stops_the_next_run_there_and_it_waits_in_the_library(
    launch: Launch, tmp_path: Path
) -> None:
    library = tmp_path / "library.sqlite"
    terminal = launch("demo", "--library", library)
    terminal.wait_for("Press s to begin")
    step_to(terminal, 6)
    terminal.write(b"b\r")
    terminal.wait_for("1 break #")
    terminal.wait_for("T#")
    terminal.send("g", "c")
    terminal.wait_for(WHY)
    assert "step 6/6 " in terminal.text
    terminal.wait_for("all saved")
    terminal.kill()
    with Library.open(library, create=False) as opened:
        (summary,) = opened.recent()
    assert summary.ending == f"parked: {WHY}"
    listed = launch("list", "--library", library)
    listed.wait_for("parked: breakpoint 1 at step 6")
    again = launch("open", summary.id, "--library", library)
    again.wait_for(f"parked: {WHY}")
    assert "1 break #" in again.text
    again.send("c")
    again.wait_for("breakpoint 1 at step 10")
    again.send("ctrl+q")
    assert again.wait() == 0
    assert again.left_on() == []


def test_a_condition_typed_in_a_burst_is_taken_as_it_is(launch: Launch) -> None:
    terminal = launch("demo", rows=24, columns=80)
    terminal.wait_for("Press s to begin")
    terminal.write(b"ba" + b'args/order_id = "4471" and kind = result\r\x1b')
    terminal.wait_for("1# ")
    terminal.send("c")
    terminal.wait_for('breakpoint 1 at step 3: args/order_id = "4471" and kind = result')
