"""Roles that a model plays, against a server on loopback; one gateway process for all tests."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
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
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.registry import build_roles
from rollstep.core.workers.pool import Workers
from rollstep.core.workers.process import Worker

from .making import view
from .model_server import ModelServer, chat, fault

TOOL = Tool("get_order", "Looks an order up.", '{"type": "object"}', returns='{"type": "object"}')
CALL = ToolCall("c1", "get_order", '{"order_id": "4471"}')
pytestmark = pytest.mark.asyncio(loop_scope="module")

PATH = (
    user_message("Hi"),
    target_reply("", (CALL,)),
    tool_result("c1", '{"status": "lost"}'),
    target_reply("It is lost."),
    user_message("Refund me."),
)


class Live:
    """A server, and roles that speak to it."""

    def __init__(self) -> None:
        self.server = ModelServer()
        self.workers = Workers()

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


@pytest.fixture(scope="module")
def monkeymodule() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live(monkeymodule: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    monkeymodule.setenv("OPENAI_API_KEY", "sk-canary-1234567890")
    live = Live()
    yield live
    await live.workers.aclose()
    live.server.close()


async def test_a_targets_request_is_its_view_and_is_kept_as_sent(live: Live) -> None:
    live.server.answers["m"] = (200, chat("Refunded."))
    answer = await live.ask("target", *PATH)
    sent = live.server.requests[-1]
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
    live.server.answers["m"] = (200, chat("Yes.", reasoning_content="Hm.", finish="length"))
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
    assert live.server.requests[-1]["temperature"] == 0.5


async def test_tool_calls_keep_their_arguments_and_missing_ids_are_made(live: Live) -> None:
    calls = [
        {"id": "abc", "type": "function", "function": {"name": "a", "arguments": '{"x":1.10'}},
        {"id": "", "type": "function", "function": {"name": "b", "arguments": "{}"}},
    ]
    live.server.answers["m"] = (200, chat(None, tool_calls=calls, finish="tool_calls"))
    answer = await live.ask("target", *PATH)
    assert isinstance(answer.payload, TargetReply)
    first, second = answer.payload.tool_calls
    assert first == ToolCall("abc", "a", '{"x":1.10')
    assert second.name == "b"
    assert second.id


async def test_a_missing_usage_is_estimated_and_called_so(live: Live) -> None:
    live.server.answers["m"] = (200, {**chat("a" * 40), "usage": None})
    answer = await live.ask("target", *PATH)
    assert answer.call is not None
    assert answer.call.usage.estimated
    assert answer.call.usage.completion_tokens == 11


async def test_the_evaluator_plays_the_user_with_the_sides_swapped(live: Live) -> None:
    live.server.answers["m"] = (200, chat("And now?", reasoning_content="push"))
    evaluator = {"persona": "Impatient.", "stop_when": "Refund confirmed."}
    project = live.project(evaluator=evaluator)
    seen = (user_message("Hi"), target_reply("It is lost."))
    answer = await live.ask("evaluator", *seen, project=project)
    sent = live.server.requests[-1]["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert [m["content"] for m in sent[2:]] == ["Hi", "It is lost."]
    for text in ("Get a refund.", "Impatient.", "Refund confirmed.", "STOP:"):
        assert text in sent[0]["content"]
    assert "Be kind." not in json.dumps(sent)
    assert answer.payload == UserMessage(user_message("And now?").parts, (Reasoning("push"),))


async def test_the_evaluator_is_told_of_tools_what_its_view_holds(live: Live) -> None:
    live.server.answers["m"] = (200, chat("Fine."))
    await live.ask("evaluator", *PATH[:-1])
    assert live.server.requests[-1]["messages"][-1]["content"] == (
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
    live.server.answers["m"] = (200, chat(text))
    assert (await live.ask("evaluator", *PATH[:-1])).payload == stop


@pytest.mark.parametrize("text", ["Please STOP: now", "NONSTOP: x", "stop: it", "Do not\nSTOPPED"])
async def test_the_word_within_a_line_is_no_stop(live: Live, text: str) -> None:
    live.server.answers["m"] = (200, chat(text))
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
    live.server.answers["m"] = (200, chat(text))
    answer = await live.ask("tool", *PATH[:1])
    assert answer.payload == ToolResult("c1", target_reply(result).parts)
    system, asked = (m["content"] for m in live.server.requests[-1]["messages"])
    assert "Looks an order up." in system
    assert "Order 4471 is lost." in system
    assert 'call of get_order: {"order_id": "4471"}' in asked


async def test_a_simulated_result_that_is_no_json_is_refused_and_kept(live: Live) -> None:
    live.server.answers["m"] = (200, chat("It is lost, I think."))
    with pytest.raises(RoleError, match="not JSON") as caught:
        await live.ask("tool", *PATH[:1])
    assert (caught.value.kind, caught.value.partial) == ("bad_reply", "It is lost, I think.")


FAILURES: dict[str, tuple[int, Any, str, str]] = {
    "auth": (401, fault("Bad key sk-canary-1234567890"), "auth", "the key in OPENAI_API_KEY"),
    "rate": (429, fault("slow down", code="rate_limit_exceeded"), "rate", "to wait 20 s"),
    "quota": (429, fault("no", code="insufficient_quota"), "quota", "out of credit"),
    "context": (400, fault("x", code="context_length_exceeded"), "context", "too long for it"),
    "overflow": (400, fault("prompt is too long: 9 > 8"), "context", "too long for it"),
    "policy": (400, fault("x", code="content_policy_violation"), "stopped", "content filter"),
    "unknown": (404, fault("no such model", code="model_not_found"), "refused", "'openai/unknown'"),
    "wrong": (400, fault("Unknown parameter [/bold]"), "refused", "Unknown parameter [/bold]"),
    "down": (503, fault("overloaded"), "server", "failed (503)"),
    "broken": (500, fault("boom"), "server", "failed (500): boom"),
    "closed": (200, None, "network", "connection was lost"),
    "html": (200, "<html>hello</html>", "bad_reply", "not a model reply"),
    "cut": (200, '{"id": ', "bad_reply", "not a model reply"),
    "nulls": (200, {**chat("x"), "choices": None}, "bad_reply", "not a model reply"),
    "no_choices": (200, {**chat("x"), "choices": []}, "empty", "returned nothing"),
    "nothing": (200, chat(""), "empty", "returned nothing"),
    "too_short": (200, chat("", finish="length"), "stopped", "cut off by length"),
    "filtered": (200, chat(None, finish="content_filter"), "stopped", "content filter"),
}


@pytest.mark.parametrize("model", FAILURES)
async def test_what_goes_wrong_is_said_in_words_without_keys(live: Live, model: str) -> None:
    status, answer, kind, words = FAILURES[model]
    live.server.answers[model] = (status, answer)
    before = len(live.server.requests)
    with pytest.raises(RoleError) as caught:
        await live.ask("target", *PATH, project=live.project(model))
    assert caught.value.kind == kind
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"The model openai/{model} ")
    assert "sk-canary" not in str(caught.value) + caught.value.detail
    assert len(live.server.requests) == before + 1, "a failed call was repeated"


async def test_a_call_that_hangs_ends_and_others_go_on(live: Live) -> None:
    live.server.answers["m"] = (200, chat("Here."))
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
    live.server.answers["m"] = (200, chat(None, refusal="I will not."))
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
    assert str(caught.value) == "The model groq/llama has no key: GROQ_API_KEY is not set."
