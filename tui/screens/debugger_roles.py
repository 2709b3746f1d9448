"""Going on from an import: who plays the roles is asked at the first step, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..playing import Roles, played, proposed, recorded_path, unasked

if TYPE_CHECKING:
    from collections.abc import Callable

    from rollstep.core.session import Session

    from .debugger import DebuggerScreen

_GOES_ON = frozenset({"step", "turn", "run"})
"""Commands that are given again when the roles are known; after others the turn is played on."""


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen
        self._before: Roles = ()
        """What was chosen last, for the next sample of the same kind."""
        self._then: Callable[[], None] = _nothing

    def human_needed(self, label: str) -> None:
        """A human's role was asked by this command: of an import, ask who plays; else write."""
        if not unasked(self.screen.model):
            self.screen.make.do_write()
        else:
            self.ask(lambda: self.screen.action_act(label if label in _GOES_ON else "turn", True))

    def ask(self, then: Callable[[], None]) -> None:
        """Ask who plays each role; ``then`` goes on when the project knows it."""
        from .play_roles import PlayRolesRequest, PlayRolesScreen

        screen, model = self.screen, self.screen.model
        path = recorded_path(model)

        def chosen(roles: Roles | None) -> None:
            if roles is None:
                screen.flash("Nobody was asked; w writes the step by hand.", "dim")
                return
            self._before, self._then = roles, then
            project = played(model.project, path, roles)
            screen.rollstep.guard.opened("the dialog")

            async def revising(session: Session) -> None:
                await session.revise(project)

            screen.rollstep.controller.command("roles", revising)

        turns = model.path.turns
        request = PlayRolesRequest(proposed(path, turns, self._before), path, turns)
        screen.app.push_screen(PlayRolesScreen(request), chosen)

    def known(self) -> None:
        """The project knows now who plays: do what was to be done."""
        then, self._then = self._then, _nothing
        then()


def _nothing() -> None:
    """Nothing waits."""
