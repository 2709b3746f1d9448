"""What the branch that is shown can be compared with, in the order in which it is offered."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rollstep.core.model.messages import Stop
from rollstep.core.model.project import Project
from rollstep.core.model.steps import Step

from ..changed import changed_words
from ..presenter import DebuggerModel
from ..starting import ago
from ..stepview import first_words, stop_title
from .subjects import Subject, subject

if TYPE_CHECKING:
    from rollstep.core.store.change import Saved
    from rollstep.core.store.library import Library

_MOST = 500
"""Takes, branches and rollouts that are offered, each."""
_COMPARED = 10
"""Takes of which it is said how they differ from the one shown."""
_WORDS = 80
ORIGINAL = "original"


class Choice(NamedTuple):
    """One thing to compare with: a leaf of this rollout, or another rollout. It stands on the left,
    as what was there before, unless it is an edit of what is shown.
    """

    id: str
    words: str
    detail: str
    leaf: str | None = None
    rollout: str = ""
    is_edit: bool = False


def choices(model: DebuggerModel) -> list[Choice]:
    """What there is in this rollout: the original of the cursor's step, its other takes, the branch
    shown before, the named branches, the others. Each branch is offered once.
    """
    found: list[Choice] = []
    seen = {model.leaf}
    for choice in (*_takes(model), *_shown_before(model), *_branches(model)):
        if choice.leaf not in seen:
            seen.add(choice.leaf)
            found.append(choice)
    return found


def _takes(model: DebuggerModel) -> Iterator[Choice]:
    step = model.step
    if step is None:
        return
    takes = model.rollout.takes(step.id)
    original = step.replaces if step.replaces in takes else None
    names = {branch.leaf_id: f" ({branch.name})" for branch in model.branches if branch.name}
    number = model.cursor + 1
    others = [take for take in takes if take not in (step.id, original)]
    for index, take in enumerate([*([original] if original else []), *others[:_MOST]]):
        other = model.rollout.steps[take]
        leaf = model.rollout.newest_leaf(take)
        words = f"take {takes.index(take) + 1} of {len(takes)} of step {number}"
        if take == original:
            words = f"original of step {number}"
        # Looking at what was changed in hundreds of takes would be felt.
        is_edit = other.replaces == step.id
        sides = (step, other) if is_edit else (other, step)
        changed = changed_words(*(side.payload for side in sides)) if index < _COMPARED else ""
        yield Choice(
            ORIGINAL if take == original else f"take:{take}",
            words + names.get(leaf or "", ""),
            changed.replace("\n", " ") or _says(other),
            leaf,
            is_edit=is_edit,
        )


def _shown_before(model: DebuggerModel) -> Iterator[Choice]:
    before = model.shown_before
    steps = model.rollout.steps
    if before is None or before in model.path.at or before in model.rollout.hidden:
        return
    leaf = model.rollout.newest_leaf(before)
    name = subject(model.rollout, leaf, model.branches).branch
    yield Choice("before", f"the branch shown before: {name}", _ends(steps[leaf or before]), leaf)


def _branches(model: DebuggerModel) -> Iterator[Choice]:
    leaves = model.rollout.leaves()
    numbers = {leaf: place for place, leaf in enumerate(leaves, 1)}
    hidden = {branch.leaf_id for branch in model.branches if branch.hidden}
    for branch in model.branches:
        if branch.name and branch.leaf_id in numbers and not branch.hidden:
            step = model.rollout.steps[branch.leaf_id]
            yield Choice(f"branch:{step.id}", f"branch {branch.name}", _ends(step), step.id)
    for leaf in leaves[:_MOST]:
        if leaf not in hidden:
            words = f"branch {numbers[leaf]} of {len(leaves)}"
            yield Choice(f"branch:{leaf}", words, _ends(model.rollout.steps[leaf]), leaf)


def _says(step: Step) -> str:
    if isinstance(step.payload, Stop):
        return stop_title(step.payload)
    return first_words(step.payload, _WORDS) or "(calls only)"


def _ends(step: Step) -> str:
    return _says(step) if isinstance(step.payload, Stop) else f"open after: {_says(step)}"


def chosen_subject(model: DebuggerModel, choice: Choice) -> Subject:
    """The side that a choice in this rollout names."""
    found = subject(model.rollout, choice.leaf, model.branches)
    return found._replace(label=choice.words)


def shown_subject(model: DebuggerModel) -> Subject:
    """The branch that is shown."""
    name = model.branch_name()
    return Subject(model.rollout, model.leaf, name, f"shown: {name}")


# other rollouts; on the engine's thread


def same_project(one: Project, other: Project) -> bool:
    """Whether two rollouts are of one project: by its id, where both have one, else its title."""
    if one.id is not None and other.id is not None:
        return one.id == other.id
    return one.title == other.title


def rollout_choices(library: Library, project: Project, own_id: str) -> list[Choice]:
    """The other rollouts of this project, those last worked on first."""
    ids = {
        header.id
        for header in library.where(lambda header, began: same_project(began, project))
        if header.id != own_id
    }
    now = time.time()
    return [
        Choice(
            f"rollout:{one.id}",
            f"rollout {one.id[:8]}",
            f"{one.steps} steps, {one.ending}, {ago(now - one.updated_at)}  {one.source}".rstrip(),
            rollout=one.id,
        )
        for one in library.recent(_MOST)
        if one.id in ids
    ]


def rollout_subject(library: Library, rollout_id: str, leaf: str | None = None) -> Subject:
    """Another rollout, at the branch that its head is on, or that ends at ``leaf``."""
    found = opened_subject(library.load(rollout_id), leaf)
    title = found.rollout.header.title
    return found._replace(label=f"rollout {rollout_id[:8]}: {title}, {found.branch}")


def opened_subject(saved: Saved, leaf: str | None = None) -> Subject:
    """A rollout as it was saved, at the branch that its head is on, or that ends at ``leaf``."""
    from rollstep.core.session import Session

    session = Session.reopen(saved)
    if leaf is None or leaf not in session.rollout.steps:
        leaf = session.rollout.newest_leaf(session.head)
    return subject(session.rollout, leaf, session.branches)
