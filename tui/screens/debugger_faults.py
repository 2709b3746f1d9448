"""Injecting a fault into a tool result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..faults import NOWHERE, fault_targets

if TYPE_CHECKING:
    from .debugger import DebuggerScreen
    from .fault import FaultChoice


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen
        self._last = ""
        """What was injected last, so that f and Enter repeat it."""

    def do_fault(self) -> None:
        """Choose a fault for the call that is open here, or for this result."""
        from .fault import FaultScreen

        screen = self.screen
        if not screen.make.idle():
            return
        targets = fault_targets(screen.model)
        if targets:
            screen.rollstep.push_screen(FaultScreen(targets, self._last), self._chosen)
        else:
            screen.flash(NOWHERE, "dim")

    def _chosen(self, choice: FaultChoice | None) -> None:
        if choice is None:
            return
        app, model = self.screen.rollstep, self.screen.model
        self._last = choice.fault
        app.guard.opened("the dialog")

        def go() -> None:
            self.screen.make.follow_shown()
            model.acting_from = model.step_id
            target, reason = choice.target, choice.reason
            if target.instead:
                app.controller.command(
                    "inject",
                    lambda session: session.inject_instead(
                        target.step_id, choice.fault, choice.after, reason
                    ),
                )
            else:
                app.controller.command(
                    "inject", lambda session: session.inject(choice.fault, target.step_id, reason)
                )

        if choice.after == "rerun":
            app.dialogs.when_trusted(model, go)
        else:
            go()
