"""What goes into the dialog of breakpoints, and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rollstep.core.model.debugging import Breakpoint

from ..presenter import DebuggerModel


class BreaksResult(NamedTuple):
    """What to do when the dialog has closed: ``words`` to say, or to run on to the next step at
    which ``run_to`` holds, once, or to the step that it was opened at.
    """

    words: str = ""
    run_to: Breakpoint | None = None
    run_here: bool = False


class BreaksRequest(NamedTuple):
    """``change`` sets all breakpoints and calls back when that is done; ``undo`` takes the last
    such change back, or says why not. With ``to_run`` a condition to run to is typed at once.
    ``ahead``: the step lies ahead, so that it can be run to.
    """

    model: DebuggerModel
    change: Callable[[tuple[Breakpoint, ...], Callable[[], None]], None]
    undo: Callable[[], str]
    to_run: bool = False
    ahead: bool = False
