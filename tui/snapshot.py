"""What crosses from the engine's thread to the screen's: a session at one moment, and an asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.history import Command, hidden_steps
from rollstep.core.model.marks import Mark, Score, Silence
from rollstep.core.model.project import Project
from rollstep.core.model.rollout import Branch, RolloutHeader
from rollstep.core.model.steps import Attempt, Role, Step
from rollstep.core.rules.parking import why_parked
from rollstep.core.workers.prices import about_tokens

if TYPE_CHECKING:
    from rollstep.core.store.change import Saved


class Snapshot(NamedTuple):
    """A session's state at one moment, copied on its own thread."""

    header: RolloutHeader
    projects: tuple[Project, ...]
    steps: tuple[Step, ...]
    hidden: frozenset[str] = frozenset()
    head: str | None = None
    leaf: str | None = None
    """The end of the branch through the head that stepping follows."""
    branches: tuple[Branch, ...] = ()
    marks: tuple[Mark, ...] = ()
    scores: tuple[Score, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    throwaway: bool = False
    silences: tuple[Silence, ...] = ()
    breakpoints: tuple[Breakpoint, ...] = ()
    hits: tuple[int, ...] = ()
    notice: str = ""
    """Why the rollout waits, if it does."""
    commands: tuple[Command, ...] = ()
    revision: int = -1
    """Of the project, from which the next step is made."""


def snapshot_of(saved: Saved) -> Snapshot:
    """A rollout as the library has it, without a session."""
    hidden = frozenset(hidden_steps(saved.commands))
    known = {step.id for step in saved.steps}
    why = _why_parked(saved) if saved.status == "parked" else ""
    return Snapshot(
        saved.header,
        saved.projects,
        saved.steps,
        hidden,
        saved.head if saved.head in known - hidden else None,
        branches=saved.branches,
        marks=saved.marks,
        scores=saved.scores,
        attempts=saved.attempts,
        silences=saved.silences,
        notice=f"parked: {why}" if why else "",
        commands=saved.commands,
    )


def _why_parked(saved: Saved) -> str:
    status = saved.status, saved.status_note
    return why_parked(status, saved.tree(), saved.head, saved.marks, saved.silences)


class Asking(NamedTuple):
    """A role is being asked, and what has arrived of its answer. ``notice`` is how it is being
    made, where that is told; times are in seconds, by any clock that only goes on.
    """

    role: Role
    parent_id: str | None
    who: str
    text: str = ""
    takes: int = 1
    notice: str = ""
    started: float = 0.0
    first: float = 0.0
    last: float = 0.0

    def more(self, text: str, now: float) -> Asking:
        """With more of its text."""
        first = self.first if self.text else now
        return self._replace(text=self.text + text, notice="", first=first, last=now)

    def pace(self, *, brief: bool = False) -> str:
        """When its text began to come and how fast it does, in words; empty before the first."""
        if not self.text:
            return ""
        tokens, took = about_tokens(len(self.text)), self.last - self.first
        waited, speed = self.first - self.started, tokens / max(took, _LEAST_TIME)
        if brief:
            return f"{waited:.1f} s" + (f", ~{speed:,.0f}/s" if took >= _LEAST_TIME else "")
        pieces = [f"first token after {waited:.1f} s", f"~{tokens:,} tokens"]
        if took >= _LEAST_TIME:
            pieces.append(f"~{speed:,.0f} tokens/s")
        return ", ".join(pieces)


_LEAST_TIME = 0.5
"""Seconds before which no speed can be told."""
