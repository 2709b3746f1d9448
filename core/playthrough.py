"""Playing a project from its start to its end with nobody watching: what a batch does.

The same table, views, roles and stop rules as stepping, without what only a human needs: a tree
with alternatives, commands to undo, events. ``tests/core/test_playthrough.py`` holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from .asking import Made, make, make_together
from .clock import Clock, wall_clock
from .errors import RoleError
from .ids import IdMaker
from .model.project import Project, StopRules
from .model.steps import Attempt, Step, role_of
from .roles.human import HumanNeeded
from .roles.protocols import no_stream
from .rules.stepper import Ask, Nobody, next_action, together
from .rules.stops import limit_reached, limit_stop
from .rules.views import PathState

if TYPE_CHECKING:
    from .roles.registry import Roles

T = TypeVar("T")

Each = Callable[[Step, tuple[str, str] | None], None]
"""Takes a step, and the digest and body of the request that it answers."""

_NO_LIMITS = StopRules()


class Played(msgspec.Struct, frozen=True):
    """One rollout from start to end. ``status`` is ``ended``, ``parked`` (a limit, or a human's
    move) or ``failed``; ``note`` says why. ``requests`` maps digests to what was sent.
    """

    steps: tuple[Step, ...]
    status: str
    note: str = ""
    attempts: tuple[Attempt, ...] = ()
    requests: tuple[tuple[str, str], ...] = ()


async def play_through(
    project: Project,
    roles: Roles,
    *,
    seed: str,
    new_id: IdMaker,
    clock: Clock = wall_clock,
    each: Each | None = None,
) -> Played:
    """Play until a stop, a limit, a human's move, or a failure. Raises nothing of a role's.

    ``each`` is called with every step before the next role is asked, to save what was paid for.
    Of calls that are asked for at once, the results that came are kept when another fails.
    """
    state = PathState(project)
    has_limits = project.stop != _NO_LIMITS
    steps: list[Step] = []
    requests: list[tuple[str, str]] = []
    failed: list[tuple[RoleError, Ask]] = []

    def put(made: Made) -> None:
        payload = made.payload
        step = Step(
            new_id(),
            state.leaf_id,
            role_of(payload),
            payload,
            made.origin,
            created_at=clock(),
            call=made.call,
            script_index=made.script_index,
            state=made.state,
            injected=made.injected,
        )
        steps.append(step)
        state.extend(step)
        if made.request is not None:
            requests.append(made.request)
        if each is not None:
            each(step, made.request)

    def receive(ask: Ask, outcome: Made | RoleError) -> None:
        if isinstance(outcome, RoleError):
            failed.append((outcome, ask))
        else:
            put(outcome)

    def played(status: str, note: str = "") -> Played:
        attempts = [attempt_of(e, ask, state.leaf_id, new_id(), clock()) for e, ask in failed]
        return Played(tuple(steps), status, note, tuple(attempts), tuple(requests))

    while True:
        action = next_action(state.position, project)
        if isinstance(action, Nobody):
            return played("ended")
        try:
            if state.position.open_calls and (asks := together(state.position, project)):
                await make_together(asks, state, project, roles, seed, receive)
            else:
                put(await make(action, state, project, roles, 0, seed, no_stream))
        except HumanNeeded as needed:
            return played("parked", str(needed))
        except RoleError as error:
            assert isinstance(action, Ask)
            failed.append((error, action))
        if failed:
            return played("failed", str(failed[0][0]))
        if not has_limits or state.position.due == "nobody":
            continue
        if words := limit_reached(state, project):
            if project.stop.on_limit == "pause":
                return played("parked", words)
            put(Made(limit_stop(words), "rule"))


def attempt_of(
    error: RoleError, action: Ask, parent_id: str | None, attempt_id: str, now: float
) -> Attempt:
    """A role's failure as an attempt under the step that it tried to follow."""
    return Attempt(
        attempt_id,
        parent_id,
        action.role,
        error.kind,
        str(error),
        action.call.id if action.call else "",
        error.detail,
        error.partial,
        None,
        now,
    )


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never truly waits (offline roles do not) without an event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("an offline role waited for something")
