"""Asking anew, and several takes side by side."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rollstep.core.asking import OFFLINE
from rollstep.core.errors import RollstepError

from ..playing import unasked
from ..retakes import Anew, asked_anew, brief, cost_words, settings, title

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rollstep.core.model.steps import Role, Step
    from rollstep.core.retaking import AskChange
    from rollstep.core.session import Session

    from .debugger import DebuggerScreen
    from .retake import RetakeChoice

_PEEK = 9
"""Alternatives of a script that the dialog knows of."""


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen
        self._last: dict[tuple[str, Role], RetakeChoice] = {}
        """What was chosen last for a role, so that r and Enter repeat it."""
        self._asked = ("", 0)
        """The step that was asked for anew ("" for one that had failed), and how many takes."""
        self._parent: str | None = None
        self._failures = 0
        """The step that takes were asked for after, and how often that had failed before."""

    # asking anew

    def do_retake(self) -> None:
        """Ask for more takes of this step."""
        screen, model = self.screen, self.screen.model
        if unasked(model) and model.step is not None:
            if screen.make.idle():
                screen.feature("roles").ask(self.do_retake)
            return
        anew = asked_anew(model)
        if isinstance(anew, str):
            screen.flash(anew, "dim")
        elif screen.make.idle():
            screen.rollstep.dialogs.when_trusted(model, lambda: self._ask(anew))

    def _ask(self, anew: Anew) -> None:
        from rollstep.core.retaking import AskChange

        from .retake import RetakeChoice, RetakeRequest, RetakeScreen

        app, model = self.screen.rollstep, self.screen.model
        name, temperature = settings(model, anew.role)
        key = model.rollout.header.id, anew.role
        before = self._last.get(key, RetakeChoice("1", name, temperature))

        def cost(choice: RetakeChoice) -> str:
            words = cost_words(model, anew, choice.takes, choice.model)
            told = anew.kind == "llm" and self._change(anew, choice) != AskChange()
            return f"{words}\nFor these takes only: the project stays as it is." if told else words

        async def peek() -> tuple[str, ...] | str:
            try:
                assert anew.step is not None  # nothing fails that answers by a script
                found = await asyncio.wrap_future(app.controller.alternatives(anew.step.id, _PEEK))
            except RollstepError as error:
                return str(error)
            return tuple(map(brief, found)) or _nothing_new(model.takes(anew.number - 1))

        def chosen(choice: RetakeChoice | None) -> None:
            if choice is None:
                return
            self._last[key] = choice
            app.guard.opened("the dialog")
            self._go(anew, choice)

        request = RetakeRequest(
            title(model, anew),
            before,
            anew.kind == "llm",
            cost,
            peek if anew.kind in OFFLINE else None,
        )
        app.push_screen(RetakeScreen(request), chosen)

    def _go(self, anew: Anew, choice: RetakeChoice) -> None:
        screen, model = self.screen, self.screen.model
        if not screen.make.idle():
            return
        takes, change, here = choice.takes, self._change(anew, choice), model.step_id
        step_id = anew.step.id if anew.step is not None else ""
        self._asked = step_id, takes
        self._parent = anew.step.parent_id if anew.step is not None else here
        self._failures = len(model.attempts.get(self._parent, ()))
        model.notice = ""
        model.acting_from = here

        def asking(session: Session) -> Coroutine[Any, Any, tuple[Step, ...]]:
            if not step_id:
                return session.ask_otherwise(here, takes, change)
            return session.retake(step_id, takes, change)

        screen.rollstep.controller.command("retake", asking)

    def _change(self, anew: Anew, choice: RetakeChoice) -> AskChange | None:
        """What is otherwise than the project says."""
        if anew.kind != "llm":
            return None
        from rollstep.core.retaking import AskChange

        name, temperature = settings(self.screen.model, anew.role)
        typed, degrees = choice.model.strip(), choice.temperature.strip()
        return AskChange(
            typed if typed and typed != name else None,
            choice.degrees() if degrees != temperature else None,
            choice.instruction,
        )

    def retaken(self, made: tuple[Step, ...]) -> None:
        """Takes have come: say how many, and show several side by side."""
        screen, model = self.screen, self.screen.model
        (asked, wanted), step = self._asked, model.step
        if not made:
            return
        if not asked:
            asked = made[0].id
            if len(made) == 1:
                return  # nothing beside which it stands
        number = len(model.rollout.path(asked))
        count = f"{len(made)} new take{'s' if len(made) > 1 else ''} of step {number}"
        if len(made) < wanted and made[0].origin == "script":
            count += ", and no more there are"
        if step is None or step.parent_id != made[0].parent_id:
            screen.flash(f"{count}. You have gone elsewhere and stay there.", "ok")
            return
        screen.flash(f"{count}; | shows all side by side.", "ok")
        if wanted > 1 and screen.app.screen is screen:
            self._show(step.id, asked)

    def in_part(self) -> str:
        """What the cancelled asking has left of takes that had come in part, and where."""
        model = self.screen.model
        since = model.attempts.get(self._parent, [])[self._failures :]
        count = sum(bool(attempt.partial) for attempt in since)
        if not count:
            return ""
        number = len(model.rollout.path(self._parent))
        where = f"on step {number}" if number else "at the start"
        what, it = ("one in part", "it") if count == 1 else (f"{count} in part", "one of them")
        return f", {what}: w {where} goes on from {it}"

    # side by side

    def do_takes(self) -> None:
        """The takes of this step or, where it has no other, of the nearest before that has."""
        model = self.screen.model
        index = model.place_with_takes()
        if index < 0:
            words = "Neither this step nor one before it has another take; r asks for one."
            self.screen.flash(words, "dim")
        else:
            step_id = model.path.steps[index].id
            self._show(step_id, step_id)

    def _show(self, step_id: str, base_id: str) -> None:
        from .takes import TakesScreen

        screen = self.screen

        def chosen(take_id: str | None) -> None:
            if take_id is None:
                return
            screen.model.show_take(take_id)
            takes = screen.model.rollout.takes(take_id)
            place = takes.index(take_id) + 1 if take_id in takes else 0
            screen.repaint()
            words = f"take {place} of {len(takes)} of step {screen.model.cursor + 1}"
            screen.flash(f"T{words[1:]}: what follows goes on from it; ' goes back.", "ok")

        screen.app.push_screen(TakesScreen(screen.model, screen.palette, step_id, base_id), chosen)


def _nothing_new(takes: int) -> str:
    there = "the take that is there" if takes == 1 else f"the {takes} takes that are there"
    return f"There is no other answer here than {there}: e writes one by hand."
