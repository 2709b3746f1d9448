"""Marks in the debugger: verdicts on the branch shown, ratings, tags, notes, the loss mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.marking import put_mark
from rollstep.core.model.marks import Verdict
from rollstep.core.rules.marking import MarkChange, mark_of

from .marking import MarkAsking, Marked

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen
        self._asking = MarkAsking(screen.rollstep, self._give)

    def do_accept(self) -> None:
        """Accept."""
        self._verdict("accept")

    def do_unsure(self) -> None:
        """Neither."""
        self._verdict("unsure")

    def do_reject(self) -> None:
        """Reject, with a reason."""
        if (marked := self._marked()) is not None:
            self._asking.reject(marked)

    def do_mark(self) -> None:
        """A rating, a tag, a note, the loss mask."""
        if (marked := self._marked()) is not None:
            self._asking.mark(marked)

    def _verdict(self, verdict: Verdict) -> None:
        if (marked := self._marked()) is not None:
            self._give(marked.leaf.step_id, MarkChange(verdict=verdict))

    def _marked(self) -> Marked | None:
        """What can be marked now; says so where nothing can."""
        screen, model = self.screen, self.screen.model
        if model.leaf is None:
            screen.flash("There is no step to be marked yet: s makes the first.", "dim")
            return None
        if not screen.make.idle():
            return None
        by = screen.rollstep.controller.engine.author
        step = model.step
        at_cursor = mark_of(model.marks, step.id, by) if step is not None else None
        return Marked(mark_of(model.marks, model.leaf, by), at_cursor, model.cursor + 1)

    def _give(self, step_id: str, change: MarkChange) -> None:
        controller = self.screen.rollstep.controller
        by = controller.engine.author
        done = controller.command("mark", lambda s: put_mark(s, step_id, change, by))
        if done:
            words = change.words
            self.screen.flash(f"{words[0].upper()}{words[1:]}; u takes it back.", "ok")
