"""A key of the keyring goes where one of the environment would, and only after the same yes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.model.messages import user_message
from rollstep.core.model.project import LlmTarget, Project
from rollstep.core.roles.registry import build_roles
from rollstep.core.workers.keyring_keys import keep
from rollstep.core.workers.model_request import ModelRequest
from rollstep.core.workers.pool import Shared
from rollstep.core.workers.wire import load

from ...keyrings import InMemory, keyring_in_memory
from .making import PROJECT, view

CANARY = "sk-canary-5566778899"
AWAY = msgspec.structs.replace(
    PROJECT, target=LlmTarget("openai/m", api_base="https://models.example/v1", system="")
)


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemory]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with keyring_in_memory() as ring:
        keep("OPENAI_API_KEY", CANARY)
        ring.asked.clear()
        yield ring


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[ModelRequest]:
    """What the gateway is asked; it answers nothing."""
    requests: list[ModelRequest] = []

    async def call(shared: Shared, body: bytes, **options: object) -> bytes:
        requests.append(load(body, ModelRequest))
        raise RoleError("nobody is here", kind="network")

    monkeypatch.setattr(Shared, "call", call)
    return requests


async def ask(project: Project, **trust: object) -> None:
    roles = build_roles(project, **trust)  # type: ignore[arg-type]
    with pytest.raises(RoleError, match="nobody is here"):
        await roles.target.reply(view("target", user_message("Hi"), project=project))


async def test_without_a_yes_not_even_the_keyring_is_asked(
    ring: InMemory, sent: list[ModelRequest]
) -> None:
    asked: list[Project] = []
    with pytest.raises(UsageError, match=r"your key to https://models\.example\."):
        build_roles(AWAY, trust=lambda project: bool(asked.append(project)))
    assert asked == [AWAY]
    assert ring.asked == []
    assert sent == []


async def test_with_a_yes_it_goes_there_and_to_the_provider_without_one(
    ring: InMemory, sent: list[ModelRequest]
) -> None:
    await ask(AWAY, trusted=True)
    await ask(msgspec.structs.replace(PROJECT, target=LlmTarget("openai/m", system="")))
    assert [request.key for request in sent] == [CANARY, CANARY]


async def test_a_key_of_the_environment_is_left_to_the_gateway(
    ring: InMemory, sent: list[ModelRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    await ask(AWAY, trusted=True)
    assert [request.key for request in sent] == [""]
    assert ring.asked == []
