"""Playing a project from its start to its end with nobody watching: what a batch does.

The same table, views, roles and stop rules as stepping, without what only a human needs: a tree
with alternatives, commands to undo, events. ``tests/core/test_playthrough.py`` holds the two equal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from .asking import OFFLINE, Made, make, make_together
from .clock import Clock, wall_clock
from .errors import RoleError
from .ids import IdMaker
from .model.failures import kept
from .model.messages import Stop
from .model.project import Project, StopRules
from .model.steps import Attempt, Step, role_of
from .roles.human import HumanNeeded
from .roles.protocols import no_stream
from .rules.hits import Fired, Hits
from .rules.limits import Limits
from .rules.stepper import Ask, Nobody, next_action, together
from .rules.stops import exchange_repeated, limit_stop
from .rules.views import PathState

if TYPE_CHECKING:
    from .budget import RolloutBudget, RunBudget
    from .roles.registry import Roles
    from .rules.breakpoints import BreakpointSet
    from .rules.watch import Watch

T = TypeVar("T")

Each = Callable[[Step, tuple[str, str] | None], Awaitable[None] | None]
"""Takes a step, and the digest and body of the request that it answers. What it gives back is
waited for before a role is asked that could be paid for.
"""

_NO_LIMITS = StopRules()

OnBreak = Literal["park", "stop", "ignore"]
"""What a breakpoint does where nobody watches: the rollout waits in the library for a human, it is
ended by a stop, or it goes on.
"""

BREAKPOINT = "breakpoint"
"""The reason of a stop that a breakpoint makes, and of being parked at one."""

HUMAN = "your move"
"""Why a rollout is parked whose next step a human plays."""

LIMIT = "limit"
BUDGET = "budget"
"""Why a rollout is parked: a limit of its project, or what the whole run may spend."""


class Played(msgspec.Struct, frozen=True):
    """One rollout from start to end. ``status`` is ``ended``, ``parked`` (a limit, a breakpoint, or
    a human's move) or ``failed``; ``note`` says why. ``said`` is what breakpoints said of one that
    ended there. ``requests`` maps digests to what was sent.
    """

    steps: tuple[Step, ...]
    status: str
    note: str = ""
    said: str = ""
    attempts: tuple[Attempt, ...] = ()
    requests: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    """What parked it, in a word that is the same for all such rollouts, or the kind of its failure.
    """


class SoFar(msgspec.Struct, frozen=True):
    """A rollout that was begun before, and goes on: the path to its last step, and all steps and
    attempts that were paid for in it. New steps carry the ``revision`` of its project. Where a
    human has had a hand in it, what stopped it at its last step does not stop it there again.
    """

    path: tuple[Step, ...]
    steps: tuple[Step, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    revision: int = 0
    by_human: bool = False


async def play_through(
    project: Project,
    roles: Roles,
    *,
    seed: str,
    new_id: IdMaker,
    clock: Clock = wall_clock,
    each: Each | None = None,
    on_break: OnBreak = "park",
    budget: RunBudget | None = None,
    so_far: SoFar | None = None,
) -> Played:
    """Play until a stop, a limit, a breakpoint, a human's move, or a failure. Raises nothing of a
    role's; UsageError for a breakpoint that cannot be asked.

    ``each`` is called with every step before the next role is asked, to save what was paid for; a
    role that answers by a script or a table does not wait for that.
    Of calls that are asked for at once, the results that came are kept when another fails.
    ``budget`` is what the whole run may spend; a call that neither it nor the project's own limits
    allow is not made. ``so_far`` is what there is already: nothing of it is asked anew.
    """
    state = PathState(project)
    has_limits = project.stop != _NO_LIMITS
    steps: list[Step] = []
    requests: list[tuple[str, str]] = []
    failed: list[tuple[RoleError, Ask]] = []
    said: list[str] = []
    watch = _watch(project) if project.breakpoints and on_break != "ignore" else None
    asks_before = watch is not None and watch.breaks.any_before
    money = _money(project, budget)
    revision = 0 if so_far is None else so_far.revision
    saving: Awaitable[None] | None = None

    def put(made: Made) -> None:
        nonlocal saving
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
            revision=revision,
        )
        steps.append(step)
        state.extend(step)
        if money is not None:
            money.spending.add_step(step)
        if made.request is not None:
            requests.append(made.request)
        if each is not None:
            saving = each(step, made.request)
        if watch is not None and (fired := watch.after(step, state)):
            said.extend(one.words for one in fired)

    def receive(ask: Ask, outcome: Made | RoleError) -> None:
        if isinstance(outcome, RoleError):
            failed.append((outcome, ask))
        else:
            put(outcome)

    def played(status: str, note: str = "", reason: str = "") -> Played:
        attempts = [attempt_of(e, ask, state.leaf_id, new_id(), clock()) for e, ask in failed]
        words = "; ".join(said) if status == "ended" else ""
        return Played(tuple(steps), status, note, words, tuple(attempts), tuple(requests), reason)

    def take_up(before: SoFar) -> None:
        fired: Sequence[Fired] = ()
        for step in before.path:
            steps.append(step)
            state.extend(step)
            if watch is not None:
                fired = watch.after(step, state)
        if not before.by_human:
            said.extend(one.words for one in fired)
        if money is not None:
            money.count(before.steps, before.attempts)

    def halted() -> Played | None:
        """What a limit or a breakpoint makes of the step that was put last."""
        limit = money.reached(project) if money is not None else ""
        limit = limit or (exchange_repeated(state, project) if has_limits else "")
        if limit and project.stop.on_limit == "stop":
            put(Made(limit_stop(limit), "rule"))
        elif limit or said:
            words = "; ".join([*said, limit] if limit else said)
            if not said or on_break == "park":
                return played("parked", words, BREAKPOINT if said else LIMIT)
            put(Made(Stop(BREAKPOINT, "rule", words), "rule"))
        return None

    let_by = so_far is not None and so_far.by_human
    if so_far is not None:
        take_up(so_far)
        watched = said or (has_limits and not let_by)
        if watched and state.position.due != "nobody" and (stopped := halted()) is not None:
            return stopped
    while True:
        action = next_action(state.position, project)
        if isinstance(action, Nobody):
            return played("ended")
        asks = together(state.position, project) if state.position.open_calls else ()
        if asks_before and not let_by and watch is not None and isinstance(action, Ask):
            last = steps[-1] if steps else None
            said.extend(one.words for one in watch.before(asks or (action,), state, last))
        let_by = False
        if not said:
            if saving is not None and isinstance(action, Ask) and _may_wait(roles, action):
                await saving
                saving = None
            aside = None
            if money is not None and isinstance(action, Ask):
                aside = await money.reserve(asks or (action,), state, project)
                if aside.refused and aside.own and project.stop.on_limit == "stop":
                    put(Made(limit_stop(aside.refused), "rule"))
                    continue
                if aside.refused:
                    return played("parked", aside.refused, LIMIT if aside.own else BUDGET)
            try:
                if asks:
                    await make_together(asks, state, project, roles, seed, receive)
                else:
                    put(await make(action, state, project, roles, 0, seed, no_stream))
            except HumanNeeded as needed:
                return played("parked", str(needed), HUMAN)
            except RoleError as error:
                assert isinstance(action, Ask)
                failed.append((error, action))
            finally:
                if money is not None and aside is not None:
                    money.settle(aside, failed)
            if failed:
                return played("failed", str(failed[0][0]), failed[0][0].kind)
        if (has_limits or said) and state.position.due != "nobody":
            stopped = halted()
            if stopped is not None:
                return stopped


def _may_wait(roles: Roles, ask: Ask) -> bool:
    return roles.kind(ask.role) not in OFFLINE


def _money(project: Project, run: RunBudget | None) -> RolloutBudget | None:
    """What the rollout spends, where something limits it."""
    if run is None and not Limits.of(project.stop).any:
        return None
    from .budget import RolloutBudget

    return RolloutBudget(run)


def _watch(project: Project) -> Watch | None:
    """The eyes of the project's breakpoints on a path that begins; None where all are off."""
    compile_breakpoints, watch = _breakpoints()
    breaks = compile_breakpoints(project.breakpoints)
    return None if breaks is None else watch(breaks, project, Hits())


@cache
def _breakpoints() -> tuple[Callable[..., BreakpointSet | None], type[Watch]]:
    """What most rollouts never load. An import statement in place would take as long as ten steps,
    each time.
    """
    from .rules.breakpoints import compile_breakpoints
    from .rules.watch import Watch

    return compile_breakpoints, Watch


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
        error.cost,
        now,
        error.usage,
    )


def cancelled(arrived: str) -> RoleError:
    """What is kept of an answer that a human cancelled when a part of it had come."""
    words = f"Cancelled by you.{kept(len(arrived))}"
    return RoleError(words, kind="cancelled", partial=arrived)


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never truly waits (offline roles do not) without an event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("an offline role waited for something")
