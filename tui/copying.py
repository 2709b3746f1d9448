"""A copy of a rollout's beginning as a rollout of its own; runs on the engine's thread."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec.structs import replace
from rollstep.core.errors import UsageError
from rollstep.core.ids import random_rollout_id, random_step_ids
from rollstep.core.model.project import Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Step
from rollstep.core.store.change import Saved
from rollstep.core.store.importing import import_rollout

if TYPE_CHECKING:
    from rollstep.core.engine import Engine
    from rollstep.core.session import Session


async def open_copy(engine: Engine, project: Project, up_to: str | None, source: str) -> Session:
    """A new rollout of ``project`` with the steps up to ``up_to`` of the open one. They keep who
    made them and what it cost is kept with them; what they were sent stays in the library.
    """
    session, library = engine.session, engine.library
    if session is None or up_to is None:
        return await engine.open_project(project, source=source)
    if library is None:
        raise UsageError("A copy is kept in a library; there is none.")
    old = session.rollout
    steps = copied_steps(old.path(up_to))
    projects = list(old.projects)
    if project != projects[-1]:
        projects.append(project)
    header = RolloutHeader(
        random_rollout_id(), project.title, time.time(), old.header.seed, source or old.header.id
    )
    saved = Saved(header, tuple(projects), steps, head=steps[-1].id)
    import_rollout(saved, {}, library)
    return await engine.open_rollout(header.id)


def copied_steps(path: tuple[Step, ...]) -> tuple[Step, ...]:
    """The same steps with ids of their own, in a row."""
    new_id = random_step_ids()
    steps: list[Step] = []
    for number, step in enumerate(path, 1):
        parent = steps[-1].id if steps else None
        steps.append(replace(step, id=new_id(), parent_id=parent, seq=number, replaces=None))
    return tuple(steps)
