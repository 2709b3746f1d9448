"""What counts as a human's edit: one rule for the screen, the ledger and the library's counts."""

from __future__ import annotations

from .project import HumanEvaluator, HumanSimulator, HumanTarget, Project
from .steps import Role, Step


def is_edit(step: Step, project: Project | None) -> bool:
    """Whether a human changed the play here: a step in the place of another, a fault put in by
    hand, or a step written where somebody else plays. What a human's own role says is no edit, and
    neither is a copy of one.

    ``project`` is the revision that the step was made from. It is looked at only for a step that
    replaces nothing; None (it is not known) has somebody else play there.
    """
    if step.origin != "human" or step.copied_from is not None:
        return False
    if step.replaces is not None or step.injected:
        return True
    return project is None or not played_by_human(project, step.role)


def played_by_human(project: Project, role: Role) -> bool:
    """Whether the project has a human play this role."""
    spec: object = project.tool_simulator
    if role != "tool":
        spec = project.evaluator if role == "evaluator" else project.target
    return isinstance(spec, HumanEvaluator | HumanTarget | HumanSimulator)
