"""A server on loopback that speaks the OpenAI chat shape, for tests and benchmarks.

In a test::

    with ProviderServer() as server:
        server.answer("m", Reply("Hello."))            # every request for the model "m"
        server.answer("m", FAULTS["500"], Reply("Hi")) # the first, then the rest
        ... server.api_base, server.requests ...

A model that nothing was said about answers by the seed. As a program it prints its address and
serves until it is ended::

    python -m tests.provider.server [--port N] [--seed TEXT] [--delay SECONDS] [--script FILE]

where FILE is JSON: ``{"model": [{"text": "Hi"}, {"fault": "500"}, {"calls": [{"name": …}]}]}``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from .exchange import Behaviour, Exchange, Received, replying
from .faults import FAULTS
from .replies import FunctionCall, Reply, by_seed


class ProviderServer:
    """The server, on a thread and loop of its own. ``requests`` holds all that arrived."""

    def __init__(self, *, seed: str = "0", port: int = 0, delay: float = 0.0) -> None:
        self.requests: list[Received] = []
        self._seed = seed
        self._delay = delay
        self._answers: dict[str, list[Behaviour]] = {}
        self._changed = threading.Condition()
        self._open: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", port, limit=2**24)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def api_base(self) -> str:
        """The address to give as ``api_base``."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def answer(self, model: str, *answers: Behaviour | Reply) -> None:
        """Answer requests for ``model`` with these, one after the other, and then with the last."""
        behaviours = [
            replying(answer) if isinstance(answer, Reply) else answer for answer in answers
        ]
        self._answers[model] = behaviours

    def asked(self, model: str) -> list[Received]:
        """The requests for one model."""
        return [request for request in self.requests if request.model == model]

    def wait_for(self, condition: Callable[[], bool], timeout: float = 20.0) -> bool:
        """Wait until something that the server does has made this true."""
        with self._changed:
            return self._changed.wait_for(condition, timeout)

    def close(self) -> None:
        """Hang up on everybody and end."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client is gone, or the server ends
        finally:
            self._open.discard(task)
            with contextlib.suppress(ConnectionError):
                writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; may another follow on this connection?"""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        request = Received(head[0].split()[1], headers, raw, json.loads(raw or b"{}"))
        exchange = Exchange(request, reader, writer)
        self._note(request)
        try:
            await self._behaviour(request)(exchange)
        except ConnectionError:
            request.gone = True
            raise
        finally:
            with self._changed:
                self._changed.notify_all()
        return exchange.keep_alive

    def _note(self, request: Received) -> None:
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()

    def _behaviour(self, request: Received) -> Behaviour:
        answers = self._answers.get(request.model)
        if not answers:
            reply = by_seed(self._seed, request.body)
            return replying(dataclasses.replace(reply, delay=self._delay))
        return answers.pop(0) if len(answers) > 1 else answers[0]


def _scripted(entry: dict[str, Any]) -> Behaviour | Reply:
    """What one entry of a script file says."""
    if "fault" in entry:
        return FAULTS[entry["fault"]]
    calls = tuple(FunctionCall(**call) for call in entry.get("calls", ()))
    return Reply(**{"text": None if calls else "", **entry, "calls": calls})


def main() -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(prog="python -m tests.provider.server")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--script", type=Path)
    asked = parser.parse_args()
    server = ProviderServer(seed=asked.seed, port=asked.port, delay=asked.delay)
    if asked.script:
        for model, entries in json.loads(asked.script.read_text(encoding="utf-8")).items():
            server.answer(model, *map(_scripted, entries))
    print(server.api_base, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    server.close()


if __name__ == "__main__":
    main()
