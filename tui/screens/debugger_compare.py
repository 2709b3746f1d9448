"""Comparing branches, edits and rollouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_diff(self) -> None:
        """The page of differences, and back to the message."""
        self.screen.look.do_diff()
