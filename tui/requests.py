"""Requests as they were sent: each is fetched from the library once, when it is first looked at.

Imports no Textual.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple

from rollstep.core.model.steps import Role, Step

from .presenter import DebuggerModel

if TYPE_CHECKING:
    from concurrent.futures import Future


class Stored(NamedTuple):
    """What is known of the request of a step: its ``body`` where it is at hand; whether it is
    ``coming``, or named by the step and ``lost``; and whether it was sent for another step, of
    which this one is a ``copied`` one.
    """

    body: str | None = None
    coming: bool = False
    lost: bool = False
    copied: bool = False


NOT_STORED = Stored()


class Requests:
    """Those that were looked at in one rollout. ``later`` runs what waits for the library."""

    def __init__(
        self,
        fetch: Callable[[str], Future[str | None]],
        later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._fetch = fetch
        self._later = later
        self._bodies: dict[str, str | None] = {}
        self._waiting: dict[str, list[Callable[[], None]]] = {}

    def clear(self) -> None:
        """Another rollout."""
        self._bodies.clear()

    def of(
        self, model: DebuggerModel, role: Role | None, arrived: Callable[[], None] | None = None
    ) -> Stored:
        """The request of the step under the cursor, where it is this role's; what is not at hand
        is fetched, and ``arrived`` is called when it is, unless nobody is to hear of it.
        """
        step = model.step
        if step is None or step.role != role:
            return NOT_STORED
        asked = original(model, step)
        if asked.call is None or not asked.call.request:
            return NOT_STORED
        digest, copied = asked.call.request, asked is not step
        if digest in self._bodies:
            body = self._bodies[digest]
            return Stored(body, lost=body is None, copied=copied)
        if arrived is not None:
            self._ask(digest, arrived)
        return Stored(coming=True, copied=copied)

    def _ask(self, digest: str, arrived: Callable[[], None]) -> None:
        waiting = self._waiting.setdefault(digest, [])
        waiting.append(arrived)
        if len(waiting) == 1:
            self._later(self._arrive(digest, self._fetch(digest)))

    async def _arrive(self, digest: str, fetching: Future[str | None]) -> None:
        try:
            self._bodies[digest] = await asyncio.wrap_future(fetching)
        finally:
            waiting = self._waiting.pop(digest)
        for arrived in waiting:
            arrived()


def original(model: DebuggerModel, step: Step) -> Step:
    """The step that this one was copied from, through all its copies; itself where it was made."""
    steps = model.rollout.steps
    while step.call is None and step.copied_from in steps:
        step = steps[step.copied_from]
    return step
