"""One call of a model: through the gateway, with the key that its provider needs.

Roles make theirs with ``call_model``; what the doctor and the author ask stands in no rollout.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import RoleError
from .gateway import SERVICE
from .keyring_keys import key_for
from .model_request import TRIES, ModelReply, ModelRequest
from .pool import Shared, Workers
from .prices import about_tokens
from .process import Stream
from .wire import dump, load

if TYPE_CHECKING:
    from .pacing import Pacing, Turn

_LOADING = 60.0
"""Seconds that the gateway may take to start: litellm is large."""

_USUAL_REPLY = 300
"""Tokens that a reply is taken to have until it is known."""

_ADDRESSES = ("mock_response", "api_base", "base_url")
"""Parameters that send a request somewhere else, where other keys or none are needed."""


class _Unread:
    """Takes no text, but tells how the answer is being made."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        self.notice = notice

    def __call__(self, text: str) -> None:
        """The text comes as a whole in the end."""


async def call_model(gateway: Shared, request: ModelRequest, stream: Stream) -> ModelReply:
    """The reply to a request that needs no key yet. Raises RoleError."""
    key = await key_for(request.model, _address(request))
    body = await gateway.call(
        dump(msgspec.structs.replace(request, key=key)),
        label=f"{request.model}:",
        timeout=request.patience + _LOADING,
        stream=stream,
    )
    reply: ModelReply = load(body, ModelReply)
    return reply


async def paced_call(
    pacing: Pacing, role: str, gateway: Shared, request: ModelRequest, stream: Stream
) -> ModelReply:
    """The same, at the pace of a run whose rollouts share what may be asked. Raises RoleError."""
    asked = about_tokens(len(request.messages) + len(request.tools)) + _USUAL_REPLY
    async with pacing.turn(role, request.model, asked, _address(request)) as turn:
        try:
            reply = await call_model(gateway, request, _Paced(stream, turn))
        except RoleError as error:
            turn.failed(error.kind)
            raise
        turn.took(reply.usage.tokens)
        return reply


class _Paced:
    """Passes everything on, and has the pace know of requests that are made once more."""

    def __init__(self, stream: Stream, turn: Turn) -> None:
        self._stream = stream
        self._turn = turn

    def __call__(self, text: str) -> None:
        """More text."""
        self._stream(text)

    def notice(self, words: str) -> None:
        """How the answer is being made."""
        if (tell := getattr(self._stream, "notice", None)) is not None:
            tell(words)

    def retrying(self, kind: str) -> None:
        """A request failed, and is made once more."""
        self._turn.failed(kind, again=True)


def _address(request: ModelRequest) -> str | None:
    """Where it goes, if not to the provider itself."""
    if request.api_base is not None:
        return request.api_base
    params = json.loads(request.params)
    return next((str(params[name]) for name in _ADDRESSES if name in params), None)


async def ask_model(
    workers: Workers,
    model: str,
    messages: list[dict[str, Any]],
    *,
    api_base: str | None = None,
    params: dict[str, Any] | None = None,
    timeout: float = 120.0,
    tries: int = TRIES,
    pace: float = 1.0,
    notice: Callable[[str], None],
) -> ModelReply:
    """The reply, as a whole. ``notice`` is told of retries. Raises RoleError."""
    request = ModelRequest(
        model,
        json.dumps(messages, ensure_ascii=False),
        "[]",
        json.dumps(params or {}, ensure_ascii=False),
        api_base,
        timeout,
        tries=tries,
        pace=pace,
    )
    return await call_model(workers.shared(SERVICE), request, _Unread(notice))
