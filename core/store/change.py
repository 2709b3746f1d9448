"""What one transaction saves, and what comes back from a library."""

from __future__ import annotations

import msgspec

from ..model.debugging import Breakpoint
from ..model.history import Command, hidden_steps
from ..model.marks import Mark, Score, Silence
from ..model.project import Project
from ..model.rollout import Branch, Rollout, RolloutHeader
from ..model.steps import Attempt, Step


class Change(msgspec.Struct, frozen=True):
    """One transaction's worth of news about one rollout; all of it is saved, or none.

    ``header`` is given when the rollout may be new. ``projects`` are revisions to append to the
    ``revisions`` that there are (None for however many).
    ``requests`` maps digest to body. ``commands``, ``branches``, ``marks`` and ``silences`` replace
    what has the same key (``n``; ``leaf_id``; ``step_id`` and ``by``; ``step_id`` and ``rule``).
    ``breakpoints`` are all of them (None for unchanged), made of ``breakpoints_before``: what
    others have made of those meanwhile stays. ``head`` is where the next step follows
    ("" for before the first step, None for unchanged), and ``leaf`` the end of the branch that it
    is on, if that is another step; ``status`` is ``open``, ``ended``, ``parked`` or ``failed`` with
    ``status_note`` saying why. ``player`` is who plays the rollout from now on
    (see ``leases``), empty for nobody, None for unchanged.
    """

    rollout_id: str
    header: RolloutHeader | None = None
    projects: tuple[Project, ...] = ()
    steps: tuple[Step, ...] = ()
    requests: tuple[tuple[str, str], ...] = ()
    attempts: tuple[Attempt, ...] = ()
    commands: tuple[Command, ...] = ()
    branches: tuple[Branch, ...] = ()
    marks: tuple[Mark, ...] = ()
    scores: tuple[Score, ...] = ()
    head: str | None = None
    status: str | None = None
    status_note: str = ""
    leaf: str | None = None
    silences: tuple[Silence, ...] = ()
    breakpoints: tuple[Breakpoint, ...] | None = None
    breakpoints_before: tuple[Breakpoint, ...] | None = None
    revisions: int | None = None
    player: bytes | None = None


class Saved(msgspec.Struct, frozen=True):
    """A rollout as a library (or a bundle) holds it; steps in seq order. ``head`` is "" before the
    first step, None where nothing is known of it. ``breakpoints`` is None where those of the
    project were never changed.
    """

    header: RolloutHeader
    projects: tuple[Project, ...]
    steps: tuple[Step, ...]
    attempts: tuple[Attempt, ...] = ()
    commands: tuple[Command, ...] = ()
    branches: tuple[Branch, ...] = ()
    marks: tuple[Mark, ...] = ()
    scores: tuple[Score, ...] = ()
    head: str | None = None
    status: str = "open"
    status_note: str = ""
    silences: tuple[Silence, ...] = ()
    breakpoints: tuple[Breakpoint, ...] | None = None

    def tree(self) -> Rollout:
        """Its steps as a tree, those that undo took out of sight hidden."""
        rollout = Rollout(self.header, self.projects)
        rollout.add_all(self.steps)
        rollout.hidden |= hidden_steps(self.commands)
        return rollout


class Summary(msgspec.Struct, frozen=True):
    """One row of a list of rollouts. ``turns`` and ``stop_reason`` are those of the branch that
    would be opened; ``steps`` and ``edits`` (what a human put in the place of others) count all
    branches, without what was undone. ``updated_at`` in seconds since the epoch.
    """

    id: str
    title: str
    steps: int
    turns: int
    edits: int
    status: str
    stop_reason: str
    updated_at: float
    source: str = ""
    status_note: str = ""

    @property
    def ending(self) -> str:
        """How the rollout stands, in words: the reason of its stop, or that it waits, and why."""
        if self.status in ("parked", "failed") and self.status_note:
            return f"{self.status}: {self.status_note}"
        return self.stop_reason or self.status
