"""The trajectory as one of its roles lived it: what it was told, and what it answered.

For the target that is the trajectory itself. The evaluator and the tool simulator are asked anew
for each answer, so each of their answers is a trajectory of its own: the messages of the request,
the role's own earlier ones among them, and the answer as the only reply to be trained on. Formats
know nothing of this: they are given a subject in which the role stands in the target's place.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..errors import RoleError
from ..formats.subject import Subject
from ..model.messages import Stop, ToolResult, UserMessage
from ..model.project import Project
from ..model.steps import Role, Step
from ..rules.stepper import Ask
from ..rules.views import PathState
from .answers import answer_of
from .asked import Asked, asked_of_view, parse_request
from .items import Requests
from .role_subject import role_subject, told_steps
from .seen import Seen

_replace = msgspec.structs.replace


def as_role(base: Subject, role: Role, requests: Requests) -> Iterator[Seen]:
    """The trajectory as this role, which is not the target, lived it: one for each answer."""
    assert base.rollout is not None
    steps = base.trajectory.steps
    state: PathState | None = None
    revision = -1
    for number, step in enumerate(steps, 1):
        project = base.project_of(step)
        if state is None or step.revision != revision:
            state, revision = PathState.of(project, steps[: number - 1]), step.revision
        if step.role == role and _is_answer(step, number, project):
            seen = _seen(base, role, number, state, requests)
            if seen is not None:
                yield seen
        state.extend(step)


def _is_answer(step: Step, number: int, project: Project) -> bool:
    """Whether a role said this because it was asked: the opening is sent, and a rule's stop is the
    rule's.
    """
    payload = step.payload
    if isinstance(payload, Stop):
        return payload.by != "rule"
    sent = step.origin == "script" and number == 1 and project.opening is not None
    return isinstance(payload, UserMessage | ToolResult) and not sent and not step.injected


def _seen(
    base: Subject, role: Role, number: int, state: PathState, requests: Requests
) -> Seen | None:
    step = base.trajectory.steps[number - 1]
    project = base.project_of(step)
    ask = _ask(role, step, state)
    if ask is None:
        return None
    view = state.view(ask, project, seed=str(base.seed))
    body = _stored(base, step, requests)
    asked = parse_request(body) if body is not None else None
    stored = asked is not None
    if asked is None:
        try:
            asked = asked_of_view(view)
        except RoleError:  # a prompt that cannot be rendered: nothing could have been asked
            return None
    told = told_steps(base, role, number, asked)

    def subject(asked: Asked) -> Subject:
        return role_subject(base, number, asked, lambda each: answer_of(each, asked, view))

    in_words = _replace(asked, tools=[], form="text")
    return Seen(
        subject(asked),
        base,
        (*told, (number,)),
        not stored,
        (lambda: subject(in_words)) if asked.free else None,
        {"role": role, "request": "stored" if stored else "reconstructed"},
    )


def _ask(role: Role, step: Step, state: PathState) -> Ask | None:
    """The question that this step answers; None for a result that answers no call."""
    position = state.position
    if role == "evaluator":
        return Ask(role, position.turns)
    assert isinstance(step.payload, ToolResult)
    call = state.call_of(step.payload.call_id)
    return None if call is None else Ask(role, max(position.turns - 1, 0), call)


def _stored(base: Subject, step: Step, requests: Requests) -> str | None:
    """The request of this step, or of what it replaced in the same place: a human's words stand
    where a model was asked. That of a copy was made from another path, and does not count.
    """
    assert base.rollout is not None
    made: Step | None = step
    walked: set[str] = set()
    while made is not None and made.call is None and made.replaces and made.id not in walked:
        walked.add(made.id)
        before = base.rollout.steps.get(made.replaces)
        made = before if before is not None and before.parent_id == step.parent_id else None
    if made is None or made.copied_from is not None or made.call is None or not made.call.request:
        return None
    return requests(made.call.request)
