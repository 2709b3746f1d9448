"""Writes projects with a model: a source at a time in order, several sources side by side."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from ..budget import RunBudget
from ..clock import Clock, wall_clock
from ..errors import RoleError
from ..estimating import estimate_call
from ..model.project import Project
from ..model.steps import Usage
from ..rules.limits import Limits
from ..spending import Spending
from ..workers.one_call import ask_model
from ..workers.pool import Workers
from .answers import (
    ANGLES,
    Cast,
    Unusable,
    answer_format,
    metadata_of,
    once_more,
    project_of,
    question,
)
from .nearness import Seen
from .sources import Source

SIDE_BY_SIDE = 8
"""Sources that are written from at once."""

TRIES = 2
"""Projects asked for where the first is a near-duplicate."""

HOPELESS = frozenset({"auth", "quota", "not_found", "refused"})
"""Kinds of failure that the next call would meet too."""

BUDGET = "budget"
"""The kind of what was not asked, because the budget has not enough for it."""

IN_A_ROW = 5
"""Outcomes without a project after which no more is asked: each may have been paid for."""


class Order(msgspec.Struct, frozen=True):
    """What is to be written. ``file`` names the sources' file, ``seed`` is that of the run."""

    n: int
    model: str
    cast: Cast
    file: str
    seed: int = 0
    api_base: str | None = None
    params: dict[str, Any] = {}
    timeout: float = 180.0
    structured: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """One project that was asked for: it, or in ``words`` why there is none. ``kind`` is that of a
    failed call; ``end`` says why it is the last, where it is so before all were asked for.
    """

    source: Source
    project: Project | None = None
    words: str = ""
    kind: str = ""
    end: str = ""


def shares(sources: Sequence[Source], n: int, seed: int) -> list[tuple[Source, int]]:
    """How many projects are written from which sources, in the file's order: as evenly as can be,
    and from sources drawn by the seed where there are more of them than projects.
    """
    each, more = divmod(n, len(sources))
    favoured = set(random.Random(seed).sample(range(len(sources)), more))
    counted = [(source, each + (place in favoured)) for place, source in enumerate(sources)]
    return [(source, count) for source, count in counted if count]


class Author:
    """Writes what is ordered. ``notice`` is told of retries; ``budget`` says what may be spent, and
    counts what was.
    """

    def __init__(
        self,
        order: Order,
        workers: Workers,
        *,
        notice: Callable[[str], None],
        clock: Clock = wall_clock,
        pace: float = 1.0,
        budget: RunBudget | None = None,
    ) -> None:
        self._order = order
        self._workers = workers
        self._notice = notice
        self._clock = clock
        self._pace = pace
        self._coming: deque[tuple[asyncio.Queue[Outcome], asyncio.Task[None]]] = deque()
        self._budget = budget or RunBudget(Limits())

    def left(self) -> Iterator[Outcome]:
        """What was ready when ``write`` ended early: it is paid for."""
        for queue, _ in self._coming:
            while not queue.empty():
                yield queue.get_nowait()

    async def write(self, sources: Sequence[Source]) -> AsyncGenerator[Outcome, None]:
        """The outcomes, in the order of the sources, as they come. Ends early when a call has
        failed in a way that the next would too, or when several in a row came to nothing.
        """
        room = asyncio.Semaphore(SIDE_BY_SIDE)
        counts = shares(sources, self._order.n, self._order.seed)
        for place, (source, count) in enumerate(counts):
            queue: asyncio.Queue[Outcome] = asyncio.Queue()
            writing = self._one_source(queue, source, count, place, room)
            self._coming.append((queue, asyncio.create_task(writing)))
        tasks = [task for _, task in self._coming]
        failed = 0
        try:
            for _, count in counts:
                for _ in range(count):
                    outcome = await _next(*self._coming[0])
                    failed = 0 if outcome.project is not None else failed + 1
                    if end := _end(outcome, failed):
                        yield msgspec.structs.replace(outcome, end=end)
                        return
                    yield outcome
                self._coming.popleft()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one_source(
        self,
        out: asyncio.Queue[Outcome],
        source: Source,
        count: int,
        place: int,
        room: asyncio.Semaphore,
    ) -> None:
        rng = random.Random(f"{self._order.seed} {place}")
        angles = rng.sample(ANGLES, len(ANGLES))
        seen, titles = Seen(), list[str]()
        async with room:
            for number in range(count):
                angle = angles[number % len(angles)]
                outcome = await self._one(source, angle, seen, titles)
                if outcome.project is not None:
                    seen.add(outcome.project.title, *essence(outcome.project))
                    titles.append(outcome.project.title)
                out.put_nowait(outcome)
                if outcome.kind == BUDGET or outcome.kind in HOPELESS:
                    return  # who reads this may come to it only when the next one has been asked

    async def _one(self, source: Source, angle: str, seen: Seen, titles: Sequence[str]) -> Outcome:
        written = list(titles)
        words = ""
        for _ in range(TRIES):
            try:
                project = await self._ask(source, angle, written)
            except RoleError as error:
                return Outcome(source, words=str(error), kind=error.kind)
            except Unusable as error:
                faults = "; ".join(error.faults)
                return Outcome(source, words=f"the answer cannot be used, twice: {faults}")
            near = seen.near(*essence(project))
            if not near:
                return Outcome(source, project)
            words = f"nearly the same as {near!r}: {project.title!r} was dropped"
            written.append(project.title)
        return Outcome(source, words=words)

    async def _ask(self, source: Source, angle: str, written: Sequence[str]) -> Project:
        """One project, mended once where it has faults. Raises RoleError, Unusable."""
        order = self._order
        when = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        metadata = metadata_of(source, order.file, order.model, when, order.seed, angle)
        messages = question(source, order.cast, angle, written)
        answer = await self._call(messages)
        try:
            return project_of(answer, order.cast, metadata)
        except Unusable as error:
            answer = await self._call([*messages, *once_more(answer, error.faults)])
            return project_of(answer, order.cast, metadata)

    async def _call(self, messages: list[dict[str, Any]]) -> str:
        order = self._order
        form = {"response_format": answer_format(order.cast)} if order.structured else {}
        params = {**form, **order.params}
        aside = await self._budget.reserve(
            [estimate_call(order.model, messages, params, order.api_base)]
        )
        if aside.refused:
            raise RoleError(aside.refused, kind=BUDGET)
        spending = Spending()
        try:
            reply = await ask_model(
                self._workers,
                order.model,
                messages,
                api_base=order.api_base,
                params=params,
                timeout=order.timeout,
                pace=self._pace,
                notice=self._notice,
            )
            spending.add(reply.usage, reply.cost)
        except RoleError as error:
            spending.add(error.usage or Usage(), error.cost)
            raise
        finally:
            self._budget.settle(aside, spending.now)
        if not reply.text:
            said = f"refused: {reply.refusal}" if reply.refusal else "gave no text."
            raise RoleError(f"{order.model}: The model {said}", kind="bad_reply")
        return reply.text


def _end(outcome: Outcome, failed: int) -> str:
    """Why no more is asked after this outcome; "" where more is. ``failed`` counts those in a row
    that came to nothing.
    """
    if outcome.kind == BUDGET:
        return "No more is asked."
    if outcome.kind in HOPELESS:
        return "The next call would fail in the same way, so none is made."
    if failed >= IN_A_ROW:
        return f"{failed} in a row came to nothing, so no more is asked."
    return ""


async def _next(queue: asyncio.Queue[Outcome], task: asyncio.Task[None]) -> Outcome:
    """The next outcome; what the task raised where there will be none."""
    getting = asyncio.ensure_future(queue.get())
    try:
        await asyncio.wait({getting, task}, return_when=asyncio.FIRST_COMPLETED)
        if not getting.done() and queue.empty():
            task.result()
        return await getting
    finally:
        getting.cancel()


def essence(project: Project) -> tuple[str, str]:
    """What is compared with others: the goal and the opening."""
    return project.goal, project.opening or ""
