"""Asking anew, and several takes side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_retake(self) -> None:
        """Retake."""
        self.screen.flash("retake")

    def do_takes(self) -> None:
        """Takes."""
        self.screen.flash("takes")
