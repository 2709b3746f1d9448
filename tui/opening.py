"""From what the human asked to open to an open session; runs on the engine's thread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rollstep.core.errors import InputError, UsageError
from rollstep.core.model.project import Project

if TYPE_CHECKING:
    from rollstep.core.engine import Engine
    from rollstep.core.session import Session

    from .target import OpenTarget


async def open_target(
    engine: Engine,
    target: OpenTarget,
    roles: Path | None = None,
    told: list[str] | None = None,
) -> Session:
    """Open the target; what is to be said of it is appended to ``told``. Raises a RollstepError
    that names what is wrong and where.
    """
    session = await _open(engine, target, roles, [] if told is None else told)
    if target.step is not None:
        await session.go_to(_step_of_link(session, target.step))
    return session


def _step_of_link(session: Session, number: int) -> str:
    rollout = session.rollout
    for step in rollout:
        if step.seq == number and step.id not in rollout.hidden:
            return step.id
    last = max((step.seq for step in rollout), default=0)
    raise UsageError(
        f"There is no step {number} in this rollout: its steps are numbered 1 to {last}. "
        "Open the rollout without a number, and find the step there."
    )


async def _open(engine: Engine, target: OpenTarget, roles: Path | None, told: list[str]) -> Session:
    if target.sample:
        return await _open_sample(engine, target)
    if target.path is not None:
        return await _open_file(engine, target, target.path, roles, told)
    if engine.library is None:
        raise UsageError("There is no library to find a rollout in.")
    from rollstep.core.finding import find_rollout

    return await engine.open_rollout(find_rollout(engine.library, target.rollout))


async def _open_sample(engine: Engine, target: OpenTarget) -> Session:
    from rollstep.core.samples import sample

    found = sample(target.sample)
    if target.recorded and found.bundle is not None and engine.library is not None:
        return await _open_recording(engine, found.bundle)
    project = recorded_project(found.bundle) if found.bundle is not None else None
    if project is None:
        return await _open_project(engine, found.project, f"sample {found.name}")
    return await engine.open_project(project, source=f"sample {found.name}")


async def _open_recording(engine: Engine, bundle: Path) -> Session:
    """A sample's recording at its first step; one the library has already, as it was left."""
    from rollstep.core.store.importing import import_bundle

    assert engine.library is not None
    before = engine.library.count()
    rollout_id = import_bundle(bundle, engine.library, [])[0]
    session = await engine.open_rollout(rollout_id)
    if engine.library.count() > before and (path := session.rollout.path(session.head)):
        await session.go_to(path[0].id)
    return session


class _ProjectLine(msgspec.Struct):
    project: Project


def recorded_project(bundle: Path) -> Project | None:
    """The project of a sample, from the recording beside it: the same as in its YAML file (a test
    sees to that), and open in half the time, which counts when a demo starts.
    """
    with open(bundle, "rb") as file:
        for line in file:
            if line.startswith(b'{"project":'):
                try:
                    return msgspec.json.decode(line, type=_ProjectLine).project
                except msgspec.MsgspecError:
                    return None
    return None


async def _open_file(
    engine: Engine, target: OpenTarget, path: Path, roles: Path | None, told: list[str]
) -> Session:
    from .targets import file_kind

    kind = "log" if target.read_as is not None else file_kind(path)
    if kind == "bundle":
        return await _open_bundle(engine, path)
    if kind == "seeds":
        return await _open_seed(engine, path, target.record, roles)
    if kind == "log":
        from .logs import open_log

        return await open_log(engine, target, path, told)
    return await _open_project(engine, path, str(path))


async def _open_project(engine: Engine, path: Path, source: str) -> Session:
    from rollstep.core.projects.reader import read_project

    return await engine.open_project(read_project(path), source=source)


async def _open_bundle(engine: Engine, path: Path) -> Session:
    from rollstep.core.store.importing import import_bundle

    if engine.library is None:
        raise UsageError("A bundle is opened in a library; there is none.")
    ids = import_bundle(path, engine.library, [])
    if not ids:
        raise InputError(f"{path}: there is no rollout in this bundle.")
    return await engine.open_rollout(ids[0])


async def _open_seed(engine: Engine, path: Path, record: int, roles: Path | None) -> Session:
    from random import Random

    from rollstep.core.projects.reader import read_roles
    from rollstep.core.projects.seed_author import SeedAuthor
    from rollstep.core.projects.seeds import read_seeds

    rows = read_seeds(path).rows
    if not 0 <= record < len(rows):
        raise InputError(f"{path}: there is no row {record + 1}; it has {len(rows)} usable rows.")
    played_by = read_roles(roles) if roles is not None else None
    made = SeedAuthor([rows[record]], roles=played_by).author(1, Random(0))
    if not made:
        raise InputError(f"{path}: line {rows[record].line} has no user_text to open with.")
    return await engine.open_project(made[0], source=str(path), record=record)
