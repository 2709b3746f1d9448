"""Views and projects for the tests of roles."""

from __future__ import annotations

from typing import Any

from rollstep.core.model.messages import Payload, ToolCall
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.steps import Role
from rollstep.core.model.view import View

PROJECT = Project(title="Refund", target=EchoTarget(), evaluator=HeuristicEvaluator())


def view(
    role: Role,
    *messages: Payload,
    turn: int = 0,
    max_turns: int = 10,
    take: int = 0,
    used: tuple[int, ...] = (),
    call: ToolCall | None = None,
    project: Project = PROJECT,
    **more: Any,
) -> View:
    """A view as the session makes them."""
    return View(role, project, messages, turn, max_turns, take, "seed", used, call=call, **more)
