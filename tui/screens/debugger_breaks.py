"""Breakpoints: setting them, and running to a step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from .. import breaks

if TYPE_CHECKING:
    from rollstep.core.model.debugging import Breakpoint

    from .breakpoint_types import BreaksResult
    from .debugger import DebuggerScreen

_BUSY = "A step is being made: wait for it, or cancel it with Esc in the debugger."


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_breaks(self) -> None:
        """Breakpoints for steps like this one, any condition, and all that are set."""
        self._open(adding=False)

    def _open(self, *, adding: bool) -> None:
        from .breakpoint_types import BreaksRequest
        from .breakpoints import BreakpointsScreen

        ahead = self._ahead()
        request = BreaksRequest(self.screen.model, self._change, self._undo, adding, ahead)
        self.screen.app.push_screen(BreakpointsScreen(request), self._closed)

    def _closed(self, result: BreaksResult | None) -> None:
        if result is None:
            return
        if result.run_here:
            self.do_run_to()
        elif result.run_to is not None:
            self._run_on_to(result.run_to)
        elif result.words:
            self.screen.flash(result.words, "ok")

    # changing

    def _change(self, breakpoints: tuple[Breakpoint, ...], then: Callable[[], None]) -> None:
        """Set all breakpoints; a run that goes on meanwhile takes notice of it."""
        app = self.screen.rollstep
        future = app.controller.set_breakpoints(breakpoints)

        async def setting() -> None:
            try:
                if future is not None:
                    await asyncio.wrap_future(future)
            finally:
                app.take_news()
                then()

        app.later(setting())

    def _undo(self) -> str:
        return "" if self.screen.rollstep.controller.undo() else _BUSY

    def do_breaks_clear(self) -> None:
        """Remove all."""
        count = len(self.screen.model.breakpoints)
        if not count:
            self.screen.flash("No breakpoints are set.", "dim")
            return
        self._change((), self.screen.repaint)
        self.screen.flash(f"Removed {_breakpoints(count)}; u brings them back.", "ok")

    def do_breaks_switch(self) -> None:
        """All off; or all on, where none is."""
        before = self.screen.model.breakpoints
        if not before:
            self.screen.flash("No breakpoints are set.", "dim")
            return
        on = not breaks.enabled_count(before)
        new = tuple(msgspec.structs.replace(each, enabled=on) for each in before)
        self._change(new, self.screen.repaint)
        self.screen.flash(f"{_breakpoints(len(new))} switched {'on' if on else 'off'}.", "ok")

    # running to

    def do_run_to(self) -> None:
        """To the cursor's step where it lies ahead of the head; else a condition is asked for."""
        step_id = self.screen.model.step_id
        if step_id is not None and self._ahead():
            self.screen.make.run_to(step_id)
        else:
            self._open(adding=True)

    def _ahead(self) -> bool:
        """Whether the cursor stands on a recorded step that a run from the head would come to."""
        model = self.screen.model
        head = -1 if model.head is None else model.path.at.get(model.head, len(model.path))
        return head < model.cursor

    def _run_on_to(self, wanted: Breakpoint) -> None:
        """Stop once where this holds, and run from the cursor."""
        if not self.screen.make.idle():
            return
        breakpoints = self.screen.model.breakpoints
        place = breaks.place_of(breakpoints, wanted)
        if place is None or not breakpoints[place].enabled or breakpoints[place].ignore:
            once = msgspec.structs.replace(wanted, once=True, enabled=True, ignore=0)
            breakpoints = (*breakpoints, once)
        self._change(breakpoints, self.screen.make.do_run)


def _breakpoints(count: int) -> str:
    return "1 breakpoint" if count == 1 else f"{count} breakpoints"
