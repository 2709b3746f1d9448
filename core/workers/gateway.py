"""The gateway: the child process that talks to models, and the only importer of litellm.

One gateway serves many calls at once, on one event loop. A server of one's own that speaks the chat
shape is asked directly (``direct``), any other through litellm (``translated``).

One call is: refuse what would be rewritten; then try, at most five times (``retrying``); each try
is one request, whose reply is put together as it arrives (``model_reply``); whatever goes wrong
becomes a RoleError with one of the kinds of ``model_errors``. What is hidden in between is seen on
the wire (``watching``).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

import msgspec

from ..errors import RoleError
from .coalescing import Coalescing
from .direct import Direct, is_direct
from .model_errors import ModelError, detail, hide, read_error, too_late
from .model_reply import Arriving, half_content, split_thinking
from .model_request import ModelReply, ModelRequest, parameters
from .retrying import persist, retry_after
from .rewriting import Guard, refuse_broken
from .translated import Translated
from .watching import Wire
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
        self._direct: Direct | None = None
        self._loading: asyncio.Task[Translated] | None = None

    async def handle(self, body: bytes, stream: Callable[[str], None]) -> bytes:
        """The reply to a ModelRequest. Raises RoleError."""
        notice: Callable[[str], None] = getattr(stream, "notice", _unheard)
        if body == WARM_UP:
            await self._translated(_unheard)
            return b""
        request = load(body, ModelRequest)
        refuse_broken(request)
        parameters(request)
        way = self._directly() if is_direct(request) else await self._translated(notice)
        retrying = getattr(stream, "retrying", None)
        reply = await persist(request, lambda: _try(request, way, stream), notice, retrying)
        return dump(reply)

    @staticmethod
    def start() -> None:
        """Called once in the child."""
        # Libraries log requests and errors, in which keys stand.
        logging.disable(logging.CRITICAL)

    def _directly(self) -> Direct:
        if self._direct is None:
            self._direct = Direct()
        return self._direct

    async def _translated(self, notice: Callable[[str], None]) -> Translated:
        """litellm, loaded on a thread, so that a call can be given up meanwhile."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(Translated))
        if not self._loading.done():
            notice(LOADING)
        return await asyncio.shield(self._loading)


def _unheard(words: str) -> None:
    """Nobody waits to hear this."""


async def _try(
    request: ModelRequest, way: Direct | Translated, stream: Callable[[str], None]
) -> ModelReply:
    """One request and its reply. Raises ModelError."""
    wire = Wire(Guard(request))
    out = Coalescing(stream)
    arriving = Arriving(out.add if request.stream else _unheard, request.spoken)
    started = time.monotonic()
    try:
        async with asyncio.timeout(request.timeout):
            await way.ask(request, arriving, wire)
        reply = arriving.reply(request, wire)
        return msgspec.structs.replace(
            reply,
            seconds=time.monotonic() - started,
            first_token_seconds=arriving.began_at - started if wire.streams else 0.0,
        )
    except Exception as error:  # noqa: BLE001 - whatever litellm raises is a failed call
        raise _failed(error, wire, request, arriving) from None
    finally:
        out.flush()
        await wire.close()


def _failed(error: Exception, wire: Wire, request: ModelRequest, arriving: Arriving) -> ModelError:
    """What went wrong, with what had arrived and what that probably cost, without keys."""
    secrets = (request.key,) if request.key else ()
    partial = arriving.text or _half(wire)
    failed = _failure(error, wire, request, len(partial))
    failed.partial = partial
    failed.detail = detail(error, wire, secrets)
    failed.usage, failed.cost = arriving.so_far(request, wire, partial)
    if arriving.begun or partial:
        failed.again = False  # thoughts and calls are paid for like text
    failed.args = (hide(str(failed), secrets),)
    return failed


def _failure(error: Exception, wire: Wire, request: ModelRequest, arrived: int) -> ModelError:
    if isinstance(error, RoleError):
        return ModelError(str(error), error.kind)
    if isinstance(error, TimeoutError):
        return too_late(request, arrived)
    return read_error(error, wire, request, arrived, retry_after(wire.headers))


def _half(wire: Wire) -> str:
    """The text in a whole reply that was cut off."""
    if wire.streams or wire.complete or wire.status != 200:
        return ""
    return split_thinking(half_content(wire.body), ended=True)[1]
