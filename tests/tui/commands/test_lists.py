"""``rollstep list``: what it says of each rollout, and of none."""

from pathlib import Path

from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

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
