"""The outline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .outline import OutlineScreen

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_outline(self) -> None:
        """The whole rollout as a tree, over the debugger."""
        self.screen.app.push_screen(OutlineScreen(self.screen))
