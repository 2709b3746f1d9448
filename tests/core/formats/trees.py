"""Small trees, for formats that look at more than one branch."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from rollstep.core.export import subject_of
from rollstep.core.formats.subject import Subject
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import Payload
from rollstep.core.model.project import Project
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Step, role_of

from .conftest import make_project


class Tree:
    """A rollout that is put together; the last step that was added is what is exported."""

    def __init__(self, *projects: Project) -> None:
        self.rollout = Rollout(RolloutHeader("r1", "t"), projects or (make_project(),))
        self.marks: list[Mark] = []
        self.leaf: str | None = None

    def add(self, payload: Payload, after: str | None = "", **fields: object) -> str:
        """A model's step behind ``after`` (the newest one, unless told otherwise); its id."""
        parent = self.leaf if after == "" else after
        step = Step(f"s{len(self.rollout) + 1}", parent, role_of(payload), payload, "model")
        step = msgspec.structs.replace(step, **fields)
        self.rollout.add(step)
        self.leaf = step.id
        return step.id

    def edit(self, step_id: str, payload: Payload, **fields: object) -> str:
        """A human's step in the place of another."""
        parent = self.rollout.steps[step_id].parent_id
        given = {"origin": "human", "author": "ana", "replaces": step_id, **fields}
        return self.add(payload, parent, **given)

    def accept(self, step_id: str, **fields: object) -> None:
        """Mark a leaf as accepted."""
        self.marks.append(msgspec.structs.replace(Mark(step_id, verdict="accept"), **fields))

    def reject(self, step_id: str, **fields: object) -> None:
        """Mark a leaf as rejected."""
        self.marks.append(msgspec.structs.replace(Mark(step_id, verdict="reject"), **fields))

    def subject(self, leaf: str | None = None) -> Subject:
        """The branch that ends at ``leaf``; at the newest step, unless told otherwise."""
        return subject_of(self.rollout, leaf or self.leaf, marks=self.marks)

    def branches(self, leaves: Iterable[str] | None = None) -> list[Subject]:
        """Every branch."""
        return [self.subject(leaf) for leaf in leaves or self.rollout.leaves()]
