"""Takes of a live model, told otherwise or cancelled, against a server on loopback."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from rollstep.core.model.messages import payload_text
from rollstep.core.model.project import LlmEvaluator, LlmTarget, Project
from rollstep.core.model.steps import Step
from rollstep.core.retaking import AskChange
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.session import Session
from rollstep.core.workers.gateway import SERVICE
from rollstep.core.workers.pool import Workers

from ...provider.exchange import Exchange
from ...provider.replies import Reply
from ...provider.server import ProviderServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]


def session_on(provider: ProviderServer, models: Workers) -> Session:
    base: dict[str, Any] = {"model": "openai/takes", "api_base": provider.api_base}
    project = Project(
        "Refund", LlmTarget(**base, system="Be kind."), LlmEvaluator(**base), opening="Hi"
    )

    def roles(project: Project) -> Roles:
        return build_roles(project, trusted=True, models=models)

    return Session.start(project, roles=roles)


async def at_the_reply(session: Session) -> Step:
    await session.step()
    reply = await session.step()
    assert reply is not None
    return reply


async def test_takes_of_a_model_told_otherwise_go_through_the_same_gateway(
    provider: ProviderServer, gateway_workers: Workers, canary: str
) -> None:
    provider.answer("takes", Reply("I am the first."))
    provider.answer("takes-other", Reply("I am another."))
    session = session_on(provider, gateway_workers)
    reply = await at_the_reply(session)
    gateway = await gateway_workers.shared(SERVICE)._running()
    made = await session.retake(reply.id, 3, AskChange("openai/takes-other", 0.9, "Be rude."))
    sent = [request.body for request in provider.asked("takes-other")]
    assert [(body["model"], body["temperature"]) for body in sent] == [("takes-other", 0.9)] * 3
    assert sent[0]["messages"][0] == {"role": "system", "content": "Be kind.\n\nBe rude."}
    assert [payload_text(step.payload) for step in made] == ["I am another."] * 3
    assert {step.call.model for step in made if step.call} == {"openai/takes-other"}
    assert all(step.reason == "Be rude." for step in made)
    (plain,) = await session.retake(reply.id)
    assert payload_text(plain.payload) == "I am the first."
    await session.close()
    again = session_on(provider, gateway_workers)
    await at_the_reply(again)
    assert await gateway_workers.shared(SERVICE)._running() is gateway
    await again.close()
    assert not gateway.dead


async def test_cancelled_takes_of_a_model_leave_nothing_waiting(
    provider: ProviderServer, gateway_workers: Workers, canary: str
) -> None:
    provider.answer("takes", Reply("I am the first."))
    provider.answer("takes-silent", Exchange.hang)
    session = session_on(provider, gateway_workers)
    reply = await at_the_reply(session)
    task = asyncio.create_task(session.retake(reply.id, 2, AskChange("openai/takes-silent")))
    assert await asyncio.to_thread(
        provider.wait_for, lambda: len(provider.asked("takes-silent")) == 2
    )
    assert session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gateway = await gateway_workers.shared(SERVICE)._running()
    assert gateway._waiting == {}
    assert not gateway.dead
    assert (session.head, len(session.rollout.takes(reply.id))) == (reply.id, 1)
    await session.close()
