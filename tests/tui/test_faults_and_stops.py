"""f injects faults, 0 forces a stop, more turns go on, w overrules a stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.model.messages import Stop, ToolResult, payload_text
from rollstep.core.rules.faults.kinds import FAULTS
from rollstep.tui.screens.debugger_stops import Actions as Stops
from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.screens.fault import FaultScreen
from rollstep.tui.screens.more_turns import MoreTurnsScreen
from rollstep.tui.screens.stop_here import StopScreen
from rollstep.tui.target import OpenTarget

from .conftest import Driver, Opened

CHAT = """\
version: 1
title: Chat
max_turns: 2
opening: One.
target: {kind: echo}
evaluator: {kind: scripted, messages: [Two., Three., Four., Five.]}
"""

TOOLS = """\
version: 1
title: Tools
opening: One.
target: {kind: scripted, replies: [{tool_calls: [{name: look}]}, Done.]}
evaluator: {kind: human}
tools: [{name: look}]
tool_simulator: {kind: rules, rules: [{tool: look, respond: seen}]}
faults: [timeout]
"""


def back(driver: Driver) -> Callable[[], bool]:
    return lambda: driver.app.screen is driver.app.debugger


async def to_open_call(driver: Driver) -> None:
    """Step to the first reply that calls a tool."""
    model = driver.screen.model
    while not model.path.position(model.cursor).open_calls:
        await driver.press("s")


async def choose_fault(driver: Driver, name: str) -> FaultScreen:
    dialog = driver.app.screen
    assert isinstance(dialog, FaultScreen)
    dialog._list.go_to(name)
    await driver.pilot.pause()
    return dialog


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_fault_answers_the_open_call_and_says_so(
    opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(sample="refund", size=size) as driver:
        model = driver.screen.model
        await to_open_call(driver)
        at = model.cursor
        await driver.press("f")
        dialog = await choose_fault(driver, "http_429")
        assert [row.key for row in dialog._list.rows][-len(FAULTS) :] == list(FAULTS)
        assert "retry-after: 20" in dialog._preview.passages[0].text
        await driver.press_until("enter", back(driver))
        await driver.until(lambda: len(model.path) == at + 2)
        assert model.cursor == at + 1
        step = model.path.steps[-1]
        assert (step.injected, step.origin) == ("http_429", "human")
        assert "injected: http_429" in driver.text()
        await driver.press("u")
        assert "Undone: fault http_429." in driver.text()
        assert model.cursor == at
        await driver.press("f")
        assert isinstance(driver.app.screen, FaultScreen)
        assert driver.app.screen._list.current.key == "http_429"  # type: ignore[union-attr]


async def test_a_fault_in_the_place_of_a_result_keeps_what_follows(opened: Opened) -> None:
    async with opened(OpenTarget(sample="refund", recorded=True)) as driver:
        model = driver.screen.model
        index = next(i for i, s in enumerate(model.path.steps) if s.role == "tool")
        model.jump(index)
        count, old = len(model.path), model.path.steps[index]
        await driver.press("f")
        dialog = await choose_fault(driver, "truncated_json")
        assert payload_text(old.payload).startswith(dialog._preview.passages[0].text)
        await driver.press_until("enter", lambda: bool(dialog._bar.asking))
        await driver.press_until("k", back(driver))
        await driver.until(lambda: model.path.steps[index].id != old.id)
        assert len(model.path) == count
        step = model.path.steps[index]
        assert (step.injected, step.replaces) == ("truncated_json", old.id)
        assert "later steps kept" in driver.text()


async def test_a_title_that_is_cut_says_so(opened: Opened) -> None:
    async with opened(OpenTarget(sample="refund", recorded=True), size=(80, 24)) as driver:
        model = driver.screen.model
        model.jump([i for i, s in enumerate(model.path.steps) if s.role == "tool"][1])
        await driver.press("f")
        title = str(driver.app.screen.query_one("#title").render())
        assert title.startswith("A fault in the place of step 7")
        assert title.endswith("…")
        assert len(title) <= 74


async def test_a_fault_that_makes_no_sense_is_not_injected_and_says_why(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await to_open_call(driver)
        await driver.press("f")
        dialog = await choose_fault(driver, "stale_data")
        about = str(dialog.query_one("#about").render())
        assert "has no earlier result in this path" in about
        await driver.press("enter", "enter")
        assert driver.app.screen is dialog
        await driver.press("escape")
        assert driver.app.screen is driver.app.debugger


async def test_the_hint_says_that_a_fault_rule_may_answer(opened: Opened, tmp_path: Path) -> None:
    project = tmp_path / "tools.yaml"
    project.write_text(TOOLS)
    async with opened(OpenTarget(path=project)) as driver:
        await driver.press("s", "s")
        assert "s asks the rules for the result of look (offline, free, or a fault" in driver.text()
        await driver.press("s")
        assert "injected: timeout" in driver.text()
        assert "by a fault rule of the project" in driver.text()
        assert driver.screen.model.path.steps[-1].origin == "script"


async def test_a_result_whose_schema_takes_long_to_check_is_made_beside_the_screen(
    opened: Opened, tmp_path: Path
) -> None:
    project = tmp_path / "tools.yaml"
    schema = "{not: {type: object}, type: [object, array]}"
    project.write_text(
        TOOLS.replace("{name: look}]\ntool", f"{{name: look, returns: {schema}}}]\ntool")
    )
    async with opened(OpenTarget(path=project)) as driver:
        await driver.press("s", "s", "f")
        dialog = await choose_fault(driver, "wrong_type")
        await driver.until(lambda: bool(dialog._preview.passages))
        assert dialog._preview.passages[0].text == '"{}"'


async def test_on_a_result_with_a_call_still_open_p_goes_to_the_other_place(
    opened: Opened, tmp_path: Path
) -> None:
    project = tmp_path / "tools.yaml"
    two = "[{name: look}, {name: look}]"
    project.write_text(TOOLS.replace("[{name: look}]}, Done", f"{two}}}, Done", 1))
    async with opened(OpenTarget(path=project)) as driver:
        model = driver.screen.model
        await driver.press("s", "s", "s", "f")
        dialog = driver.app.screen
        assert isinstance(dialog, FaultScreen)
        assert str(dialog.query_one("#title").render()).startswith("A fault answers look(")
        await driver.press("p")
        assert "in the place of step 3" in str(dialog.query_one("#title").render())
        await driver.press("p")
        await choose_fault(driver, "empty")
        await driver.press_until("enter", back(driver))
        await driver.until(lambda: len(model.path) == 4)
        assert [step.injected for step in model.path.steps[2:]] == ["timeout", "empty"]


async def test_f_elsewhere_says_where_it_works(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("f")
        assert "f works where a tool call is open" in driver.text()
        await driver.press("s", "f")
        assert "f works where a tool call is open" in driver.text()


async def test_a_rollout_is_stopped_for_a_usual_reason_with_a_note(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("s", "s", "0")
        dialog = driver.app.screen
        assert isinstance(dialog, StopScreen)
        await driver.press("j", "j", "tab", "tab")
        await driver.pilot.press(*"Bad luck")
        await driver.press_until("enter", back(driver))
        await driver.until(lambda: model.path.stop is not None)
        assert model.path.stop == Stop("unrecoverable", "human", "Bad luck")
        assert "stop by hand: unrecoverable" in driver.text()
        assert "ended: unrecoverable, by hand" in driver.text()
        await driver.press("0")
        assert "The rollout has ended here" in driver.text()
        await driver.press("u")
        assert model.path.stop is None


async def test_letters_typed_at_the_list_of_reasons_do_not_stop_for_one_of_them(
    opened: Opened,
) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("s", "s", "0")
        await driver.pilot.press(*"enough", "enter")
        assert isinstance(driver.app.screen, StopScreen)
        assert model.path.stop is None
        await driver.pilot.press("x")
        assert "Tab first" in str(driver.app.screen.query_one("#keys").render())


async def test_a_reason_of_ones_own_is_offered_the_next_time(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("s", "s", "0", "tab")
        await driver.pilot.press(*"bored")
        await driver.press_until("enter", back(driver))
        await driver.until(lambda: model.path.stop is not None)
        assert model.path.stop == Stop("bored", "human")
        await driver.press("g", "0")
        dialog = driver.app.screen
        assert isinstance(dialog, StopScreen)
        assert [row.key for row in dialog._list.rows][-1] == "bored"
        assert "on a new branch" in str(dialog.query_one("#title").render())


async def test_w_on_a_stop_writes_a_message_in_its_place(opened: Opened) -> None:
    async with opened(OpenTarget(sample="refund", recorded=True)) as driver:
        model = driver.screen.model
        await driver.press("G")
        stop = model.path.steps[-1]
        assert "w overrules it" in driver.text()
        await driver.press("w")
        editor = driver.app.screen
        assert isinstance(editor, EditorScreen)
        assert "the evaluator's message" in editor.request.title
        await driver.pilot.press(*"Wait", "ctrl+s")
        await driver.until(back(driver))
        await driver.until(lambda: model.path.stop is None)
        step = model.path.steps[-1]
        assert payload_text(step.payload) == "Wait"
        assert step.replaces == stop.id
        assert model.takes(model.cursor) == 2
        await driver.press("u")
        assert model.path.steps[-1].id == stop.id


async def test_w_on_a_stop_amid_calls_writes_the_result_that_was_due(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await to_open_call(driver)
        call = model.path.position(model.cursor).open_calls[0]
        await driver.press("0")
        await driver.press_until("enter", back(driver))
        await driver.until(lambda: model.path.stop is not None)
        await driver.press("e")
        editor = driver.app.screen
        assert isinstance(editor, EditorScreen)
        assert not editor.model.can_switch
        await driver.press("escape", "w")
        await driver.pilot.press(*"ok", "ctrl+s")
        await driver.press_until("y", back(driver))
        await driver.until(lambda: model.path.stop is None)
        result = model.path.steps[-1].payload
        assert isinstance(result, ToolResult)
        assert result.call_id == call.id


async def test_e_on_a_stop_can_say_something_instead(opened: Opened) -> None:
    async with opened(OpenTarget(sample="refund", recorded=True)) as driver:
        model = driver.screen.model
        await driver.press("G", "e", "f3")
        await driver.pilot.press(*"Wait", "ctrl+s")
        await driver.press_until("enter", back(driver))
        await driver.until(lambda: model.path.stop is None)
        assert payload_text(model.path.steps[-1].payload) == "Wait"


async def test_more_turns_let_a_rollout_go_on(opened: Opened, tmp_path: Path) -> None:
    project = tmp_path / "chat.yaml"
    project.write_text(CHAT)
    async with opened(OpenTarget(path=project)) as driver:
        model = driver.screen.model
        await driver.press("c")
        assert model.path.stop == Stop("max_turns", "evaluator")
        assert "more turns" in driver.text()
        Stops(driver.screen).do_more_turns()
        await driver.pilot.pause()
        dialog = driver.app.screen
        assert isinstance(dialog, MoreTurnsScreen)
        about = str(dialog.query_one("#about").render())
        assert about == (
            "max_turns goes from 2 to 3. The evaluator (script) is asked anew: offline, free."
        )
        await driver.pilot.press("2")
        await driver.pilot.pause()
        assert "A number of turns above 2." in str(dialog.query_one("#about").render())
        await driver.pilot.press("backspace", "4")
        await driver.press_until("enter", back(driver))
        await driver.until(lambda: model.path.stop is None)
        assert payload_text(model.path.steps[-1].payload) == "Three."
        assert model.cursor == len(model.path) - 1
        assert model.project.max_turns == 4
        assert "turn 3/4" in driver.text()
        await driver.press("u")
        assert "Undone: more turns." in driver.text()
        assert model.path.stop is not None
        assert "turn 2/2" in driver.text()


async def test_more_turns_from_amid_the_branch_and_a_human_says_what_comes(
    opened: Opened, tmp_path: Path
) -> None:
    project = tmp_path / "chat.yaml"
    project.write_text(CHAT.replace("scripted, messages: [Two., Three., Four., Five.]", "human"))
    async with opened(OpenTarget(path=project)) as driver:
        model = driver.screen.model
        await driver.press("t", "0", "j")
        await driver.press_until("enter", back(driver))
        await driver.until(lambda: model.path.stop is not None)
        assert model.path.stop == Stop("max_turns", "human")
        await driver.press("g")
        Stops(driver.screen).do_more_turns()
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, MoreTurnsScreen)
        assert "You play the evaluator" in str(driver.app.screen.query_one("#about").render())
        await driver.press_until("enter", lambda: isinstance(driver.app.screen, EditorScreen))
        await driver.pilot.press(*"Go on", "ctrl+s")
        await driver.until(back(driver))
        await driver.until(lambda: model.path.stop is None)
        assert payload_text(model.path.steps[-1].payload) == "Go on"


async def test_more_turns_say_why_they_would_do_nothing(opened: Opened) -> None:
    async with opened(OpenTarget(sample="weekend", recorded=True)) as driver:
        model = driver.screen.model
        await driver.press("G")
        assert model.path.stop is not None
        assert model.path.stop.reason == "goal_reached"
        Stops(driver.screen).do_more_turns()
        assert "ended by goal_reached, not by the turn limit" in driver.text()
