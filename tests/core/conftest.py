"""One gateway process and one server to speak to, for all tests of live models. These are a group
(``xdist_group("models")``), so that one worker runs them all and litellm is loaded once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from rollstep.core.workers.gateway import SERVICE, WARM_UP
from rollstep.core.workers.pool import Workers

from ..provider.faults import CANARY
from ..provider.server import ProviderServer


@pytest.fixture(scope="session")
def provider() -> Iterator[ProviderServer]:
    """Tests name their models apart, because they share it."""
    with ProviderServer() as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def gateway_workers() -> AsyncIterator[Workers]:
    """A running gateway with a canary for a key."""
    workers = Workers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", CANARY)
        patch.setenv("ANTHROPIC_API_KEY", CANARY)
        await workers.shared(SERVICE)._running()
    yield workers
    await workers.aclose()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def litellm_workers(gateway_workers: Workers) -> Workers:
    """The same gateway with litellm loaded, which takes it seconds."""
    await gateway_workers.shared(SERVICE).call(
        WARM_UP, label="The gateway", timeout=200, stream=lambda text: None
    )
    return gateway_workers


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch) -> str:
    """The key that the gateway has, in our own environment too."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    return CANARY
