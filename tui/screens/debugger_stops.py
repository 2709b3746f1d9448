"""Stops: forcing one, and going on after one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_stop_here(self) -> None:
        """stop_here."""
        self.screen.flash("stop_here")

    def do_more_turns(self) -> None:
        """more_turns."""
        self.screen.flash("more_turns")
