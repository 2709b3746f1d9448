"""What is compared: a path of this rollout or of another, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from rollstep.core.model.edited import is_edit
from rollstep.core.model.project import Project
from rollstep.core.model.rollout import Branch, Rollout
from rollstep.core.model.steps import Step
from rollstep.core.rules.branches import branch_name
from rollstep.core.rules.compare import Comparison, Summary, compare
from rollstep.core.rules.limits import in_dollars

from ..commands.progress import counted
from ..sanitize import one_line
from ..stepview import stop_title


class Subject(NamedTuple):
    """One side: the path to ``leaf`` in a rollout, and what it is called."""

    rollout: Rollout
    leaf: str | None
    branch: str
    label: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The path."""
        return self.rollout.path(self.leaf)

    @property
    def project(self) -> Project:
        """The revision that the last step was made from."""
        if self.leaf is None:
            return self.rollout.projects[0]
        return self.rollout.project_of(self.rollout.steps[self.leaf])


def subject(rollout: Rollout, leaf: str | None, branches: Iterable[Branch]) -> Subject:
    """The path to ``leaf``, under the name of its branch."""
    return Subject(rollout, leaf, branch_name(rollout, leaf, branches))


def compare_subjects(left: Subject, right: Subject) -> Comparison:
    """The two paths aligned; edits are counted as each step's own project has the roles."""
    projects = {
        step.id: side.rollout.project_of(step)
        for side in (left, right)
        for step in side.steps
        if step.origin == "human"
    }

    def edited(step: Step) -> bool:
        return step.id in projects and is_edit(step, projects[step.id])

    return compare(left.steps, right.steps, edited)


def project_differences(left: Project, right: Project) -> tuple[str, ...]:
    """The fields of the project file in which two projects differ."""
    if left == right:
        return ()
    names = [field.name for field in msgspec.structs.fields(Project)]
    return tuple(name for name in names if getattr(left, name) != getattr(right, name))


def _price(summary: Summary) -> str:
    if not summary.unpriced:
        return in_dollars(summary.cost)
    return f"at least {in_dollars(summary.cost)}" if summary.cost else "price not known"


def summary_words(summary: Summary, *, brief: bool = False) -> str:
    """``24 steps, 7 turns; stop: max_turns, by rule; $0.0123, 1,204 tokens; 2 edits``; ``brief``
    without who stopped it.
    """
    pieces = [f"{counted(summary.steps, 'step')}, {counted(summary.turns, 'turn')}"]
    stop = summary.stop
    if stop is None:
        pieces.append("not ended")
    else:
        pieces.append(one_line(stop.reason) if brief else stop_title(stop))
    if summary.tokens or summary.cost:
        pieces.append(f"{_price(summary)}, {counted(summary.tokens, 'token')}")
    if summary.edits:
        pieces.append(counted(summary.edits, "edit"))
    return "; ".join(pieces)
