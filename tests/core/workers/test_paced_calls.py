"""What a provider says of how often it is asked reaches the pace of the run, retries included."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from rollstep.core.config.keys import Limit
from rollstep.core.errors import RoleError
from rollstep.core.workers.gateway import SERVICE
from rollstep.core.workers.model_request import ModelReply, ModelRequest
from rollstep.core.workers.one_call import paced_call
from rollstep.core.workers.pacing import Pacing, Turn
from rollstep.core.workers.pool import Workers

from ...provider.exchange import Exchange, replying
from ...provider.faults import FAULTS
from ...provider.replies import Reply
from ...provider.server import ProviderServer
from .calling import Told

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]


async def call(
    workers: Workers, server: ProviderServer, model: str, pacing: Pacing, told: Any
) -> ModelReply:
    request = ModelRequest(
        f"openai/{model}", '[{"role": "user"}]', "[]", "{}", server.api_base, 20.0, pace=0.0
    )
    return await paced_call(pacing, "target", workers.shared(SERVICE), request, told)


@pytest.fixture
def failures(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """What the pace is told."""
    found: list[tuple[str, bool]] = []
    failed = Turn.failed

    def noted(self: Turn, kind: str, *, again: bool = False) -> None:
        found.append((kind, again))
        failed(self, kind, again=again)

    monkeypatch.setattr(Turn, "failed", noted)
    return found


async def test_a_retry_for_the_rate_is_told_when_it_is_made(
    gateway_workers: Workers,
    provider: ProviderServer,
    canary: str,
    failures: list[tuple[str, bool]],
) -> None:
    provider.answer("paced-once", FAULTS["429_after"], Reply("Now."))
    told = Told()
    reply = await call(gateway_workers, provider, "paced-once", Pacing(), told)
    assert (reply.text, reply.attempts, failures) == ("Now.", 2, [("rate", True)])
    assert told.notices == ["The provider asked us to wait 12 s. Retrying (2 of 5)."]


async def test_a_call_that_is_given_up_is_told_too(
    gateway_workers: Workers,
    provider: ProviderServer,
    canary: str,
    failures: list[tuple[str, bool]],
) -> None:
    provider.answer("paced-late", FAULTS["429_late"])
    with pytest.raises(RoleError):
        await call(gateway_workers, provider, "paced-late", Pacing(), Told())
    assert failures == [("rate", False)]


async def test_no_more_calls_reach_the_server_at_once_than_are_allowed(
    gateway_workers: Workers, provider: ProviderServer, canary: str
) -> None:
    here = most = 0

    async def counted(exchange: Exchange) -> None:
        nonlocal here, most
        here += 1
        most = max(most, here)
        await asyncio.sleep(0)
        here -= 1
        await replying(Reply("Yes."))(exchange)

    provider.answer("paced-limit", counted)
    pacing = Pacing({"openai/paced-limit": Limit(at_once=2)})
    calls = [call(gateway_workers, provider, "paced-limit", pacing, Told()) for _ in range(10)]
    assert {reply.text for reply in await asyncio.gather(*calls)} == {"Yes."}
    assert most <= 2
