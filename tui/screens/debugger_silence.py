"""Silencing a flag."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_silence(self) -> None:
        """Silence."""
        self.screen.flash("silence")
