"""A key of the keyring reaches the server and nothing else: not the library, events or failures."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.events import Event
from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project
from rollstep.core.roles.registry import build_roles
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.core.workers import keyring_keys
from rollstep.core.workers.pool import Workers

from ..keyrings import keyring_in_memory
from ..provider.exchange import Exchange
from ..provider.replies import Reply
from ..provider.server import ProviderServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

CANARY = "sk-keyring-canary-24680"


async def _repeats_the_key(exchange: Exchange) -> None:
    said = exchange.request.headers["authorization"]
    await exchange.send(401, {"error": {"message": f"Incorrect API key provided: {said}."}})


async def test_it_is_sent_and_never_kept_shown_or_told(
    provider: ProviderServer,
    gateway_workers: Workers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    # Nothing on this machine is sent a key of the keyring; the test's server stands for another.
    monkeypatch.setattr(keyring_keys, "_is_here", lambda address: False)
    model = "keyring-model"
    provider.answer(model, _repeats_the_key, Reply("Here it is."))
    target = LlmTarget(f"openai/{model}", api_base=provider.api_base)
    project = Project("Live", target, HeuristicEvaluator(), opening="Hi", max_turns=1)
    with keyring_in_memory(), Library.open(tmp_path / "library.sqlite") as library:
        keyring_keys.keep("OPENAI_API_KEY", CANARY)
        session = Session.start(
            project,
            roles=lambda project: build_roles(project, trusted=True, models=gateway_workers),
            library=library,
        )
        events: list[Event] = []
        session.subscribe(events.append)
        await session.step()
        with pytest.raises(RoleError) as caught:
            await session.step()
        await session.step()
        await session.close()
        kept = library.load(session.rollout.header.id)
    assert [each.headers["authorization"] for each in provider.asked(model)] == [
        f"Bearer {CANARY}"
    ] * 2
    assert str(caught.value).endswith("The key from the keyring was refused.")
    everything = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    everything += b"".join(msgspec.json.encode(event) for event in events)
    everything += repr((kept, caught.value, caught.value.detail)).encode()
    assert b"Incorrect API key provided" in everything
    assert CANARY.encode() not in everything
