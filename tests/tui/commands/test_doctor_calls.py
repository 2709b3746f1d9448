"""``rollstep doctor --call``: one small call for each model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ...provider.faults import CANARY, FAULTS
from ...provider.replies import Reply
from ...provider.server import ProviderServer
from .conftest import RunCli

pytestmark = pytest.mark.xdist_group("models")


def test_each_model_is_called_once_and_told_apart(
    cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with ProviderServer() as server:
        server.answer("gpt-4.1-mini", Reply("ready"))
        server.answer("unpriced", Reply("ready"))
        server.answer("locked", FAULTS["401"])
        server.answer("slow", FAULTS["429"])
        names = ["openai/gpt-4.1-mini", "openai/unpriced", "openai/locked", "openai/slow"]
        status, out, err = cli("doctor", "--call", *names, "--api-base", server.api_base)
        assert len(server.requests) == 4, "nothing is tried again, and all are asked"
    assert status == 1
    lines = [line for line in out.splitlines() if " call " in line]
    assert len(lines) == 4
    answered = r"openai/gpt-4\.1-mini: answered in \d\.\d s, 10 \+ 3 tokens, \$0\.000008"
    assert re.search(answered, lines[0])
    assert lines[1].endswith("no price is known")
    assert "problem call             openai/locked: The key in OPENAI_API_KEY was refused." in out
    assert "Correct the key, the name, the address or the parameters" in out
    assert "Wait, then try again" in out
    assert CANARY not in out + err


def test_the_models_of_a_project_are_asked_as_it_says_after_a_yes(
    cli: RunCli, tmp_path: Path
) -> None:
    project = tmp_path / "live.yaml"
    with ProviderServer() as server:
        live = f"{{kind: llm, model: openai/m, api_base: '{server.api_base}'}}"
        project.write_text(f"title: Live\ntarget: {live}\nevaluator: {live}\n")
        status, out, err = cli("doctor", "--call", project)
        assert status == 2
        assert f"your key to {server.api_base.removesuffix('/v1')}." in err
        assert server.requests == []
        status, out, err = cli("doctor", "--json", "--trust", "--call", project)
        assert [each.model for each in server.requests] == ["m"], "two equal roles are one call"
    (told,) = [line for line in map(json.loads, out.splitlines()) if line["about"] == "call"]
    assert told["level"] == "ok"
    project.write_text("title: Offline\ntarget: {kind: echo}\nevaluator: {kind: heuristic}\n")
    assert "no model plays" in cli("doctor", "--call", project)[1]


@pytest.mark.parametrize("arguments", [["--call"], ["openai/m"]])
def test_nothing_is_called_by_accident(cli: RunCli, arguments: list[str]) -> None:
    status, _, err = cli("doctor", *arguments)
    assert status == 2
    assert "--call needs models" in err
