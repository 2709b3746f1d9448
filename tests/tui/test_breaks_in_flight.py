"""Breakpoints while a run goes on."""

from __future__ import annotations

import subprocess
import sys

from rollstep.tui.screens.breakpoints import BreakpointsScreen

from ..screen_text import screen_text
from .conftest import Opened
from .slow import Slow
from .test_in_flight import flying, slow

__all__ = ["slow"]


async def test_one_that_is_set_while_a_run_goes_on_stops_it(opened: Opened, slow: Slow) -> None:
    async with flying(opened, slow, key="c") as flight:
        await flight.press("b", "a", *"role = evaluator", "enter", "u")
        screen = flight.driver.app.screen
        assert isinstance(screen, BreakpointsScreen)
        assert "A step is being made" in screen_text(flight.driver.app)
        slow.quick = True
        await flight.answer()
        await flight.driver.until(lambda: flight.model.hits == (1,))
        assert "1 hit " in screen_text(flight.driver.app)
        await flight.press("u")
        await flight.driver.until(lambda: not flight.model.breakpoints)
        await flight.press("escape")
        assert flight.model.cursor == len(flight.model.path) - 1 == 4
        assert flight.model.path.steps[-1].role == "evaluator"


async def test_running_to_a_condition_waits_for_the_run_that_goes_on(
    opened: Opened, slow: Slow
) -> None:
    async with flying(opened, slow, key="c") as flight:
        await flight.press("b", "c")
        assert "A step is being made. Wait for it" in flight.text()
        assert flight.model.breakpoints == ()
        await flight.driver.press_until("escape", lambda: not flight.driver.app.controller.busy)


def test_a_start_without_breakpoints_loads_nothing_of_the_query_language() -> None:
    code = """
import sys
import rollstep.tui.rollstep_app, rollstep.tui.start
from rollstep.core.session import Session
from rollstep.tui import bars, inspector, timeline
from rollstep.tui.presenter import DebuggerModel
from tests.tui.synthetic import refund
model = DebuggerModel(refund())
timeline.timeline(model, 160), bars.status(model, 160), inspector.document(model, inspector.TABS[0])
loaded = [name for name in sys.modules if name.startswith(("rollstep.core.rules.query",
    "rollstep.core.rules.breakpoints", "rollstep.tui.break"))]
print(loaded)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
