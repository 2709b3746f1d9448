"""Sees what really goes over HTTP: the request as it leaves, the bytes that come.

litellm changes requests on their way, and hides in its errors whether anything had arrived. So the
one client class that all its providers use is made to report here. A try sets ``watched`` to a
``Wire`` of its own; what its task sends and receives is noted there.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any

MOST_BYTES = 8 * 1024 * 1024
"""Of a reply that comes as a whole. One that is streamed is limited by what it says."""

_HEAD = 4_000
_TAIL = 8_000
_ASKS = frozenset({"messages", "contents", "input", "inputs", "prompt"})
"""A request whose JSON holds one of these asks a model; others fetch a token or an image."""

Check = Callable[[str, dict[str, Any]], str]
"""Takes a request's address and JSON before it is sent; says what is wrong with it, or nothing."""


class NotSentError(Exception):
    """The request was held back, because it is not what was asked for."""


class TooManyBytesError(Exception):
    """The reply does not end."""


class Wire:
    """What one try sent and got. ``status`` 0: no answer came."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._whole = bytearray()
        self._tail = bytearray()
        self._hang_up: Callable[[], Awaitable[None] | None] | None = None
        self._inflate: Any = None
        self.held_back = ""
        self.requests = 0
        self.url = ""
        self.sent: dict[str, Any] = {}
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.size = 0
        self.complete = False

    @property
    def streams(self) -> bool:
        """Did the answer come as a stream of events?"""
        return "event-stream" in self.headers.get("content-type", "")

    @property
    def body(self) -> bytes:
        """The answer, or the beginning and end of it when it was long and streamed."""
        if not self._tail:
            return bytes(self._whole)
        return bytes(self._whole) + b"\n[...]\n" + bytes(self._tail)

    def leaving(self, url: str, asked: dict[str, Any]) -> None:
        """Note a request. Raises NotSentError."""
        if _ASKS.isdisjoint(asked):
            return
        self.held_back = self._check(url, asked)
        if self.held_back:
            raise NotSentError(self.held_back)
        self.requests += 1
        self.url, self.sent = url, asked
        self.status, self.size, self.complete = 0, 0, False
        self._whole.clear()
        self._tail.clear()

    def answered(
        self,
        status: int,
        headers: Mapping[str, str],
        hang_up: Callable[[], Awaitable[None] | None],
        *,
        packed: bool = False,
    ) -> None:
        """Note the head of an answer; ``packed``, if its pieces come packed."""
        self._hang_up = hang_up
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self._inflate = zlib.decompressobj(47) if packed else None

    def arrived(self, data: bytes) -> None:
        """Note a piece of the body. Raises TooManyBytesError."""
        if self._inflate is not None:
            with contextlib.suppress(zlib.error):
                data = self._inflate.decompress(data)
        self.size += len(data)
        if not self.streams:
            if self.size > MOST_BYTES:
                raise TooManyBytesError
            self._whole += data
            return
        room = max(0, _HEAD - len(self._whole))
        self._whole += data[:room]
        self._tail += data[room:]
        del self._tail[:-_TAIL]

    async def close(self) -> None:
        """Hang up, if the answer is still coming."""
        if self._hang_up is not None and (closing := self._hang_up()) is not None:
            await closing


watched: ContextVar[Wire | None] = ContextVar("watched", default=None)
"""The wire of the try that runs in this task."""


@cache
def watch() -> None:
    """Make every asynchronous client of httpx report to ``watched``."""
    import httpx

    class Watched(httpx.AsyncByteStream):
        def __init__(self, stream: Any, wire: Wire) -> None:
            self._stream = stream
            self._wire = wire

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in self._stream:
                self._wire.arrived(data)
                yield data
            self._wire.complete = True

        async def aclose(self) -> None:
            await self._stream.aclose()

    send = httpx.AsyncClient.send

    async def watched_send(client: Any, request: Any, *, stream: bool = False, **more: Any) -> Any:
        wire = watched.get()
        if wire is None:
            return await send(client, request, stream=stream, **more)
        request.headers["accept-encoding"] = "gzip, deflate"  # what ``Wire`` can read
        wire.leaving(str(request.url), _json_object(request))
        response = await send(client, request, stream=True, **more)
        packed = response.headers.get("content-encoding", "") in ("gzip", "deflate")
        wire.answered(response.status_code, response.headers, response.aclose, packed=packed)
        response.stream = Watched(response.stream, wire)
        if not stream:
            try:
                await response.aread()
            except BaseException:
                await response.aclose()
                raise
        return response

    httpx.AsyncClient.send = watched_send  # type: ignore[assignment, method-assign]


def _json_object(request: Any) -> dict[str, Any]:
    try:
        value = json.loads(request.content)
    except (ValueError, RuntimeError, RecursionError):  # no JSON; or a body that is streamed
        return {}
    return value if isinstance(value, dict) else {}
