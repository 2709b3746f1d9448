"""Comparing branches, edits and rollouts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from rollstep.core.errors import RollstepError

from ..comparing.choices import (
    ORIGINAL,
    Choice,
    choices,
    chosen_subject,
    rollout_choices,
    rollout_subject,
    shown_subject,
)
from ..comparing.subjects import Subject, compare_subjects
from ..target import OpenTarget
from .compare import Answer, CompareScreen
from .compare_choice import CompareChoice

if TYPE_CHECKING:
    from .debugger import DebuggerScreen

_AT_ONCE = 1_000
"""Steps of both sides together that are compared before anything else; more are in a thread."""


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen
        self._last = ""
        self._last_step: str | None = None

    def do_diff(self) -> None:
        """Compare with the one other thing there is, or with what is chosen."""
        found = choices(self.screen.model)
        if len(found) == 1:
            self._chosen(found[0])
        else:
            self._ask(found)

    # what to compare with

    def _ask(self, found: list[Choice]) -> None:
        known = {choice.id: choice for choice in found}
        dialog = CompareChoice(found, self._default(found))

        def chosen(value: str | None) -> None:
            if value is not None:
                self._chosen(known[value])

        opened = self.screen.app.push_screen(dialog, chosen)
        project, own = self.screen.model.rollout.projects[0], self.screen.model.rollout.header.id
        others = self.screen.rollstep.controller.with_library(
            lambda library: rollout_choices(library, project, own)
        )
        self.screen.rollstep.later(self._add(dialog, opened, known, others))

    def _default(self, found: list[Choice]) -> str:
        """What was chosen last; but at another override its own original."""
        if found and found[0].id == ORIGINAL and self.screen.model.step_id != self._last_step:
            return ORIGINAL
        return self._last or (found[0].id if found else "")

    async def _add(
        self,
        dialog: CompareChoice,
        opened: Awaitable[object],
        known: dict[str, Choice],
        others: Future[list[Choice] | None],
    ) -> None:
        """Offer the other rollouts too, when the library has answered."""
        found: list[Choice] = []
        try:
            answer = await asyncio.wrap_future(others)
            found = answer or []
        finally:
            known.update((choice.id, choice) for choice in found)
            await opened
            if dialog.is_attached:
                dialog.add(found)

    def _chosen(self, choice: Choice) -> None:
        self._last, self._last_step = choice.id, self.screen.model.step_id
        shown = shown_subject(self.screen.model)
        if choice.rollout:
            self._open(choice.rollout, shown)
            return
        left, right = chosen_subject(self.screen.model, choice), shown
        if choice.is_edit:
            left, right = right, left
        screen = CompareScreen(self.screen.palette, f"Comparing with the {choice.words} …")
        self._push(screen)
        if len(left.steps) + len(right.steps) <= _AT_ONCE:
            screen.show(compare_subjects(left, right), left, right)
        else:
            self.screen.rollstep.later(_compare(screen, left, right))

    def compare_with(self, rollout_id: str, leaf: str | None) -> None:
        """Compare what is shown with another rollout, whose branch ends at ``leaf``."""
        self._open(rollout_id, shown_subject(self.screen.model), leaf)

    def _open(self, rollout_id: str, right: Subject, leaf: str | None = None) -> None:
        screen = CompareScreen(self.screen.palette, f"Reading the rollout {rollout_id} …")
        self._push(screen)
        reading = self.screen.rollstep.controller.with_library(
            lambda library: rollout_subject(library, rollout_id, *([leaf] if leaf else []))
        )

        async def read() -> None:
            try:
                left = await asyncio.wrap_future(reading)
            except RollstepError:
                if screen.is_attached:
                    screen.dismiss(None)
                raise
            if left is not None:
                await _compare(screen, left, right)

        self.screen.rollstep.later(read())

    # the comparison

    def _push(self, screen: CompareScreen) -> None:
        def ended(answer: Answer | None) -> None:
            if answer == "others":
                self._ask(choices(self.screen.model))
            elif answer is not None:
                _, side, step_id = answer
                self._go(screen.subjects[side], step_id)

        self.screen.app.push_screen(screen, ended)

    def _go(self, subject: Subject, step_id: str) -> None:
        """To a step of either side, on the branch that was compared."""
        app, model = self.screen.rollstep, self.screen.model
        if subject.rollout is not model.rollout:
            if not self.screen.make.idle():
                return
            step = subject.rollout.steps[step_id]
            app.dialogs.open_target(OpenTarget(rollout=subject.rollout.header.id, step=step.seq))
            return
        app.guard.opened("the comparison")
        model.jump(model.cursor)
        if step_id not in model.path.at:
            model.go_to(subject.leaf)
        model.go_to(step_id)
        self.screen.repaint()
        self.screen.flash(f"Step {model.cursor + 1} of {model.branch_name()}; ' goes back.", "ok")


async def _compare(screen: CompareScreen, left: Subject, right: Subject) -> None:
    comparison = await asyncio.to_thread(compare_subjects, left, right)
    screen.show(comparison, left, right)
