"""docs/curating.md, followed word for word: what it says is typed, what it shows is there."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from .conftest import Installed
from .terminal import Terminal

pytestmark = pytest.mark.xdist_group("wheel")

PAGE = Path(__file__).parents[2] / "docs" / "curating.md"
_BLOCK = re.compile(r"^```(sh|text|review|keys)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_KEYS = re.compile(r'"[^"]*"|\S+')
_NAMES = {"Space": " ", "Enter": "enter", "Ctrl+S": "ctrl+s"}
_RESTS = "rests for a moment"
"""Keys that decide rest when another rollout has come up: a person presses again, and so do we."""

_DECIDE = ("A", "R")
_REST = 0.45
"""Seconds without news after which no key rests any more, in a dialog too."""


class Block(NamedTuple):
    """One block of the page: what kind it is, and its text."""

    kind: str
    text: str


def blocks() -> Iterator[Block]:
    """All of them, in order."""
    for match in _BLOCK.finditer(PAGE.read_text("utf-8")):
        yield Block(match[1], match[2])


def test_the_page_is_true(
    launch: Callable[..., Terminal], installed: Installed, user_env: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    env = {**user_env, "PATH": f"{installed.command.parent}:/usr/bin:/bin"}
    printed, terminal = "", None
    for block in blocks():
        if block.kind == "sh":
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", block.text],
                env=env,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            printed = done.stdout + done.stderr
            assert done.returncode == 0, printed
        elif block.kind == "text":
            for line in block.text.splitlines():
                assert bare(line) in bare(printed)
        elif block.kind == "review":
            words = block.text.split()
            assert words.pop(0) == "rollstep"
            terminal = launch(*words, rows=30, columns=120)
            terminal.wait_for("1 of 20")
        else:
            assert terminal is not None
            for line in block.text.splitlines():
                press(terminal, line)
            if block.text.rstrip().endswith("\nq"):
                assert terminal.wait() == 0


def bare(text: str) -> str:
    """However wide the columns are."""
    return " ".join(text.split())


def press(terminal: Terminal, line: str) -> None:
    """Press what a line says, and wait for what it shows."""
    keys, _, words = (part.strip() for part in line.partition("#"))
    *before, last = _KEYS.findall(keys)
    for key in before:
        send(terminal, key)
    if last not in _DECIDE:
        terminal.settle(_REST)
    send(terminal, last)
    while words:
        seen = terminal.wait_for(lambda text: words in text or _RESTS in text)
        if words in seen:
            return
        send(terminal, "Space")  # which takes the word about resting away
        terminal.wait_for(lambda text: _RESTS not in text)
        send(terminal, last)


def send(terminal: Terminal, key: str) -> None:
    """One key, or the letters between quotes."""
    if key.startswith('"'):
        terminal.send(*key[1:-1])
    else:
        terminal.send(_NAMES.get(key, key))
    terminal.settle()
