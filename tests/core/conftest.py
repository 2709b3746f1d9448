"""One gateway process and one server to speak to, for all tests of live models."""

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
    """A running gateway with a canary for a key; loading litellm takes seconds, so all share it."""
    workers = Workers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", CANARY)
        patch.setenv("ANTHROPIC_API_KEY", CANARY)
        await workers.shared(SERVICE).call(
            WARM_UP, label="The gateway", timeout=120, stream=lambda text: None
        )
    yield workers
    await workers.aclose()


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch) -> str:
    """The key that the gateway has, in our own environment too."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    return CANARY
