"""Small rollouts for the tests of the store."""

from __future__ import annotations

from rollstep.core.model.messages import Payload, Stop, target_reply, user_message
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Origin, Step, role_of
from rollstep.core.store.change import Change

PROJECT = Project("Refund a damaged blender", EchoTarget(), HeuristicEvaluator())


def step(
    step_id: str, parent: str | None, payload: Payload | str, origin: Origin = "script"
) -> Step:
    if isinstance(payload, str):
        payload = user_message(payload)
    return Step(step_id, parent, role_of(payload), payload, origin)


def conversation(turns: int, prefix: str = "s", stop: str = "") -> tuple[Step, ...]:
    """So many turns of a message and a reply, each step under the one before."""
    steps: list[Step] = []
    payloads: list[Payload] = []
    for turn in range(turns):
        payloads += [user_message(f"question {turn}"), target_reply(f"answer {turn}")]
    if stop:
        payloads.append(Stop(stop, "rule"))
    for number, payload in enumerate(payloads):
        steps.append(step(f"{prefix}{number}", steps[-1].id if steps else None, payload))
    return tuple(steps)


def first(rollout_id: str, steps: tuple[Step, ...] = (), **more: object) -> Change:
    """The change that makes a rollout."""
    header = RolloutHeader(rollout_id, f"title of {rollout_id}")
    return Change(rollout_id, header, (PROJECT,), steps, **more)  # type: ignore[arg-type]
