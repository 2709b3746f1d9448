"""Roles that a model plays, against a server on loopback."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest
from msgspec.structs import replace
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.model.messages import (
    Reasoning,
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    Tool,
)
from rollstep.core.model.steps import Role, Usage
from rollstep.core.roles import llm
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.registry import build_roles
from rollstep.core.workers.pool import Workers
from rollstep.core.workers.process import Worker

from ...provider.exchange import Behaviour
from ...provider.faults import FAULTS
from ...provider.replies import FunctionCall, Reply
from ...provider.server import ProviderServer
from .making import view

TOOL = Tool("get_order", "Looks an order up.", '{"type": "object"}', returns='{"type": "object"}')
CALL = ToolCall("c1", "get_order", '{"order_id": "4471"}')
pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

PATH = (
    user_message("Hi"),
    target_reply("", (CALL,)),
    tool_result("c1", '{"status": "lost"}'),
    target_reply("It is lost."),
    user_message("Refund me."),
)


class Live:
    """A server, and roles that speak to it."""

    def __init__(self, server: ProviderServer, workers: Workers) -> None:
        self.server = server
        self.workers = workers

    def answers(self, answer: Behaviour | Reply) -> None:
        """What the model says from now on."""
        self.server.answer("m", answer)

    @property
    def sent(self) -> dict[str, Any]:
        """The body of the last request."""
        return self.server.requests[-1].body

    def project(self, model: str = "m", **more: Any) -> Project:
        base = {"model": f"openai/{model}", "api_base": self.server.api_base}
        return Project(
            title="Refund",
            goal="Get a refund.",
            target=LlmTarget(**base, system="Be kind.", **more.pop("target", {})),
            evaluator=LlmEvaluator(**base, **more.pop("evaluator", {})),
            tools=(TOOL,),
            tool_simulator=LlmSimulator(**base, world="Order 4471 is lost."),
        )

    async def ask(self, role: Role, *messages: Any, project: Project | None = None) -> Answer:
        project = project or self.project()
        roles = build_roles(project, trusted=True, workers=self.workers)
        given = view(role, *messages, turn=1, project=project, call=CALL)
        answer: Any
        if role == "target":
            answer = await roles.target.reply(given)
        elif role == "evaluator":
            answer = await roles.evaluator.next(given)
        else:
            assert roles.tool_simulator is not None
            answer = await roles.tool_simulator.respond(given)
        return answer


@pytest.fixture
def live(provider: ProviderServer, gateway_workers: Workers, canary: str) -> Live:
    return Live(provider, gateway_workers)


async def test_a_targets_request_is_its_view_and_is_kept_as_sent(live: Live) -> None:
    live.answers(Reply("Refunded."))
    answer = await live.ask("target", *PATH)
    sent = live.sent
    assert sent["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "get_order", "arguments": '{"order_id": "4471"}'},
                }
            ],
        },
        {"role": "tool", "content": '{"status": "lost"}', "tool_call_id": "c1"},
        {"role": "assistant", "content": "It is lost."},
        {"role": "user", "content": "Refund me."},
    ]
    assert sent["tools"][0]["function"]["name"] == "get_order"
    kept = json.loads(answer.request)
    assert (kept["messages"], kept["tools"]) == (sent["messages"], sent["tools"])
    assert "sk-canary" not in answer.request
    assert payload_text(answer.payload) == "Refunded."


async def test_how_a_reply_was_made_is_kept_with_it(live: Live) -> None:
    live.answers(Reply("Yes.", reasoning="Hm.", finish="length"))
    project = live.project(target={"params": '{"temperature": 0.5}'})
    answer = await live.ask("target", *PATH, project=project)
    assert isinstance(answer.payload, TargetReply)
    assert answer.payload.reasoning == (Reasoning("Hm."),)
    assert answer.payload.finish_reason == "length"
    assert answer.call is not None
    assert answer.call.model == "openai/m"
    assert answer.call.params == '{"temperature": 0.5}'
    assert answer.call.usage == Usage(10, 3, 0, 4)
    assert answer.call.cost is None
    assert answer.call.seconds > 0
    assert answer.call.response_id == "resp-1"
    assert live.sent["temperature"] == 0.5


async def test_tool_calls_keep_their_arguments_and_missing_ids_are_made(live: Live) -> None:
    calls = (FunctionCall("a", '{"x":1.10', "abc"), FunctionCall("b", "{}", None))
    live.answers(Reply(None, calls=calls, finish="tool_calls"))
    answer = await live.ask("target", *PATH)
    assert isinstance(answer.payload, TargetReply)
    first, second = answer.payload.tool_calls
    assert first == ToolCall("abc", "a", '{"x":1.10')
    assert second.name == "b"
    assert second.id


async def test_a_missing_usage_is_estimated_and_called_so(live: Live) -> None:
    live.answers(Reply("a" * 40, usage=None))
    answer = await live.ask("target", *PATH)
    assert answer.call is not None
    assert answer.call.usage.estimated
    assert answer.call.usage.completion_tokens == 11


async def test_the_evaluator_plays_the_user_with_the_sides_swapped(live: Live) -> None:
    live.answers(Reply("And now?", reasoning="push"))
    evaluator = {"persona": "Impatient.", "stop_when": "Refund confirmed."}
    project = live.project(evaluator=evaluator)
    seen = (user_message("Hi"), target_reply("It is lost."))
    answer = await live.ask("evaluator", *seen, project=project)
    sent = live.sent["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert [m["content"] for m in sent[2:]] == ["Hi", "It is lost."]
    for text in ("Get a refund.", "Impatient.", "Refund confirmed.", "STOP:"):
        assert text in sent[0]["content"]
    assert "Be kind." not in json.dumps(sent)
    assert answer.payload == UserMessage(user_message("And now?").parts, (Reasoning("push"),))


async def test_the_evaluator_is_told_of_tools_what_its_view_holds(live: Live) -> None:
    live.answers(Reply("Fine."))
    await live.ask("evaluator", *PATH[:-1])
    assert live.sent["messages"][-1]["content"] == (
        '[called get_order({"order_id": "4471"})]\n'
        '[get_order answered: {"status": "lost"}]\n'
        "It is lost."
    )


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("STOP: goal_reached", Stop("goal_reached", "evaluator")),
        ("STOP", Stop("goal_reached", "evaluator")),
        ("STOP:", Stop("goal_reached", "evaluator")),
        ("Thanks!\nSTOP: unrecoverable\n", Stop("unrecoverable", "evaluator", "Thanks!")),
        ("STOP: bored", Stop("bored", "evaluator")),
        ("STOP: it is refunded", Stop("goal_reached", "evaluator", "it is refunded")),
    ],
)
async def test_a_line_that_says_stop_is_a_stop(live: Live, text: str, stop: Stop) -> None:
    live.answers(Reply(text))
    assert (await live.ask("evaluator", *PATH[:-1])).payload == stop


@pytest.mark.parametrize("text", ["Please STOP: now", "NONSTOP: x", "stop: it", "Do not\nSTOPPED"])
async def test_the_word_within_a_line_is_no_stop(live: Live, text: str) -> None:
    live.answers(Reply(text))
    assert (await live.ask("evaluator", *PATH[:-1])).payload == user_message(text)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"status":  "lost"}', '{"status":  "lost"}'),
        ('```json\n{"status": "lost"}\n```', '{"status": "lost"}'),
    ],
)
async def test_the_simulator_answers_from_descriptions_and_schemas(
    live: Live, text: str, result: str
) -> None:
    live.answers(Reply(text))
    answer = await live.ask("tool", *PATH[:1])
    assert answer.payload == ToolResult("c1", target_reply(result).parts)
    system, asked = (m["content"] for m in live.sent["messages"])
    assert "Looks an order up." in system
    assert "Order 4471 is lost." in system
    assert 'call of get_order: {"order_id": "4471"}' in asked


@pytest.mark.parametrize(
    ("state", "text", "told"),
    [
        ('{"n": 0}', '{"state": {"n": 1}, "result": {"status":  "lost"}}', '{"status":  "lost"}'),
        ('{"n": 0}', '```json\n{"result": {"a": [1]}}\n```', '{"a": [1]}'),
        (None, '{"status":  "lost"}', '{"status":  "lost"}'),
    ],
)
async def test_of_a_simulators_answer_the_result_streams_and_not_what_is_around_it(
    live: Live, state: str | None, text: str, told: str
) -> None:
    live.answers(Reply(text))
    project = live.project()
    assert isinstance(project.tool_simulator, LlmSimulator)
    simulator = replace(project.tool_simulator, state=state)
    project = replace(project, tool_simulator=simulator)
    roles = build_roles(project, trusted=True, workers=live.workers)
    assert roles.tool_simulator is not None
    heard: list[str] = []
    given = view("tool", *PATH[:1], project=project, call=CALL)
    answer: Any = await roles.tool_simulator.respond(given, heard.append)
    assert "".join(heard) == told == payload_text(answer.payload)


async def test_a_simulated_result_that_is_no_json_is_refused_and_kept(live: Live) -> None:
    live.answers(Reply("It is lost, I think."))
    with pytest.raises(RoleError, match="not JSON") as caught:
        await live.ask("tool", *PATH[:1])
    assert (caught.value.kind, caught.value.partial) == ("bad_reply", "It is lost, I think.")


async def test_what_an_answer_that_cannot_be_used_took_is_told_as_the_provider_counted_it(
    live: Live,
) -> None:
    counted = {"prompt_tokens": 40, "completion_tokens": 5, "total_tokens": 45}
    live.answers(Reply("It is lost, I think.", usage=counted))
    with pytest.raises(RoleError) as caught:
        await live.ask("tool", *PATH[:1])
    assert caught.value.usage == Usage(80, 10)  # asked twice
    with pytest.raises(RoleError) as caught:
        await live.ask("evaluator", *PATH, project=live.project(evaluator={"answers": "json"}))
    assert caught.value.usage == Usage(40, 5)


async def test_a_failure_says_which_model_failed_and_how(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm, "PACE", 0.0)
    live.answers(FAULTS["503"])
    before = len(live.server.requests)
    with pytest.raises(RoleError) as caught:
        await live.ask("target", *PATH)
    assert caught.value.kind == "server"
    assert str(caught.value) == (
        "openai/m: The provider failed (503): Overloaded. Given up after 5 tries."
    )
    assert len(live.server.requests) == before + 5


async def test_a_call_that_hangs_ends_and_others_go_on(live: Live) -> None:
    live.answers(Reply("Here."))
    live.server.answer("silent", FAULTS["hang"])
    silent = live.project("silent", target={"params": '{"timeout": 0.3}'})
    hangs, answers = await asyncio.gather(
        live.ask("target", *PATH, project=silent),
        live.ask("target", *PATH),
        return_exceptions=True,
    )
    assert isinstance(hangs, RoleError)
    assert hangs.kind == "timeout"
    assert isinstance(answers, Answer)


async def test_a_refusal_is_a_reply_of_the_target(live: Live) -> None:
    live.answers(Reply(None, message={"refusal": "I will not."}))
    answer = await live.ask("target", *PATH)
    assert isinstance(answer.payload, TargetReply)
    assert answer.payload.refusal == "I will not."


async def test_a_key_in_a_project_file_is_refused(live: Live) -> None:
    with pytest.raises(UsageError, match="hold an api_key"):
        await live.ask("target", project=live.project(target={"params": '{"api_key": "x"}'}))


async def test_only_the_gateway_process_has_loaded_litellm(live: Live) -> None:
    assert "litellm" not in sys.modules


async def test_a_server_of_the_projects_own_needs_a_yes(live: Live) -> None:
    with pytest.raises(UsageError, match=r"your key to http://127\.0\.0\.1"):
        build_roles(live.project())


async def test_a_missing_key_is_said_before_anything_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start(worker: Worker) -> None:
        raise AssertionError("a child was started")

    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    monkeypatch.setattr(Worker, "start", start)
    project = Project(
        title="t", target=LlmTarget("groq/llama", system=""), evaluator=LlmEvaluator("groq/llama")
    )
    roles = build_roles(project, trusted=True)
    with pytest.raises(RoleError) as caught:
        await roles.target.reply(view("target", PATH[0], project=project))
    assert caught.value.kind == "auth"
    words = "The model groq/llama has no key: GROQ_API_KEY is not set, and the keyring has none."
    assert str(caught.value).startswith(words)
