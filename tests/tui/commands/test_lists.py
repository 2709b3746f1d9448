"""``rollstep list``: what it says of each rollout, and of none."""

from pathlib import Path

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
