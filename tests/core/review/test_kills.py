"""What a person said of a queue, and played meanwhile, is there afterwards: each step, mark, entry
and the place, whatever happens to the program or the disk.
"""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

from rollstep.core.review.keeping import unfinished_queue
from rollstep.core.review.reading import steps_read
from rollstep.core.store.library import Library

from ..kills import kill_one, start
from ..small_disk import in_a_small_file_system
from .child import make

CHILD = "tests.core.review.child"


class Told:
    """What the killed programs have said, and what the last one was about."""

    def __init__(self) -> None:
        self.steps: dict[str, list[str]] = {}
        self.entries: list[str] = []
        self.verdicts: dict[str, str] = {}
        self.read: set[tuple[str, str]] = set()
        self.place = 0
        self.begun: list[str] = []

    def hear(self, lines: list[list[str]]) -> None:
        self.begun = []
        for what, *rest in lines:
            if what == "step":
                self.steps.setdefault(rest[0], []).append(rest[1])
            elif what == "read":
                self.read.add((rest[0], rest[1]))
            elif what in ("giving", "taking"):
                self.begun = [what, *rest]
            else:
                entry_id, rollout_id, verdict, place = rest
                if what == "given":
                    self.entries.append(entry_id)
                else:
                    self.entries.remove(entry_id)
                self.verdicts[rollout_id], self.place, self.begun = verdict, int(place), []

    def check(self, library: Library) -> None:
        """All of it is there; what was begun is there whole, in part, or not at all."""
        kept = unfinished_queue(library, "", "mira")
        assert kept is not None
        entries = [entry.id for entry in kept.queue.entries]
        what, entry_id, in_flight = (*self.begun, "", "", "")[:3]
        if what == "giving" and entry_id in entries:
            self.entries.append(entry_id)
        elif what == "taking" and entry_id not in entries:
            self.entries.remove(entry_id)
        assert entries == self.entries, "each once, in its order"
        for rollout_id, verdict in self.verdicts.items():
            if rollout_id != in_flight:
                assert self._mark(library, rollout_id) == verdict
        if in_flight:
            self.verdicts[in_flight] = self._mark(library, in_flight)
        assert kept.queue.at == min(self.place, len(kept.queue.ids) - 1) or self.begun
        for rollout_id, steps in self.steps.items():
            found = [step.id for step in library.load(rollout_id).steps]
            assert found[: len(steps)] == steps
            assert len(set(found)) == len(found) <= len(steps) + 1
        for rollout_id, step_id in self.read:
            assert step_id in steps_read(library, rollout_id, "mira")
        self.steps, self.read = {}, set()

    def _mark(self, library: Library, rollout_id: str) -> str:
        marks = library.load(rollout_id).marks
        assert len(marks) <= 1
        return str(marks[0].verdict) if marks else "None"


def test_nothing_of_a_review_is_lost_by_a_kill(tmp_path: Path, long_tests: bool) -> None:
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        make(library)
    rng, told, said = random.Random(11), Told(), 0
    with start(CHILD, "victims", path) as zygote:
        assert zygote.stdin is not None
        for number in range(1000 if long_tests else 10):
            lines = kill_one(zygote, rng, f"v{number}", most=40)
            said += len(lines)
            told.hear(lines)
            with Library.open(path) as library:
                told.check(library)
        zygote.stdin.close()
    assert said > 50
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_a_full_disk_counts_no_mark_that_is_not_saved(tmp_path: Path) -> None:
    told = in_a_small_file_system(CHILD, "full", tmp_path)
    assert told == ["Not saved: disk full.", "given True"]


def test_a_queue_on_a_read_only_disk_is_read_and_its_marks_are_refused(tmp_path: Path) -> None:
    told = in_a_small_file_system(CHILD, "read-only", tmp_path)
    assert told[0] == "6 {'r0': 'accept'}"
    assert told[1:3] == [f"Not saved: the library {tmp_path}/library.sqlite is read-only."] * 2
    assert told[3] == "1"
