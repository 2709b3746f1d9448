"""``rollstep run --max-cost --max-tokens``: what is said of money, against a server that counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project
from rollstep.core.projects.writer import project_yaml

from ...provider.replies import Reply
from ...provider.server import ProviderServer
from .conftest import RunCli

pytestmark = pytest.mark.xdist_group("models")

REPLY = Reply("Yes.", usage={"prompt_tokens": 10, "completion_tokens": 100, "total_tokens": 110})


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


def files(folder: Path, server: ProviderServer, model: str, count: int = 3) -> list[Path]:
    server.answer(model, REPLY)
    target = LlmTarget(f"openai/{model}", api_base=server.api_base, params='{"max_tokens": 200}')
    paths = [folder / f"{number}.yaml" for number in range(count)]
    for path in paths:
        project = Project(path.stem, target, HeuristicEvaluator(), opening="Hi", max_turns=2)
        path.write_text(project_yaml(project), "utf-8")
    return paths


def test_a_run_stops_at_its_budget_and_says_what_it_did(
    cli: RunCli, tmp_path: Path, server: ProviderServer
) -> None:
    paths = files(tmp_path, server, "gpt-4.1-nano")
    library = tmp_path / "library.sqlite"
    keeping = ["--output-dir", tmp_path, "--library", library, "--trust"]
    status, _, error = cli("run", *paths, *keeping, "--max-cost", "0.0002")
    asked = len(server.asked("gpt-4.1-nano"))
    assert status == 1
    assert asked == 3, "each takes $0.000041, and $0.000082 is set aside for one"
    assert "the run's budget: the next step may cost $0.0000" in error
    assert "parked; to open the first and go on with c, or" in error
    assert "live calls took 330 tokens and $0.0001" in error
    assert "the same command with --resume and a higher --max-cost goes on with them" in error
    status, _, error = cli("run", *paths, *keeping, "--max-cost", "1", "--resume")
    assert (status, len(server.asked("gpt-4.1-nano"))) == (0, 6)
    assert "a higher" not in error


def test_a_price_that_is_unknown_is_said_once_and_tokens_are_counted(
    cli: RunCli, tmp_path: Path, server: ProviderServer
) -> None:
    paths = files(tmp_path, server, "of-my-own")
    keeping = ["--output-dir", tmp_path, "--trust"]
    status, _, error = cli("run", *paths, *keeping, "--max-cost", "0.0001", "--max-tokens", "600")
    assert status == 1
    assert error.count("price of openai/of-my-own is unknown: --max-cost does not count") == 1
    assert 110 * len(server.asked("of-my-own")) <= 600
    assert "live calls took 440 tokens (no price is known)" in error


def test_a_run_within_its_budget_ends_well(
    cli: RunCli, tmp_path: Path, server: ProviderServer
) -> None:
    paths = files(tmp_path, server, "gpt-4.1-mini", count=1)
    status, _, error = cli("run", *paths, "--output-dir", tmp_path, "--trust", "--max-cost", "1")
    assert status == 0, error
    assert "live calls took 220 tokens and $0.0003" in error


def test_a_run_that_goes_on_counts_what_it_spent_before(
    cli: RunCli, tmp_path: Path, server: ProviderServer
) -> None:
    paths = files(tmp_path, server, "gpt-4o-mini", count=3)
    given = ("run", *paths, "--output-dir", tmp_path, "--library", tmp_path / "l.sqlite", "--trust")
    status, _, error = cli(*given, "--max-tokens", "400", "--concurrency", "1")
    asked = len(server.asked("gpt-4o-mini"))
    assert (status, asked < 6) == (1, True)
    assert cli(*given, "--max-tokens", "400", "--resume")[0] == 1
    assert len(server.asked("gpt-4o-mini")) == asked, "there is nothing left to spend"
    status, _, error = cli(*given, "--max-tokens", "4000", "--resume")
    assert status == 0, error
    assert len(server.asked("gpt-4o-mini")) == 6
    assert "live calls took 660 tokens" in error
    assert not (tmp_path / "multi_turn_project.partial.jsonl").exists()
