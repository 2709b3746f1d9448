"""Child processes by what they serve, started when first asked and ended together."""

from __future__ import annotations

import asyncio

from ..errors import RoleError
from .process import Stream, Worker

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


class Workers:
    """The pools of one session, or of a whole batch: who asks for the same thing shares a pool."""

    def __init__(self) -> None:
        self._pools: dict[tuple[str, bytes], Pool] = {}

    def pool(self, service: str, setup: bytes, label: str) -> Pool:
        """The pool of the children that serve this. Starts none."""
        key = (service, setup)
        if key not in self._pools:
            self._pools[key] = Pool(service, setup, label)
        return self._pools[key]

    async def aclose(self) -> None:
        """End every child. May be called more than once."""
        pools, self._pools = list(self._pools.values()), {}
        await asyncio.gather(*(pool.aclose() for pool in pools))
