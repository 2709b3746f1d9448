"""Faults where a tool simulator would be asked: the project's rules decide before it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .model.view import View
from .rules.faults.drawing import drawn_fault
from .rules.views import Injected

if TYPE_CHECKING:
    from .asking import Made


def fault_made(view: View, injected: Sequence[Injected]) -> Made | None:
    """The fault that one of the project's rules puts in the simulator's place; None where it is
    asked. Its state stays as it is then, and no row of its table is used up.
    """
    from .asking import Made

    drawn = drawn_fault(view, injected)
    if drawn is None:
        return None
    name, result = drawn
    return Made(result, "script", state=view.state, injected=name)


def faults_together(
    views: Sequence[View], injected: Sequence[Injected], *, takes: bool
) -> list[Made | None]:
    """The same for what is asked at once: each call counts the faults before it, but ``takes`` of
    one call stand beside each other and do not.
    """
    so_far = list(injected)
    found: list[Made | None] = []
    for view in views:
        fault = fault_made(view, so_far)
        found.append(fault)
        if fault is not None and view.call is not None and not takes:
            so_far.append((fault.injected, view.call))
    return found


async def at_hand(made: Made) -> Made:
    """An answer that nobody has to be asked for."""
    return made
