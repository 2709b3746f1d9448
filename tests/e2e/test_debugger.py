"""The debugger as its user meets it: the installed program in a real terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.model.messages import ToolResult, payload_text
from rollstep.core.model.steps import Step
from rollstep.core.store.library import Library

from .conftest import Installed
from .terminal import PATIENCE, Terminal

Launch = Callable[..., Terminal]

ATTACKS = (
    "\x1b]52;c;aGFja2Vk\x07",  # puts text on the clipboard
    "\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[31m",  # clears the screen
    "\x9b31m\x9d52;c;aGFja2Vk\x9c",  # the same in one-character control codes
    "\u202egnp.exe\u2066",  # shows text in another order
    "[/b][@click=app.quit]press[/]",
    "\a\b\r\x7f",
)


def step_to(terminal: Terminal, count: int) -> None:
    """Play until the rollout has so many steps, one key at a time."""
    for number in range(1, count + 1):
        terminal.send("s")
        terminal.wait_for(f"step {number}/{number} ")


def rollouts(library: Path) -> list[tuple[str, tuple[Step, ...]]]:
    """Every rollout of a library: its id and its steps, as another program sees them."""
    with Library.open(library, create=False) as opened:
        return [(each.id, opened.load(each.id).steps) for each in opened.recent()]


def test_the_demo_steps_and_leaves_the_terminal_as_it_was(launch: Launch) -> None:
    terminal = launch("demo")
    terminal.wait_for("Press s to begin")
    step_to(terminal, 3)
    assert "get_order" in terminal.text
    terminal.send("ctrl+q")
    assert terminal.wait() == 0
    assert terminal.left_on() == []


def test_an_override_is_a_new_take_and_the_original_stays(launch: Launch, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    terminal = launch("demo", "--library", library)
    terminal.wait_for("Press s to begin")
    step_to(terminal, 3)
    terminal.send("e")
    terminal.wait_for("Override step 3")
    terminal.send("0", "ctrl+s")
    terminal.wait_for("Then:")
    terminal.send("enter")
    terminal.wait_for("1 edit *")
    terminal.wait_for("all saved")
    ((_, steps),) = rollouts(library)
    original, edited = (step for step in steps if isinstance(step.payload, ToolResult))
    assert edited.replaces == original.id
    assert payload_text(edited.payload) == "0" + payload_text(original.payload)


def test_what_the_screen_showed_as_saved_survives_a_kill(launch: Launch, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    terminal = launch("demo", "--library", library)
    terminal.wait_for("Press s to begin")
    step_to(terminal, 5)
    terminal.wait_for("all saved")
    terminal.kill()
    ((rollout, steps),) = rollouts(library)
    assert len(steps) == 5
    again = launch("open", rollout, "--library", library)
    again.wait_for("step 5/5 ")
    again.send("s")
    again.wait_for("step 6/6 ")


def test_text_being_typed_survives_a_kill(launch: Launch, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    terminal = launch("demo", "--library", library)
    terminal.wait_for("Press s to begin")
    step_to(terminal, 3)
    terminal.send("e")
    terminal.wait_for("Override step 3")
    terminal.write(b"typed and not saved ")
    terminal.wait_for(lambda _: "typed and not saved" in drafts(library))
    terminal.kill()
    ((rollout, _),) = rollouts(library)
    again = launch("open", rollout, "--library", library)
    again.wait_for("step 3/3 ")
    again.send("e")
    again.wait_for("typed and not saved")


def drafts(library: Path) -> str:
    """All drafts in a library, as one text."""
    with Library.open(library, create=False) as opened:
        return "".join(draft.body for each in opened.recent() for draft in opened.drafts(each.id))


def test_two_programs_on_one_rollout_lose_nothing(launch: Launch, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    first = launch("demo", "--library", library)
    first.wait_for("Press s to begin")
    step_to(first, 2)
    first.wait_for("all saved")
    ((rollout, _),) = rollouts(library)
    second = launch("open", rollout, "--library", library)
    second.wait_for("step 2/2 ")
    second.send("s")
    second.wait_for("step 3/")
    second.wait_for("all saved")
    # Not s: it would walk the other's step, if that has come over already.
    first.send("w")
    first.wait_for("Write step 3")
    first.send(*"by hand")
    first.wait_for("by hand")
    first.send("ctrl+s")
    first.wait_for("step 3/")
    first.wait_for("all saved")
    ((_, steps),) = rollouts(library)
    assert len(steps) == 4


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (45, 160), (70, 240)])
def test_a_new_window_size_is_taken_while_running(launch: Launch, rows: int, columns: int) -> None:
    """Started at another size, so that a picture of the old one would be seen."""
    terminal = launch("demo", rows=30, columns=100)
    terminal.wait_for("Press s to begin")
    step_to(terminal, 2)
    terminal.resize(rows, columns)
    terminal.wait_for(lambda text: fills(text, rows, columns))
    terminal.send("s")
    terminal.wait_for("step 3/3 ")
    terminal.wait_for("? keys")
    terminal.wait_for(lambda text: fills(text, rows, columns))


def fills(text: str, rows: int, columns: int) -> bool:
    """Does the picture reach the right edge and the last row?"""
    lines = text.split("\n")
    widest = max(len(line) for line in lines)
    return len(lines) == rows and bool(lines[-1].strip()) and columns - 2 <= widest <= columns


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_leaves_the_terminal_as_it_was(launch: Launch, number: int) -> None:
    terminal = launch("demo")
    terminal.wait_for("Press s to begin")
    terminal.kill(number)
    terminal.wait()
    assert terminal.left_on() == []


def test_a_terminal_that_is_gone_ends_the_program(
    installed: Installed, user_env: dict[str, str]
) -> None:
    """Without a signal that says so: the terminal is not that of the program's session."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (30, 100))
    program = subprocess.Popen(
        [installed.command, "demo"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**user_env, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""
    while b"begin" not in seen:
        seen += os.read(ours, 65_536)
    os.close(ours)
    assert program.wait(PATIENCE) != 0


def test_bytes_that_are_no_text_do_not_end_the_program(launch: Launch) -> None:
    terminal = launch("demo")
    terminal.wait_for("Press s to begin")
    terminal.write(b"\xff\xfe\xc3")
    terminal.settle()
    terminal.send("s")
    terminal.wait_for("step 1/1 ")


def test_no_byte_of_outside_text_acts_on_the_terminal(launch: Launch, tmp_path: Path) -> None:
    row = {"task_id": "".join(ATTACKS), "user_text": " ".join(ATTACKS), "context": {}}
    seeds = tmp_path / "seeds.jsonl"
    seeds.write_text(json.dumps(row), encoding="utf-8")
    terminal = launch("open", seeds)
    terminal.wait_for(re.compile(r"step \d+/\d+ "))
    step_to(terminal, 2)
    terminal.send("i", "i", "i", "i")
    terminal.settle()
    for key in ("e", "enter", "?"):
        shown = terminal.text
        terminal.send(key)
        terminal.wait_for(lambda text, shown=shown: text != shown)
        terminal.settle(0.3)
        terminal.send("escape")
        terminal.settle(0.3)  # longer than Esc is waited for, as the beginning of a sequence
    assert "gnp.exe" in terminal.text
    assert terminal.alive
    assert acting(bytes(terminal.raw)) == []


def acting(raw: bytes) -> list[bytes]:
    """What of the attacks has reached the terminal."""
    text = raw.decode("utf-8")
    forbidden = (
        "\x1b]52;",
        "\x1b]8;;http://example.com",
        "\x9b",
        "\x9d",
        "\x9c",
        "\u202e",
        "\u2066",
    )
    # Textual itself clears the screen at the start, and ends its titles with BEL.
    body = text.split("\x1b[?1049h", 1)[-1]
    return [mark.encode() for mark in forbidden if mark in text] + [
        mark.encode() for mark in ("\x1b[2J\x1b[31m", "\x08", "\x7f") if mark in body
    ]


def test_the_users_own_editor_opens_the_same_text(
    launch: Launch, user_env: dict[str, str], tmp_path: Path
) -> None:
    program = tmp_path / "editor.py"
    program.write_text(
        "import pathlib, sys\n"
        "file = pathlib.Path(sys.argv[-1])\n"
        "file.write_text('from my editor ' + file.read_text())\n"
    )
    user_env["EDITOR"] = f"{sys.executable} {program}"
    terminal = launch("demo")
    terminal.wait_for("Press s to begin")
    step_to(terminal, 3)
    terminal.send("E")
    terminal.wait_for("from my editor", timeout=2 * PATIENCE)


def test_a_burst_of_keys_is_typed_in_order(launch: Launch, tmp_path: Path) -> None:
    """One write holds them all: what was typed while the program was busy."""
    library = tmp_path / "library.sqlite"
    terminal = launch("demo", "--library", library)
    terminal.wait_for("Press s to begin")
    step_to(terminal, 2)
    home, end, left, rub = b"\x1b[H", b"\x1b[F", b"\x1b[D", b"\x7f"
    wrong = b"all of this is wrong"
    burst = b"w" + wrong + rub * len(wrong) + b"abcdef" + left * 3 + b"X" + home + b"Y" + end + b"Z"
    terminal.write(burst)
    terminal.wait_for("YabcXdefZ")
