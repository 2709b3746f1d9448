"""Answers that were cut off: half of a user's message or of a result is never taken for a whole."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.model.messages import ToolCall, UserMessage, user_message
from rollstep.core.model.project import LlmEvaluator, LlmSimulator, Tool
from rollstep.core.model.steps import Usage
from rollstep.core.roles.llm import LlmEvaluatorRole, LlmSimulatorRole
from rollstep.core.workers.model_request import ModelReply
from rollstep.core.workers.wire import dump

from .making import PROJECT, view

pytestmark = pytest.mark.asyncio(loop_scope="session")

HERE: dict[str, Any] = {"model": "openai/m", "api_base": "http://127.0.0.1:1/v1"}
CALL = ToolCall("c1", "get_order", "{}")
TOOL = Tool("get_order", "", "{}", returns='{"type": "object"}')


class Gateway:
    """Gives these replies, one after the other."""

    def __init__(self, *replies: ModelReply) -> None:
        self.replies = list(replies)

    async def call(self, body: bytes, **more: Any) -> bytes:
        return dump(self.replies.pop(0))


def came(text: str, finish: str, calls: tuple[ToolCall, ...] = ()) -> ModelReply:
    return ModelReply(text, (), calls, finish, "", Usage(10, 5), 0.01, "")


async def said(reply: ModelReply, answers: str) -> Any:
    spec = LlmEvaluator(**HERE, answers=answers)
    project = msgspec.structs.replace(PROJECT, evaluator=spec)
    role: Any = LlmEvaluatorRole(spec, Gateway(reply))  # type: ignore[arg-type]
    return (await role.next(view("evaluator", user_message("Hi"), project=project))).payload


@pytest.mark.parametrize(
    ("answers", "reply"),
    [
        ("text", came("I want my", "length")),
        ("auto", came("I want my", "length")),
        ("json", came('{"reasoning": "x", "message": "I want my', "length")),
        ("tools", came("", "length", (ToolCall("", "send_message", '{"message": "I want my'),))),
    ],
)
async def test_a_users_message_that_was_cut_off_is_a_failure_that_keeps_it(
    answers: str, reply: ModelReply
) -> None:
    with pytest.raises(RoleError) as caught:
        await said(reply, answers)
    words = "openai/m: Cut off by length. 9 characters arrived; kept as partial."
    assert str(caught.value) == words
    assert (caught.value.kind, caught.value.partial) == ("stopped", "I want my")
    assert caught.value.cost == 0.01


async def test_a_message_that_ended_by_itself_stands() -> None:
    assert isinstance(await said(came("I want my money.", "stop"), "text"), UserMessage)


@pytest.mark.parametrize("before", [0, 1])
async def test_a_result_that_was_cut_off_is_a_failure_and_not_asked_for_once_more(
    before: int,
) -> None:
    spec = LlmSimulator(**HERE)
    project = msgspec.structs.replace(PROJECT, tools=(TOOL,), tool_simulator=spec)
    replies = [came("[]", "stop")] * before + [came('{"status": "lo', "length")]
    gateway = Gateway(*replies, came("{}", "stop"))
    role: Any = LlmSimulatorRole(spec, gateway)  # type: ignore[arg-type]
    with pytest.raises(RoleError) as caught:
        await role.respond(view("tool", user_message("Hi"), project=project, call=CALL))
    assert (caught.value.kind, caught.value.partial) == ("stopped", '{"status": "lo')
    assert caught.value.cost == pytest.approx(0.01 * (before + 1))
    assert len(gateway.replies) == 1
