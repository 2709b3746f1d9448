"""The breakpoints of a rollout that is open, while it is played: who stops a run, and what is told.

A run looks at each step, made or walked, when it is saved; a single step is made by hand and looks
at none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .events import BreakpointsChanged
from .model.marks import Score
from .model.steps import Step
from .rules.hits import Fired, is_before
from .rules.stepper import Ask, Position, next_action, together
from .writer import TreeWriter

if TYPE_CHECKING:
    from .rules.breakpoints import BreakpointSet
    from .rules.watch import Watch


class Breaks:
    """Asks the breakpoints on behalf of a player."""

    def __init__(self, writer: TreeWriter, scores: Callable[[], Sequence[Score]]) -> None:
        self._writer = writer
        self._scores = scores
        self._watch: Watch | None = None
        self._watched_to: str | None = None
        """The step up to which it has watched."""
        self._let_by: tuple[str | None, int] | None = None
        """Where a run stopped before a role was asked, and how many steps there were: as long as
        nothing was made, it does not stop there at once again."""

    def reopened(self) -> None:
        """The rollout was loaded: where it waits before a role is asked, it was said already."""
        status, note = self._writer.status
        if status == "parked" and is_before(note):
            self._let_by = self._here(self._writer.head)

    def check(self) -> None:
        """Raise UsageError where a breakpoint cannot be asked."""
        self._set()

    def before(self, parent: str | None) -> Sequence[Fired]:
        """Who stops the run before a role is asked after ``parent``."""
        breaks = self._set()
        if breaks is None or not breaks.any_before or self._let_by == self._here(parent):
            return ()
        if self._writer.recorded_next(parent) is not None:
            return ()
        state = self._writer.state_at(parent)
        asks = self._asks(state.position)
        if not asks:
            return ()
        last = None if parent is None else self._writer.rollout.steps[parent]
        with self._telling():
            fired = self._watching(breaks, parent).before(asks, state, last)
        if fired:
            self._let_by = self._here(parent)
        return fired

    def after(self, steps: Sequence[Step]) -> list[Fired]:
        """Who stops the run at these steps, which follow each other. One that came late is on
        another branch, and nobody's who plays on here.
        """
        breaks = self._set()
        if breaks is None:
            return []
        fired: list[Fired] = []
        with self._telling():
            for step in steps:
                if not step.late:
                    watch = self._watching(breaks, step.parent_id)
                    fired += watch.after(step, self._writer.state_at(step.id))
                    self._watched_to = step.id
        return fired

    def used_up(self, fired: Sequence[Fired]) -> None:
        """They stopped the run: those that do so only once go away."""
        writer = self._writer
        gone = [each.breakpoint for each in fired if each.breakpoint.once]
        if gone:
            writer.put_breakpoints(tuple(b for b in writer.breakpoints if b not in gone))

    def _here(self, parent: str | None) -> tuple[str | None, int]:
        return parent, len(self._writer.rollout)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Hits that are counted meanwhile are told, those of breakpoints that ignore them too."""
        writer = self._writer
        before = writer.hits.total
        yield
        if writer.hits.total != before:
            all_of_them = writer.breakpoints
            writer.emit(BreakpointsChanged(all_of_them, writer.hits.counts(all_of_them)))

    def _set(self) -> BreakpointSet | None:
        breakpoints = self._writer.breakpoints
        if not breakpoints:
            return None
        from .rules.breakpoints import compile_breakpoints

        return compile_breakpoints(breakpoints)

    def _asks(self, position: Position) -> tuple[Ask, ...]:
        """The questions that come next: one, or those that are asked at once."""
        project = self._writer.project
        action = next_action(position, project)
        if not isinstance(action, Ask):
            return ()
        return together(position, project) or (action,)

    def _watching(self, breaks: BreakpointSet, parent: str | None) -> Watch:
        """The watch over the path to ``parent``: the one at hand, as a rule."""
        from .rules.watch import Watch

        watch = self._watch
        project = self._writer.project
        if (
            watch is None
            or watch.breaks is not breaks
            or self._watched_to != parent
            or watch.project is not project
        ):
            watch = self._watch = Watch(
                breaks, project, self._writer.hits, self._scores(), at_start=parent is None
            )
            self._watched_to = parent
        return watch
