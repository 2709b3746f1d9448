"""``rollstep author``: project files that a model writes, from the shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.projects.reader import read_project

from ...provider.faults import CANARY, FAULTS
from ...provider.replies import Reply
from ...provider.server import ProviderServer
from .conftest import RunCli

pytestmark = pytest.mark.xdist_group("models")

TITLES = {
    "Cracked blender": "A cracked blender is refunded at once.",
    "../../Table\x1b[31m": "The dinner on Friday moves by an hour.",
    "Kenya visa": "Papers for Nairobi are ready in time.",
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with ProviderServer() as server:
        yield server


def said(title: str, **more: object) -> Reply:
    about = TITLES[title]
    return Reply(json.dumps({"title": title, "goal": about, "opening": f"Hi! {about}", **more}))


def arguments(server: ProviderServer, source: Path, folder: Path, n: int) -> list[str]:
    where = ["--model", "openai/m", "--api-base", server.api_base]
    return ["author", "--from", str(source), "-n", str(n), "-o", str(folder), *where]


def goals(tmp_path: Path, text: str = "Get a refund\n") -> Path:
    path = tmp_path / "goals.txt"
    path.write_text(text)
    return path


def test_files_are_written_named_safely_and_open_like_any_other(
    cli: RunCli, server: ProviderServer, tmp_path: Path
) -> None:
    server.answer("m", *map(said, TITLES))
    folder = tmp_path / "new" / "projects"
    status, out, err = cli(*arguments(server, goals(tmp_path), folder, 3))
    assert status == 0, err
    names = ["cracked-blender.yaml", "table-31m.yaml", "kenya-visa.yaml"]
    assert out.splitlines() == [str(folder / name) for name in names]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    project = read_project(folder / names[0])
    authored = json.loads(project.metadata)["authored"]
    assert authored["from"] == {"file": "goals.txt", "line": 1, "kind": "goal"}
    assert authored["model"] == "openai/m"
    assert authored["at"].startswith("20")
    assert "wrote 3 of 3 projects" in err
    assert "3 calls took 39 tokens (no price is known)" in err
    everything = out + err + "".join(path.read_text() for path in folder.iterdir())
    assert CANARY not in everything
    assert "\x1b" not in everything


def test_a_budget_holds_and_what_it_does_not_count_is_said(
    cli: RunCli, server: ProviderServer, tmp_path: Path
) -> None:
    server.answer("m", *map(said, TITLES))
    asking = arguments(server, goals(tmp_path), tmp_path / "o", 3)
    status, out, err = cli(*asking, "--max-tokens", "6000", "--max-cost", "1")
    assert (status, len(out.splitlines())) == (0, 3), err
    assert "the price of openai/m is unknown: --max-cost does not count its calls" in err
    before = len(server.asked("m"))
    status, out, err = cli(*asking, "--max-tokens", "100")
    assert (status, out) == (1, "")
    assert "line 1: the run's budget: the next call may take " in err
    assert "No more is asked." in err
    assert "wrote 0 of 3 projects" in err
    assert len(server.asked("m")) == before


def test_what_is_there_is_not_written_over_without_force(
    cli: RunCli, server: ProviderServer, tmp_path: Path
) -> None:
    server.answer("m", said("Cracked blender"))
    folder = tmp_path / "projects"
    folder.mkdir()
    there = folder / "cracked-blender.yaml"
    there.write_text("mine, and no project: {")
    status, out, _ = cli(*arguments(server, goals(tmp_path), folder, 1))
    assert (status, out) == (0, f"{folder / 'cracked-blender-2.yaml'}\n")
    assert there.read_text() == "mine, and no project: {"
    # Now one like it is there.
    status, out, err = cli(*arguments(server, goals(tmp_path), folder, 1))
    assert (status, out) == (1, "")
    assert "Cracked blender: nearly the same as cracked-blender-2.yaml; dropped" in err
    status, out, _ = cli(*arguments(server, goals(tmp_path), folder, 1), "--force")
    assert (status, out) == (0, f"{there}\n")
    assert read_project(there).title == "Cracked blender"


def test_failed_runs_are_varied_and_bad_rows_told_by_line(
    cli: RunCli, server: ProviderServer, tmp_path: Path
) -> None:
    server.answer("m", said("Cracked blender"))
    rows: list[Any] = [
        {"reward": 0, "task": "Refund 4471", "traj": [{"role": "user", "content": "Broken!"}]},
        {"reward": 1, "task": "Went well", "traj": []},
        {"reward": 0},
    ]
    source = tmp_path / "runs.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows) + "{cut\n")
    status, out, err = cli(*arguments(server, source, tmp_path / "o", 1))
    assert status == 1, "a row could not be used"
    assert len(out.splitlines()) == 1
    assert f"{source}: line 3: a run with a score" in err
    assert f"{source}: line 4, column" in err
    assert "runs.jsonl: 1 failed run\n" in err
    assert "1 run did not fail" in err
    (asked,) = server.asked("m")
    text = asked.body["messages"][0]["content"]
    assert "same shape" in text
    assert "Refund 4471" in text
    assert "user: Broken!" in text


def test_a_seed_rows_context_and_a_roles_file_come_with_it(
    cli: RunCli, server: ProviderServer, tmp_path: Path
) -> None:
    server.answer("m", said("Cracked blender", persona="Impatient."))
    source = tmp_path / "seeds.jsonl"
    source.write_text('{"user_text": "It broke", "context": {"memory": ["a"]}}\n')
    roles = tmp_path / "roles.yaml"
    roles.write_text("target: {kind: echo}\nevaluator: {kind: human}\n")
    status, out, _ = cli(*arguments(server, source, tmp_path / "o", 1), "--roles", roles)
    assert status == 0
    project = read_project(Path(out.strip()))
    assert json.loads(project.metadata)["seed_context"] == {"memory": ["a"]}
    assert project.evaluator.persona == "Impatient."
    assert "kind: echo" in Path(out.strip()).read_text()


def test_a_refused_key_ends_it_after_one_call(
    cli: RunCli, server: ProviderServer, tmp_path: Path
) -> None:
    server.answer("m", FAULTS["401"])
    status, out, err = cli(*arguments(server, goals(tmp_path), tmp_path / "o", 5))
    assert (status, out) == (1, "")
    assert "line 1: openai/m: The key in OPENAI_API_KEY was refused." in err
    assert "none is made" in err
    assert "wrote 0 of 5 projects" in err
    assert len(server.requests) == 1
    assert CANARY not in err


def test_what_cannot_begin_is_said_before_anything_is_asked(
    cli: RunCli, server: ProviderServer, tmp_path: Path
) -> None:
    file = goals(tmp_path)
    for source, folder in ((tmp_path / "none.txt", tmp_path / "o"), (file, file)):
        status, _, err = cli(*arguments(server, source, folder, 1))
        assert status == 2
        assert "cannot be" in err
    wrong = tmp_path / "roles.yaml"
    wrong.write_text("target: {kind: nobody}\n")
    status, _, err = cli(*arguments(server, file, tmp_path / "o", 1), "--roles", wrong)
    assert status == 2
    assert "unknown kind" in err
    assert server.requests == []
