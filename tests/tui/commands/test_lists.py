"""``rollstep list``: what it says of each rollout, and of none."""

import json
from pathlib import Path

import pytest
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.rules import searching
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from tests.core.store.making import conversation, first, step

from .conftest import RunCli


def test_one_of_a_thing_is_not_many(cli: RunCli, project: Path, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    cli("run", project, "--turns", 1, "--output-dir", tmp_path / "out", "--library", library)
    status, out, _ = cli("list", "--library", library)
    assert status == 0
    assert "Greet  (1 turn, 3 steps, 0 edits; max_turns)" in out


def test_an_empty_library_says_so(cli: RunCli, tmp_path: Path) -> None:
    Library.open(tmp_path / "library.sqlite").close()
    status, out, err = cli("list", "--library", tmp_path / "library.sqlite")
    assert (status, out) == (0, "")
    assert err == f"The library {tmp_path / 'library.sqlite'} holds no rollouts yet.\n"


def test_a_rollout_that_waits_says_why(cli: RunCli, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    project = Project("Greet", EchoTarget(), HeuristicEvaluator())
    with Library.open(library) as opened:
        header = RolloutHeader("r1", "Greet")
        note = "breakpoint 1 at step 2: turn = 1"
        opened.commit(Change("r1", header, (project,), status="parked", status_note=note))
    _, out, _ = cli("list", "--library", library)
    assert "(0 turns, 0 steps, 0 edits; parked: breakpoint 1 at step 2: turn = 1)" in out


def test_rollouts_that_a_query_means_as_lines_and_as_json(cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        library.commit(first("one", conversation(1)))
        library.commit(first("two", conversation(2)))
    status, out, _ = cli("list", "turns > 1", "--library", path)
    assert (status, out.split()[0], len(out.splitlines())) == (0, "two", 1)
    _, out, error = cli("list", "--json", "--limit", "1", "--library", path)
    row = json.loads(out)
    assert (row["id"], row["turns"], row["verdict"], row["scores"]) == ("two", 2, "", {})
    assert "1 more" in error
    _, out, error = cli("list", "turns > 9", "--library", path)
    assert (out, "No rollout is meant" in error) == ("", True)
    status, out, _ = cli("list", "-turns>1", "--library", path, "--limit", 3)
    assert (status, out.split()[0], len(out.splitlines())) == (0, "one", 1)
    assert cli("stats", '-"question 1"', "--library", path)[0] == 0
    assert cli("list", "-x", "--library", path)[0] == 2
    status, _, error = cli("list", "turnz > 9", "--library", path)
    assert (status, "did you mean turns?" in error) == (2, True)


@pytest.mark.parametrize("command", ["list", "stats"])
def test_an_expression_that_ran_out_of_time_is_said(
    cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(searching, "PATIENCE", 0.2)
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        library.commit(first("one", (step("s0", None, "a" * 60 + "!"),)))
    _, _, error = cli(command, "text~/(a+)+$/", "--library", path)
    assert "ran out of time: texts that it takes long for count as matches" in error
    assert "ran out of time" not in cli(command, "text:aaa", "--library", path)[2]


def test_a_home_of_nobody_is_a_folder_that_is_not_there(cli: RunCli) -> None:
    status, _, error = cli("list", "--library", "~nosuch/x")
    assert status == 2
    assert "~nosuch/x" in error


def test_names_that_are_no_unicode_are_numbers_too(cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        steps = conversation(1, stop="x" * 90 + "\ud800")
        library.commit(first("one", steps, head=steps[-1].id))
    status, out, _ = cli("stats", "--json", "--library", path)
    assert (status, list(json.loads(out)["stops"])) == (0, ["x" * 90 + "\ud800"])
    assert "100%" in cli("stats", "--library", path)[1]
