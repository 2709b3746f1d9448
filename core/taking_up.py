"""Rollouts of an earlier run, as the library holds them: which stand as they are, and which go on
from where.

What ended is done, whoever ended it. What waits for a human goes on waiting until a human has gone
on with it in the app; what failed, until somebody asks for it to be tried again. Everything else
goes on from its last saved step, so that no call that was saved is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

import msgspec

from .jobs import Job, never_waits
from .leases import Lease, Shelved, let_go, player_of, take
from .model.messages import Stop
from .model.project import Project
from .model.rollout import Rollout
from .model.steps import Step
from .playthrough import BREAKPOINT, BUDGET, HUMAN, LIMIT, OnBreak, Played, SoFar
from .roles.human import YOU_PLAY
from .rules.branches import opened_leaf
from .rules.hits import HOLDS
from .rules.limits import OF_THE_RUN
from .rules.parking import FLAG
from .store.change import Saved

if TYPE_CHECKING:
    from .runs import Run
    from .spending import Spent

FLAGS = "flags"
"""Why a rollout is parked that came to its stop, but with something odd on its path."""

LEFT, ELSEWHERE = "left", "played elsewhere"
"""How a rollout is told that another program plays: the run leaves it as it is."""

_BEGIN = ((OF_THE_RUN, BUDGET), (HOLDS, BREAKPOINT), (YOU_PLAY, HUMAN), (FLAG, FLAGS))
"""What parked a rollout, by how the words begin that are kept of it; what begins otherwise is a
limit of its own.
"""


class Loader(Shelved, Protocol):
    """The part of a library that rollouts come from."""

    def load(self, rollout_id: str) -> Saved:
        """The whole rollout. Raises InputError when it is not here."""
        ...


class TakenUp(msgspec.Struct, frozen=True):
    """A rollout of an earlier run. ``so_far`` is given where it goes on, played by ``project``;
    else ``played`` is how it stands.
    """

    saved: Saved
    tree: Rollout
    project: Project
    so_far: SoFar | None
    played: Played


class RunJob(msgspec.Struct, frozen=True):
    """A job and its place in a run; what is ``taken_up`` of an earlier one, if it was begun."""

    job: Job
    rollout_id: str
    taken_up: TakenUp | None = None

    @property
    def project(self) -> Project:
        """The project that is played: a human may have changed it meanwhile."""
        return self.taken_up.project if self.taken_up is not None else self.job.project

    @property
    def so_far(self) -> SoFar | None:
        """Where it goes on."""
        return self.taken_up.so_far if self.taken_up is not None else None

    @property
    def offline(self) -> bool:
        """Whether nothing of it waits for anything."""
        stands = self.taken_up is not None and self.so_far is None
        return stands or never_waits(self.project)


def take_up(saved: Saved, *, retry_failed: bool = False, on_break: OnBreak = "park") -> TakenUp:
    """What becomes of this rollout in the next run of the same command."""
    tree = saved.tree()
    path = tree.path(opened_leaf(tree, saved.head))
    ended = bool(path) and isinstance(path[-1].payload, Stop)
    status = "ended" if ended else saved.status
    reason = "" if ended else _reason(saved)
    played = Played(path, status, "" if ended else saved.status_note, reason=reason)
    project = saved.projects[-1]
    if saved.breakpoints is not None:
        project = msgspec.structs.replace(project, breakpoints=saved.breakpoints)
    so_far = None
    if not ended and _goes_on(status, reason, retry_failed, on_break):
        by_human = bool(saved.commands)
        revision = len(saved.projects) - 1
        so_far = SoFar(path, saved.steps, saved.attempts, revision, by_human)
    return TakenUp(saved, tree, project, so_far, played)


def found_again(
    library: Loader, job: Job, rollout_id: str, *, retry_failed: bool, on_break: OnBreak
) -> RunJob:
    """A job of which an earlier run has begun the rollout."""
    saved = library.load(rollout_id)
    taken_up = take_up(saved, retry_failed=retry_failed, on_break=on_break)
    if taken_up.project == job.project:  # whose file is known
        taken_up = msgspec.structs.replace(taken_up, project=job.project)
    return RunJob(job, rollout_id, taken_up)


def left_to_others(library: Loader, place: RunJob) -> Played | None:
    """How a rollout that would go on stands, where another program plays it; None for nobody."""
    other = player_of(library, place.rollout_id) if place.so_far is not None else None
    return None if other is None else _left(place, other)


def taken(library: Loader, place: RunJob, again: Callable[[Job, str], RunJob]) -> RunJob | Played:
    """Take a rollout that goes on from others, and look anew how it stands: it has waited its turn,
    and somebody may have gone on with it meanwhile. How it stands, where it cannot be had.
    """
    other = take(library, place.rollout_id, "run")
    if other is not None:
        return _left(place, other)
    place = again(place.job, place.rollout_id)
    if place.so_far is None:
        let_go(library, place.rollout_id)
    return place


def _left(place: RunJob, other: Lease) -> Played:
    path = place.so_far.path if place.so_far is not None else ()
    return Played(path, LEFT, f"left as it is: {other.words}", reason=ELSEWHERE)


def spent_before(library: Loader, run: Run, rollouts: int) -> Spent:
    """What the rollouts of a run have cost before it goes on: its budget counts that."""
    from .spending import Spending

    spending = Spending()
    for place in range(rollouts):
        if (found := run.holds(place)) is not None:
            saved = library.load(found)
            for step in saved.steps:
                spending.add_step(step)
            for attempt in saved.attempts:
                spending.add_attempt(attempt)
    return spending.now


def took(steps: Iterable[Step]) -> tuple[float, int]:
    """Dollars and tokens of the calls that made these steps."""
    dollars, tokens = 0.0, 0
    for step in steps:
        if step.call is not None and step.copied_from is None:
            dollars += step.call.cost or 0.0
            tokens += step.call.usage.tokens
    return dollars, tokens


def _goes_on(status: str, reason: str, retry_failed: bool, on_break: OnBreak) -> bool:
    if status == "failed":
        return retry_failed
    if status != "parked":
        return True
    return reason == BUDGET or (reason == BREAKPOINT and on_break != "park")


def _reason(saved: Saved) -> str:
    """What parked or failed it, in the words that ``Played`` has for it."""
    if saved.status == "failed":
        return saved.attempts[-1].kind if saved.attempts else "failed"
    found = (reason for words, reason in _BEGIN if saved.status_note.startswith(words))
    return next(found, LIMIT) if saved.status == "parked" else ""
