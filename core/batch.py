"""Many rollouts, headless: each played through by the session's own rules, finished ones handed on
in the order of their rows and then forgotten, so that memory does not grow with their number.

Projects whose roles are all built in never wait for anything; they are driven without an event
loop. The others (python, live models) run side by side on one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from .clock import Clock, wall_clock
from .errors import RollstepError, StoreError
from .formats.subject import Subject
from .formats.turn_records import Records, complete_turns
from .group_commits import Committer, GroupCommits
from .ids import random_rollout_id, random_step_ids
from .jobs import Done, Job, never_waits
from .model.project import Project
from .model.rollout import Rollout, RolloutHeader, Trajectory
from .model.steps import Step
from .playthrough import BUDGET, Each, OnBreak, Played, at_once, play_through
from .rules.parking import flagged
from .run_changes import StepChanges, first_change, last_change, news_of, whole_change
from .store.change import Change
from .taking_up import (
    FLAGS,
    Loader,
    RunJob,
    found_again,
    left_to_others,
    taken,
    took,
)

if TYPE_CHECKING:
    from .budget import RunBudget
    from .roles.registry import Roles
    from .runs import Run

__all__ = ["GROUP_STEPS", "SIDE_BY_SIDE", "Batch", "Done", "Job", "never_waits"]

SIDE_BY_SIDE = 16
"""Rollouts that run at once when their roles wait for something."""

WINDOW = 16
"""How many times as many rollouts wait for earlier ones to be handed on, or to begin."""

GROUP_STEPS = 2000
"""Steps of offline rollouts that one transaction saves."""

_NOTHING = Records(b"", 0, 0)


class BatchLibrary(Committer, Loader, Protocol):
    """The part of a library that a batch needs."""


class Closable(Protocol):
    """Child processes that the roles of all rollouts share."""

    def ask_no_more(self) -> None:
        """Cancel calls that wait until they may be made."""
        ...

    async def aclose(self) -> None:
        """End them."""
        ...


class _Came(NamedTuple):
    """A rollout that has come out, and what is over when the library has all of it."""

    done: Done
    saving: Awaitable[None] | None = None


def _unheard(rollouts: int) -> None:
    """Nobody waits to hear this."""


class Batch:
    """Plays jobs and hands each finished rollout to ``done``, in row order.

    A rollout that fails ends itself only: its failure is in its ``Done``. ``library`` keeps the
    rollouts: those that cost something step by step, before the next role is asked; offline ones
    in groups. ``workers`` are ended with the run. ``on_break`` says what a breakpoint does.
    ``budget`` is what all of them may spend together; offline ones are free. With ``run`` given,
    rollouts are those of that run: what the library holds of them is not played again, unless it
    had failed and ``retry_failed`` says so. ``park_flags`` parks those with something odd on their
    path. ``ending`` is told when the run was interrupted, and how many rollouts wait for answers
    that are paid for.
    """

    def __init__(
        self,
        done: Callable[[Done], None],
        *,
        roles: Callable[[Project], Roles],
        seed: int = 0,
        workers: Closable | None = None,
        library: BatchLibrary | None = None,
        clock: Clock = wall_clock,
        side_by_side: int = SIDE_BY_SIDE,
        on_break: OnBreak = "park",
        budget: RunBudget | None = None,
        run: Run | None = None,
        retry_failed: bool = False,
        park_flags: bool = False,
        ending: Callable[[int], None] = _unheard,
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
        self._run = run
        self._retry_failed = retry_failed
        self._park_flags = park_flags
        self._ending = ending
        self._playing: set[asyncio.Task[Any]] = set()
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
                rest = self._run_offline(self._places(jobs), saver)
            finally:
                self._save_behind(saver)
                self._await_saving()
        if rest is not None:
            asyncio.run(self._run_waiting(rest))

    def _places(self, jobs: Iterable[Job]) -> Iterator[RunJob]:
        for number, job in enumerate(jobs):
            if self._run is None or self._library is None:
                yield RunJob(job, random_rollout_id())
            elif (found := self._run.holds(number)) is None:
                yield RunJob(job, self._run.rollout_id(number))
            else:
                yield self._again(job, found)

    def _again(self, job: Job, rollout_id: str) -> RunJob:
        assert self._library is not None
        retry, on_break = self._retry_failed, self._on_break
        return found_again(self._library, job, rollout_id, retry_failed=retry, on_break=on_break)

    def _run_offline(self, places: Iterator[RunJob], saver: Executor) -> Iterator[RunJob] | None:
        """Play jobs as long as they never wait; gives the rest, from the first that does."""
        for place in places:
            if not place.offline:
                return _before(place, places)
            played = self._stands(place) or self._left(place)
            played = played or self._judged(place, at_once(self._play(place)))
            if self._library is not None and (change := self._offline(place, played)) is not None:
                self._waiting.append(change)
                self._waiting_steps += len(change.steps)
                if self._waiting_steps >= GROUP_STEPS:
                    self._save_behind(saver)
            self._done(self._finish(place, played))
        return None

    def _offline(self, place: RunJob, played: Played) -> Change | None:
        if place.taken_up is None:
            return whole_change(place.job, self._header(place), played)
        return news_of(place, played)

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

    async def _run_waiting(self, places: Iterator[RunJob]) -> None:
        """Play jobs side by side, a window of them at a time."""
        room = asyncio.Semaphore(self._side_by_side)
        window: deque[asyncio.Task[_Came]] = deque()
        saver = None if self._library is None else GroupCommits(self._library)
        try:
            for place in places:
                window.append(asyncio.create_task(self._run_one(place, room, saver)))
                if len(window) >= WINDOW * self._side_by_side:
                    await self._hand_on_first(window)
            while window:
                await self._hand_on_first(window)
        except asyncio.CancelledError:
            if saver is not None:
                saver.ending = True
                await self._let_calls_end(window)
            raise
        finally:
            for task in window:
                task.cancel()
            await asyncio.gather(*window, return_exceptions=True)
            if saver is not None:
                await saver.close()
            try:
                self._hand_on_finished(window)
            finally:
                if self._workers is not None:
                    await self._workers.aclose()

    async def _let_calls_end(self, window: Iterable[asyncio.Task[_Came]]) -> None:
        """The run is interrupted: what is being asked is paid for, so its answers are waited for
        and saved. Nothing more is asked; another interrupt ends this, too.
        """
        for task in window:
            if task not in self._playing:
                task.cancel()
        if self._workers is not None:
            self._workers.ask_no_more()
        if self._playing:
            self._ending(len(self._playing))
            await asyncio.wait(self._playing)

    @contextmanager
    def _as_playing(self) -> Iterator[None]:
        """While this task's rollout is played."""
        task = asyncio.current_task()
        assert task is not None
        self._playing.add(task)
        try:
            yield
        finally:
            self._playing.discard(task)

    async def _hand_on_first(self, window: deque[asyncio.Task[_Came]]) -> None:
        await asyncio.wait([window[0]])  # an interrupt must not cancel what is being asked
        came = window[0].result()
        if came.saving is not None:
            await came.saving
        window.popleft()
        self._hand_on(came.done)

    def _hand_on(self, done: Done) -> None:
        self._takes_more = False  # until it was taken
        self._done(done)
        self._takes_more = True

    def _hand_on_finished(self, window: Iterable[asyncio.Task[_Came]]) -> None:
        """The run ends early: those that wait for one before them were paid for. A run that can go
        on has them in its library, and hands them on in their order then.
        """
        for task in window:
            if self._run is None and self._takes_more and _has_come(task):
                self._hand_on(task.result().done)

    async def _run_one(
        self, place: RunJob, room: asyncio.Semaphore, saver: GroupCommits | None
    ) -> _Came:
        if (stands := self._stands(place)) is not None:
            return self._stood(place, stands, saver)
        async with room:
            with self._as_playing():
                return await self._play_live(place, saver)

    def _stood(self, place: RunJob, stands: Played, saver: GroupCommits | None) -> _Came:
        change = None if saver is None else news_of(place, stands)
        saving = saver.save(change) if saver is not None and change is not None else None
        return _Came(self._finish(place, stands), saving)

    async def _play_live(self, place: RunJob, saver: GroupCommits | None) -> _Came:
        budget = None if never_waits(place.project) else self._budget
        if budget is not None and budget.closed:
            return _Came(self._not_started(place, budget.closed))
        if saver is None:
            played = self._judged(place, await self._play(place, budget=budget))
            return _Came(self._finish(place, played))
        name = place.rollout_id
        if place.taken_up is not None and self._library is not None:
            found = await asyncio.to_thread(taken, self._library, place, self._again)
            if isinstance(found, Played):
                return _Came(self._finish(place, found))
            place = found
            if (stands := self._stands(place)) is not None:
                return self._stood(place, stands, saver)
        saver.save(first_change(place, self._header))
        changes = StepChanges(name)

        def save(step: Step, request: tuple[str, str] | None) -> Awaitable[None]:
            return saver.save(changes.of(step, request))

        played = self._judged(place, await self._play(place, save, budget))
        saving = saver.save(last_change(name, played))
        return _Came(self._finish(place, played), saving)

    def _not_started(self, place: RunJob, words: str) -> Done:
        if place.taken_up is not None:
            played = msgspec.structs.replace(
                place.taken_up.played, status="parked", note=words, reason=BUDGET
            )
            return self._finish(place, played)
        return Done(place.job, place.rollout_id, _NOTHING, False, words, started=False)

    async def _play(
        self, place: RunJob, each: Each | None = None, budget: RunBudget | None = None
    ) -> Played:
        """Play one project; what its roles do wrong is its own failure and nobody else's."""
        try:
            roles = self._roles(place.project)
            return await play_through(
                place.project,
                roles,
                seed=str(self._seed),
                new_id=self._new_id,
                clock=self._clock,
                each=each,
                on_break=self._on_break,
                budget=budget,
                so_far=place.so_far,
            )
        except StoreError:
            raise
        except RollstepError as error:
            path = place.so_far.path if place.so_far is not None else ()
            return Played(path, "failed", str(error), reason="not_ready")

    def _left(self, place: RunJob) -> Played | None:
        """How a rollout stands that another program plays now."""
        return None if self._library is None else left_to_others(self._library, place)

    def _stands(self, place: RunJob) -> Played | None:
        """How a rollout stands that is not played on."""
        if place.taken_up is None or place.so_far is not None:
            return None
        return self._judged(place, place.taken_up.played)

    def _judged(self, place: RunJob, played: Played) -> Played:
        """Parked, where it ended with something odd on its path."""
        if not self._park_flags or played.status != "ended" or not played.steps:
            return played
        taken_up = place.taken_up
        if taken_up is not None:
            tree, marks, silences = taken_up.tree, taken_up.saved.marks, taken_up.saved.silences
            tree.add_all(step for step in played.steps if step.id not in tree.steps)
        else:
            tree, marks, silences = Rollout(self._header(place), (place.project,)), (), ()
            tree.add_all(played.steps)
        words = flagged(tree, played.steps, marks, silences)
        if not words:
            return played
        return msgspec.structs.replace(played, status="parked", note=words, reason=FLAGS)

    def _header(self, place: RunJob) -> RolloutHeader:
        job = place.job
        return RolloutHeader(
            place.rollout_id,
            job.project.title,
            self._clock(),
            self._seed,
            job.source,
            job.record,
        )

    def _finish(self, place: RunJob, played: Played) -> Done:
        job, taken_up = place.job, place.taken_up
        trajectory = Trajectory(played.steps)
        projects = (job.project,) if taken_up is None else taken_up.saved.projects
        subject = Subject(trajectory, projects, seed=self._seed, row=job.record or 0)
        records = complete_turns(subject)
        whole = played.status == "ended" and records.count == records.turns
        words, reason = played.note, played.reason
        stop = trajectory.stop
        if stop is not None and played.status == "ended":
            reason = stop.reason
        if not whole and not words:
            words = f"turn {records.turns} has no final reply ({reason or 'no stop'})"
        dollars, tokens = took(played.steps)
        return Done(
            job,
            place.rollout_id,
            records,
            whole,
            words,
            played.status == "parked",
            played.said,
            status=played.status,
            reason=reason,
            before=taken_up is not None and taken_up.so_far is None,
            dollars=dollars,
            tokens=tokens,
        )


def _has_come(task: asyncio.Task[_Came]) -> bool:
    return not task.cancelled() and task.exception() is None


def _before(first: RunJob, rest: Iterator[RunJob]) -> Iterator[RunJob]:
    yield first
    yield from rest
