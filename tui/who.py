"""Who plays a role, in the few words that a status line has room for."""

from __future__ import annotations

from rollstep.core.model.players import ROLE_NAMES, spec_of
from rollstep.core.model.project import Project
from rollstep.core.model.steps import Role, Step

from .sanitize import one_line

LANES = ("Evaluator", "Target", "Tool simulator")
LETTERS = {"evaluator": "E", "target": "T", "tool": "S"}
NAMES = ROLE_NAMES
ANSWERS: dict[str, str] = {
    "evaluator": "evaluator's message",
    "target": "target's reply",
    "tool": "tool result",
}

_KINDS = {
    "scripted": "script",
    "heuristic": "heuristic",
    "echo": "echo",
    "human": "you",
    "rules": "rules",
}


def kind_of(project: Project, role: Role) -> str:
    """``llm``, ``scripted``, ``human``, …; empty where nobody plays the role."""
    spec = spec_of(project, role)
    return str(getattr(spec, "__struct_config__").tag) if spec is not None else ""  # noqa: B009


def who(project: Project, role: Role) -> str:
    """The model, the kind, or the object that plays a role."""
    spec = spec_of(project, role)
    if spec is None:
        return "nobody"
    kind = kind_of(project, role)
    if kind == "llm":
        return one_line(str(getattr(spec, "model", "model"))).rsplit("/", 1)[-1]
    if kind == "python":
        return one_line(str(getattr(spec, "object", "python")))
    return _KINDS.get(kind, kind)


def made_by(step: Step) -> str:
    """Who made a step, for the inspector."""
    if step.origin == "human":
        name = f"by hand, {one_line(step.author)}" if step.author else "by hand"
    elif step.origin == "model" and step.call is not None:
        name = f"by {one_line(step.call.model)}"
    else:
        opening = step.parent_id is None and step.role == "evaluator"
        name = {
            "model": "by its role",
            "script": _by_script(opening, step.injected),
            "import": "imported",
            "rule": "by rule",
        }[step.origin]
    return f"copied, {name}" if step.copied_from else name


def _by_script(opening: bool, injected: str) -> str:
    if injected:
        return "by a fault rule of the project"
    return "the project's opening" if opening else "by the script"
