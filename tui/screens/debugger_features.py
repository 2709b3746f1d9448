"""Which file carries out which of the debugger's rarer actions. They are loaded when first asked,
so that a start does not pay for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .debugger import DebuggerScreen

FEATURES: dict[str, str] = {
    "retake": "debugger_takes",
    "takes": "debugger_takes",
    "breaks": "debugger_breaks",
    "run_to": "debugger_breaks",
    "breaks_clear": "debugger_breaks",
    "breaks_switch": "debugger_breaks",
    "fault": "debugger_faults",
    "stop_here": "debugger_stops",
    "more_turns": "debugger_stops",
    "outline": "debugger_outline",
    "diff": "debugger_compare",
    "silence": "debugger_silence",
    "roles": "debugger_roles",
    "present": "debugger_present",
    "replay_off": "debugger_present",
    "accept": "debugger_marks",
    "reject": "debugger_marks",
    "unsure": "debugger_marks",
    "mark": "debugger_marks",
    "rollout_next": "debugger_list",
    "rollout_previous": "debugger_list",
}
"""Action to module. Its class ``Actions`` takes the screen and has a ``do_`` method for each."""


def load_feature(module: str, screen: DebuggerScreen) -> object:
    """The actions of one of these modules."""
    found: object = import_module(f".{module}", __package__).Actions(screen)
    return found
