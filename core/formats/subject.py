"""What an export is made from: one trajectory and what goes with it."""

from __future__ import annotations

import msgspec

from ..model.debugging import Breakpoint
from ..model.marks import Mark, Score, Silence
from ..model.project import Project
from ..model.rollout import Branch, Rollout, Trajectory
from ..model.steps import Step
from .options import WriteOptions


class Subject(msgspec.Struct, frozen=True):
    """One trajectory with all that a format may want to know of it.

    ``projects`` are the project's revisions, which ``Step.revision`` indexes. ``seed`` is the run's
    seed and ``row`` the project's record in its source, from 0; derived ids depend on both.
    ``options`` are the choices of the person who exports. ``rollout`` is the tree that the
    trajectory is a path of, where a format looks at other takes. ``format`` and ``extra`` are those
    of the rollout's header: the format it was read as, and what else its record held.
    ``branch`` is what tells it from the rollout's other branches, empty where there are none.
    ``later`` counts the steps of the branch that were cut off ("up to here"), ``branches`` the
    rollout's other leaves, ``attempts`` its failures. ``named`` are the branches that have a name,
    ``silences`` lie over what the linter finds, and ``breakpoints`` are the rollout's own, where
    they are not the project's: for formats that people read. ``as_it_is`` says that a file is only
    checked: nothing is done to it so that a trainer takes it.
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
    options: WriteOptions = WriteOptions()
    rollout: Rollout | None = None
    title: str = ""
    format: str = ""
    extra: str = ""
    named: tuple[Branch, ...] = ()
    silences: tuple[Silence, ...] = ()
    breakpoints: tuple[Breakpoint, ...] | None = None
    branch: str = ""
    as_it_is: bool = False

    @property
    def heading(self) -> str:
        """The title, and which branch it is: for formats that people read."""
        title = self.title or self.project.title
        return f"{title} › {self.branch}" if self.branch else title

    @property
    def project(self) -> Project:
        """The revision that the trajectory's last step was made from."""
        steps = self.trajectory.steps
        return self.project_of(steps[-1]) if steps else self.projects[-1]

    def project_of(self, step: Step) -> Project:
        """The revision that this step was made from."""
        return self.projects[step.revision]
