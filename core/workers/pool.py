"""Child processes by what they serve, started when first asked and ended together."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..errors import RoleError
from .process import Stream, Worker

if TYPE_CHECKING:
    from .pacing import Pacing

MAX_CHILDREN = 8
"""Children that one pool runs at most; further calls wait for a free one."""


class Pool:
    """Children that serve the same thing, each one call at a time.

    ``setup`` is the first request of every child. A call that fails in any way ends its child: the
    next try starts a new one, which reads the code anew, and no other call is touched.
    """

    def __init__(
        self, service: str, setup: bytes, label: str, *, max_children: int = MAX_CHILDREN
    ) -> None:
        self._service = service
        self._setup = setup
        self._label = label
        self._free: list[Worker] = []
        self._all: set[Worker] = set()
        self._room = asyncio.Semaphore(max_children)

    async def call(self, body: bytes, *, timeout: float, stream: Stream) -> bytes:
        """The answer to ``body`` in at most ``timeout`` seconds, starting a child if none is free.

        Raises RoleError.
        """
        async with self._room:
            worker = self._take_free() or Worker(self._service, self._label)
            self._all.add(worker)
            try:
                async with asyncio.timeout(timeout):
                    if worker.pid is None:
                        await worker.start()
                        await worker.call(self._setup, stream)
                    answer = await worker.call(body, stream)
            except TimeoutError:
                detail = worker.output()
                await self._end(worker)
                raise RoleError(
                    f"{self._label} gave no answer in {timeout:g} s and was ended. The next try "
                    "starts it anew.",
                    kind="timeout",
                    detail=detail,
                ) from None
            except BaseException:
                await self._end(worker)
                raise
            self._free.append(worker)
            return answer

    def _take_free(self) -> Worker | None:
        while self._free:
            worker = self._free.pop()
            if not worker.dead:
                return worker
            self._all.discard(worker)
        return None

    async def _end(self, worker: Worker) -> None:
        self._all.discard(worker)
        await asyncio.shield(worker.close(at_once=True))

    async def aclose(self) -> None:
        """End all children."""
        workers, self._all, self._free = list(self._all), set(), []
        await asyncio.gather(*(worker.close() for worker in workers))


class Shared:
    """One child that serves many calls at once, started when first asked and again when it died."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._worker: Worker | None = None
        self._starting = asyncio.Lock()

    async def call(self, body: bytes, *, label: str, timeout: float, stream: Stream) -> bytes:
        """The answer to ``body`` in at most ``timeout`` seconds; ``label`` says in messages who was
        asked. Raises RoleError.
        """
        try:
            async with asyncio.timeout(timeout):
                worker = await self._running()
                return await worker.call(body, stream, label=label)
        except TimeoutError:
            raise RoleError(
                f"{label} gave no complete reply in {timeout:g} s.", kind="timeout"
            ) from None

    async def _running(self) -> Worker:
        async with self._starting:
            if self._worker is None or self._worker.dead:
                await self.aclose()
                worker = Worker(self._service, "The gateway to the models")
                await worker.start()
                self._worker = worker
            return self._worker

    async def aclose(self) -> None:
        """End the child."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.close()


class Workers:
    """The children of one session, or of a whole batch: who asks for the same thing shares them.

    With ``models`` given, the children that serve many are of those workers, and are left running:
    many sessions go through one gateway, while each has its own processes for a user's code.
    """

    def __init__(self, models: Workers | None = None, pacing: Pacing | None = None) -> None:
        self._models = models
        self.pacing = pacing
        """The pace of those who ask through these children; None where nothing holds them back."""
        self._shared: dict[str, Shared] = {}
        self._pools: dict[tuple[str, bytes], Pool] = {}

    def pool(self, service: str, setup: bytes, label: str) -> Pool:
        """The pool of the children that serve this. Starts none."""
        key = (service, setup)
        if key not in self._pools:
            self._pools[key] = Pool(service, setup, label)
        return self._pools[key]

    def shared(self, service: str) -> Shared:
        """The one child that serves this to all. Starts none."""
        if self._models is not None:
            return self._models.shared(service)
        return self._shared.setdefault(service, Shared(service))

    def ask_no_more(self) -> None:
        """Cancel calls that wait until the pace lets them be made, now and from now on."""
        if self.pacing is not None:
            self.pacing.close()

    async def aclose(self) -> None:
        """End every child. May be called more than once."""
        ending = [pool.aclose() for pool in self._pools.values()]
        ending += [shared.aclose() for shared in self._shared.values()]
        await asyncio.gather(*ending)
