"""Processes that are killed at random moments, and what they said before."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]


def say(*words: object) -> None:
    """One line in one write, so that a kill cannot cut it and two processes cannot mix theirs."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def fork_for_each_line(work: Callable[[str], None]) -> None:
    """Start a process for each line of stdin that works until it is killed: a process that has
    loaded everything is there at once.
    """
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            work(line.strip())
            os._exit(0)
        say("pid", pid)
        os.waitpid(pid, 0)
        say("gone", pid)


def child_of(module: str, *arguments: object) -> list[str]:
    """The command that runs this module of the tests."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def start(module: str, *arguments: object) -> subprocess.Popen[str]:
    """Run this module of the tests, with pipes to and from it."""
    pipe = subprocess.PIPE
    command = child_of(module, *arguments)
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


def kill_one(
    zygote: subprocess.Popen[str], rng: random.Random, line: str, most: int = 12
) -> list[list[str]]:
    """Have one started, let it say something for a while, and kill it at a random moment; the words
    of each line that it said.
    """
    assert zygote.stdin is not None
    assert zygote.stdout is not None
    zygote.stdin.write(f"{line}\n")
    zygote.stdin.flush()
    told: list[list[str]] = []
    pid, enough = 0, rng.randrange(most)
    for said in zygote.stdout:
        words = said.split()
        if words[0] == "gone":
            break
        if words[0] == "pid":
            pid = int(words[1])
        else:
            told.append(words)
        if pid and len(told) >= enough:
            _spend(rng.random() * 0.002)
            os.kill(pid, signal.SIGKILL)
            enough = sys.maxsize
    return told


def _spend(seconds: float) -> None:
    """A moment that nothing can be waited for."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass
