"""What the rules of the linter are shown of a path: one step, with what stands before it."""

from __future__ import annotations

from typing import NamedTuple

from ...model.messages import Payload, ToolCall
from ...model.project import Project
from ...model.steps import Step
from ..stepper import Position
from .findings import Finding


class Seen(NamedTuple):
    """A step about to be taken in: its place in the path (from 0), the position before it, the
    project that it was made from and, for a tool result, the open call that it answers.
    """

    place: int
    step: Step
    before: Position
    project: Project
    call: ToolCall | None = None

    @property
    def payload(self) -> Payload:
        """What the step says."""
        return self.step.payload

    def flag(self, rule: str, words: str) -> Finding:
        """A finding on this step."""
        return Finding(self.step.id, rule, words)


def number(place: int) -> str:
    """How the screen calls the step at this place (from 0): ``step 20``."""
    return f"step {place + 1}"


def brief(text: str, most: int = 60) -> str:
    """The beginning of a text in one line."""
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1] + "…"
