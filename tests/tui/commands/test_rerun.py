"""``rollstep rerun``: the same messages, or the same project, with somebody else in a role."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.model.messages import Stop, ToolResult, payload_text, user_message
from rollstep.core.model.project import (
    EchoTarget,
    HeuristicEvaluator,
    LlmEvaluator,
    LlmTarget,
    Project,
    ScriptedEvaluator,
)
from rollstep.core.model.steps import Step
from rollstep.core.samples import sample
from rollstep.core.session import Session
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library

from ...provider.faults import FAULTS
from ...provider.replies import FunctionCall, Reply
from ...provider.server import ProviderServer
from .conftest import RunCli

Kept = tuple[Path, str]


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


def newest(library: Path) -> Saved:
    with Library.open(library, create=False) as opened:
        return opened.load(opened.recent(1)[0].id)


def said(steps: tuple[Step, ...], role: str) -> list[str]:
    return [
        step.payload.reason if isinstance(step.payload, Stop) else payload_text(step.payload)
        for step in steps
        if step.role == role
    ]


def test_the_same_messages_go_to_another_model(
    cli: RunCli, kept: Kept, provider: ProviderServer
) -> None:
    library, rollout = kept
    provider.answer("other", Reply("Good day."), Reply("Farewell."))
    status, out, error = cli(
        *("rerun", rollout, "--library", library),
        *("--target", "openai/other", "--api-base", provider.api_base),
    )
    assert (status, out) == (0, "")
    new = newest(library)
    assert new.header.source == f"rerun of {rollout}"
    assert said(new.steps, "evaluator") == ["Hi.", "And now?", "max_turns"]
    assert said(new.steps, "target") == ["Good day.", "Farewell."]
    assert isinstance(new.projects[-1].target, LlmTarget)
    assert isinstance(new.projects[-1].evaluator, ScriptedEvaluator)
    asked = [request.body["messages"][-1]["content"] for request in provider.asked("other")]
    assert asked == ["Hi.", "And now?"]
    assert f"playing {rollout} again as {new.header.id}\n" in error
    assert "   2  target: Good day." in error
    assert "ended: max_turns; 5 steps, 2 turns" in error
    assert f"rollstep diff --library {library} {rollout} {new.header.id}" in error
    status, compared, _ = cli("diff", rollout, new.header.id, "--library", library)
    assert status == 1
    assert "The projects differ in: target" in compared


def test_a_rerun_stops_at_its_budget_which_the_new_rollout_keeps(
    cli: RunCli, kept: Kept, provider: ProviderServer
) -> None:
    library, rollout = kept
    usage = {"prompt_tokens": 10, "completion_tokens": 100, "total_tokens": 110}
    provider.answer("gpt-4.1-nano", Reply("Good day.", usage=usage))
    again = ("rerun", rollout, "--library", library, "--target", "openai/gpt-4.1-nano")
    status, _, error = cli(
        *again, "--api-base", provider.api_base, "--max-cost", "0.00165", "--max-tokens", "9000"
    )
    assert status == 1
    assert "paused: the next step may cost $0.0016" in error
    assert len(provider.asked("gpt-4.1-nano")) == 1
    new = newest(library)
    assert said(new.steps, "target") == ["Good day."]
    stop = new.projects[-1].stop
    assert (stop.max_cost_usd, stop.max_tokens) == (0.00165, 9000)


def test_equal_calls_have_the_recorded_results(
    cli: RunCli, tmp_path: Path, provider: ProviderServer
) -> None:
    """Another model calls what the recording has, with its arguments in another order or shape."""
    library = tmp_path / "library.sqlite"
    bundle = sample("refund").bundle
    assert bundle is not None
    provider.answer(
        "other",
        Reply("", calls=(FunctionCall("get_order", '{ "order_id" : "4471" }'),)),
        Reply("Here is your money."),
    )
    status, _, error = cli(
        *("rerun", bundle, "--branch", "as it went", "--library", library),
        *("--target", "openai/other", "--api-base", provider.api_base, "--headless"),
    )
    assert status == 0, error
    new = newest(library)
    with Library.open(library, create=False) as opened:
        assert opened.count() == 2
        old = opened.load(new.header.source.removeprefix("rerun of "))
    recorded = next(s.payload for s in old.steps if isinstance(s.payload, ToolResult))
    (result,) = [s for s in new.steps if isinstance(s.payload, ToolResult)]
    assert payload_text(result.payload) == payload_text(recorded)
    assert (result.origin, result.copied_from, result.call) == ("script", None, None)
    assert set(said(new.steps, "target")[1:]) == {"Here is your money."}


def test_the_project_afresh_asks_its_own_evaluator(cli: RunCli, kept: Kept) -> None:
    library, rollout = kept
    status, _, error = cli("rerun", rollout, "--library", library, "--project", "--turns", "1")
    assert status == 0, error
    new = newest(library)
    assert said(new.steps, "evaluator") == ["Hi.", "max_turns"]
    assert new.projects[-1].max_turns == 1


def test_another_evaluator_plays_the_user(
    cli: RunCli, kept: Kept, provider: ProviderServer
) -> None:
    library, rollout = kept
    provider.answer("user", Reply("Somebody else asks."))
    status, _, error = cli(
        *("rerun", rollout, "--library", library),
        *("--evaluator", "openai/user", "--api-base", provider.api_base),
    )
    new = newest(library)
    assert said(new.steps, "target")[0] == "Hello."
    assert provider.asked("user"), error
    assert status in (0, 1)


def test_a_failure_keeps_what_was_played_and_says_so(
    cli: RunCli, kept: Kept, provider: ProviderServer
) -> None:
    library, rollout = kept
    provider.answer("other", Reply("Good day."), FAULTS["401"])
    status, _, error = cli(
        *("rerun", rollout, "--library", library),
        *("--target", "openai/other", "--api-base", provider.api_base),
    )
    assert status == 1
    assert "failed: " in error
    new = newest(library)
    assert said(new.steps, "target") == ["Good day."]
    assert new.attempts[0].kind == "auth"
    assert f"rollstep open --library {library} {new.header.id}" in error


def test_a_call_that_nothing_answers_waits_for_a_human(
    cli: RunCli, kept: Kept, provider: ProviderServer
) -> None:
    library, rollout = kept
    provider.answer("other", Reply("", calls=(FunctionCall("get_order", "{}"),)))
    status, _, error = cli(
        *("rerun", rollout, "--library", library),
        *("--target", "openai/other", "--api-base", provider.api_base),
    )
    assert status == 1
    assert "get_order with these arguments is not recorded" in error


AGENT = """
class Agent:
    async def reply(self, view, stream=None):
        from rollstep.core import target_reply
        return target_reply("From my own code.")
"""


def test_an_object_of_ones_own_needs_trust(
    cli: RunCli, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, rollout = kept
    (tmp_path / "own_agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    command = ("rerun", rollout, "--library", library, "--target", "python:own_agent:Agent")
    status, _, error = cli(*command)
    assert (status, "runs own_agent:Agent" in error, "--trust" in error) == (2, True, True)
    status, _, error = cli(*command, "--trust")
    assert status == 0, error
    assert set(said(newest(library).steps, "target")) == {"From my own code."}


@pytest.mark.parametrize("role", ["target", "evaluator"])
def test_an_address_in_the_parameters_that_go_along_needs_a_yes(
    cli: RunCli, tmp_path: Path, role: str
) -> None:
    away = '{"api_base": "http://elsewhere.example/v1"}'
    played: dict[str, Any] = {"target": EchoTarget(), "evaluator": HeuristicEvaluator()}
    played[role] = {"target": LlmTarget, "evaluator": LlmEvaluator}[role]("openai/m", params=away)
    library = tmp_path / "library.sqlite"

    async def begun(opened: Library) -> str:
        project = Project(title="Away", opening="Hi.", **played)
        session = Session.start(project, library=opened)
        await session.write(user_message("Hi."))
        await session.close()
        return session.rollout.header.id

    with Library.open(library) as opened:
        rollout = asyncio.run(begun(opened))
    status, _, error = cli("rerun", rollout, "--library", library, f"--{role}", "openai/other")
    assert status == 2
    assert "sends its conversation and your key to http://elsewhere.example" in error


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Say what is played otherwise: --target MODEL"),
        (("--project", "--api-base", "http://x"), "give --target or --evaluator too"),
    ],
)
def test_it_has_to_be_said_what_is_otherwise(
    cli: RunCli, kept: Kept, options: tuple[str, ...], words: str
) -> None:
    status, _, error = cli("rerun", kept[1], "--library", kept[0], *options)
    assert (status, words in error) == (2, True)


def test_on_a_terminal_both_are_opened_side_by_side(
    cli: RunCli, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, rollout = kept
    shown: dict[str, Any] = {}

    def run_app(**options: Any) -> int:
        shown.update(options)
        return 7

    class Terminal:
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __getattr__(self, name: str) -> Any:
            return (lambda: True) if name == "isatty" else getattr(self._stream, name)

    monkeypatch.setattr("rollstep.tui.app.run_app", run_app)
    monkeypatch.setattr(sys, "stdout", Terminal(sys.stdout))
    monkeypatch.setattr(sys, "stdin", Terminal(sys.stdin))
    command = ("rerun", rollout, "--library", library, "--project")
    assert cli(*command)[0] == 7
    old = newest(library).header.source.removeprefix("rerun of ")
    assert old == rollout
    assert shown["target"].rollout == newest(library).header.id
    assert shown["target"].beside[0] == rollout
    shown.clear()
    assert cli(*command, "--headless")[0] == 0
    assert shown == {}
