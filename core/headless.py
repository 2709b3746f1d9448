"""One rollout played to its end with nobody watching: what a batch runs thousands of.

It asks the same table who acts, folds the same path state, and asks roles through the same asker as
a ``Session``, so that what was stepped is what the batch runs (a test holds the two against each
other). What serves a human is left out: recorded steps to walk, takes, commands to undo, watchers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .asking import Asker
from .clock import Clock
from .errors import RoleError
from .events import Event
from .ids import IdMaker
from .model.messages import Stop, TargetReply, UserMessage
from .model.project import Project, StopRules
from .model.rollout import RolloutHeader, Trajectory
from .model.steps import Attempt, Role, Step, role_of
from .roles.human import HumanNeeded
from .rules.stepper import Ask, Nobody, next_action
from .rules.stops import limit_reached, limit_stop
from .rules.views import PathState
from .store.change import Change

if TYPE_CHECKING:
    from .roles.registry import Roles

_NO_LIMITS = StopRules()


def _nobody_watches(event: Event) -> None:
    del event


class Headless:
    """A rollout that only grows at its end. ``status`` is ``open``, ``ended``, ``parked`` (a limit,
    or a human's move) or ``failed``, with ``status_note`` saying why in words.
    """

    def __init__(
        self,
        project: Project,
        roles: Callable[[Project], Roles],
        header: RolloutHeader,
        *,
        clock: Clock,
        new_id: IdMaker,
    ) -> None:
        self.project = project
        self.header = header
        self.steps: list[Step] = []
        self.attempts: list[Attempt] = []
        self.status = "open"
        self.status_note = ""
        self._asker = Asker(roles, _nobody_watches)
        self._clock = clock
        self._new_id = new_id
        self._requests: list[tuple[str, str]] = []
        self._steps_taken = 0
        self._attempts_taken = 0
        self._header_taken = False

    @property
    def trajectory(self) -> Trajectory:
        """The path so far."""
        return Trajectory(tuple(self.steps))

    async def play(self, after_step: Callable[[Headless], None] | None = None) -> None:
        """Play to the end, to a limit, to a human's move or to a failure; ``status`` tells which.

        ``after_step`` is called with each step before the next role is asked, so that no reply is
        ever paid for twice.
        """
        try:
            await self._play(after_step)
        except RoleError as error:
            self.status, self.status_note = "failed", str(error)
        except HumanNeeded as error:
            self.status, self.status_note = "parked", str(error)

    async def _play(self, after_step: Callable[[Headless], None] | None) -> None:
        project, new_id, clock, steps = self.project, self._new_id, self._clock, self.steps
        make = self._asker.make
        seed = str(self.header.seed)
        limited = project.stop != _NO_LIMITS
        state = PathState(project)
        parent: str | None = None
        while True:
            action = next_action(state.position, project)
            if isinstance(action, Nobody):
                self.status = "ended"
                return
            try:
                made = await make(action, state, project, 0, seed, parent)
            except RoleError as error:
                assert isinstance(action, Ask)
                self._fail(error, action, parent)
                raise
            payload = made.payload
            step_id = new_id()
            step = Step(
                step_id,
                parent,
                _ROLES.get(type(payload)) or role_of(payload),
                payload,
                made.origin,
                created_at=clock(),
                call=made.call,
                script_index=made.script_index,
                state=made.state,
            )
            steps.append(step)
            state.extend(step)
            if made.request is not None:
                self._requests.append(made.request)
            parent = step_id
            if after_step is not None:
                after_step(self)
            if limited and self._limit_holds(state, parent):
                return

    def _limit_holds(self, state: PathState, parent: str) -> bool:
        words = limit_reached(state, self.project)
        if not words:
            return False
        if self.project.stop.on_limit == "stop":
            stop = limit_stop(words)
            step = Step(
                self._new_id(), parent, role_of(stop), stop, "rule", created_at=self._clock()
            )
            self.steps.append(step)
            self.status = "ended"
        else:
            self.status, self.status_note = "parked", words
        return True

    def _fail(self, error: RoleError, action: Ask, parent: str | None) -> None:
        self.attempts.append(
            Attempt(
                self._new_id(),
                parent,
                action.role,
                error.kind,
                str(error),
                action.call.id if action.call else "",
                error.detail,
                error.partial,
                None,
                self._clock(),
            )
        )

    def take_change(self) -> Change:
        """What is new since the last time, for the library."""
        change = Change(
            self.header.id,
            None if self._header_taken else self.header,
            () if self._header_taken else (self.project,),
            tuple(self.steps[self._steps_taken :]),
            tuple(self._requests),
            tuple(self.attempts[self._attempts_taken :]),
            head=self.steps[-1].id if self.steps else "",
            status=self.status,
            status_note=self.status_note,
        )
        self._header_taken = True
        self._steps_taken = len(self.steps)
        self._attempts_taken = len(self.attempts)
        self._requests = []
        return change


_ROLES: dict[type, Role] = {
    UserMessage: "evaluator",
    TargetReply: "target",
    Stop: "evaluator",
}
"""``role_of`` for the payloads that a batch makes most, without its questions."""
