"""Flags on the screen: marked, counted, walked, explained, silenced; and linting in slices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from rollstep.core import events as ev
from rollstep.core.model.marks import Silence
from rollstep.core.model.messages import target_reply, tool_result, user_message
from rollstep.core.model.rollout import RolloutHeader
from rollstep.tui import bars
from rollstep.tui.find import Find
from rollstep.tui.inspector import TABS, document
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.reason import ReasonScreen
from rollstep.tui.settings import load_settings
from rollstep.tui.snapshot import Snapshot
from rollstep.tui.target import OpenTarget
from rollstep.tui.timeline import marks

from .conftest import Driver, Opened
from .synthetic import big, call, chain, project, refund

DRIFTING = chain(
    (
        user_message("Where is 4471?"),
        target_reply("Looking.", (call(1, "get_order", order_id="4471"),)),
        tool_result("c1", '{"status": "lost"}'),
        target_reply("Lost."),
        user_message("Look again."),
        target_reply("", (call(2, "get_order", order_id="4471"),)),
        tool_result("c2", '{"status": "found"}'),
        target_reply("Found!\u202e"),
    )
)


def drifting() -> DebuggerModel:
    """A contradiction at step 7 and hidden characters at step 8."""
    return DebuggerModel(Snapshot(RolloutHeader("r", "Refund"), (project(),), DRIFTING, head="s8"))


def page(model: DebuggerModel) -> list[str]:
    return [block.text for block in document(model, TABS[0]).blocks]


def test_flags_of_one_step_are_known_at_once_and_the_others_when_it_was_linted() -> None:
    model = drifting()
    assert list(model.path.flagged) == []
    assert "0 flags !" in bars.status(model, 160).text
    assert not model.lint.work(seconds=60)
    assert sorted(model.path.flagged) == [6, 7]
    assert [marks(model, index) for index in (5, 6, 7)] == ["", "!", "!"]
    assert "2 flags !" in bars.status(model, 160).text
    assert model.move_flag(-1)
    words = '! step 3 says /status "lost" for the same arguments, this "found" (state-drift)'
    assert words in page(model)


def test_the_page_of_a_step_tells_of_hidden_characters_before_it_was_linted() -> None:
    model = drifting()
    words = "! hidden or control characters in the text, shown as marks (hidden-characters)"
    assert words in page(model)
    model.lint.work(seconds=60)
    assert page(model).count(words) == 1


def test_linting_goes_on_where_a_slice_ended() -> None:
    model = drifting()
    seconds = count()

    def clock() -> float:
        return float(next(seconds))

    slices = 1
    while model.lint.work(seconds=0.5, clock=clock):
        slices += 1
    assert slices == len(DRIFTING)
    assert sorted(model.path.flagged) == [6, 7]


def test_a_new_step_is_linted_with_those_before_it_known() -> None:
    model = drifting()
    model.lint.work(seconds=60)
    new = chain((tool_result("c9", "?"),), parent="s8", prefix="n")[0]
    model.apply(ev.StepAdded(new))
    assert model.lint.waiting == 1
    model.lint.work(seconds=60)
    assert [flag.rule for flag in model.path.flags.found[8]] == ["result-without-call"]


def test_a_finding_on_an_earlier_step_is_put_there() -> None:
    steps = chain((*(step.payload for step in DRIFTING[:2]), user_message("Hello?")))
    model = DebuggerModel(Snapshot(RolloutHeader("r", "x"), (project(),), steps, head="s3"))
    model.lint.work(seconds=60)
    assert [flag.rule for flag in model.path.flags.found[1]] == ["call-without-result"]


def test_steps_that_another_branch_shares_keep_their_flags_until_they_are_linted_again() -> None:
    model = DebuggerModel(refund("s12"))
    model.lint.work(seconds=60)
    known = model.path.flagged[2]
    model.go_to("o8")
    assert model.path.flagged[2] == known
    assert model.lint.waiting == len(model.path)


def test_a_silenced_flag_is_neither_marked_counted_nor_walked_but_shown_with_its_reason() -> None:
    model = drifting()
    model.apply(ev.SilencesChanged((Silence("s7", "state-drift", "it was found"),)))
    model.lint.work(seconds=60)
    assert sorted(model.path.flagged) == [7]
    assert marks(model, 6) == ""
    model.jump(6)
    shown = next(text for text in page(model) if text.startswith("silenced"))
    assert shown.startswith("silenced: it was found; step 3 says")
    model.apply(ev.SilencesChanged(()))
    assert sorted(model.path.flagged) == [6, 7]


# -- in the app -------------------------------------------------------------------------------


async def test_long_paths_are_linted_while_nothing_happens(opened: Opened) -> None:
    shown = big(400)
    odd = (*shown.steps[:-1], chain((target_reply("\u202e"),), parent="s399", prefix="z")[0])
    async with opened(snapshot=shown._replace(steps=odd, head="z1")) as driver:
        assert "0 flags !" in driver.text()
        await driver.until(lambda: "1 flag !" in driver.text())


async def test_walking_flags_says_what_has_not_been_looked_at_yet(opened: Opened) -> None:
    async with opened(snapshot=big(400)) as driver:
        assert driver.screen.model.lint.waiting == 400
        await driver.press("left_square_bracket")
        words = "No flagged step before this one. 400 steps are still being looked at."
        assert words in driver.text()


async def test_a_search_goes_before_the_linters_idle_work(opened: Opened) -> None:
    async with opened(snapshot=big(400)) as driver:
        screen, lint = driver.screen, driver.screen.model.lint
        screen.idle_lint._quiet_from = 0.0
        screen.search = Find(screen.model.path.steps, "nowhere", 0)
        before = lint.waiting
        screen.idle_lint._slice()
        assert lint.waiting == before > 0
        screen.search.done = True
        screen.idle_lint._slice()
        assert lint.waiting < before


async def at_the_failed_command(driver: Driver) -> DebuggerModel:
    """The recorded sample whose third step is a tool's error."""
    model = driver.screen.model
    model.jump(2)
    driver.screen.repaint()
    await driver.pilot.pause()
    assert [flag.rule for flag in model.lint.at(2)] == ["tool-error"]
    return model


async def silenced(driver: Driver, reason: str) -> None:
    """Press ! and give this reason."""
    await driver.press("exclamation_mark")
    assert isinstance(driver.app.screen, ReasonScreen)
    await driver.press(*reason)
    await driver.press_until("enter", lambda: isinstance(driver.app.screen, DebuggerScreen))
    await driver.until(lambda: bool(driver.screen.model.silences))
    await driver.pilot.pause()


async def test_a_flag_is_silenced_with_a_reason_and_that_is_undone(opened: Opened) -> None:
    async with opened(OpenTarget(sample="coding", recorded=True)) as driver:
        model = await at_the_failed_command(driver)
        before = len(model.path.flagged)
        await silenced(driver, "known")
        assert len(model.path.flagged) == before - 1
        assert "silenced: known; the tool answered" in driver.text()
        await driver.press("u")
        await driver.until(lambda: not driver.screen.model.silences)
        assert len(driver.screen.model.path.flagged) == before


async def test_a_silence_is_lifted_and_its_reason_is_offered_again(
    opened: Opened, tmp_path: Path
) -> None:
    async with opened(OpenTarget(sample="coding", recorded=True)) as driver:
        model = await at_the_failed_command(driver)
        await silenced(driver, "known")
        assert load_settings(tmp_path / "config").reasons == ("known",)
        await driver.press("exclamation_mark")
        assert isinstance(driver.app.screen, ChooseScreen)
        await driver.press_until("1", lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.until(lambda: not model.silences)
        await driver.press("exclamation_mark", "down")
        assert isinstance(driver.app.screen, ReasonScreen)
        await driver.press_until("enter", lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.until(lambda: [each.reason for each in model.silences] == ["known"])


async def test_escape_silences_nothing_and_a_step_without_a_flag_says_so(opened: Opened) -> None:
    async with opened(OpenTarget(sample="coding", recorded=True)) as driver:
        model = await at_the_failed_command(driver)
        await driver.press("exclamation_mark", "x", "escape")
        assert not model.silences
        model.jump(0)
        await driver.press("exclamation_mark")
        assert "No flag on this step" in driver.text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_reason_dialog(
    opened: Opened, size: tuple[int, int], same_screen: Callable[..., None]
) -> None:
    """The rule, what is odd, what the rule means, the line, an earlier reason, the keys."""
    async with opened(OpenTarget(sample="coding", recorded=True), size=size) as driver:
        await at_the_failed_command(driver)
        driver.app.settings = driver.app.settings._replace(reasons=("the command was a typo",))
        await driver.press("exclamation_mark")
        same_screen(driver.app)
