"""The preview of a request is the request."""

from __future__ import annotations

from typing import Any

import pytest
from rollstep.core.model.messages import ToolCall, target_reply, tool_result, user_message
from rollstep.core.model.project import (
    HumanSimulator,
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    Tool,
)
from rollstep.core.model.steps import Role
from rollstep.core.roles.llm_requests import preview
from rollstep.core.roles.registry import build_roles
from rollstep.core.workers.pool import Workers

from ...provider.replies import FunctionCall, Reply
from ...provider.server import ProviderServer
from .making import view

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

CALL = ToolCall("c2", "get_order", '{"id": 2}')
PATH = (
    user_message("Hi"),
    target_reply("Wait.", (ToolCall("c1", "get_order", '{"id": 1}'), CALL)),
    tool_result("c1", "[]"),
)


def project(base: str | None = None, **evaluator: Any) -> Project:
    model: dict[str, Any] = {"model": "openai/preview", "api_base": base}
    return Project(
        "t",
        LlmTarget(**model, system="S", params='{"temperature": 0.5, "timeout": 9}'),
        LlmEvaluator(**model, **evaluator),
        tools=(Tool("get_order"),),
        tool_simulator=LlmSimulator(**model, state="{}"),
    )


@pytest.mark.parametrize("answers", ["auto", "tools", "json", "text"])
@pytest.mark.parametrize("role", ["evaluator", "target", "tool"])
async def test_what_is_previewed_is_what_is_sent(
    provider: ProviderServer, gateway_workers: Workers, canary: str, role: Role, answers: str
) -> None:
    said = FunctionCall("send_message", '{"message": "x", "reason": "y"}')
    texts = {"tool": '{"result": 1}', "evaluator": '{"message": "x"}'}
    calls = (said,) if answers in ("auto", "tools") and role == "evaluator" else ()
    provider.answer("preview", Reply(texts.get(role, "x"), calls=calls))
    given = project(provider.api_base, answers=answers)
    roles = build_roles(given, trusted=True, models=gateway_workers)
    seen = view(role, *PATH, call=CALL if role == "tool" else None, project=given)
    asked = {
        "evaluator": roles.evaluator.next,
        "target": roles.target.reply,
        "tool": roles.tool_simulator.respond,  # type: ignore[union-attr]
    }
    answer: Any = await asked[role](seen, [].append)
    assert preview(seen) == answer.request


async def test_there_is_no_preview_where_no_model_would_be_asked() -> None:
    assert preview(view("target")) is None
    given = project()
    assert preview(view("tool", project=given)) is None
    by_hand = Project("t", given.target, given.evaluator, tool_simulator=HumanSimulator())
    assert preview(view("tool", call=CALL, project=by_hand)) is None
