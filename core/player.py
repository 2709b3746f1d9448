"""Playing: walking recorded steps, asking roles at a leaf, running to a turn's end or the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .asking import Asker, Made
from .breaking import Breaks
from .clock import Clock
from .errors import NOT_RECORDED, RoleError, UsageError
from .events import Failed, Paused
from .model.marks import Score
from .model.messages import Stop
from .model.project import Project, StopRules
from .model.steps import Attempt, Step
from .playthrough import attempt_of, cancelled
from .rules.hits import Fired
from .rules.limits import Limits
from .rules.stepper import Action, Ask, Nobody, next_action, together
from .rules.stops import exchange_repeated, limit_stop
from .rules.views import PathState
from .writer import TreeWriter

if TYPE_CHECKING:
    from .budget import Forecast, RolloutBudget

_NO_LIMITS = StopRules()

_PATIENCE = 3.0
"""Seconds that somebody's object, which may swallow its cancelling, can hold up the end."""


class Player:
    """Makes a rollout go on. One step at a time: a second asking is refused."""

    def __init__(
        self,
        writer: TreeWriter,
        asker: Asker,
        *,
        clock: Clock,
        seed: int,
        scores: Callable[[], Sequence[Score]] = tuple,
    ) -> None:
        self.attempts: list[Attempt] = []
        self.busy = False
        self.pause = False
        self._writer = writer
        self._asker = asker
        self._clock = clock
        self.seed = str(seed)
        self.breaks = Breaks(writer, scores)
        self._task: asyncio.Task[object] | None = None
        self._between = False
        self._budget: RolloutBudget | None = None

    def cancel(self) -> bool:
        """Cancel the call in flight; False when there is none."""
        return self._task is not None and self._task.cancel()

    async def end(self) -> None:
        """Cancel the call in flight and wait until nothing is left of its command; a run that goes
        through recorded steps ends with the next.
        """
        self.pause = True
        while self._between:
            await asyncio.sleep(0)
        task = self._task
        if task is not None and task.cancel():
            await asyncio.wait({task}, timeout=_PATIENCE)

    def must_be_idle(self) -> None:
        """Raise UsageError while a step is being made."""
        if self.busy:
            raise UsageError("A step is being made. Wait for it, or cancel it.")

    async def steps(
        self, parent: str | None, until: Callable[[Step], bool] | None = None
    ) -> AsyncIterator[Step]:
        """Step on from here until the end, a breakpoint, a limit, a pause, a step for which
        ``until`` holds, or the head is moved elsewhere.
        """
        self.pause = False
        while True:
            if fired := self.breaks.before(parent):
                if parent != self._writer.head:
                    self._writer.set_head(parent)  # as if it had been asked there
                self._stop_at(parent, fired)
                return
            made, error = await self._go_on(parent)
            fired = self.breaks.after(made)
            for step in made:
                yield step
            if error is not None:
                self._stop_at(step.id if made else parent, fired)
                raise error
            if not made:
                return
            await self._let_others()
            if self._is_over(step, fired, until is not None and any(map(until, made))):
                return
            parent = step.id

    async def _let_others(self) -> None:
        """Recorded steps and scripts wait for nothing: let a pause come in between."""
        self._between = True
        try:
            await asyncio.sleep(0)
        finally:
            self._between = False

    def ends_turn(self, step: Step) -> bool:
        """Whether the turn is over with this step."""
        return self._writer.state_at(step.id).position.due in ("evaluator", "nobody")

    async def step(self, parent: str | None) -> Step | None:
        """Walk to the recorded step that follows, or make one; None after a stop."""
        self.must_be_idle()
        writer = self._writer
        recorded = writer.recorded_next(parent)
        if recorded is not None:
            writer.set_head(recorded)
            return writer.rollout.steps[recorded]
        return await self.make_next(parent)

    async def _go_on(self, parent: str | None) -> tuple[Sequence[Step], RoleError | None]:
        """The next step, or all results of a reply whose calls may be asked for at once; and the
        failure of one of those.
        """
        writer = self._writer
        if writer.recorded_next(parent) is None:
            asks = together(writer.position(parent), writer.project)
            if asks:
                return await self._make_together(asks, parent)
        step = await self.step(parent)
        return (() if step is None else (step,)), None

    async def make_next(self, parent: str | None) -> Step | None:
        """Make the next step, whatever is recorded after this one; None after a stop."""
        writer = self._writer
        if parent != writer.head:
            writer.set_head(parent)
        state = writer.state_at(parent)
        action = next_action(state.position, writer.project)
        if isinstance(action, Nobody):
            return None
        if isinstance(action, Ask) and (words := await self.too_dear((action,), state, parent)):
            return self._not_asked(words, parent)
        return await self._make(action, state, parent)

    async def too_dear(
        self,
        asks: Sequence[Ask],
        state: PathState,
        parent: str | None,
        project: Project | None = None,
    ) -> str:
        """Why the project's budget forbids to ask this now, in words; empty where it does not, or
        where a human was told so here and asks again. ``project`` may be a variant.
        """
        project = project or self._writer.project
        if not Limits.of(project.stop).any or self._asker.cast.replaying is not None:
            return ""
        with self.being_busy():
            return await self._money().refusal_once(asks, state, project, parent)

    async def forecast(self, parent: str | None) -> Forecast | None:
        """What asking a model here would cost; None where none is asked. Asks nobody."""
        from .budget import Forecast

        writer = self._writer
        action = next_action(writer.position(parent), writer.project)
        if not isinstance(action, Ask):
            return None
        # A fold of its own where it is not the head's, whose fold makes stepping cheap.
        there = parent == writer.head
        path = writer.rollout.path(parent)
        state = writer.state_at(parent) if there else PathState.of(writer.project, path)
        money = self._money()
        found = await money.estimates((action,), state, writer.project)
        return Forecast(found[0], money.spending.now) if found else None

    def _money(self) -> RolloutBudget:
        """What the rollout has spent by now."""
        if self._budget is None:
            from .budget import RolloutBudget  # what offline projects never load

            self._budget = RolloutBudget()
        self._budget.count(self._writer.rollout.steps.values(), self.attempts)
        return self._budget

    def _not_asked(self, words: str, parent: str | None) -> Step | None:
        """Wait for a human in place of asking; or end the rollout, where the project says so."""
        writer = self._writer
        if writer.project.stop.on_limit == "stop":
            stop = writer.put_stop(limit_stop(words), parent)
            writer.save()
            return stop
        self._stop_at(parent, (), words)
        return None

    async def _make(self, action: Action, state: PathState, parent: str | None) -> Step:
        writer = self._writer
        project, revision = writer.project, writer.revision
        try:
            with self.being_busy():
                made = await self._asker.make(action, state, project, 0, self.seed, parent)
        except RoleError as error:
            assert isinstance(action, Ask)
            self.fail(error, action, parent)
            raise
        except asyncio.CancelledError:
            if isinstance(action, Ask):
                self.keep_arrived(self._asker.arrived, action, state, parent, project)
            raise
        step = writer.put_made(made, parent, revision=revision, late=writer.head != parent)
        writer.save()
        return step

    async def _make_together(
        self, asks: Sequence[Ask], parent: str | None
    ) -> tuple[Sequence[Step], RoleError | None]:
        self.must_be_idle()
        writer = self._writer
        if parent != writer.head:
            writer.set_head(parent)
        project, revision = writer.project, writer.revision
        state = writer.state_at(parent)
        if words := await self.too_dear(asks, state, parent):
            stop = self._not_asked(words, parent)
            return (() if stop is None else (stop,)), None
        steps: list[Step] = []
        failed: list[tuple[RoleError, Ask]] = []

        def receive(ask: Ask, outcome: Made | RoleError) -> None:
            if isinstance(outcome, RoleError):
                failed.append((outcome, ask))
                return
            last = steps[-1].id if steps else parent
            late = writer.head != last
            steps.append(writer.put_made(outcome, last, revision=revision, late=late))
            writer.save()

        def unfinished(ask: Ask, arrived: str) -> None:
            self.keep_arrived(arrived, ask, state, steps[-1].id if steps else parent, project)

        try:
            with self.being_busy():
                await self._asker.make_together(
                    asks, state, project, self.seed, parent, receive, unfinished
                )
        finally:
            for error, ask in failed:
                self.fail(error, ask, steps[-1].id if steps else parent)
        return steps, failed[0][0] if failed else None

    @contextmanager
    def being_busy(self) -> Iterator[None]:
        """Meanwhile nothing else is made, and ``cancel`` cancels the task that this runs in."""
        before = self.busy, self._task
        self.busy, self._task = True, asyncio.current_task()
        try:
            yield
        finally:
            self.busy, self._task = before

    def fail(self, error: RoleError, ask: Ask, parent: str | None) -> None:
        """Keep a failure, as an attempt; that nothing is recorded is none."""
        if error.kind == NOT_RECORDED:
            return
        attempt = attempt_of(error, ask, parent, self._writer.new_id(), self._clock())
        self.attempts.append(attempt)
        self._writer.journal.attempt(attempt)
        self._writer.emit(Failed(attempt))
        self._writer.save()

    def keep_arrived(
        self, arrived: str, ask: Ask, state: PathState, parent: str | None, project: Project
    ) -> None:
        """A call was cancelled: what had come of its answer is kept, for a human to go on from,
        and counted.
        """
        if arrived:
            from .estimating import used_when_cancelled  # what offline projects never load

            error = cancelled(arrived)
            view = state.view(ask, project)
            error.usage, error.cost = used_when_cancelled(project, view, arrived)
            self.fail(error, ask, parent)

    def _is_over(self, step: Step, fired: Sequence[Fired], reached: bool) -> bool:
        """Whether the run ends with this step; all the reasons are told. ``reached``: it was to go
        no further.
        """
        writer = self._writer
        if writer.head != step.id or isinstance(step.payload, Stop) or reached:
            self._stop_at(step.id, fired)
            return True
        limit = self._limit_at(step.id)
        if limit and writer.project.stop.on_limit == "stop":
            if not self.pause:
                stop = writer.put_stop(limit_stop(limit), step.id)
                writer.save()
                self._stop_at(stop.id, [*fired, *self.breaks.after((stop,))])
                return True
            limit = ""  # it holds still when the human goes on
        if not fired and not limit and not self.pause:
            return False
        self._stop_at(step.id, fired, limit, "paused by you" if self.pause else "")
        return True

    def _limit_at(self, step_id: str) -> str:
        """Which limit the path to this step has reached, in words."""
        writer = self._writer
        project = writer.project
        if project.stop == _NO_LIMITS or writer.recorded_next(step_id) is not None:
            return ""
        if Limits.of(project.stop).any:
            money = self._money()
            if words := money.reached(project):
                money.has_told(step_id)
                return words
        return exchange_repeated(writer.state_at(step_id), project)

    def _is_stop(self, at: str | None) -> bool:
        return at is not None and isinstance(self._writer.rollout.steps[at].payload, Stop)

    def _stop_at(
        self, at: str | None, fired: Sequence[Fired], limit: str = "", pause: str = ""
    ) -> None:
        """Say what ended the run, and keep it where the rollout waits for a human."""
        writer = self._writer
        waits = [*(each.words for each in fired), *([limit] if limit else [])]
        if not waits and not pause:
            return
        at_leaf = writer.head == at and writer.recorded_next(at) is None
        if waits and at_leaf and not self._is_stop(at):
            writer.set_status("parked", "; ".join(waits))
        self.breaks.used_up(fired)
        writer.emit(Paused("; ".join([*waits, pause] if pause else waits)))
        writer.save()
