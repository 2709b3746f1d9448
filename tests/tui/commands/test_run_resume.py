"""``rollstep run --resume``: the same command goes on, and the files are those of one run."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rollstep.core.batch import GROUP_STEPS
from rollstep.core.jobs import Done
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.tui.commands.run_output import PARTIAL, RECORDS, RunOutput

from .conftest import PROJECT, RunCli, seed_file

BROKEN_OFF = PROJECT + "breakpoints: [{role: target, turn: 1}]\n"


def many_rows(tmp_path: Path, count: int) -> Path:
    return seed_file(
        tmp_path, *({"task_id": f"t{n}", "user_text": f"Do {n}."} for n in range(count))
    )


def interrupt_after(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    take = RunOutput.done

    def interrupted(self: RunOutput, done: Done) -> None:
        take(self, done)
        if self.tally.rollouts == number:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunOutput, "done", interrupted)


def ids_in(library: Path) -> set[str]:
    with Library.open(library) as opened:
        return {each.id for each in opened.recent(10_000)}


def test_a_run_goes_on_after_an_interrupt_and_writes_what_one_run_would(
    cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds, out, library = many_rows(tmp_path, 30), tmp_path / "out", tmp_path / "l.sqlite"
    given = ("run", "--seed-file", seeds, "--turns", 2, "--library", library, "--output-dir", out)
    with monkeypatch.context() as patch:
        interrupt_after(patch, 12)
        assert cli(*given)[0] == 130
    begun = ids_in(library)
    status, _, error = cli(*given, "--resume")
    assert status == 0
    assert "12 of them finished before" in error
    assert len(ids_in(library)) == 30
    assert begun < ids_in(library)
    whole = tmp_path / "whole"
    cli("run", "--seed-file", seeds, "--turns", 2, "--output-dir", whole)
    assert (out / RECORDS).read_bytes() == (whole / RECORDS).read_bytes()


def test_a_run_that_is_whole_stays_as_it_is(cli: RunCli, tmp_path: Path) -> None:
    seeds, out, library = many_rows(tmp_path, 5), tmp_path / "out", tmp_path / "l.sqlite"
    given = ("run", "--seed-file", seeds, "--library", library, "--output-dir", out)
    cli(*given)
    before, ids = (out / RECORDS).read_bytes(), ids_in(library)
    assert cli(*given, "--resume")[0] == 0
    assert ((out / RECORDS).read_bytes(), ids_in(library)) == (before, ids)
    (out / RECORDS).unlink()
    cli(*given, "--resume")
    assert ((out / RECORDS).read_bytes(), ids_in(library)) == (before, ids)


def test_without_resume_a_run_is_begun_anew(cli: RunCli, tmp_path: Path) -> None:
    seeds, out, library = many_rows(tmp_path, 3), tmp_path / "out", tmp_path / "l.sqlite"
    given = ("run", "--seed-file", seeds, "--library", library, "--output-dir", out)
    cli(*given)
    one = (out / RECORDS).read_bytes()
    cli(*given)
    assert (out / RECORDS).read_bytes() == one * 2
    assert len(ids_in(library)) == 6
    cli(*given, "--resume")
    assert (out / RECORDS).read_bytes() == one * 2


def test_resume_needs_a_library_and_says_when_there_is_nothing_to_go_on_with(
    cli: RunCli, project: Path, tmp_path: Path
) -> None:
    given = ("run", project, "--output-dir", tmp_path / "out", "--resume")
    status, _, error = cli(*given)
    assert (status, (tmp_path / "out").exists()) == (2, False)
    assert "--resume needs --library FILE" in error
    status, _, error = cli(*given, "--library", tmp_path / "l.sqlite")
    assert status == 0
    assert "no run of this command yet" in error


def test_what_another_program_appended_is_not_touched(
    cli: RunCli, project: Path, tmp_path: Path
) -> None:
    given = ("run", project, "--output-dir", tmp_path, "--library", tmp_path / "l.sqlite")
    cli(*given)
    with (tmp_path / RECORDS).open("a") as file:
        file.write("theirs\n")
    before = (tmp_path / RECORDS).read_bytes()
    status, _, error = cli(*given, "--resume")
    assert status == 2
    assert "Move the file away" in error
    assert (tmp_path / RECORDS).read_bytes() == before


async def test_what_a_human_went_on_with_is_taken_in(cli: RunCli, tmp_path: Path) -> None:
    parks, plain = tmp_path / "parks.yaml", tmp_path / "plain.yaml"
    parks.write_text(BROKEN_OFF)
    plain.write_text(PROJECT.replace("Greet", "Plain"))
    library, out = tmp_path / "l.sqlite", tmp_path / "out"
    given = ("run", parks, plain, "--output-dir", out, "--library", library)
    assert cli(*given)[0] == 1
    assert cli(*given, "--resume")[0] == 1, "it still waits"
    assert len((out / PARTIAL).read_text().splitlines()) == 1
    with Library.open(library) as opened:
        (waits,) = [each.id for each in opened.recent() if each.status == "parked"]
        session = Session.reopen(opened.load(waits), opened)
        async for _ in session.run():
            pass
        await session.close()
    status, _, error = cli(*given, "--resume")
    assert status == 0, error
    assert not (out / PARTIAL).exists()
    titles = [json.loads(line)["project"]["title"] for line in (out / RECORDS).open()]
    assert titles == ["Greet", "Greet", "Plain", "Plain"]


def test_a_parked_one_goes_on_where_breakpoints_are_ignored(cli: RunCli, tmp_path: Path) -> None:
    parks = tmp_path / "parks.yaml"
    parks.write_text(BROKEN_OFF)
    given = ("run", parks, "--output-dir", tmp_path, "--library", tmp_path / "l.sqlite")
    assert cli(*given)[0] == 1
    assert cli(*given, "--resume", "--on-break", "ignore")[0] == 0
    assert len((tmp_path / RECORDS).read_text().splitlines()) == 2
    assert len(ids_in(tmp_path / "l.sqlite")) == 1


def test_failures_stay_until_they_are_to_be_tried_again(cli: RunCli, tmp_path: Path) -> None:
    fails = tmp_path / "fails.yaml"
    counted = tmp_path / "asked"
    (tmp_path / "agent_of_ours.py").write_text(
        f"""def make():
    def reply(view):
        with open({str(counted)!r}, "a") as file:
            file.write(f"{{view.turn_index}}\\n")
        if view.turn_index == 1 and not __import__("os").path.exists({str(tmp_path / "ok")!r}):
            raise ValueError("not now")
        return "yes"
    return reply
"""
    )
    fails.write_text(
        PROJECT.replace(
            "{kind: scripted, replies: [Hello., Bye.]}",
            "{kind: python, object: 'agent_of_ours:make'}",
        )
    )
    given = ("run", fails, "--trust", "--output-dir", tmp_path, "--library", tmp_path / "l.sqlite")
    status, _, error = cli(*given)
    assert status == 1
    assert "not now" in error
    assert cli(*given, "--resume")[0] == 1
    asked = counted.read_text().split()
    assert asked == ["0", "1"]
    (tmp_path / "ok").touch()
    assert cli(*given, "--retry-failed")[0] == 0
    assert counted.read_text().split()[len(asked) :] == ["1"]
    assert not (tmp_path / PARTIAL).exists()
    with Library.open(tmp_path / "l.sqlite") as opened:
        (kept,) = opened.recent()
        assert (kept.status, kept.steps) == ("ended", 5)


def test_a_summary_for_programs(cli: RunCli, tmp_path: Path) -> None:
    parks, plain = tmp_path / "parks.yaml", tmp_path / "plain.yaml"
    parks.write_text(BROKEN_OFF)
    plain.write_text(PROJECT)
    found = tmp_path / "summary.json"
    _, _, error = cli("run", parks, plain, plain, "--output-dir", tmp_path, "--summary", found)
    summary = json.loads(found.read_text())
    assert summary["outcomes"] == [
        {"status": "ended", "reason": "max_turns", "rollouts": 2},
        {"status": "parked", "reason": "breakpoint", "rollouts": 1},
    ]
    assert (summary["rollouts"], summary["turn_records"]) == (3, 5)
    assert "  ended   2  max_turns\n  parked  1  breakpoint\n  all     3  5 turns" in error


_KILLS_ITSELF = """
import os, signal, sys
from rollstep.core.store.library import Library
from rollstep.tui import cli
from rollstep.tui.commands.run_output import RunOutput
point, number = sys.argv[1], int(sys.argv[2])
take, commit = RunOutput.done, Library.commit_many
left = {"done": number, "before": number, "after": number}

def came_to(here):
    left[here] -= 1
    if here == point and left[here] <= 0:
        os.kill(os.getpid(), signal.SIGKILL)

def done(self, finished):
    take(self, finished)
    came_to("done")

def commit_many(self, changes):
    changes = list(changes)
    came_to("before")
    found = commit(self, changes)
    print(*(change.rollout_id for change in changes), flush=True)
    came_to("after")
    return found

RunOutput.done, Library.commit_many = done, commit_many
cli.main(sys.argv[3:])
"""
"""Ends at the given one of a kind of moments; says which rollouts were saved."""


def killed(point: str, number: int, given: list[object]) -> set[str]:
    """The rollouts that it had said were saved."""
    command = [sys.executable, "-c", _KILLS_ITSELF, point, str(number), *map(str, given)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode in (-signal.SIGKILL, 0), ended.stderr
    return set(ended.stdout.split())


def test_a_run_that_is_killed_again_and_again_ends_as_one_that_was_not(
    cli: RunCli, tmp_path: Path, long_tests: bool
) -> None:
    rows, kills = (3000, 20) if long_tests else (300, 4)
    rng = random.Random(7)
    seeds, out, library = many_rows(tmp_path, rows), tmp_path / "out", tmp_path / "l.sqlite"
    given = ["run", "--seed-file", seeds, "--library", library, "--output-dir", out, "--resume"]
    saved = set[str]()
    commits = rows * 21 // GROUP_STEPS
    for number in range(kills):
        point = ("done", "before", "after")[number % 3]
        most = rows if point == "done" else max(commits // kills, 1)
        saved |= killed(point, rng.randint(1, most), given)
        assert saved <= ids_in(library)
    assert cli(*given)[0] == 0
    whole = tmp_path / "whole"
    cli("run", "--seed-file", seeds, "--output-dir", whole)
    assert (out / RECORDS).read_bytes() == (whole / RECORDS).read_bytes()
    assert saved <= ids_in(library)
    with Library.open(library) as opened:
        found = opened.recent(rows + 1)
    assert len(found) == rows
    assert {(each.status, each.steps) for each in found} == {("ended", 21)}
