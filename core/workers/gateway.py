"""The gateway: the child process that talks to models, and the only importer of litellm.

One gateway serves many calls at once, on one event loop. litellm's own retries are off (they
repeat even what cannot succeed), its price table is the one that it ships, and no ``.env`` file is
read. What litellm hides or changes is seen on the wire (``watching``).

One call is: refuse what would be rewritten; then try, at most five times (``retrying``); each try
is one request, whose reply is put together as it arrives (``model_reply``); whatever goes wrong
becomes a RoleError with one of the kinds of ``model_errors``.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec

from ..errors import RoleError
from . import watching
from .coalescing import Coalescing
from .model_errors import ModelError, detail, hide, read_error, too_late
from .model_reply import Arriving, half_content, split_thinking
from .model_request import ModelReply, ModelRequest, arguments
from .retrying import persist, retry_after
from .rewriting import Guard, foreseen
from .watching import Wire, watched
from .wire import dump, load

__all__ = ["SERVICE", "WARM_UP", "Gateway", "ModelReply", "ModelRequest"]

SERVICE = f"{__name__}:Gateway"

WARM_UP = b""
"""The body of a call that only loads litellm, so that the first real one need not wait for it."""

LOADING = "Loading models."
"""Told to who waits for a call while litellm is being loaded."""


class Gateway:
    """The service that the child serves."""

    concurrent = True

    def __init__(self) -> None:
        self._loading: asyncio.Task[ModuleType] | None = None

    async def handle(self, body: bytes, stream: Callable[[str], None]) -> bytes:
        """The reply to a ModelRequest. Raises RoleError."""
        if body == WARM_UP:
            await self._litellm(_unheard)
            return b""
        request = load(body, ModelRequest)
        notice: Callable[[str], None] = getattr(stream, "notice", _unheard)
        foreseen(request)
        given = arguments(request)
        litellm = await self._litellm(notice)
        reply = await persist(request, lambda: _try(request, given, litellm, stream), notice)
        return dump(reply)

    async def _litellm(self, notice: Callable[[str], None]) -> ModuleType:
        """litellm, loaded on a thread, so that a call can be given up meanwhile."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(_load))
        if not self._loading.done():
            notice(LOADING)
        return await asyncio.shield(self._loading)


def _unheard(words: str) -> None:
    """Nobody waits to hear this."""


def _load() -> ModuleType:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    # Libraries log requests and errors, in which keys stand.
    logging.disable(logging.CRITICAL)
    import httpx
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    # It takes a line of dashes for a model that repeats itself; our own caps end what does not end.
    vars(litellm)["REPEATED_STREAMING_CHUNK_LIMIT"] = 10**9
    watching.watch(httpx)
    return litellm


async def _try(
    request: ModelRequest, given: dict[str, Any], litellm: Any, stream: Callable[[str], None]
) -> ModelReply:
    """One request and its reply. Raises ModelError."""
    wire = Wire(Guard(request))
    out = Coalescing(stream)
    arriving = Arriving(out.add if given.get("stream") else _unheard)
    secrets = (request.key,) if request.key else ()
    started = time.monotonic()
    first = 0.0
    mark = watched.set(wire)
    try:
        async with asyncio.timeout(request.timeout):
            response = await litellm.acompletion(**given)
            if not given.get("stream"):
                arriving.take(response)
            else:
                async for chunk in response:
                    arriving.add(chunk)
                    if arriving.begun and not first:
                        first = time.monotonic() - started
        reply = arriving.reply(request, wire, litellm)
        return msgspec.structs.replace(
            reply, seconds=time.monotonic() - started, first_token_seconds=first
        )
    except Exception as error:  # noqa: BLE001 - whatever litellm raises is a failed call
        failed = _failure(error, wire, request, arriving, given)
        failed.partial = arriving.text or _half(wire, given)
        failed.detail = detail(error, wire, secrets)
        if arriving.begun or failed.partial:
            failed.cost = arriving.cost_so_far(request, litellm)
        failed.args = (hide(str(failed), secrets),)
        raise failed from None
    finally:
        out.flush()
        watched.reset(mark)
        await wire.close()


def _failure(
    error: Exception, wire: Wire, request: ModelRequest, arriving: Arriving, given: dict[str, Any]
) -> ModelError:
    arrived = len(arriving.text) or len(_half(wire, given))
    if isinstance(error, RoleError):
        return ModelError(str(error), error.kind)
    if isinstance(error, TimeoutError):
        return too_late(request, arrived)
    return read_error(error, wire, request, arrived, retry_after(wire.headers))


def _half(wire: Wire, given: dict[str, Any]) -> str:
    """The text in a whole reply that was cut off."""
    if given.get("stream") or wire.complete or wire.status != 200:
        return ""
    return split_thinking(half_content(wire.body), ended=True)[1]
