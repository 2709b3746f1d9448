"""The command line as a process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from .commands.conftest import in_a_process


def test_the_version_and_help_are_told_without_loading_a_screen() -> None:
    done = in_a_process("--version")
    assert re.fullmatch(rb"rollstep \d+\.\d+\.\d+\S*\n", done.stdout)
    script = (
        "import sys; from rollstep.tui.cli import main; main(['run', '--help']);"
        "sys.exit(len({'textual', 'litellm', 'yaml', 'sqlite3'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0


def test_a_reader_that_leaves_is_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stdout:
        command = [sys.executable, "-m", "rollstep.tui", "samples"]
        done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 1


def test_names_that_are_no_utf_8_are_no_matter(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.jsonl"
    with open(name, "wb") as file:
        file.write(b'{"user_text": 5}\n')
    command = [sys.executable, "-m", "rollstep.tui", "run", "--output-dir", str(tmp_path / "out")]
    done = subprocess.run(
        [*command, "--seed-file", name], input=b"\xff\xfe", capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"user_text" in done.stderr


def test_an_argument_that_click_refuses_does_not_act_on_the_terminal() -> None:
    """A shell's ``*`` makes arguments of whatever names a folder holds."""
    done = in_a_process("open", "a", "b\x1b]52;c;aGFja2Vk\x07")
    assert done.returncode == 2
    assert b"unexpected extra argument (b\xe2\x90\x9b]52;c;aGFja2Vk\xe2\x90\x87)" in done.stderr
    assert b"Usage: rollstep open" in done.stderr
    assert b"\x1b" not in done.stderr
