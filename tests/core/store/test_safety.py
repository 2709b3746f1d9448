"""What was acknowledged is there afterwards, whatever happens to the program or the disk."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rollstep.core.store.library import Library

ROOT = Path(__file__).parents[3]


def child(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "tests.core.store.child", *map(str, arguments)]


def start(*arguments: object) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(child(*arguments), cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


def test_two_programs_commit_to_one_rollout_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    programs = [start("commit", path, "r1", prefix, 60) for prefix in "ab"]
    outputs = [program.communicate()[0] for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    told = dict(line.split() for output in outputs for line in output.splitlines())
    assert len(told) == 120
    with Library.open(path) as library:
        saved = library.load("r1")
        assert {step.id: str(step.seq) for step in saved.steps} == told
        assert sorted(map(int, told.values())) == [*range(1, 121)]
        assert len(saved.projects) == 1
        assert len(library.search("hello", 1000)) == 120


def test_nothing_acknowledged_is_lost_by_a_kill(tmp_path: Path, long_tests: bool) -> None:
    path = tmp_path / "library.sqlite"
    rng = random.Random(7)
    told: dict[str, int] = {}
    with start("victims", path) as zygote:
        assert zygote.stdin is not None
        for number in range(1000 if long_tests else 30):
            zygote.stdin.write(f"victim{number}-\n")
            zygote.stdin.flush()
            told |= _kill_one(zygote, rng)
            with Library.open(path) as library:
                here = {step.id: step.seq for step in library.load("r1").steps}
            assert told.items() <= here.items(), f"victim {number}"
            assert [*here.values()] == [*range(1, len(here) + 1)]
        zygote.stdin.close()
    assert len(told) > 30
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    with Library.open(path) as library:
        assert len(library.search("hello", 10**6)) == len(here)


def _kill_one(zygote: subprocess.Popen[str], rng: random.Random) -> dict[str, int]:
    """Let it commit for a while, kill it at a random moment; what it acknowledged."""
    assert zygote.stdout is not None
    told: dict[str, int] = {}
    pid, enough = 0, rng.randrange(12)
    for line in zygote.stdout:
        name, number = line.split()
        if name == "gone":
            break
        if name == "pid":
            pid = int(number)
        else:
            told[name] = int(number)
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


def in_a_small_file_system(kind: str, folder: Path) -> list[str]:
    if subprocess.run(["unshare", "-Urm", "true"], capture_output=True).returncode:
        pytest.skip("this system lets no one make a mount namespace (unshare -Urm)")
    mount = f'mount -t tmpfs -o size=1m none "{folder}" && exec "$@"'
    command = ["unshare", "-Urm", "sh", "-c", mount, "sh", *child(kind, folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_full_disk_is_told_in_words_and_loses_nothing(tmp_path: Path) -> None:
    told = in_a_small_file_system("full", tmp_path)
    assert told[0] == "Not saved: disk full."
    assert told[1].startswith("saved ")


def test_a_read_only_disk_can_be_read_and_searched(tmp_path: Path) -> None:
    told = in_a_small_file_system("read-only", tmp_path)
    assert told == [
        "['s0', 's1'] 1",
        "['s1']",
        f"Not saved: the library {tmp_path}/library.sqlite is read-only.",
    ]
