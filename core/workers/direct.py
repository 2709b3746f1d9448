"""A server of one's own that speaks the chat shape, asked without litellm.

litellm has nothing to translate there, and costs seconds to load, 200 MB, and several milliseconds
of processor time for each call and a millisecond for each token: more than a small model itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from .model_keys import key_name
from .model_reply import Arriving
from .model_request import NOT_SENT, ModelRequest, parameters
from .rewriting import CHAT
from .watching import Wire

_SPEAK_CHAT = ("openai", "custom_openai", "hosted_vllm", "llamafile", "lm_studio")
"""Providers' names that stand for a server with the chat shape at an address of one's own."""

_DRAIN = 0.2
"""Seconds that a server may take to end a stream whose last event has come."""


class NotAReplyError(Exception):
    """The server sent something that is not a model reply."""


class RefusedError(Exception):
    """The server answered with a status that says no, or with an error in its stream."""


class StreamEndedError(Exception):
    """The stream ended before the reply did."""


class _Node(dict[str, Any]):
    """A JSON object whose fields are attributes too; those that are not there are None."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


def is_direct(request: ModelRequest) -> bool:
    """Can this be asked without litellm?"""
    return (
        request.api_base is not None
        and request.model.partition("/")[0] in _SPEAK_CHAT
        and NOT_SENT.isdisjoint(json.loads(request.params))
    )


class Direct:
    """Asks such servers, over connections that are kept."""

    def __init__(self) -> None:
        # Hundreds of calls at once cost httpx, which litellm uses, more than all else here.
        import aiohttp

        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def ask(self, request: ModelRequest, arriving: Arriving, wire: Wire) -> None:
        """Put the reply into ``arriving``. Raises what aiohttp raises, and the errors above."""
        url = f"{str(request.api_base).rstrip('/')}{CHAT}"
        body = _body(request)
        data = json.dumps(body, ensure_ascii=False).encode()
        headers = _headers(request, url)
        wire.leaving(url, body)
        async with self._session.post(
            # A redirect is not followed: nobody has said yes to sending a key there.
            url,
            data=data,
            headers=headers,
            proxy=_proxy(url),
            allow_redirects=False,
        ) as response:
            wire.answered(response.status, response.headers, response.close)
            if response.status == 200 and wire.streams:
                await _read_stream(_noted(response, wire), arriving)
                return
            whole = b"".join([piece async for piece in _noted(response, wire)])
            if response.status != 200:
                raise RefusedError
            arriving.take(_whole(whole))


def _headers(request: ModelRequest, url: str) -> dict[str, str]:
    """Raises ValueError for what is no address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{request.api_base!r} is no address that begins with http.")
    headers = {"content-type": "application/json"}
    if parts.username is None:  # else the address itself says who asks
        key = request.key or os.environ.get(key_name(request.model)) or "none"
        headers["authorization"] = f"Bearer {key}"
    return headers


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this address."""
    parts = urlsplit(url)
    if not (proxies := getproxies()) or proxy_bypass(parts.hostname or ""):
        return None
    return proxies.get(parts.scheme)


def _body(request: ModelRequest) -> dict[str, Any]:
    tools = json.loads(request.tools)
    return {
        **parameters(request),
        "model": request.model.partition("/")[2],
        "messages": json.loads(request.messages),
        **({"tools": tools} if tools else {}),
    }


def _whole(body: bytes) -> _Node:
    reply = json.loads(body, object_hook=_Node)
    if isinstance(reply, _Node) and reply.error:
        raise RefusedError
    if not isinstance(reply, _Node) or not isinstance(reply.choices, list):
        raise NotAReplyError
    return reply


async def _noted(response: Any, wire: Wire) -> AsyncIterator[bytes]:
    async for data in response.content.iter_any():
        wire.arrived(data)
        yield data
    wire.complete = True


async def _read_stream(body: AsyncIterator[bytes], arriving: Arriving) -> None:
    finished = False
    events = _events(body)
    async for data in events:
        if data == b"[DONE]":
            await _drain(events)
            return
        chunk = json.loads(data, object_hook=_Node)
        if not isinstance(chunk, _Node):
            raise NotAReplyError
        if chunk.error:
            raise RefusedError
        if not isinstance(chunk.choices, list):
            raise NotAReplyError
        arriving.add(chunk)
        finished = finished or any(choice.finish_reason for choice in chunk.choices)
    if not finished and arriving.begun:
        raise StreamEndedError


async def _drain(events: AsyncIterator[bytes]) -> None:
    """Read to the end, so that the connection can be used again."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN):
            async for _ in events:
                pass


async def _events(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The data of each event. One that the end of the stream cuts off is none."""
    rest = b""
    async for data in body:
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
