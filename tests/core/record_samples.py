"""Makes what comes with each sample project: its recorded rollout and its line of the index.

    python -m tests.core.record_samples

Each recording plays the project as it goes, then every override that its metadata document, then
asks one reply anew. Clock and ids are fixed, so that the same projects give the same bytes, and a
test can tell when a recording no longer is what its project plays.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path

import msgspec
from rollstep.core.model.messages import TargetReply, payload_text
from rollstep.core.model.project import Project, ScriptedTarget
from rollstep.core.model.steps import Step
from rollstep.core.projects.reader import read_project
from rollstep.core.samples import FOLDER, INDEX, DocumentedOverride, Entry, lesson
from rollstep.core.session import Session
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library

ORDER = (
    "refund",
    "weekend",
    "coding",
    "research",
    "group_chat",
    "misbehaving_evaluator",
    "refund_live",
)
"""The order in which the start screen shows them."""

BEGAN = 1796000000.0
"""A morning in November 2026, when the recordings say that they were made."""

AUTHOR = "rollstep"


def counting_ids(name: str) -> Callable[[], str]:
    """Step ids that tell where they are from: ``refund-1``, ``refund-2``, …"""
    numbers = itertools.count(1)
    return lambda: f"{name}-{next(numbers)}"


def ticking_clock() -> Callable[[], float]:
    """A clock that goes on by two seconds each time someone looks at it."""
    ticks = itertools.count()
    return lambda: BEGAN + 2.0 * next(ticks)


async def play_on(session: Session) -> tuple[Step, ...]:
    """Run from the head to the stop; the path there."""
    async for _ in session.run():
        pass
    return session.rollout.path(session.head)


async def play_override(
    session: Session, as_it_went: tuple[Step, ...], documented: DocumentedOverride
) -> tuple[Step, ...]:
    """Make a documented override, run to the end, and name the branch; its path."""
    old = as_it_went[documented.step - 1]
    payload = documented.payload(old.payload)
    await session.go_to(as_it_went[-1].id)  # the branch whose steps a "keep" keeps
    await session.override(old.id, payload, after=documented.after, reason=documented.why)
    path = await play_on(session)
    if documented.branch:
        await session.name_branch(path[-1].id, documented.branch)
    return path


def last_reply(path: tuple[Step, ...]) -> str:
    """The text of the last target reply of a path."""
    replies = (step.payload for step in reversed(path) if isinstance(step.payload, TargetReply))
    return payload_text(next(replies))


def _last_with_takes(project: Project, path: tuple[Step, ...]) -> Step:
    assert isinstance(project.target, ScriptedTarget)
    lines = project.target.replies
    return next(
        step
        for step in reversed(path)
        if step.role == "target"
        and step.script_index is not None
        and lines[step.script_index].takes
    )


async def record(name: str) -> Saved:
    """A sample's rollout with everything that its project documents, played anew."""
    project = read_project(FOLDER / f"{name}.yaml")
    with Library.throwaway() as library:
        session = Session.start(
            project,
            library=library,
            source=f"{name}.yaml",
            author=AUTHOR,
            clock=ticking_clock(),
            rollout_id=f"sample-{name}",
            new_id=counting_ids(name),
        )
        as_it_went = await play_on(session)
        await session.name_branch(as_it_went[-1].id, "as it went")
        for documented in lesson(project).overrides:
            await play_override(session, as_it_went, documented)
        (take,) = await session.retake(_last_with_takes(project, as_it_went).id)
        await session.name_branch(take.id, "said differently")
        await session.go_to(as_it_went[-1].id)
        await session.close()
        return library.load(session.rollout.header.id)


def entry(name: str, project: Project, recorded: Saved | None) -> Entry:
    """A sample's line of the index."""
    about = lesson(project)
    turns = 0
    if recorded is not None:
        steps = {step.id: step for step in recorded.steps}
        at = recorded.head
        while at is not None:
            turns += steps[at].role == "evaluator"
            at = steps[at].parent_id
        turns -= 1  # the stop stands in the evaluator's lane and is no turn
    return Entry(name, project.title, about.learn, about.needs_key, turns, about.ends)


def index(recordings: dict[str, Saved]) -> bytes:
    """The index as it should stand beside the samples."""
    entries = [
        entry(name, read_project(FOLDER / f"{name}.yaml"), recordings.get(name)) for name in ORDER
    ]
    lines = ",\n  ".join(msgspec.json.encode(one).decode() for one in entries)
    return f"[\n  {lines}\n]\n".encode()


async def record_all() -> dict[str, Saved]:
    """Every sample that plays offline, recorded."""
    projects = {name: read_project(FOLDER / f"{name}.yaml") for name in ORDER}
    return {name: await record(name) for name in ORDER if not lesson(projects[name]).needs_key}


def bundle_path(name: str) -> Path:
    """Where a sample's recording stands."""
    return FOLDER / f"{name}.rollstep.jsonl"


def main() -> None:
    """Write the recordings and the index."""
    recordings = asyncio.run(record_all())
    for name, saved in recordings.items():
        write_bundle([saved], bundle_path(name), force=True)
    (FOLDER / INDEX).write_bytes(index(recordings))


if __name__ == "__main__":
    main()
