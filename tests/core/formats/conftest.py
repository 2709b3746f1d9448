"""Subjects to export, made by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rollstep.core.formats.subject import Subject
from rollstep.core.model.messages import Payload
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import Trajectory
from rollstep.core.model.steps import Step, role_of

MakeSubject = Callable[..., Subject]


def make_project(**fields: Any) -> Project:
    given: dict[str, Any] = {
        "title": "Refund a blender",
        "goal": "The customer gets a refund.",
        "target": EchoTarget(system="Be kind."),
        "evaluator": HeuristicEvaluator(),
        "opening": "Hi.",
    }
    return Project(**{**given, **fields})


def make_subject(
    *payloads: Payload | tuple[Payload, dict[str, Any]],
    project: Project | None = None,
    **fields: Any,
) -> Subject:
    """A subject whose steps carry these payloads, each alone or with more fields of its step."""
    steps = []
    parent = None
    for number, given in enumerate(payloads, 1):
        payload, more = given if isinstance(given, tuple) else (given, {})
        step = Step(
            f"s{number}",
            parent,
            role_of(payload),
            payload,
            more.pop("origin", "script"),
            seq=number,
            **more,
        )
        steps.append(step)
        parent = step.id
    return Subject(Trajectory(tuple(steps)), (project or make_project(),), **fields)


@pytest.fixture
def subject() -> MakeSubject:
    return make_subject
