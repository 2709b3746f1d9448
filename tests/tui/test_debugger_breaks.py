"""Breakpoints in the debugger on a real session: set, hit, gone on from, switched off, undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.tui.bars import hint_words
from rollstep.tui.screens.breakpoints import BreakpointsScreen
from rollstep.tui.target import OpenTarget
from rollstep.tui.widgets.text_box import TextBox

from .conftest import Driver, Opened
from .synthetic import refund


async def at_a_result_of_the_policy(driver: Driver) -> None:
    """Play to step 7, the result of check_policy, and stand there."""
    await driver.press(*"sssssss")
    assert driver.screen.model.cursor == 6


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_debugger_where_a_breakpoint_stopped_a_run(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """``#`` behind the numbers of steps 3 (which is flagged too) and 8, and in the timeline; two
    breakpoints in the status line; why it stopped in the hint; in the inspector which holds here.
    """
    breakpoints = (Breakpoint("kind = result and tool = check_policy"), Breakpoint("failure"))
    why = "breakpoint 1 at step 8: kind = result and tool = check_policy"
    shown = refund()._replace(breakpoints=breakpoints, notice=why)
    async with opened(snapshot=shown, size=size) as driver:
        same_screen(driver.app)


async def test_b_enter_stops_runs_here_says_why_and_c_goes_on(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await at_a_result_of_the_policy(driver)
        await driver.press("b", "enter")
        await driver.until(lambda: len(model.breakpoints) == 1)
        assert "Breakpoint 1: results of check_policy." in driver.text()
        assert "1 break #" in driver.text()
        assert "7# check_policy" in driver.text()
        await driver.press("g", "c")
        assert model.cursor == 6
        why = "breakpoint 1 at step 7: kind = result and tool = check_policy"
        assert hint_words(model) == (why + "; c goes on", "warn")
        await driver.press("k")
        assert why in driver.text()
        await driver.press("j", "c")
        assert "breakpoint 1 at step 11: " in driver.text()
        assert model.hits == (2,)
        await driver.press("c")
        assert model.path.stop is not None
        assert "breakpoint 1 at step" not in driver.text()
        await driver.press("g", *"jjjjjj", "b", "enter")
        await driver.until(lambda: not model.breakpoints)
        assert " break " not in driver.app.debugger.top._rows[1].text  # type: ignore[union-attr]


async def test_a_run_that_asks_stops_after_the_step_is_saved_with_the_cursor_on_it(
    opened: Opened,
) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("b", "a", *"tool = check_policy", "enter")
        await driver.until(lambda: len(model.breakpoints) == 1)
        await driver.press("escape", "c")
        assert model.cursor == len(model.path) - 1 == 5
        assert "breakpoint 1 at step 6: tool = check_policy" in driver.text()
        assert not model.pending
        await driver.press("c")
        assert model.cursor == 6


async def test_hits_that_are_ignored_and_a_breakpoint_for_once(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("b", "a", *"role = evaluator", "enter")
        await driver.press("i", "1", "enter", "o", "escape")
        await driver.until(lambda: model.breakpoints[0].once)
        await driver.press("c")
        assert model.cursor == 4
        assert model.breakpoints == ()
        await driver.press("c")
        assert model.path.stop is not None


async def test_before_a_role_is_asked_and_then_on(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("s", "b", "a", *"role = target", "enter", "B", "escape")
        await driver.until(lambda: model.breakpoints[0].before)
        await driver.press("c")
        assert model.cursor == 0
        assert "before step 2: role = target" in driver.text()
        await driver.press("c")
        assert model.cursor == 2
        assert "before step 4: role = target" in driver.text()


async def test_undo_takes_a_breakpoint_back_and_leaves_the_cursor_alone(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await at_a_result_of_the_policy(driver)
        await driver.press("k", "k", "b", "enter", "u")
        await driver.until(lambda: not model.breakpoints)
        assert "Undone: change of breakpoints." in driver.text()
        assert (model.cursor, len(model.path)) == (4, 7)
        await driver.press("U")
        await driver.until(lambda: len(model.breakpoints) == 1)
        await driver.press("b", "6", "u")
        assert len(model.breakpoints) == 1
        assert isinstance(driver.app.screen, BreakpointsScreen)


async def test_run_to_here_walks_from_the_head_to_a_recorded_step(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await at_a_result_of_the_policy(driver)
        await driver.press("g", "s", "j", "j", "b", "9")
        await driver.until(lambda: model.head == model.step_id)
        assert model.cursor == 3
        assert "Here you are" in driver.text()
        assert model.breakpoints == ()


async def test_a_breakpoint_on_the_way_stops_a_run_to_here(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await at_a_result_of_the_policy(driver)
        await driver.press("g", "s", "j", "b", "enter", "G")
        driver.screen.action_act("run_to", chosen=True)
        await driver.until(lambda: model.head == model.path.steps[2].id and model.cursor == 2)
        await driver.until(driver._settled)
        await driver.pilot.pause()
        assert "breakpoint 1 at step 3" in driver.text()


async def test_run_to_a_condition_once(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        driver.screen.action_act("run_to", chosen=True)
        await driver.until(lambda: isinstance(driver.app.focused, TextBox))
        await driver.press(*"tool = check_policy", "enter")
        await driver.until(lambda: len(model.path) == 6 and not driver.app.controller.busy)
        await driver.pilot.pause()
        assert model.breakpoints == ()
        assert "at step 6: tool = check_policy" in driver.text()


async def test_running_on_to_what_a_breakpoint_stops_at_anyway_sets_no_second(
    opened: Opened,
) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("b", "1", "c")
        await driver.until(lambda: model.hits == (1,) and not driver.app.controller.busy)
        await driver.pilot.pause()
        assert (model.cursor, len(model.breakpoints)) == (2, 1)
        assert hint_words(model)[0].startswith("breakpoint 1 at step 3: kind = result")


async def test_all_off_on_and_away_from_the_palette(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model, act = driver.screen.model, driver.screen.action_act
        act("breaks_clear", chosen=True)
        assert "No breakpoints are set." in driver.text()
        await driver.press("b", "1", "2", "escape")
        act("breaks_switch", chosen=True)
        await driver.until(lambda: not any(each.enabled for each in model.breakpoints))
        assert "2 breakpoints switched off." in driver.text()
        assert "0 breaks #" in driver.text()
        act("breaks_switch", chosen=True)
        await driver.until(lambda: all(each.enabled for each in model.breakpoints))
        act("breaks_clear", chosen=True)
        await driver.until(lambda: not model.breakpoints)
        await driver.press("u")
        assert len(model.breakpoints) == 2


async def test_breakpoints_of_the_project_stop_runs_too_and_stay_changed(
    opened: Opened, tmp_path: Path
) -> None:
    project = tmp_path / "p.yaml"
    project.write_text(
        "version: 1\ntitle: P\nopening: hi\nmax_turns: 3\ntarget: {kind: echo}\n"
        "evaluator: {kind: heuristic}\nbreakpoints: [turn = 2]\n"
    )
    library = tmp_path / "library.sqlite"
    async with opened(OpenTarget(path=project), library=library) as driver:
        model = driver.screen.model
        await driver.press("c")
        assert model.cursor == 2
        rollout = model.rollout.header.id
        await driver.press("b", "end", "space", "escape")
        await driver.until(lambda: not model.breakpoints[0].enabled)
    async with opened(OpenTarget(rollout=rollout), library=library) as driver:
        assert driver.screen.model.breakpoints == (Breakpoint("turn = 2", enabled=False),)


async def test_a_rollout_that_was_parked_at_a_breakpoint_opens_with_why_and_goes_on(
    opened: Opened, tmp_path: Path
) -> None:
    from rollstep.core.session import Session
    from rollstep.core.store.library import Library

    library = tmp_path / "library.sqlite"
    breakpoints = (Breakpoint("turn = 2", name="second"),)
    project = Project(
        "P", EchoTarget(), HeuristicEvaluator(), opening="hi", breakpoints=breakpoints
    )
    with Library.open(library) as kept:
        session = Session.start(project, library=kept)
        async for _ in session.run():
            pass
        await session.close()
    rollout = session.rollout.header.id
    async with opened(OpenTarget(rollout=rollout), library=library) as driver:
        model = driver.screen.model
        assert model.cursor == 2
        assert 'parked: breakpoint 1 "second" at step 3: turn = 2' in driver.text()
        await driver.press("c")
        assert len(model.path) > 3
