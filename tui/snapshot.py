"""What crosses from the engine's thread to the screen's: a session at one moment, and an asking."""

from __future__ import annotations

from typing import NamedTuple

from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.history import Command
from rollstep.core.model.marks import Mark, Score, Silence
from rollstep.core.model.project import Project
from rollstep.core.model.rollout import Branch, RolloutHeader
from rollstep.core.model.steps import Attempt, Role, Step

from .sanitize import one_line
from .stepview import PANE_LINES, PaneLine, text_lines
from .wrap import fit

_STREAM_SHOWN = 4000
"""Characters at the end of a streamed answer that are wrapped for showing."""


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


class Asking(NamedTuple):
    """A role is being asked, and what has arrived of its answer."""

    role: Role
    parent_id: str | None
    who: str
    text: str = ""
    takes: int = 1


def tail_lines(tail: Attempt | Asking, width: int) -> list[PaneLine]:
    """A failure, or an answer on its way, as a pane shows it after the last step."""
    if isinstance(tail, Asking):
        lines = text_lines(tail.text[-_STREAM_SHOWN:], width, "text", 10_000) if tail.text else []
        head = PaneLine("busy", fit(f"asking {one_line(tail.who)} …", width))
        return [head, *lines[-(PANE_LINES - 1) :]]
    lines = text_lines(tail.words, width, "error", PANE_LINES)
    if tail.partial:
        kept = f"{len(tail.partial):,} characters arrived; kept"
        lines.append(PaneLine("dim", fit(kept, width)))
    more = "s retries, w writes by hand" + (", Enter: details" if tail.detail else "")
    return [PaneLine("error", "failed"), *lines, PaneLine("dim", fit(more, width))]
