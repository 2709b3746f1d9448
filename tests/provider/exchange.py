"""One request on the test server's wire, and the ways to answer it, right and wrong."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import anthropic
from .replies import Json, Reply


@dataclass
class Received:
    """What arrived. ``gone`` turns true when the client hung up before it was answered."""

    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: Json = field(default_factory=dict)
    gone: bool = False

    @property
    def model(self) -> str:
        return str(self.body.get("model"))

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def wants_usage(self) -> bool:
        return bool((self.body.get("stream_options") or {}).get("include_usage"))


class Exchange:
    """A request, and the socket to answer it on."""

    def __init__(
        self, request: Received, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.request = request
        self.keep_alive = True
        self._reader = reader
        self._writer = writer

    async def write(self, data: bytes) -> None:
        """Bytes as they are."""
        self._writer.write(data)
        await self._writer.drain()

    async def head(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        """A status line and headers."""
        lines = [f"HTTP/1.1 {status} Status", f"content-type: {kind}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        await self.write(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def send(
        self,
        status: int,
        body: Any,
        headers: Mapping[str, str] | None = None,
        kind: str = "application/json",
    ) -> None:
        """A whole answer; text is sent as it is, anything else as JSON."""
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        await self.head(status, kind, {"content-length": str(len(data)), **(headers or {})})
        await self.write(data)

    async def start_events(self) -> None:
        """The head of a stream of events."""
        await self.head(200, "text/event-stream", {"transfer-encoding": "chunked"})

    async def event(self, data: Any) -> None:
        """One event; text is sent as it is."""
        text = data if isinstance(data, str) else json.dumps(data)
        await self.event_bytes(f"data: {text}\n\n".encode())

    async def event_bytes(self, data: bytes) -> None:
        """Bytes in a stream of events, as one piece of the chunked body."""
        if data:  # an empty piece would end the body
            await self.write(b"%x\r\n%b\r\n" % (len(data), data))

    async def end_events(self) -> None:
        """The regular end of a stream."""
        await self.write(b"0\r\n\r\n")

    async def reply(self, reply: Reply) -> None:
        """A reply, in the way it was asked for."""
        await asyncio.sleep(reply.delay)
        if self.request.path.endswith("/messages"):
            await self._reply_in_anthropics_shape(reply.text or "")
            return
        if not self.request.streams:
            await self.send(200, reply.plain(self.request.model))
            return
        await self.start_events()
        for chunk in reply.chunks(self.request.model, with_usage=self.request.wants_usage):
            await self.event(chunk)
            if reply.pace:
                await asyncio.sleep(reply.pace)
        await self.event("[DONE]")
        await self.end_events()

    async def _reply_in_anthropics_shape(self, text: str) -> None:
        if refused := anthropic.refusal(self.request.body):
            error = {"type": "invalid_request_error", "message": refused}
            await self.send(400, {"type": "error", "error": error})
            return
        if not self.request.streams:
            await self.send(200, anthropic.message(self.request.model, text))
            return
        await self.start_events()
        for event in anthropic.events(self.request.model, text):
            await self.event_bytes(f"event: {event['type']}\n".encode())
            await self.event(event)
        await self.end_events()

    async def hang(self) -> None:
        """Say nothing more until the client hangs up."""
        self.keep_alive = False
        await self._reader.read()
        self.request.gone = True

    def reset(self) -> None:
        """Tear the connection down, as a crashed machine would."""
        self.keep_alive = False
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def close(self) -> None:
        """End the connection after what has been written."""
        self.keep_alive = False


Behaviour = Callable[[Exchange], Awaitable[None]]
"""How one request is answered."""


def replying(reply: Reply) -> Behaviour:
    """The behaviour that gives this reply."""
    return lambda exchange: exchange.reply(reply)
