"""What the project form is given and how it ends. Plain data; imports no Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rollstep.core.model.project import (
    EchoTarget,
    HumanEvaluator,
    Project,
)

Outcome = Literal["use", "draft", "closed"]


@dataclass(frozen=True)
class ProjectRequest:
    """``project`` to start from; ``draft`` is the body of what was typed before. ``folder`` is
    where files are saved unless another path is typed. ``note`` says what using it will do.
    """

    title: str
    project: Project
    draft: str = ""
    folder: str = "."
    note: str = ""


@dataclass(frozen=True)
class ProjectResult:
    """``use``: start with ``project``; ``path`` names its file if it was saved as YAML. ``draft``:
    left with text that is to be kept. ``closed``: left with nothing to keep (it may have been saved
    to ``path``).
    """

    outcome: Outcome
    project: Project | None = None
    path: str = ""
    draft: str = ""


def blank_project() -> Project:
    """A project to begin with: an echo for a target, and you play the user; no key is needed."""
    return Project("New project", EchoTarget(), HumanEvaluator(), goal="", opening=None)
