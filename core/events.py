"""What a session tells those who watch it. Frozen, so that they may cross threads.

A watcher keeps its own copy of the rollout (``Rollout``) and applies these in order; it never
reads a session's state from another thread.
"""

from __future__ import annotations

import msgspec

from .model.debugging import Breakpoint
from .model.history import Command
from .model.marks import Mark, Silence
from .model.project import Project
from .model.rollout import Branch
from .model.steps import Attempt, Role, Step


class StepAdded(msgspec.Struct, frozen=True):
    """A step is in the tree. It is saved when a ``SavedUpTo`` that covers it follows."""

    step: Step


class SavedUpTo(msgspec.Struct, frozen=True):
    """The library has committed these steps; their ``seq`` numbers are final."""

    seqs: tuple[tuple[str, int], ...]


class Unsaved(msgspec.Struct, frozen=True):
    """A commit failed: ``words`` say why, ``count`` steps and edits are only in memory."""

    words: str
    count: int


class VisibilityChanged(msgspec.Struct, frozen=True):
    """Undo or redo hid these steps, or showed them again."""

    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


class HeadMoved(msgspec.Struct, frozen=True):
    """The next step follows ``head`` (None: before the first step)."""

    head: str | None


class AskStarted(msgspec.Struct, frozen=True):
    """A role is being asked under ``parent_id``; ``who`` names it (its model, or its kind).
    ``takes`` says for how many answers at once, where more takes are asked for.
    """

    role: Role
    parent_id: str | None
    who: str
    takes: int = 1


class Streamed(msgspec.Struct, frozen=True):
    """More text of the answer that is being made under ``parent_id``."""

    parent_id: str | None
    text: str


class Noticed(msgspec.Struct, frozen=True):
    """How the answer under ``parent_id`` is being made, in words for people: that models are being
    loaded, or that a retry waits. Holds until the next one, the first text, or the end.
    """

    parent_id: str | None
    words: str


class AskEnded(msgspec.Struct, frozen=True):
    """The asking under ``parent_id`` is over: a step, an attempt, or a cancellation follows."""

    parent_id: str | None


class Failed(msgspec.Struct, frozen=True):
    """A role failed; the head did not move."""

    attempt: Attempt


class Paused(msgspec.Struct, frozen=True):
    """A run stopped before its end: why, in words (a limit, a human's turn, the pause key)."""

    words: str


class CommandDone(msgspec.Struct, frozen=True):
    """A human's command took effect; ``what`` is done, undone or redone."""

    command: Command
    what: str


class BranchesChanged(msgspec.Struct, frozen=True):
    """The named and hidden branches, all of them."""

    branches: tuple[Branch, ...]


class MarksChanged(msgspec.Struct, frozen=True):
    """The marks, all of them."""

    marks: tuple[Mark, ...]


class SilencesChanged(msgspec.Struct, frozen=True):
    """The silenced flags, all of them."""

    silences: tuple[Silence, ...]


class BreakpointsChanged(msgspec.Struct, frozen=True):
    """The breakpoints, all of them in their order, and how often each was hit."""

    breakpoints: tuple[Breakpoint, ...]
    hits: tuple[int, ...]


class ProjectRevised(msgspec.Struct, frozen=True):
    """A revision of the project, new or in another's place where another program changed the
    project at once; later steps are made from it.
    """

    project: Project
    revision: int


Event = (
    StepAdded
    | SavedUpTo
    | Unsaved
    | VisibilityChanged
    | HeadMoved
    | AskStarted
    | Streamed
    | Noticed
    | AskEnded
    | Failed
    | Paused
    | CommandDone
    | BranchesChanged
    | MarksChanged
    | SilencesChanged
    | BreakpointsChanged
    | ProjectRevised
)
