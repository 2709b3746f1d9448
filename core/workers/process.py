"""Our side of one child process: start it, ask it, outlive whatever happens to it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import NamedTuple

from ..errors import RoleError
from .secrets import mask
from .wire import (
    LENGTH,
    MAX_REPLY,
    Cancel,
    Chunk,
    Failure,
    FromChild,
    Notice,
    Request,
    Retrying,
    ToChild,
    frame,
    read_from_child,
)

Stream = Callable[[str], None]
"""Takes text as it arrives. One that has a method ``notice(words)`` is also told how the answer is
being made (a retry, say), and one with ``retrying(kind)`` for what kind of failure a request is
made once more.
"""

_log = logging.getLogger("rollstep.workers")
_KEPT_OUTPUT = 16_000
_GRACE = 1.0
"""Seconds that a child has to end by itself once its pipe is closed."""


class _Waiting(NamedTuple):
    """Somebody who waits for an answer."""

    future: asyncio.Future[bytes]
    stream: Stream
    label: str


class Worker:
    """One child process. ``label`` names it in messages ("The target my_pkg.agent:make"), which
    continue with a verb.
    """

    def __init__(self, service: str, label: str) -> None:
        self._service = service
        self._label = label
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._output = bytearray()
        self._process: asyncio.subprocess.Process | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.dead = False

    @property
    def pid(self) -> int | None:
        """The child's process id, once it has been started."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the child. It has a session of its own, so that a Ctrl+C in our terminal is ours
        to handle, and so that it can be ended together with what it started.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = await self._spawn(theirs.fileno())
            except OSError as error:
                ours.close()
                raise RoleError(
                    f"{self._label} could not be started: no new process ({error}). Try again "
                    "when the machine has room for one.",
                    kind="died",
                ) from error
        reader, self._writer = await asyncio.open_connection(sock=ours)
        self._tasks = [
            asyncio.create_task(self._read_answers(reader)),
            asyncio.create_task(self._read_output()),
        ]

    async def _spawn(self, fd: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-X", "faulthandler", "-m", f"{__package__}.child", str(fd), self._service),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            pass_fds=(fd,),
            start_new_session=True,
        )

    async def call(self, body: bytes, stream: Stream, *, label: str = "") -> bytes:
        """The answer to one request. Raises RoleError, in whose words ``label`` says who was asked
        (without it, the child's own name stands there); when cancelled, tells the child so.
        """
        assert self._writer is not None
        if self.dead:
            raise self._died()
        n = next(self._numbers)
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[n] = _Waiting(future, stream, label or self._label)
        try:
            await self._send(Request(n, body))
            return await future
        except asyncio.CancelledError:
            with contextlib.suppress(ConnectionError):
                self._writer.write(frame(Cancel(n)))
            raise
        finally:
            self._waiting.pop(n, None)

    async def _send(self, envelope: ToChild) -> None:
        assert self._writer is not None
        self._writer.write(frame(envelope))
        # A child that dies while it is written to is reported by whoever reads from it.
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()

    async def _read_answers(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
                if length > MAX_REPLY + 1024:
                    raise ValueError(f"a frame of {length} bytes")
                self._take(read_from_child(await reader.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError, ValueError) as error:
            await self._bury(error)

    def _take(self, envelope: FromChild) -> None:
        waiting = self._waiting.get(envelope.n)
        if waiting is None or waiting.future.done():
            return
        if isinstance(envelope, Chunk):
            waiting.stream(envelope.text)
        elif isinstance(envelope, Notice):
            notice = getattr(waiting.stream, "notice", None)
            if notice is not None:
                notice(mask(envelope.words))
        elif isinstance(envelope, Retrying):
            retrying = getattr(waiting.stream, "retrying", None)
            if retrying is not None:
                retrying(envelope.kind)
        elif isinstance(envelope, Failure):
            error = RoleError(
                f"{waiting.label} {mask(envelope.words)}",
                kind=envelope.kind,
                detail=mask(envelope.detail),
                partial=envelope.partial,
                cost=envelope.cost,
                usage=envelope.usage,
            )
            waiting.future.set_exception(error)
        else:
            waiting.future.set_result(envelope.body)

    async def _bury(self, error: Exception) -> None:
        """The pipe has ended or holds nonsense: end the child and tell all who wait."""
        self.dead = True
        if isinstance(error, ValueError):
            self._kill()
        assert self._process is not None
        await self._reap()
        if len(self._tasks) > 1:  # the last words, unless a grandchild keeps the pipe open
            await asyncio.wait({self._tasks[1]}, timeout=0.2)
        for waiting in list(self._waiting.values()):
            if not waiting.future.done():
                waiting.future.set_exception(self._died())

    def _died(self) -> RoleError:
        return RoleError(
            f"{self._label} ended without an answer ({self._how_it_ended()}). The next try starts "
            "it anew.",
            kind="died",
            detail=self.output(),
        )

    def _how_it_ended(self) -> str:
        code = self._process.returncode if self._process else None
        if code is None:
            return "its process is gone"
        if code >= 0:
            return f"exit status {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"

    def output(self) -> str:
        """The end of what the child printed, without secrets."""
        return mask(self._output.decode("utf-8", "replace"))

    async def _read_output(self) -> None:
        assert self._process is not None
        pipe = self._process.stdout
        assert pipe is not None
        while data := await pipe.read(65536):
            self._output += data
            del self._output[:-_KEPT_OUTPUT]
            if _log.isEnabledFor(logging.INFO):
                _log.info("%s printed: %s", self._label, mask(data.decode("utf-8", "replace")))

    async def close(self, *, at_once: bool = False) -> None:
        """End the child: by closing its pipe, or at once by a signal; leaves no zombie."""
        self.dead = True
        if self._process is None:
            return
        if at_once:
            self._kill()
        if self._writer is not None:
            self._writer.close()
        try:
            await self._reap()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _reap(self) -> None:
        assert self._process is not None
        try:
            async with asyncio.timeout(_GRACE):
                await self._process.wait()
        except TimeoutError:
            self._kill()
            await self._process.wait()

    def _kill(self) -> None:
        """Kill the child and whatever it started, unless it has been reaped already."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
