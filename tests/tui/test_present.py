"""``p``: presenting a branch full screen, offline, and going on from it with what is recorded."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
from msgspec.structs import replace
from rollstep.core.model.messages import ToolCall, payload_text, target_reply
from rollstep.core.model.project import LlmTarget, Project
from rollstep.tui.sanitize import visible
from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.screens.present import PresentScreen
from rollstep.tui.target import OpenTarget

from .conftest import Driver, Opened
from .synthetic import HOSTILE, hostile, refund

SIZES = [(80, 24), (160, 45)]
RECORDED = OpenTarget(sample="refund", recorded=True)


def shown(driver: Driver) -> PresentScreen:
    screen = driver.app.screen
    assert isinstance(screen, PresentScreen)
    return screen


def text(driver: Driver) -> str:
    screen = shown(driver)
    panes = [pane for pane in screen.panes if pane.display]
    return "\n".join(row.text for pane in panes for row in pane._rows)


def lane(driver: Driver, place: int) -> str:
    return "\n".join(row.text for row in shown(driver).lanes[place]._rows)


async def presented(driver: Driver, *keys: str) -> None:
    """Present, paused: steps are whole then, whatever the clock says."""
    await driver.press("p")
    assert isinstance(driver.app.screen, PresentScreen), "something was being made still"
    await driver.press("space", *keys)


def nobody(project: Project) -> Any:
    raise AssertionError("a role was asked for")


@pytest.mark.parametrize("size", SIZES)
async def test_a_turn_is_presented_at_every_size(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """The title and the turns, [2] marked; the steps of this turn as far as it was played, in one
    column behind bars or, where there is room, in three lanes; the keys and which were pressed.
    """
    async with opened(snapshot=refund(head="s6"), size=size) as driver:
        await presented(driver, "right", "right")
        same_screen(driver.app)


@pytest.mark.parametrize("size", SIZES)
async def test_what_was_sent_is_at_hand(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """What the target was given for step 2, in place of the turn; the title says so."""
    async with opened(snapshot=refund(head="s2"), size=size) as driver:
        await presented(driver, "i")
        same_screen(driver.app)
        await driver.press("escape")
        assert shown(driver).sent is None


async def test_lanes_stand_side_by_side_where_there_is_room_and_each_holds_its_own(
    opened: Opened,
) -> None:
    async with opened(snapshot=refund(head="s6"), size=(160, 45)) as driver:
        await presented(driver, "right", "right")
        assert not shown(driver).body.display
        assert [lane(driver, place).split()[0] for place in range(3)] == [
            "Evaluator",
            "Target",
            "Tool",
        ]
        assert "8  check_policy(" in lane(driver, 2)
        assert "check_policy(" not in lane(driver, 0)
        assert "> check_policy" in lane(driver, 1)
        await driver.pilot.resize_terminal(100, 30)
        await driver.until(lambda: shown(driver).body.display)
        assert not shown(driver).lanes[0].display
        assert "8  Tool simulator  check_policy(" in text(driver)
        await driver.pilot.resize_terminal(120, 30)
        await driver.until(lambda: not shown(driver).body.display)
        assert "8  check_policy(" in lane(driver, 2)


async def test_up_and_down_scroll_the_lane_of_the_step_at_hand(opened: Opened) -> None:
    async with opened(snapshot=refund(head="s4"), size=(120, 24)) as driver:
        await presented(driver, "home", "right", "right", "right")
        assert "4439" in lane(driver, 2)
        said = lane(driver, 0)
        await driver.press("pageup", "up")
        assert "4439" not in lane(driver, 2)
        assert lane(driver, 0) == said
        assert "↓ more" in text(driver)


async def test_all_of_it_is_played_and_nobody_is_asked(opened: Opened) -> None:
    async with opened(RECORDED, roles=nobody) as driver:
        model = driver.screen.model
        count = len(model.path)
        before = len(model.rollout)
        await driver.press("p", *["plus"] * 4)
        screen = shown(driver)
        now = 0.0

        def clock() -> float:
            nonlocal now
            now += 0.25
            return now

        screen._clock = clock
        await driver.until(lambda: screen.player.at_end and not screen.player.playing)
        assert "the end   16×" in text(driver)
        assert screen._timer is not None
        assert not screen._timer._active.is_set()
        await driver.press("q")
        assert driver.screen.model.cursor == count - 1
        assert len(model.rollout) == before


async def test_the_clock_stands_while_nothing_is_played(opened: Opened) -> None:
    async with opened(snapshot=refund(head="s1")) as driver:
        await driver.press("p")
        timer = shown(driver)._timer
        assert timer is not None
        assert timer._active.is_set()
        await driver.press("space")
        assert "paused   1×" in text(driver)
        assert not timer._active.is_set()
        await driver.press("space")
        assert timer._active.is_set()
        await driver.press("i")
        assert not timer._active.is_set()


async def test_digits_arrows_and_ends_go_where_they_say(opened: Opened) -> None:
    async with opened(snapshot=refund(head="s12")) as driver:
        await presented(driver, "3")
        assert "step 10 of 12" in text(driver)
        assert "你好" in text(driver)
        assert "turn 3 of 3" in text(driver)
        await driver.press("4")
        assert "There is no turn 4: this branch has 3." in text(driver)
        await driver.press("left")
        assert "step 9 of 12" in text(driver)
        await driver.press("left_curly_bracket")
        assert "step 6 of 12" in text(driver)
        await driver.press("left_curly_bracket")
        assert "step 1 of 12" in text(driver)
        await driver.press("left")
        assert "[start]" in text(driver)
        assert "The customer gets a refund for order 4471." in text(driver)
        await driver.press("i")
        assert "There is no step yet" in text(driver)
        await driver.press("end")
        assert "the end" in text(driver)
        await driver.press("right")
        assert "There is no step after this." in text(driver)
        await driver.press("home", "space")
        assert "playing   1×" in text(driver)
        await driver.press("minus")
        assert "It does not go slower than this." in text(driver)
        await driver.press("plus", "greater_than_sign")
        assert "playing   4×" in text(driver)
        await driver.press("less_than_sign", "space")
        assert "paused   2×" in text(driver)


async def test_keys_are_echoed_until_they_are_hidden(opened: Opened) -> None:
    async with opened(snapshot=refund(head="s1")) as driver:
        await presented(driver, "right", "plus")
        assert "keys: Space → +" in text(driver)
        await driver.press("z")
        assert "keys:" not in text(driver)
        assert "as sent" not in text(driver)
        assert "paused   2×" in text(driver)
        await driver.press("z")
        assert "keys: Space → + z z" in text(driver)


async def test_long_texts_scroll(opened: Opened) -> None:
    async with opened(snapshot=refund(head="s4"), size=(80, 24)) as driver:
        await presented(driver, "home", "right", "right", "right")
        assert "4439" in text(driver)
        await driver.press("pageup", "up")
        assert "4439" not in text(driver)
        assert "↓ more" in text(driver)
        await driver.press("pagedown", "down", "pagedown")
        assert "4439" in text(driver)
        assert "↓ more" not in text(driver)


@pytest.mark.parametrize("name", HOSTILE)
async def test_nothing_acts_on_the_terminal(opened: Opened, name: str) -> None:
    async with opened(snapshot=hostile(HOSTILE[name])) as driver:
        await presented(driver, "end")
        seen = text(driver)
        await driver.press("i")
        seen += text(driver)
        assert "as sent to the" in seen
        assert visible(seen) == seen


async def test_leaving_goes_back_to_the_step_that_was_shown(opened: Opened) -> None:
    async with opened(snapshot=refund(head="s1")) as driver:
        await presented(driver, "2", "right", "q")
        assert driver.screen.model.cursor == 6
        assert driver.screen.model.replaying is None


async def test_from_the_last_step_it_begins_at_the_start(opened: Opened) -> None:
    async with opened(snapshot=refund(head="s12")) as driver:
        await presented(driver)
        assert "[start]" in text(driver)


async def test_an_empty_rollout_has_nothing_to_present(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("p")
        assert "There is nothing to present yet" in driver.text()


# going on from there


async def test_e_forks_into_a_session_that_asks_nobody(opened: Opened) -> None:
    async with opened(RECORDED, roles=nobody) as driver:
        model = driver.screen.model
        await presented(driver, "2", "right", "e")
        at = model.step_id
        assert model.head == at
        assert "Yours from here" in driver.text()
        assert "E recorded  T recorded  S recorded" in driver.text()
        await driver.press("s")
        assert model.cursor == model.path.at[at or ""] + 1
        assert "Yours from here" not in driver.text()


async def test_an_equal_call_is_answered_and_anything_else_is_asked_about(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        model, controller = driver.screen.model, driver.app.controller
        await presented(driver, "home", "e")
        recorded = next(step for step in model.path.steps if step.role == "tool")
        call = model.path.call[model.path.at[recorded.id]]
        again = target_reply("", (ToolCall("x1", call.name, call.arguments),))
        controller.write(again, model.step_id)
        await driver.until(lambda: not controller.busy)
        await driver.press("G", "s")
        assert model.step is not None
        assert payload_text(model.step.payload) == payload_text(recorded.payload)
        assert model.step.copied_from == recorded.id
        await driver.press("s")
        assert isinstance(driver.app.screen, ChooseScreen)
        assert "Not recorded: the target's reply" in str(driver.app.screen.request.title)
        assert model.attempts == {}
        await driver.press_until("w", lambda: not isinstance(driver.app.screen, ChooseScreen))
        await driver.until(lambda: isinstance(driver.app.screen, EditorScreen))


async def asked(driver: Driver, said: str = "What?") -> None:
    """A fork at the first step where the target is due for something that is not recorded."""
    model, controller = driver.screen.model, driver.app.controller
    await presented(driver, "home", "e")
    from rollstep.core.model.messages import user_message

    assert model.step_id is not None
    controller.override(model.step_id, user_message(said), "stay", "")
    await driver.until(lambda: not controller.busy and model.ahead == 0)
    await driver.press("s")
    assert isinstance(driver.app.screen, ChooseScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_not_recorded_is_asked_about_at_every_size(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """A call that the recording has not, over the debugger: which; write it, the project's own
    rules, each with its key.
    """
    async with opened(RECORDED, size=size) as driver:
        model, controller = driver.screen.model, driver.app.controller
        await presented(driver, "home", "e")
        controller.write(
            target_reply("", (ToolCall("x", "get_order", '{"id": 7}'),)), model.step_id
        )
        await driver.until(lambda: not controller.busy)
        await driver.press("G", "s")
        same_screen(driver.app)


async def test_the_stored_request_is_shown_where_there_is_one(opened: Opened) -> None:
    snapshot = refund(head="s2")
    steps = tuple(
        replace(step, call=replace(step.call, request="d1"))
        if step.id == "s2" and step.call
        else step
        for step in snapshot.steps
    )
    async with opened(snapshot=snapshot._replace(steps=steps)) as driver:
        fetched: list[str] = []

        def request(digest: str) -> Future[str | None]:
            fetched.append(digest)
            done: Future[str | None] = Future()
            done.set_result('{"model": "as it was sent"}')
            return done

        driver.app.controller.request = request  # type: ignore[method-assign]
        await presented(driver, "i")
        await driver.until(lambda: "as it was sent" in text(driver))
        assert "sent to the target for step 2, as stored" in text(driver)
        await driver.press("left")
        assert "given to the evaluator for step 1" in text(driver)
        assert fetched == ["d1"]


async def test_the_projects_script_may_answer_from_then_on(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        model = driver.screen.model
        await asked(driver)
        await driver.press_until("s", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: len(model.path) == 2)
        assert model.replaying == {"target"}
        assert "E recorded  T script  S recorded" in driver.text()
        assert "s gives the" in driver.text()


async def test_going_live_is_named_with_who_and_that_it_costs(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        model = driver.screen.model
        project = replace(model.project, target=LlmTarget("openai/some-model"))
        controller = driver.app.controller
        controller.revise(project)
        await driver.until(lambda: model.project == project and not controller.busy)
        await asked(driver)
        words = [option.words for option in driver.app.screen.request.options]  # type: ignore[attr-defined]
        assert words[2] == "live: some-model answers from now on, may cost money"
        assert words[1] == "script: written once, for equal calls from now on"


async def test_what_is_scripted_answers_equal_calls_from_then_on(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        model, controller = driver.screen.model, driver.app.controller
        project = replace(model.project, target=LlmTarget("openai/some-model"))
        controller.revise(project)
        await driver.until(lambda: model.project == project and not controller.busy)
        await asked(driver)
        await driver.press_until("s", lambda: isinstance(driver.app.screen, EditorScreen))
        await driver.pilot.press(*"So", "ctrl+s")
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: len(model.path) == 2)
        first = model.path.steps[0].payload
        controller.write(first, None)
        await driver.until(lambda: not controller.busy and len(model.path) == 1)
        await driver.press("s")
        assert model.step is not None
        assert payload_text(model.step.payload) == "So"


async def test_replaying_can_be_ended(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        model = driver.screen.model
        driver.screen.action_act("replay_off", chosen=True)
        assert "Nothing is replayed" in driver.text()
        await asked(driver)
        await driver.press_until("escape", lambda: driver.app.screen is driver.app.debugger)
        driver.screen.action_act("replay_off", chosen=True)
        await driver.until(lambda: not driver.app.controller.busy)
        await driver.press("s")
        assert len(model.path) == 2
