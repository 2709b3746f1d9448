"""The pace at which the rollouts of a run ask their roles, all of them together.

Each call goes through the gates (``gates.py``) of its role, its provider, its model and the server
that it goes to. Whoever has waited longest goes first; one that waits at a gate holds up those
behind it at that gate only.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from math import inf
from typing import TYPE_CHECKING

import msgspec

from .gates import Begun, Gate
from .model_keys import provider_of

if TYPE_CHECKING:
    from ..config.keys import Limit

RATE = "rate"
"""The kind of a failure that says that a provider is asked too often."""


class _Waiting(msgspec.Struct, eq=False):
    """A call that may not be made yet; ``begun`` gets its places at the gates."""

    gates: list[Gate]
    tokens: int
    begun: asyncio.Future[list[Begun]]


class Turn:
    """A call that may be made now. Whoever makes it notes what it ``took``."""

    def __init__(self, gates: list[Gate], begun: list[Begun], clock: Callable[[], float]) -> None:
        self.tokens: int | None = None
        self._gates = gates
        self._begun = begun
        self._clock = clock

    def took(self, tokens: int) -> None:
        """So many tokens."""
        self.tokens = tokens

    def failed(self, kind: str, *, again: bool = False) -> None:
        """A request failed so; ``again`` where it is made once more by itself."""
        now = self._clock()
        if kind == RATE:  # the last gate is the server's
            self._gates[-1].refused(self._begun[-1], now)
        if again:
            for gate in self._gates:
                gate.again(now)


class Pacing:
    """Lives on one event loop. ``limits`` are by role, by provider and by model."""

    def __init__(
        self, limits: Mapping[str, Limit] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = dict(limits or {})
        self._clock = clock
        self._gates: dict[str, Gate] = {}
        self._waiting: list[_Waiting] = []
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @asynccontextmanager
    async def turn(
        self, role: str, model: str = "", tokens: int = 0, address: str | None = None
    ) -> AsyncIterator[Turn]:
        """Wait until this call may be made, and hold its place while it is."""
        gates = self._of(role, model, address)
        begun = await self._enter(gates, tokens)
        turn = Turn(gates, begun, self._clock)
        try:
            yield turn
        finally:
            self._leave(gates, begun, turn.tokens)

    def _of(self, role: str, model: str, address: str | None) -> list[Gate]:
        """The gates of a call; the last is that of the server that it goes to."""
        provider = provider_of(model) if model else ""
        names = [name for name in (role, provider, model) if name in self._limits]
        found = [self._gate(name) for name in dict.fromkeys(names)]
        return [*found, self._gate(f"{provider}\0{address or ''}")] if model else found

    def _gate(self, name: str) -> Gate:
        if name not in self._gates:
            self._gates[name] = Gate(self._limits.get(name))
        return self._gates[name]

    def close(self) -> None:
        """Cancel the calls that may not be made yet, and those that come."""
        self._closed = True
        for each in self._waiting:
            each.begun.cancel()

    async def _enter(self, gates: list[Gate], tokens: int) -> list[Begun]:
        if self._closed:
            raise asyncio.CancelledError
        waiting = _Waiting(gates, tokens, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._let_in()
        try:
            return await waiting.begun
        except asyncio.CancelledError:
            if waiting.begun.cancelled():
                self._let_in()  # those behind it
            else:
                self._leave(gates, waiting.begun.result(), 0)
            raise

    def _leave(self, gates: list[Gate], begun: list[Begun], tokens: int | None) -> None:
        for gate, each in zip(gates, begun, strict=True):
            gate.end(each, tokens)
        self._let_in()

    def _let_in(self) -> None:
        """Have those begin that may, and look again when the next one may."""
        now = self._clock()
        closed: set[int] = set()
        soonest = inf
        still = []
        for each in self._waiting:
            if each.begun.done():  # it was cancelled, and has not noticed yet
                continue
            waits = [gate.wait(each.tokens, now) for gate in each.gates]
            if not any(waits) and closed.isdisjoint(map(id, each.gates)):
                each.begun.set_result([gate.begin(each.tokens, now) for gate in each.gates])
                continue
            still.append(each)
            soonest = min([soonest, *filter(None, waits)])
            # Who is small must not go on and on before somebody who needs more room.
            closed.update(id(gate) for gate, wait in zip(each.gates, waits, strict=True) if wait)
        self._waiting = still
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if soonest < inf:
            self._timer = asyncio.get_running_loop().call_later(soonest, self._let_in)
