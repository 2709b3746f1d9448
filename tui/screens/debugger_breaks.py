"""Breakpoints: setting them, and running to a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_breaks(self) -> None:
        """Breaks."""
        self.screen.flash("breaks")

    def do_run_to(self) -> None:
        """run_to."""
        self.screen.flash("run_to")
