"""Taking a bundle into a library. A rollout that is there already takes in what it lacks."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ..errors import BundleError
from ..model.history import Command
from ..model.marks import Mark, Silence
from ..model.project import Project
from ..model.steps import Step
from .bundle_reader import read_bundle
from .change import Change, Saved
from .library import Library

_STEPS_AT_ONCE = 2000
"""Steps that one transaction takes in, at least."""


def import_bundle(path: Path, library: Library, warnings: list[str] | None = None) -> list[str]:
    """Save the rollouts of a bundle; their ids, in the bundle's order. See ``read_bundle`` for
    ``warnings``. What stands above a fault may be saved when it is raised; importing the mended
    file again doubles nothing. Raises BundleError, StoreError.
    """
    ids: list[str] = []
    waiting: dict[str, Change] = {}
    for saved, requests in read_bundle(path, warnings):
        rollout_id = saved.header.id
        ids.append(rollout_id)
        if rollout_id in waiting:
            library.commit_many(waiting.values())
            waiting.clear()
        waiting[rollout_id] = change_for(saved, requests, library, str(path))
        if sum(len(change.steps) for change in waiting.values()) >= _STEPS_AT_ONCE:
            library.commit_many(waiting.values())
            waiting.clear()
    library.commit_many(waiting.values())
    return list(dict.fromkeys(ids))


def import_rollout(
    saved: Saved, requests: dict[str, str], library: Library, *, source: str = ""
) -> None:
    """Save one rollout. Where the library holds it, steps merge by id, its own head, status,
    branch names and breakpoints stay; of two marks by the same person, and of two silences of one
    flag, the newer one stays.
    """
    library.commit_many([change_for(saved, requests, library, source)])


def change_for(
    saved: Saved, requests: dict[str, str], library: Library, source: str = ""
) -> Change:
    """What has to be committed so that the library holds the rollout; see ``import_rollout``.
    Raises BundleError where a step differs from the library's.
    """
    if not library.holds(saved.header.id):
        return new_change(saved, requests)
    change = _missing(saved, library.load(saved.header.id), source)
    return msgspec.structs.replace(change, requests=tuple(requests.items()))


def new_change(saved: Saved, requests: dict[str, str]) -> Change:
    """What has to be committed of a rollout that the library does not hold."""
    return Change(
        saved.header.id,
        saved.header,
        saved.projects,
        saved.steps,
        tuple(requests.items()),
        attempts=saved.attempts,
        commands=saved.commands,
        branches=saved.branches,
        marks=saved.marks,
        scores=saved.scores,
        silences=saved.silences,
        breakpoints=saved.breakpoints,
        head=saved.head,
        status=saved.status,
        status_note=saved.status_note,
        leaf=_leaf(saved),
    )


def _leaf(saved: Saved) -> str | None:
    """The end of the branch that the head is on."""
    if not saved.head:
        return None
    if saved.head == saved.steps[-1].id:
        return saved.head
    return saved.tree().newest_leaf(saved.head)


def _missing(saved: Saved, here: Saved, source: str) -> Change:
    """What the library's rollout lacks of the bundle's."""
    new_projects, places = _revisions(saved.projects, here.projects)
    known = {step.id: step for step in here.steps}
    steps = []
    for step in saved.steps:
        moved = msgspec.structs.replace(step, revision=places[step.revision])
        if step.id not in known:
            steps.append(moved)
        elif not same_step(moved, known[step.id]):
            raise BundleError(
                f"{source}: step {step.id} of rollout {saved.header.id} differs from the library's."
                " A step never changes once made: give the rollout in the file another id, and it"
                " is taken in beside the other."
            )
    leaves = {branch.leaf_id for branch in here.branches}
    return Change(
        saved.header.id,
        projects=new_projects,
        steps=tuple(steps),
        attempts=saved.attempts,
        commands=_commands(saved.commands, here.commands, places),
        branches=tuple(each for each in saved.branches if each.leaf_id not in leaves),
        marks=_marks(saved.marks, here.marks),
        scores=saved.scores,
        silences=_silences(saved.silences, here.silences),
        breakpoints=saved.breakpoints if here.breakpoints is None else None,
    )


def _revisions(
    theirs: tuple[Project, ...], ours: tuple[Project, ...]
) -> tuple[tuple[Project, ...], list[int]]:
    """The projects to append, and for each of their revisions which of ours it becomes."""
    all_ours = list(ours)
    places = []
    for project in theirs:
        if project not in all_ours:
            all_ours.append(project)
        places.append(all_ours.index(project))
    return tuple(all_ours[len(ours) :]), places


def same_step(theirs: Step, ours: Step) -> bool:
    """Whether two steps of one id are the same, wherever they stand in their files."""
    return msgspec.structs.replace(theirs, seq=ours.seq, revision=ours.revision) == ours


def _commands(
    theirs: tuple[Command, ...], ours: tuple[Command, ...], places: list[int]
) -> tuple[Command, ...]:
    """Their commands under numbers that are free. Those that we have, undone or not, are left; what
    they had undone stays hidden and cannot be redone here.
    """
    known = {(each.n, each.label, each.step_ids[:1]) for each in ours}
    last = max((each.n for each in ours), default=0)
    new = [each for each in theirs if (each.n, each.label, each.step_ids[:1]) not in known]
    return tuple(
        msgspec.structs.replace(
            each,
            n=number,
            revision_before=_moved(each.revision_before, places),
            revision_after=_moved(each.revision_after, places),
            abandoned=each.undone,
        )
        for number, each in enumerate(new, last + 1)
    )


def _moved(revision: int | None, places: list[int]) -> int | None:
    return places[revision] if revision is not None and revision < len(places) else None


def _marks(theirs: tuple[Mark, ...], ours: tuple[Mark, ...]) -> tuple[Mark, ...]:
    times = {(each.step_id, each.by): each.at for each in ours}
    return tuple(each for each in theirs if each.at > times.get((each.step_id, each.by), -1.0))


def _silences(theirs: tuple[Silence, ...], ours: tuple[Silence, ...]) -> tuple[Silence, ...]:
    times = {(each.step_id, each.rule): each.at for each in ours}
    return tuple(each for each in theirs if each.at > times.get((each.step_id, each.rule), -1.0))
