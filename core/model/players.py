"""Who plays a role, as the project says: what is asked of it everywhere alike."""

from __future__ import annotations

from .project import (
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    PythonEvaluator,
    PythonSimulator,
    PythonTarget,
)
from .steps import Role

ROLE_NAMES: dict[Role, str] = {
    "evaluator": "evaluator",
    "target": "target",
    "tool": "tool simulator",
}

_MODELS = LlmEvaluator | LlmTarget | LlmSimulator
_CODE = PythonEvaluator | PythonTarget | PythonSimulator


def spec_of(project: Project, role: Role) -> object | None:
    """The project's description of who plays a role; None where nobody does."""
    if role == "evaluator":
        return project.evaluator
    return project.target if role == "target" else project.tool_simulator


def is_live(project: Project, role: Role) -> bool:
    """Whether a model plays the role: asking it costs what can be reckoned."""
    return isinstance(spec_of(project, role), _MODELS)


def may_cost(project: Project, role: Role) -> bool:
    """Whether asking the role may cost something: a model, or code, which may ask one."""
    return isinstance(spec_of(project, role), _MODELS | _CODE)
