"""From one rollout to the next of the list that it was opened from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """The actions of the debugger screen that open another rollout of the list."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_rollout_next(self) -> None:
        """The next one."""
        self._go(1)

    def do_rollout_previous(self) -> None:
        """The one before."""
        self._go(-1)

    def _go(self, by: int) -> None:
        if self.screen.make.idle():
            self.screen.rollstep.dialogs.open_beside(by)
