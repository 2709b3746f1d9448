"""litellm is loaded beforehand only for a model that is asked through it, and can be asked."""

from __future__ import annotations

import pytest
from rollstep.core.errors import RoleError
from rollstep.core.model.project import LlmTarget
from rollstep.core.roles.protocols import Stream
from rollstep.core.roles.warming import needs_loading, warm_up
from rollstep.core.workers.gateway import WARM_UP

BASE = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("spec", "key", "needs"),
    [
        (LlmTarget("openai/gpt-4.1-mini"), "k", True),
        (LlmTarget("openai/gpt-4.1-mini"), "", False),
        (LlmTarget("openai/mine", api_base=BASE), "k", False),
        (LlmTarget("openai/mine", api_base=BASE, params='{"drop_params": true}'), "k", True),
    ],
)
def test_who_needs_it(
    spec: LlmTarget, key: str, needs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert needs_loading(spec) is needs


class Gateway:
    """Keeps what it is asked, and fails."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    def shared(self, service: str) -> Gateway:
        return self

    async def call(self, body: bytes, *, label: str, timeout: float, stream: Stream) -> bytes:
        self.asked.append(body)
        raise RoleError("It did not start.", kind="died")


async def test_that_it_failed_is_said_by_the_first_call_that_needs_it() -> None:
    gateway = Gateway()
    await warm_up(gateway)  # type: ignore[arg-type]
    assert gateway.asked == [WARM_UP]
