"""Many rollouts, headless: each played through by the session's own rules, finished ones handed on
in the order of their rows and then forgotten, so that memory does not grow with their number.

Projects whose roles are all built in never wait for anything; they are driven without an event
loop. The others (python, live models) run side by side on one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

import msgspec

from .clock import Clock, wall_clock
from .errors import RollstepError, StoreError
from .formats.subject import Subject
from .formats.turn_records import Records, complete_turns
from .ids import random_rollout_id, random_step_ids
from .model.project import (
    EchoTarget,
    HeuristicEvaluator,
    HumanEvaluator,
    HumanSimulator,
    HumanTarget,
    Project,
    RulesSimulator,
    ScriptedEvaluator,
    ScriptedTarget,
)
from .model.rollout import RolloutHeader, Trajectory
from .model.steps import Step
from .playthrough import Each, OnBreak, Played, at_once, play_through
from .store.change import Change

if TYPE_CHECKING:
    from .budget import RunBudget
    from .roles.registry import Roles

SIDE_BY_SIDE = 16
"""Rollouts that run at once when their roles wait for something."""

GROUP_STEPS = 2000
"""Steps of offline rollouts that one transaction saves."""

_NEVER_WAIT = (
    EchoTarget,
    HeuristicEvaluator,
    HumanEvaluator,
    HumanSimulator,
    HumanTarget,
    RulesSimulator,
    ScriptedEvaluator,
    ScriptedTarget,
)


_NOTHING = Records(b"", 0, 0)


class Job(msgspec.Struct, frozen=True):
    """One project to be played. ``source`` and ``record`` say where it came from (``record`` goes
    into the derived ids), ``label`` names it for people.
    """

    project: Project
    source: str = ""
    record: int | None = None
    label: str = ""


class Done(msgspec.Struct, frozen=True):
    """One finished rollout. It is ``whole`` when it came to its stop with every turn complete;
    else ``words`` say why not, and ``records`` holds the turns that are complete. One that is
    ``parked`` waits for a human. ``said`` is what breakpoints said of one that came to its stop.
    One that was not ``started`` is nowhere: the run's budget was used up before it.
    """

    job: Job
    rollout_id: str
    records: Records
    whole: bool
    words: str = ""
    parked: bool = False
    said: str = ""
    started: bool = True


class ManyCommitter(Protocol):
    """The part of a library that a batch writes to."""

    def commit_many(self, changes: Iterable[Change]) -> list[dict[str, int]]:
        """Save many changes in one transaction. Raises StoreError."""
        ...


class Closable(Protocol):
    """Child processes that the roles of all rollouts share."""

    async def aclose(self) -> None:
        """End them."""
        ...


def never_waits(project: Project) -> bool:
    """Whether all roles of the project are built in, so that it can be played offline."""
    simulator = project.tool_simulator
    return (
        isinstance(project.target, _NEVER_WAIT)
        and isinstance(project.evaluator, _NEVER_WAIT)
        and (simulator is None or isinstance(simulator, _NEVER_WAIT))
    )


class Batch:
    """Plays jobs and hands each finished rollout to ``done``, in row order.

    A rollout that fails ends itself only: its failure is in its ``Done``. ``library`` keeps the
    rollouts: those that cost something step by step, before the next role is asked; offline ones
    in groups. ``workers`` are ended with the run. ``on_break`` says what a breakpoint does.
    ``budget`` is what all of them may spend together; offline ones are free.
    """

    def __init__(
        self,
        done: Callable[[Done], None],
        *,
        roles: Callable[[Project], Roles],
        seed: int = 0,
        workers: Closable | None = None,
        library: ManyCommitter | None = None,
        clock: Clock = wall_clock,
        side_by_side: int = SIDE_BY_SIDE,
        on_break: OnBreak = "park",
        budget: RunBudget | None = None,
    ) -> None:
        self._done = done
        self._roles = roles
        self._seed = seed
        self._workers = workers
        self._library = library
        self._clock = clock
        self._side_by_side = side_by_side
        self._on_break = on_break
        self._budget = budget
        self._new_id = random_step_ids()
        self._waiting: list[Change] = []
        self._waiting_steps = 0
        self._behind: Future[object] | None = None
        self._takes_more = True

    def run(self, jobs: Iterable[Job]) -> None:
        """Play all jobs. What was finished is saved, however this ends.

        Raises StoreError when the library fails, and whatever ``done`` raises.
        """
        with ThreadPoolExecutor(1, "saving") as saver:
            try:
                rest = self._run_offline(iter(jobs), saver)
            finally:
                self._save_behind(saver)
                self._await_saving()
        if rest is not None:
            asyncio.run(self._run_waiting(rest))

    def _run_offline(self, jobs: Iterator[Job], saver: Executor) -> Iterator[Job] | None:
        """Play jobs as long as they never wait; gives the rest, from the first that does."""
        for job in jobs:
            if not never_waits(job.project):
                return _before(job, jobs)
            header = self._header(job)
            played = at_once(self._play(job))
            if self._library is not None:
                self._waiting.append(_whole_change(job, header, played))
                self._waiting_steps += len(played.steps)
                if self._waiting_steps >= GROUP_STEPS:
                    self._save_behind(saver)
            self._done(self._finish(job, header, played))
        return None

    def _save_behind(self, saver: Executor) -> None:
        """Save what waits while the next rollouts are played: the disk's time costs nothing then.

        One group is being saved at a time, so that memory stays flat.
        """
        self._await_saving()
        changes, self._waiting, self._waiting_steps = self._waiting, [], 0
        if changes and self._library is not None:
            self._behind = saver.submit(self._library.commit_many, changes)

    def _await_saving(self) -> None:
        behind, self._behind = self._behind, None
        if behind is not None:
            behind.result()

    async def _run_waiting(self, jobs: Iterator[Job]) -> None:
        """Play jobs side by side, a window of them at a time."""
        room = asyncio.Semaphore(self._side_by_side)
        window: deque[asyncio.Task[Done]] = deque()
        try:
            for job in jobs:
                window.append(asyncio.create_task(self._run_one(job, room)))
                if len(window) >= 4 * self._side_by_side:
                    self._hand_on(await window.popleft())
            while window:
                self._hand_on(await window.popleft())
        finally:
            for task in window:
                task.cancel()
            await asyncio.gather(*window, return_exceptions=True)
            try:
                self._hand_on_finished(window)
            finally:
                if self._workers is not None:
                    await self._workers.aclose()

    def _hand_on(self, done: Done) -> None:
        self._takes_more = False  # until it was taken
        self._done(done)
        self._takes_more = True

    def _hand_on_finished(self, window: Iterable[asyncio.Task[Done]]) -> None:
        """The run ends early: those that wait for one before them were paid for."""
        for task in window:
            if self._takes_more and not task.cancelled() and task.exception() is None:
                self._hand_on(task.result())

    async def _run_one(self, job: Job, room: asyncio.Semaphore) -> Done:
        async with room:
            header = self._header(job)
            budget = None if never_waits(job.project) else self._budget
            if budget is not None and budget.closed:
                return Done(job, header.id, _NOTHING, False, budget.closed, started=False)
            if self._library is None:
                return self._finish(job, header, await self._play(job, budget=budget))
            first = Change(header.id, header, (job.project,), status="open")
            self._commit(first)

            def save(step: Step, request: tuple[str, str] | None) -> None:
                requests = (request,) if request is not None else ()
                self._commit(Change(header.id, steps=(step,), requests=requests, head=step.id))

            played = await self._play(job, save, budget)
            self._commit(_last_change(header, played))
            return self._finish(job, header, played)

    async def _play(
        self, job: Job, each: Each | None = None, budget: RunBudget | None = None
    ) -> Played:
        """Play one project; what its roles do wrong is its own failure and nobody else's."""
        try:
            roles = self._roles(job.project)
            return await play_through(
                job.project,
                roles,
                seed=str(self._seed),
                new_id=self._new_id,
                clock=self._clock,
                each=each,
                on_break=self._on_break,
                budget=budget,
            )
        except StoreError:
            raise
        except RollstepError as error:
            return Played((), "failed", str(error))

    def _header(self, job: Job) -> RolloutHeader:
        return RolloutHeader(
            random_rollout_id(),
            job.project.title,
            self._clock(),
            self._seed,
            job.source,
            job.record,
        )

    def _finish(self, job: Job, header: RolloutHeader, played: Played) -> Done:
        trajectory = Trajectory(played.steps)
        records = complete_turns(
            Subject(trajectory, (job.project,), seed=self._seed, row=job.record or 0)
        )
        whole = played.status == "ended" and records.count == records.turns
        words = played.note
        if not whole and not words:
            reason = trajectory.stop.reason if trajectory.stop else "no stop"
            words = f"turn {records.turns} has no final reply ({reason})"
        parked = played.status == "parked"
        return Done(job, header.id, records, whole, words, parked, played.said)

    def _commit(self, change: Change) -> None:
        if self._library is not None:
            self._library.commit_many([change])


def _whole_change(job: Job, header: RolloutHeader, played: Played) -> Change:
    """A finished rollout as one change."""
    steps = played.steps
    return Change(
        header.id,
        header,
        (job.project,),
        steps,
        played.requests,
        played.attempts,
        head=steps[-1].id if steps else "",
        status=played.status,
        status_note=played.note,
    )


def _last_change(header: RolloutHeader, played: Played) -> Change:
    """How a rollout whose steps are saved came out."""
    return Change(
        header.id, attempts=played.attempts, status=played.status, status_note=played.note
    )


def _before(first: Job, rest: Iterator[Job]) -> Iterator[Job]:
    yield first
    yield from rest
