"""Hidden rollouts on the command line: left out of every list, unless a query speaks of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rollstep.core.listing.hidden import hide_rollouts
from rollstep.core.store.library import Library

from tests.core.store.making import conversation, first

from .conftest import RunCli


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three rollouts, of which the second is hidden."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for name in ("one", "two", "three"):
            library.commit(first(name, conversation(1, f"{name}-")))
        hide_rollouts(library, ["two"], "mira", 1.0)
    return path


def ids(out: str) -> list[str]:
    return sorted(line.split()[0] for line in out.splitlines())


def test_list_and_its_json(cli: RunCli, path: Path) -> None:
    assert ids(cli("list", "--library", path)[1]) == ["one", "three"]
    assert ids(cli("list", "turns = 1", "--library", path)[1]) == [
        "one",
        "three",
    ]
    assert ids(cli("list", "hidden:yes", "--library", path)[1]) == ["two"]
    _, out, _ = cli("list", "hidden:any", "--json", "--library", path)
    rows = [json.loads(line) for line in out.splitlines()]
    assert {row["id"]: row["hidden"] for row in rows} == {
        "one": False,
        "two": True,
        "three": False,
    }


def test_numbers_and_exports(cli: RunCli, path: Path, tmp_path: Path) -> None:
    _, out, _ = cli("stats", "--json", "--library", path)
    assert json.loads(out)["rollouts"] == 2
    out_file = tmp_path / "rows.jsonl"
    arguments = ("--format", "openai", "--library", path, "-o", out_file)
    assert cli("export", "--where", "turns > 0", *arguments)[0] == 0
    assert len(out_file.read_text(encoding="utf-8").splitlines()) == 2
    assert cli("export", "two", *arguments, "--force")[0] == 0


def test_a_library_with_hidden_ones_only_says_so(cli: RunCli, path: Path) -> None:
    with Library.open(path) as library:
        hide_rollouts(library, ["one", "three"], "mira", 2.0)
    _, out, error = cli("list", "--library", path)
    assert (out, "holds only hidden rollouts (3): rollstep list hidden:yes" in error) == ("", True)
