"""What a batch saves of its rollouts: offline ones whole, those that cost something by steps."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from .jobs import Job
from .leases import RENEWED, own_lease
from .model.rollout import RolloutHeader
from .model.steps import Step
from .playthrough import Played
from .store.change import Change
from .taking_up import LEFT, RunJob


def whole_change(job: Job, header: RolloutHeader, played: Played) -> Change:
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


def first_change(place: RunJob, header_of: Callable[[RunJob], RolloutHeader]) -> Change:
    """That a rollout begins, or goes on, and that this program plays it."""
    if place.taken_up is not None:  # and taken already
        return Change(place.rollout_id, status="open")
    header = header_of(place)
    player = msgspec.json.encode(own_lease("run"))
    return Change(header.id, header, (place.job.project,), status="open", player=player)


class StepChanges:
    """The changes that save the steps of a rollout as they come. Now and then they say anew that
    this program plays it.
    """

    def __init__(self, rollout_id: str) -> None:
        self._rollout_id = rollout_id
        self._said = time.monotonic()

    def of(self, step: Step, request: tuple[str, str] | None) -> Change:
        """A step, and the request that it answers."""
        requests = (request,) if request is not None else ()
        return Change(
            self._rollout_id, steps=(step,), requests=requests, head=step.id, player=self._player()
        )

    def _player(self) -> bytes | None:
        now = time.monotonic()
        if now - self._said < RENEWED:
            return None
        self._said = now
        return msgspec.json.encode(own_lease("run"))


def last_change(rollout_id: str, played: Played) -> Change:
    """How a rollout whose steps are saved came out; nobody plays it any more."""
    return Change(
        rollout_id,
        attempts=played.attempts,
        status=played.status,
        status_note=played.note,
        player=b"",
    )


def news_of(place: RunJob, played: Played) -> Change | None:
    """What of a rollout of an earlier run is to be saved, as one change; None for nothing."""
    assert place.taken_up is not None
    saved = place.taken_up.saved
    same = played.status == saved.status and played.note == saved.status_note
    if same or played.status == LEFT:
        return None
    known = {step.id for step in saved.steps}
    new = tuple(step for step in played.steps if step.id not in known)
    return Change(
        place.rollout_id,
        steps=new,
        attempts=played.attempts,
        head=new[-1].id if new else None,
        status=played.status,
        status_note=played.note,
    )
