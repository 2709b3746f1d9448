"""Building the tree of an import, step by step."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from ...errors import Fault
from ...model.messages import Payload
from ...model.project import HumanEvaluator, HumanSimulator, HumanTarget, Project, Tool
from ...model.steps import Step, role_of


class TreeBuilder:
    """Puts steps one behind the other, each with an id that follows from what it is made of, so
    that reading the same source again gives the same steps.

    With ``shared`` a step that is equal to one that follows the same parent is that one: rows that
    repeat the history of others make one tree. Without it the ids only count, which is quicker.
    """

    def __init__(self, key: str, *, shared: bool = False) -> None:
        self.here: str | None = None
        """The step that the next one follows."""
        self.notes: list[Fault] = []
        """What a person should know of what was read."""
        self._key = key
        self._shared = shared
        self._steps: dict[str, Step] = {}

    @property
    def steps(self) -> tuple[Step, ...]:
        """All of them, parents first."""
        return tuple(self._steps.values())

    def add(self, payload: Payload, **fields: Any) -> str:
        """Put a step behind ``here``, and go there; its id. ``fields`` are more of ``Step``'s."""
        fields.setdefault("origin", "import")
        step_id = f"{self._key}.{len(self._steps) + 1}"
        step = Step(step_id, self.here, role_of(payload), payload, **fields)
        if self._shared:
            step_id = self._name(step)
            step = msgspec.structs.replace(step, id=step_id)
        if step_id not in self._steps:
            self._steps[step_id] = step
        self.here = step_id
        return step_id

    def replace(self, step_id: str, **fields: Any) -> None:
        """Change a step that is being built. Its id stays."""
        self._steps[step_id] = msgspec.structs.replace(self._steps[step_id], **fields)

    def step(self, step_id: str) -> Step:
        """The step of this id."""
        return self._steps[step_id]

    def note(self, message: str, where: str = "", *, line: int = 0, hint: str = "") -> None:
        """Something that a person should know."""
        self.notes.append(Fault(message, line=line, where=where, hint=hint))

    def _name(self, step: Step) -> str:
        # Escapes keep lone surrogates apart; the payload's own tag keeps equal texts of two roles.
        said = repr(msgspec.to_builtins(msgspec.structs.replace(step, id="", parent_id=None)))
        data = f"{self.here or self._key}\0{said}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=8).hexdigest()


def imported_project(
    title: str,
    *,
    system: str | None = None,
    tools: tuple[Tool, ...] = (),
    goal: str = "",
    opening: str | None = None,
    metadata: str = "{}",
    max_turns: int = 10,
    project_id: str | None = None,
) -> Project:
    """The project of an import: what the source tells of it, and a human in every role, until
    somebody who goes on from there says who plays.
    """
    return Project(
        title,
        HumanTarget(system=system),
        HumanEvaluator(),
        id=project_id,
        goal=goal,
        opening=opening,
        max_turns=max_turns,
        tools=tools,
        tool_simulator=HumanSimulator(),
        metadata=metadata,
    )
