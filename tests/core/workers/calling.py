"""Asking the gateway in tests."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from rollstep.core.errors import RoleError
from rollstep.core.workers.gateway import SERVICE
from rollstep.core.workers.model_request import ModelReply, ModelRequest
from rollstep.core.workers.pool import Workers
from rollstep.core.workers.wire import dump, load

from ...provider.exchange import Received
from ...provider.server import ProviderServer

HELLO = [{"role": "user", "content": "Hi."}]


class Told:
    """A stream that keeps what it is told."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.notices: list[str] = []

    def __call__(self, text: str) -> None:
        self.pieces.append(text)

    def notice(self, words: str) -> None:
        self.notices.append(words)


@dataclass
class Outcome:
    """A call: its reply, or how it failed; what was told meanwhile; the requests it made."""

    reply: ModelReply | None = None
    error: RoleError | None = None
    told: Told = field(default_factory=Told)
    requests: list[Received] = field(default_factory=list)

    def words(self) -> str:
        """Everything that people may read of a call."""
        said = [str(self.error), self.error.detail, self.error.partial] if self.error else []
        return "\n".join([*said, *self.told.pieces, *self.told.notices])


@dataclass
class Caller:
    """The gateway and the server that it speaks to."""

    workers: Workers
    server: ProviderServer

    async def ask(
        self, name: str, *, model: str = "openai", stream: bool = True, **more: Any
    ) -> ModelReply:
        """The reply of ``model``/``name``. Raises RoleError."""
        return await self._call(self.request(name, model=model, stream=stream, **more), Told())

    async def outcome(self, name: str, **more: Any) -> Outcome:
        """Whatever comes of it."""
        outcome = Outcome()
        before = len(self.server.asked(name))
        try:
            outcome.reply = await self._call(self.request(name, **more), outcome.told)
        except RoleError as error:
            outcome.error = error
        outcome.requests = self.server.asked(name)[before:]
        return outcome

    def request(
        self,
        name: str,
        *,
        model: str = "openai",
        messages: list[dict[str, Any]] | None = None,
        tools: list[dict[str, Any]] | None = None,
        params: dict[str, Any] | None = None,
        timeout: float = 30.0,
        stream: bool = True,
        key: str = "",
        pace: float = 0.0,
    ) -> ModelRequest:
        """A request to the server."""
        base = self.server.api_base
        return ModelRequest(
            f"{model}/{name}",
            json.dumps(HELLO if messages is None else messages, ensure_ascii=False),
            json.dumps(tools or []),
            json.dumps(params or {}),
            base if model == "openai" else base.removesuffix("/v1"),
            timeout,
            stream=stream,
            pace=pace,
            key=key,
        )

    async def _call(self, request: ModelRequest, told: Told) -> ModelReply:
        gateway = self.workers.shared(SERVICE)
        label = f"{request.model}:"
        body = await gateway.call(dump(request), label=label, timeout=60, stream=told)
        return load(body, ModelReply)
