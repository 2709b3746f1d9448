"""The child's side: ``python -m rollstep.core.workers.child FD SERVICE``.

Serves what ``SERVICE`` (``module:name``) makes, over the socket that it inherited as ``FD``. A
service has ``handle(body, stream)``, which gives the answer's body or an awaitable of it, and may
have ``start()``, which is called before it is asked anything. One with ``concurrent = True`` is
asked many things at once on one event loop; any other in turn, with no loop running, so that
foreign code may start one of its own.

The socket is ours alone: foreign code's output goes to the pipe that both its streams are.
A thread of its own reads the socket, so the child ends as soon as its parent does, whatever
foreign code is busy with.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import queue
import socket
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ..errors import RoleError
from .wire import (
    LENGTH,
    MAX_REPLY,
    Cancel,
    Chunk,
    Failure,
    FromChild,
    Notice,
    Reply,
    Request,
    Retrying,
    ToChild,
    frame,
    printable,
    read_to_child,
)

Take = Callable[[ToChild], None]


class Service(Protocol):
    """What a child serves."""

    def handle(self, body: bytes, stream: Callable[[str], None]) -> bytes | Awaitable[bytes]:
        """The answer to one request. Raises RoleError."""
        ...


class Link:
    """The socket to the parent."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._lock = threading.Lock()

    def send(self, envelope: FromChild) -> None:
        """Write one frame; whole frames only, from whichever thread."""
        data = frame(envelope)
        with self._lock:
            self._sock.sendall(data)

    def read_all(self, take: Take) -> None:
        """Read frames until the parent is gone, and then end this process."""
        try:
            with self._sock.makefile("rb") as pipe:
                while len(head := pipe.read(LENGTH.size)) == LENGTH.size:
                    take(read_to_child(pipe.read(*LENGTH.unpack(head))))
        finally:
            os._exit(0)

    def answer(self, n: int, body: bytes) -> None:
        """Send an answer, or say that it is too big to send."""
        if len(body) > MAX_REPLY:
            words = f"gave an answer of {len(body):,} bytes; at most {MAX_REPLY:,} are taken."
            self.send(Failure(n, "bad_reply", words))
        else:
            self.send(Reply(n, body))

    def fail(self, n: int, failed: Exception) -> None:
        """Send why there is no answer."""
        error = failed if isinstance(failed, RoleError) else _unforeseen(failed)
        self.send(
            Failure(
                n,
                error.kind,
                printable(str(error)),
                printable(error.detail),
                printable(error.partial),
                error.cost,
                error.usage,
            )
        )

    def stream(self, n: int) -> Told:
        """A stream whose text goes to whoever waits for answer ``n``."""
        return Told(self, n)


class Told:
    """What whoever waits for answer ``n`` is told meanwhile."""

    def __init__(self, link: Link, n: int) -> None:
        self._link = link
        self._n = n

    def __call__(self, text: str) -> None:
        """More text of the answer."""
        self._link.send(Chunk(self._n, printable(text)))

    def notice(self, words: str) -> None:
        """How the answer is being made."""
        self._link.send(Notice(self._n, printable(words)))

    def retrying(self, kind: str) -> None:
        """A request failed, in this way, and is made once more."""
        self._link.send(Retrying(self._n, kind))


def _unforeseen(error: Exception) -> RoleError:
    """A fault of the service itself, told like any other failure."""
    words = f"failed: {traceback.format_exception_only(error)[-1].strip()}"
    return RoleError(words, detail="".join(traceback.format_exception(error)))


def serve_in_turn(service: Service, link: Link, reader: Callable[[Take], None]) -> None:
    """Answer one request after the other on the main thread."""
    requests: queue.SimpleQueue[ToChild] = queue.SimpleQueue()
    reader(requests.put)
    with asyncio.Runner() as runner:
        while True:
            request = requests.get()
            if isinstance(request, Cancel):
                continue
            try:
                answer = service.handle(request.body, link.stream(request.n))
                if not isinstance(answer, bytes):
                    answer = runner.run(_awaited(answer))
            except Exception as error:  # noqa: BLE001 - the parent waits for an answer of any kind
                link.fail(request.n, error)
            else:
                link.answer(request.n, answer)


def serve_at_once(service: Service, link: Link, reader: Callable[[Take], None]) -> None:
    """Answer any number of requests at once, each a task of one event loop."""
    tasks: dict[int, asyncio.Task[None]] = {}

    async def one(request: Request) -> None:
        try:
            answer = service.handle(request.body, link.stream(request.n))
            body = answer if isinstance(answer, bytes) else await answer
        except Exception as error:  # noqa: BLE001 - the parent waits for an answer of any kind
            link.fail(request.n, error)
        else:
            link.answer(request.n, body)
        finally:
            tasks.pop(request.n, None)

    def take(request: ToChild) -> None:
        if isinstance(request, Request):
            tasks[request.n] = asyncio.ensure_future(one(request))
        elif request.n in tasks:
            tasks[request.n].cancel()

    async def forever() -> None:
        loop = asyncio.get_running_loop()

        def hand_over(request: ToChild) -> None:
            loop.call_soon_threadsafe(take, request)

        reader(hand_over)
        await asyncio.Event().wait()

    asyncio.run(forever())


async def _awaited(answer: Awaitable[bytes]) -> bytes:
    return await answer


def main(argv: list[str]) -> None:
    """Serve until the parent is gone."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    sock = socket.socket(fileno=int(argv[0]))
    sock.set_inheritable(False)
    link = Link(sock)
    module, _, name = argv[1].partition(":")
    service: Any = getattr(importlib.import_module(module), name)()
    if hasattr(service, "start"):
        service.start()
    serve = serve_at_once if getattr(service, "concurrent", False) else serve_in_turn

    def reader(take: Take) -> None:
        threading.Thread(target=link.read_all, args=(take,), daemon=True).start()

    serve(service, link, reader)


if __name__ == "__main__":
    main(sys.argv[1:])
