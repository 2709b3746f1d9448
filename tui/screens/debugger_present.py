"""Presenting the branch that is shown, and going on from there with what is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.asking import OFFLINE
from rollstep.core.model.players import is_live
from rollstep.core.rules.stepper import Ask

from .. import edits
from ..stepview import call_text
from ..who import ANSWERS, NAMES, kind_of, who
from .present import Ended, PresentScreen

if TYPE_CHECKING:
    from rollstep.core.errors import RollstepError
    from rollstep.core.model.steps import Role
    from rollstep.core.session import Session

    from .debugger import DebuggerScreen
    from .edit_types import EditResult

_GOES_ON = {"step", "turn", "run"}
"""Commands that are given again when a role was let through."""


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen
        self._leaf: str | None = None

    def do_present(self) -> None:
        """Play the branch from the cursor, full screen."""
        screen, model = self.screen, self.screen.model
        if not model.path.steps:
            screen.flash("There is nothing to present yet: s makes the first step.", "dim")
        elif screen.make.idle():
            self._leaf = model.leaf
            presented = PresentScreen(model, screen.palette, screen.requests)
            screen.app.push_screen(presented, self._ended)

    def _ended(self, how: Ended | None) -> None:
        self.screen.repaint()
        if how == "fork":
            self._fork()

    def _fork(self) -> None:
        screen, model = self.screen, self.screen.model
        if not screen.make.idle():
            return
        leaf, at = self._leaf, model.step_id
        screen.rollstep.guard.opened("the presentation")

        async def forking(session: Session) -> None:
            session.replay(leaf)
            if leaf is not None:
                session.follow(leaf)
            await session.go_to(at)

        screen.rollstep.controller.command("fork", forking)
        model.replaying = frozenset()
        screen.flash(
            "Yours from here: s walks on, e overrides; what is not recorded asks you first.",
            "ok",
        )

    def do_replay_off(self) -> None:
        """Let the project's roles answer everything again."""
        if self.screen.model.replaying is None:
            self.screen.flash("Nothing is replayed: the project's roles answer.", "dim")
        elif self.screen.make.idle():
            self.screen.model.replaying = None
            self.screen.rollstep.controller.command("replay off", _end_replay)
            self.screen.repaint()

    # what is not recorded

    def not_recorded(self, error: RollstepError, label: str) -> None:
        """Ask what to do about a question that nothing recorded answers."""
        screen, model = self.screen, self.screen.model
        role: Role = getattr(error, "role", "target")
        model.follow_head()
        screen.repaint()
        options = [("write", f"write: the {ANSWERS[role]} by hand", "w")]
        kind = kind_of(model.project, role)
        if kind in OFFLINE:
            words = f"script: the project's {NAMES[role]} ({kind}) answers from now on, free"
            options.append(("ask", words, "s"))
        else:
            options.append(("script", "script: written once, for equal calls from now on", "s"))
        if kind not in (*OFFLINE, "human", ""):
            cost = ", may cost money" if is_live(model.project, role) else ""
            words = f"live: {who(model.project, role)} answers from now on{cost}"
            options.append(("ask", words, "l"))

        def chosen(choice: str) -> None:
            if choice == "ask":
                self._let_through(role, label)
            elif choice == "script":
                self._script()
            else:
                screen.make.do_write()

        title = f"Not recorded: the {ANSWERS[role]}"
        action = model.next_here()
        call = action.call if isinstance(action, Ask) else None
        text = call_text(call) if call is not None else ""
        screen.rollstep.dialogs.choose(title, tuple(options), chosen, text)

    def _let_through(self, role: Role, label: str) -> None:
        screen, model = self.screen, self.screen.model

        def go() -> None:
            model.replaying = (model.replaying or frozenset()) | {role}
            screen.rollstep.controller.let_through(role)
            if label in _GOES_ON:
                screen.action_act(label, chosen=True)
            else:
                screen.flash("From now on it answers itself what is not recorded.", "ok")

        screen.rollstep.dialogs.when_trusted(model, go, replaying=False)

    def _script(self) -> None:
        """Write the step; what was written is recorded from then on."""
        screen, model = self.screen, self.screen.model
        slot = edits.write_slot(model)
        request = edits.write_request(model, draft=screen.rollstep.draft(slot))
        if isinstance(request, str):
            screen.flash(request)
            return
        at, leaf = model.step_id, self._leaf

        def written(result: EditResult) -> None:
            if result.outcome != "saved" or result.payload is None:
                return
            payload = edits.fit_call(model, result.payload)
            model.acting_from = model.step_id

            async def writing(session: Session) -> object:
                step = await session.write(payload, at, result.reason)
                session.record_more(leaf)
                return step

            screen.rollstep.controller.command("write", writing)

        screen.rollstep.dialogs.edit(request, slot, written)


async def _end_replay(session: Session) -> None:
    session.end_replay()
