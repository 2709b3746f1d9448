"""What arrives at a provider is what the stored request says, field by field; what litellm would
change on its way is refused before it is sent.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.errors import RoleError
from rollstep.core.model.messages import (
    OtherPart,
    Reasoning,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    UserMessage,
    parts_text,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import LlmEvaluator, LlmTarget, Project, Tool
from rollstep.core.roles.protocols import Answer, no_stream
from rollstep.core.roles.registry import build_roles
from rollstep.core.workers.pool import Workers

from ...provider.anthropic import strings
from ...provider.replies import Reply
from ...provider.server import ProviderServer
from .making import view

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

SIGNED = {"type": "thinking", "thinking": "Look it up.", "signature": "c2lnbmVk"}
UNSIGNED = {"type": "thinking", "thinking": "Look it up."}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}
TOOL = Tool(
    "get_order",
    "Looks an order up.",
    '{"type": "object", "properties": {"n": {"type": "number"}}, "additionalProperties": false}',
)
CALLS = (ToolCall("c1", "get_order", '{"n":  1.10}'), ToolCall("c2", "get_order", '{"n": 2}'))


def thinking(block: dict[str, Any]) -> tuple[Reasoning, ...]:
    text, signature = block["thinking"], block.get("signature")
    return (Reasoning(text, signature, json.dumps(block)),)


PLAIN_PATH = (
    user_message("  Hi \n"),
    TargetReply(text_parts("Wait."), thinking(SIGNED), CALLS),
    tool_result("c1", '{"status":  "lost"}'),
    tool_result("c2", "not JSON <b>"),
    target_reply("It is lost."),
    user_message("Refund me. \U0001f600"),
)

ODD_PATH = (
    user_message(""),
    user_message("Twice in a row."),
    target_reply(""),
    TargetReply((), thinking(UNSIGNED), (ToolCall("c1", "get_order", '{"n": 44'),)),
    tool_result("c1", ""),
    SystemNote(text_parts("In the middle.")),
    UserMessage((Text(""), OtherPart("image", "image/png", 4, json.dumps(IMAGE)))),
    tool_result("c9", "nobody asked"),
)
PARAMS = {
    "temperature": 0.5,
    "top_k": 3,
    "seed": 7,
    "stop": ["END"],
    "parallel_tool_calls": True,
    "chat_template_kwargs": {"enable_thinking": False},
}


class Asked:
    """The target, asked over a path."""

    def __init__(self, server: ProviderServer, workers: Workers) -> None:
        self.server = server
        self._workers = workers

    async def __call__(
        self,
        model: str,
        path: tuple[Any, ...],
        params: dict[str, Any] | None = None,
        stream: bool = False,
    ) -> Answer:
        base = self.server.api_base
        target = LlmTarget(
            model,
            api_base=base if model.startswith("openai/") else base.removesuffix("/v1"),
            params=json.dumps(params or {}),
            system="Be kind.\n",
        )
        project = Project("t", target, LlmEvaluator("openai/m"), tools=(TOOL,))
        roles = build_roles(project, trusted=True, workers=self._workers)
        heard = [].append if stream else no_stream
        answer: Any = await roles.target.reply(view("target", *path, project=project), heard)
        return answer


@pytest.fixture
def ask(provider: ProviderServer, litellm_workers: Workers, canary: str) -> Asked:
    provider.answer("sent", Reply("Yes."))
    provider.answer("claude-sent", Reply("Yes."))
    return Asked(provider, litellm_workers)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("way", [{}, {"drop_params": False}], ids=["direct", "litellm"])
@pytest.mark.parametrize("path", [PLAIN_PATH, ODD_PATH], ids=["plain", "odd"])
async def test_what_arrives_is_what_the_stored_request_says(
    ask: Asked, path: tuple[Any, ...], way: dict[str, Any], stream: bool
) -> None:
    answer = await ask("openai/sent", path, PARAMS | way, stream)
    arrived = ask.server.asked("sent")[-1].body
    kept = json.loads(answer.request)
    assert kept.pop("model") == "openai/sent"
    assert arrived.pop("model") == "sent"
    assert kept == arrived
    assert len(arrived["messages"]) == len(path) + 1
    for name, value in PARAMS.items():
        assert arrived[name] == value
    assert ("stream" in arrived) == stream


async def test_a_parameter_that_litellm_keeps_back_is_not_in_the_stored_request(
    ask: Asked,
) -> None:
    params = {"user": "somebody", "drop_params": True, "metadata": {"x": "y"}, "temperature": 0}
    answer = await ask("openai/sent", PLAIN_PATH, params)
    arrived = ask.server.asked("sent")[-1].body
    assert {**json.loads(answer.request), "model": "sent"} == arrived
    assert "user" not in arrived


@pytest.mark.parametrize("stream", [False, True])
async def test_in_another_shape_every_text_arrives_as_it_is(ask: Asked, stream: bool) -> None:
    answer = await ask("anthropic/claude-sent", PLAIN_PATH, {"max_tokens": 100}, stream)
    body = ask.server.asked("claude-sent")[-1].body
    kept = json.loads(answer.request)
    for name in body.keys() - {"model", "messages", "system", "tools"}:
        assert kept[name] == body[name]
    texts = strings(body)
    for text in (
        *("Be kind.\n", "  Hi \n", "Wait.", "Look it up.", "c2lnbmVk", '{"status":  "lost"}'),
        *("not JSON <b>", "It is lost.", "Refund me. \U0001f600"),
    ):
        assert text in texts
    inputs = [
        block["input"]
        for message in body["messages"]
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    assert inputs == [{"n": 1.1}, {"n": 2}]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ((user_message("Hi"), target_reply(""), user_message("?")), "message 3 (of the assistant)"),
        ((user_message(" \n"),), "message 2 (of the user) is empty"),
        ((user_message("a"), user_message("b")), "messages 2 and 3"),
        ((user_message("a"), target_reply("b"), target_reply("c")), "messages 3 and 4"),
        (
            (
                user_message("a"),
                TargetReply(text_parts("b"), thinking(UNSIGNED)),
                user_message("c"),
            ),
            "thinking without a signature, which would be dropped",
        ),
        (
            (user_message("a"), SystemNote(text_parts("b")), user_message("c")),
            "message 3 (of the system) would be moved",
        ),
        (
            (user_message("a"), target_reply("b", (ToolCall("c1", "get_order", "{1}"),))),
            "This request cannot be sent: Failed to parse tool call arguments",
        ),
    ],
)
async def test_what_would_be_changed_on_its_way_is_refused_and_said(
    ask: Asked, path: tuple[Any, ...], words: str
) -> None:
    before = len(ask.server.asked("claude-sent"))
    with pytest.raises(RoleError) as caught:
        await ask("anthropic/claude-sent", path, {"max_tokens": 100})
    assert caught.value.kind in ("would_rewrite", "refused")
    assert words in str(caught.value)
    assert len(ask.server.asked("claude-sent")) == before


@pytest.mark.parametrize(
    "thinking",
    [{"thinking": {"type": "enabled", "budget_tokens": 1024}}, {"reasoning_effort": "low"}],
)
async def test_an_evaluator_that_thinks_is_not_forced_to_call_where_that_is_refused(
    ask: Asked, litellm_workers: Workers, thinking: dict[str, Any]
) -> None:
    def evaluator(params: dict[str, Any]) -> Any:
        base = ask.server.api_base.removesuffix("/v1")
        spec = LlmEvaluator(
            "anthropic/claude-3-7-sonnet-20250219",
            api_base=base,
            params=json.dumps({"max_tokens": 5000, **params}),
            answers="tools",
        )
        project = Project("t", LlmTarget("openai/m"), spec)
        roles = build_roles(project, trusted=True, workers=litellm_workers)
        return roles.evaluator.next(view("evaluator", user_message("Hi"), project=project))

    ask.server.answer("claude-3-7-sonnet-20250219", Reply("Where is it?"))
    answer = await evaluator(thinking)
    assert parts_text(answer.payload.parts) == "Where is it?"
    body = ask.server.asked("claude-3-7-sonnet-20250219")[-1].body
    assert body["thinking"]["type"] == "enabled"
    assert "tool_choice" not in body
    assert "tool_choice" not in json.loads(answer.request)
    assert body["tools"]
    with pytest.raises(RoleError, match="called neither") as caught:
        await evaluator({})
    assert caught.value.kind == "bad_reply"
    body = ask.server.asked("claude-3-7-sonnet-20250219")[-1].body
    assert body["tool_choice"]["type"] == "any"


async def test_half_a_surrogate_pair_is_refused_and_said(ask: Asked) -> None:
    before = len(ask.server.asked("sent"))
    with pytest.raises(RoleError, match=r"message 2 \(of the user\) holds half") as caught:
        await ask("openai/sent", (user_message("broken \ud83d"),))
    assert caught.value.kind == "would_rewrite"
    assert len(ask.server.asked("sent")) == before
