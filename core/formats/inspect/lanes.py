"""The trajectories of one rollout as lanes: the first one, and branches that go off from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ...model.steps import Step
from ..subject import Subject

MAIN = "main"


class Lane(msgspec.Struct):
    """The steps of a trajectory that no lane before it has, behind the step ``after``; the branches
    that go off from it; ``content``, its events in a timeline, once they are made; and ``within``,
    the branch that it goes off from, if that is not the main lane.
    """

    id: str
    name: str
    subject: Subject
    after: str | None
    steps: list[Step]
    branches: list[Lane] = []
    content: list[dict[str, Any]] = []
    within: str | None = None


def lanes_of(subjects: Sequence[Subject]) -> Lane:
    """The lane of the first trajectory. Others become branches of the lane in which they go off."""
    named = {each.leaf_id: each.name for subject in subjects for each in subject.named}
    main = Lane(MAIN, MAIN, subjects[0], None, list(subjects[0].trajectory.steps), [], [])
    owner: dict[str | None, Lane] = {None: main, **{step.id: main for step in main.steps}}
    for number, subject in enumerate(subjects[1:], 1):
        steps = subject.trajectory.steps
        fresh = [step for step in steps if step.id not in owner]
        if not fresh:
            continue
        first = steps.index(fresh[0])
        after = steps[first - 1].id if first else None
        name = named.get(steps[-1].id) or f"branch {number}"
        within = None if owner[after] is main else owner[after].id
        lane = Lane(f"branch-{number}", name, subject, after, fresh, [], [], within)
        owner[after].branches.append(lane)
        owner.update({step.id: lane for step in fresh})
    return main


def span_of(lane: Lane) -> dict[str, Any]:
    """The lane as a span of a timeline."""
    found: dict[str, Any] = {
        "type": "span",
        "id": lane.id,
        "name": lane.name,
        "span_type": "agent" if lane.id == MAIN else "branch",
        "content": lane.content,
        "branches": [span_of(each) for each in lane.branches],
    }
    return found if lane.id == MAIN else {**found, "branched_from": anchor(lane.after)}


def anchor(step_id: str | None) -> str:
    """The name of the place behind a step, at which branches go off."""
    return f"after {step_id}" if step_id else "the beginning"
