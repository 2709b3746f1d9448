"""What an export is made from: one trajectory and what goes with it."""

from __future__ import annotations

import msgspec

from ..model.marks import Mark, Score
from ..model.project import Project
from ..model.rollout import Trajectory
from ..model.steps import Step


class Subject(msgspec.Struct, frozen=True):
    """One trajectory with all that a format may want to know of it.

    ``projects`` are the project's revisions, which ``Step.revision`` indexes. ``seed`` is the run's
    seed and ``row`` the place of the project in that run, from 0; derived ids depend on both.
    ``later`` counts the steps of the branch that were cut off ("up to here"), ``branches`` the
    rollout's other leaves, ``attempts`` its failures.
    """

    trajectory: Trajectory
    projects: tuple[Project, ...]
    rollout_id: str = ""
    seed: int = 0
    row: int = 0
    marks: tuple[Mark, ...] = ()
    scores: tuple[Score, ...] = ()
    later: int = 0
    branches: int = 0
    attempts: int = 0

    @property
    def project(self) -> Project:
        """The revision that the trajectory's last step was made from."""
        steps = self.trajectory.steps
        return self.project_of(steps[-1]) if steps else self.projects[-1]

    def project_of(self, step: Step) -> Project:
        """The revision that this step was made from."""
        return self.projects[step.revision]


def step_number(step: Step, position: int) -> int:
    """The number that people see: the step's own, or its place in the path (from 0) plus one."""
    return step.seq or position + 1
