"""What was acknowledged is there afterwards, whatever happens to the program or the disk."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

from rollstep.core.store.library import Library

from ..kills import kill_one, start
from ..small_disk import in_a_small_file_system

CHILD = "tests.core.store.child"


def test_two_programs_commit_to_one_rollout_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    programs = [start(CHILD, "commit", path, "r1", prefix, 60) for prefix in "ab"]
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
    with start(CHILD, "victims", path) as zygote:
        assert zygote.stdin is not None
        for number in range(1000 if long_tests else 30):
            lines = kill_one(zygote, rng, f"victim{number}-")
            told |= {name: int(seq) for name, seq in lines}
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


def test_a_full_disk_is_told_in_words_and_loses_nothing(tmp_path: Path) -> None:
    told = in_a_small_file_system(CHILD, "full", tmp_path)
    assert told[0] == "Not saved: disk full."
    assert told[1].startswith("saved ")


def test_a_read_only_disk_can_be_read_and_searched(tmp_path: Path) -> None:
    told = in_a_small_file_system(CHILD, "read-only", tmp_path)
    assert told == [
        "['s0', 's1'] 1",
        "['s1']",
        f"Not saved: the library {tmp_path}/library.sqlite is read-only.",
    ]
