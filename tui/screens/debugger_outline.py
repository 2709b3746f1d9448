"""The outline."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_outline(self) -> None:
        """Branches and edits in a list; choosing one goes there."""
        self.screen.rollstep.dialogs.show_outline(self.screen)
