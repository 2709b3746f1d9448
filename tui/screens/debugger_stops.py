"""Stops: forcing one, overruling one, and more turns after one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.model.messages import Stop

from .. import edits
from ..stops import (
    more_turns_problem,
    stop_here_problem,
    turns_now,
    what_more_turns_do,
    where_more_turns_act,
)

if TYPE_CHECKING:
    from .debugger import DebuggerScreen
    from .edit_types import EditResult
    from .stop_here import StopChoice


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_stop_here(self) -> None:
        """Ask why, and stop."""
        from .stop_here import StopScreen

        screen, model = self.screen, self.screen.model
        if problem := stop_here_problem(model):
            screen.flash(problem)
            return
        if not screen.make.idle():
            return
        at = model.step_id
        where = f"after step {model.cursor + 1}" if model.cursor >= 0 else "before the first step"
        fork = ", on a new branch" if model.ahead else ""

        def chosen(choice: StopChoice | None) -> None:
            if choice is None:
                return
            screen.rollstep.guard.opened("the dialog")
            model.acting_from = model.step_id
            screen.rollstep.controller.command(
                "stop here", lambda session: session.stop_here(choice.reason, at, choice.note)
            )

        dialog = StopScreen(f"Stop {where}{fork}", edits.stop_reasons(model))
        screen.rollstep.push_screen(dialog, chosen)

    def do_more_turns(self) -> None:
        """Ask how many, and go on."""
        from .more_turns import MoreTurnsScreen

        screen, model = self.screen, self.screen.model
        if problem := more_turns_problem(model):
            screen.flash(problem)
            return
        if not screen.make.idle():
            return
        step, now = where_more_turns_act(model), turns_now(model)
        at = step.id if step is not None else None

        def chosen(turns: int | None) -> None:
            if turns is None:
                return
            screen.rollstep.guard.opened("the dialog")
            screen.rollstep.dialogs.when_trusted(model, lambda: go(turns))

        def go(turns: int) -> None:
            screen.make.follow_shown()
            model.acting_from = model.step_id
            screen.rollstep.controller.command(
                "more turns", lambda session: session.more_turns(turns, at)
            )

        suggested = max(model.project.max_turns, now + now // 2, now + 1)
        dialog = MoreTurnsScreen(now, suggested, lambda turns: what_more_turns_do(model, turns))
        screen.rollstep.push_screen(dialog, chosen)

    def overrule(self) -> None:
        """Write what was due in the place of the stop under the cursor."""
        screen, model = self.screen, self.screen.model
        step = model.step
        if step is None or not isinstance(step.payload, Stop):
            return
        slot = edits.overrule_slot(step)
        request = edits.overrule_request(model, step.payload, draft=screen.rollstep.draft(slot))

        def written(result: EditResult) -> None:
            payload = result.payload
            if result.outcome == "saved" and payload is not None:
                model.acting_from = model.step_id
                screen.rollstep.controller.override(step.id, payload, "stay", result.reason)

        screen.rollstep.dialogs.edit(request, slot, written)
