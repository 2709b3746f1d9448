"""Whether a project may run its own code headless: only when it was told so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.errors import InputError
from rollstep.core.model.project import Project
from rollstep.core.roles.registry import Roles, build_roles, needs_trust
from rollstep.core.workers.pool import Workers

if TYPE_CHECKING:
    from rollstep.core.workers.pacing import Pacing


def check_trust(projects: Iterable[tuple[Path, Project]], trusted: bool) -> None:
    """Raise InputError, before anything has run, for a project that needs a yes it did not get."""
    for path, project in projects:
        wants = needs_trust(project)
        if wants and not trusted:
            raise InputError(
                f"{path}: this project {' and '.join(wants)}. Look at it first; then allow it with "
                "--trust."
            )


def roles_maker(
    folder_of: Callable[[Project], Path], trusted: bool, pacing: Pacing | None = None
) -> tuple[Callable[[Project], Roles], Workers]:
    """What makes the roles of each project, and the child processes that they all share, with the
    pace at which all of them may ask.
    """
    workers = Workers(pacing=pacing)

    def make(project: Project) -> Roles:
        return build_roles(
            project, base_folder=folder_of(project), trusted=trusted, workers=workers
        )

    return make, workers
