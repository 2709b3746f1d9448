"""While a call runs: what the human may do, what is refused, and where the answer is filed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rollstep.core.model.messages import payload_text, user_message
from rollstep.core.store.library import Library
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.screens.takes import TakesScreen
from rollstep.tui.target import OpenTarget

from .conftest import Driver, Opened
from .slow import PROJECT, Slow

OTHER = "Another way to begin."


class Flight:
    """The app with a call in flight after step 3; another branch begins with another message."""

    def __init__(self, driver: Driver, slow: Slow) -> None:
        self.driver = driver
        self.slow = slow
        self.model: DebuggerModel = driver.screen.model

    async def press(self, *keys: str) -> None:
        """Press keys while a command runs."""
        for key in keys:
            await self.driver.pilot.press(key)
            await self.driver.pilot.pause()
            await self.driver.until(lambda: not self.driver.app.controller._told)
            await self.driver.pilot.pause()

    async def start(self, key: str) -> None:
        """A key after which a role is asked, and waits."""
        asked = self.slow.asked
        self.slow.quick = False
        await self.driver.pilot.press(key)
        await self.driver.until(lambda: self.slow.asked > asked and self.model.busy)

    async def answer(self) -> None:
        """The role answers, and its command ends."""
        await self.slow.let(self.driver)
        await self.idle()

    async def idle(self) -> None:
        await self.driver.until(self.driver._settled)
        await self.driver.pilot.pause()

    def text(self) -> str:
        return self.driver.text()


@pytest.fixture
def slow() -> Slow:
    return Slow()


@asynccontextmanager
async def flying(
    opened: Opened, slow: Slow, *, key: str = "s", library: Path | None = None
) -> AsyncIterator[Flight]:
    """Steps 1 to 3 of a rollout; under step 2 a second message; ``key`` was pressed on step 3."""
    async with opened(sample="weekend", roles=slow.roles, library=library) as driver:
        driver.app.opening(driver.app.controller.open_project(PROJECT))
        await driver.until(lambda: driver.screen.model.rollout.header.title == "Slow")
        flight = Flight(driver, slow)
        await driver.press("t", "s")
        message = flight.model.step_id
        assert message is not None
        driver.app.controller.override(message, user_message(OTHER), "stay", "")
        await flight.idle()
        driver.screen.model.go_to(message)
        driver.screen.repaint()
        if key:
            await flight.start(key)
        yield flight


def kept(flight: Flight) -> list[str]:
    """The texts of the path that is shown."""
    return [payload_text(step.payload) for step in flight.model.path.steps]


async def test_an_answer_is_filed_where_it_was_asked_and_the_view_stays(
    opened: Opened, slow: Slow
) -> None:
    async with flying(opened, slow) as flight:
        asked_from = flight.model.step_id
        await flight.press("full_stop")
        here = flight.model.step_id
        assert kept(flight)[-1] == OTHER
        await flight.answer()
        assert flight.model.step_id == here
        assert kept(flight)[-1] == OTHER
        made = flight.model.rollout.steps[flight.model.head or ""]
        assert (made.parent_id, made.late) == (asked_from, False)
        assert flight.model.rollout.children(here) == []
        await flight.start("s")
        await flight.answer()
        assert flight.model.rollout.children(here) == [flight.model.head]
        assert flight.model.step_id == flight.model.head


async def test_who_looks_further_up_stays_there(opened: Opened, slow: Slow) -> None:
    async with flying(opened, slow, key="c") as flight:
        await flight.press("k")
        slow.quick = True
        await flight.answer()
        assert flight.model.cursor == 1
        assert len(flight.model.path) == 7


@pytest.mark.parametrize("key", ["o", "d", "vertical_line", "enter", "question_mark", "slash"])
async def test_an_answer_comes_while_another_screen_is_open(
    opened: Opened, slow: Slow, key: str
) -> None:
    async with flying(opened, slow) as flight:
        await flight.press(key)
        await flight.answer()
        await flight.press("escape")
        await flight.driver.press_until(
            "escape", lambda: isinstance(flight.driver.app.screen, DebuggerScreen)
        )
        assert kept(flight)[-1] == "Answer 2."
        assert flight.model.head == flight.model.path.steps[-1].id


@pytest.mark.parametrize(
    "key", ["s", "t", "u", "U", "e", "E", "w", "r", "plus", "minus", "x", "a", "f", "0", "q"]
)
async def test_what_makes_or_leaves_is_refused_in_words(
    opened: Opened, slow: Slow, key: str
) -> None:
    async with flying(opened, slow) as flight:
        steps = len(flight.model.rollout)
        await flight.press(key)
        assert flight.driver.app.screen is flight.driver.app.debugger
        assert "A step is being made" in flight.text()
        await flight.answer()
        assert len(flight.model.rollout) == steps + 1


async def test_clicks_move_the_cursor_and_race_nothing(opened: Opened, slow: Slow) -> None:
    async with flying(opened, slow) as flight:
        screen = flight.driver.screen
        for x in range(0, 30, 2):
            await flight.driver.pilot.click(screen.top, offset=(x, 2))
        for lane in screen.lanes:
            for y in range(0, 12, 3):
                await flight.driver.pilot.click(lane, offset=(3, y))
        steps = len(flight.model.rollout)
        await flight.answer()
        assert len(flight.model.rollout) == steps + 1
        assert slow.asked == 2


async def test_an_editor_that_was_open_before_saves_into_no_race(
    opened: Opened, slow: Slow
) -> None:
    async with flying(opened, slow, key="") as flight:
        driver, model = flight.driver, flight.model
        await driver.press("e")
        assert isinstance(driver.app.screen, EditorScreen)
        await driver.pilot.press("end", *" Mine.")
        slow.quick = False
        driver.app.controller.step(model.step_id)
        await driver.until(lambda: model.busy)
        steps = len(model.rollout)
        await driver.pilot.press("ctrl+s")
        await driver.press_until("enter", lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.until(lambda: "kept as a draft" in flight.text())
        await flight.answer()
        assert len(model.rollout) == steps + 1
        await driver.press("e" if model.cursor == 2 else "k")
        if not isinstance(driver.app.screen, EditorScreen):
            await driver.press("e")
        assert isinstance(driver.app.screen, EditorScreen)
        assert "Mine." in str(driver.app.screen.model.dump())


async def test_a_pause_ends_the_run_after_the_step(opened: Opened, slow: Slow) -> None:
    async with flying(opened, slow, key="c") as flight:
        await flight.press("c")
        assert "Pausing after this step" in flight.text()
        await flight.answer()
        assert kept(flight)[-1] == "Answer 2."
        assert flight.model.step_id == flight.model.head
        assert "paused by you" in flight.text()


@pytest.mark.parametrize("key", ["s", "t", "c"])
async def test_escape_ends_the_call_and_says_so(opened: Opened, slow: Slow, key: str) -> None:
    async with flying(opened, slow, key=key) as flight:
        head, steps = flight.model.step_id, len(flight.model.rollout)
        await flight.press("escape")
        await flight.idle()
        assert "Cancelled: nothing is being asked any more." in flight.text()
        assert (slow.asked, slow.ended) == (2, 2)
        assert not flight.model.busy
        assert (flight.model.head, len(flight.model.rollout)) == (head, steps)
        await flight.start("s")
        await flight.answer()
        assert kept(flight)[-1] == "Answer 3."


async def test_takes_in_flight_can_be_left_cancelled_and_are_kept(
    opened: Opened, slow: Slow
) -> None:
    async with flying(opened, slow, key="") as flight:
        driver, model = flight.driver, flight.model
        await driver.press("s")
        reply = model.step_id
        slow.quick = False
        await driver.press("r", "3")
        await driver.press_until("enter", lambda: slow.asked == 5)
        await driver.until(lambda: "asking slow for 3 takes of the target's reply" in flight.text())
        await slow.let(driver)
        await driver.until(lambda: model.takes(model.cursor) == 2)
        assert model.step_id == model.head != reply
        await flight.press("escape")
        await flight.idle()
        assert "the takes that had come are kept, 2 in part: w on step 3" in flight.text()
        assert model.takes(model.cursor) == 2
        assert (slow.asked, slow.ended) == (5, 5)


async def test_what_had_come_of_cancelled_takes_is_shown_and_each_can_be_kept_as_a_take(
    opened: Opened, slow: Slow
) -> None:
    async with flying(opened, slow, key="") as flight:
        driver, model = flight.driver, flight.model
        await driver.press("s")
        slow.quick = False
        await driver.press("r", "3")
        await driver.press_until("enter", lambda: slow.asked == 5)
        await driver.until(lambda: model.busy)
        await flight.press("escape")
        await flight.idle()
        steps = len(model.rollout)
        assert "3 in part: w on step 3 goes on from one of them" in flight.text()
        await driver.press("k")
        assert "failed or cancelled here: 3" in driver.text()
        for number in (3, 4, 5):
            assert f"Half of {number}" in driver.text()
        await driver.press("w")
        screen = driver.app.screen
        assert isinstance(screen, ChooseScreen)
        assert [option.words for option in screen.request.options] == [
            *(f"10 characters: Half of {number}" for number in (5, 4, 3)),
            "none of them",
        ]
        await driver.press_until("2", lambda: isinstance(driver.app.screen, EditorScreen))
        await driver.pilot.press("ctrl+s")
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: len(model.rollout) == steps + 1)
        assert model.step is not None
        assert payload_text(model.step.payload) == "Half of 4 "
        assert model.step.origin == "human"
        assert model.takes(model.cursor) == 2


@pytest.mark.parametrize("ending", ["escape", "ctrl+q"])
@pytest.mark.parametrize("one_by_one", [False, True])
async def test_amid_eight_takes_nothing_else_begins_and_leaving_keeps_what_came(
    opened: Opened, slow: Slow, tmp_path: Path, ending: str, one_by_one: bool
) -> None:
    library = tmp_path / "library.db"
    slow.one_by_one = one_by_one
    async with flying(opened, slow, key="", library=library) as flight:
        driver, model = flight.driver, flight.model
        await driver.press("s")
        slow.quick = False
        await driver.press("r", "8")
        most = 1 if one_by_one else 8
        await driver.press_until("enter", lambda: slow.asked == 2 + most)
        await slow.let(driver)
        await driver.until(lambda: model.takes(model.cursor) == 2)
        await driver.until(lambda: slow.asked == (4 if one_by_one else 10))
        asked, steps, head = slow.asked, len(model.rollout), model.head
        for key in ("u", "r", "q", "x", "s"):
            await flight.press(key)
            assert driver.app.screen is driver.app.debugger
            assert "A step is being made" in flight.text()
        assert (slow.asked, len(model.rollout), model.head) == (asked, steps, head)
        rollout_id = model.rollout.header.id
        if ending == "escape":
            await flight.press("escape")
            await flight.idle()
            assert "the takes that had come are kept" in flight.text()
            await driver.press("u")
            assert "Undone: retake of target reply 5." in flight.text()
            await driver.press("U")
        else:
            await driver.pilot.press("ctrl+q")
            await driver.until(lambda: not driver.app.is_running)
        driver.app.controller.stop()
    assert (slow.asked, slow.ended) == (asked, asked)
    with Library.open(library) as reopened:
        saved = reopened.load(rollout_id)
    assert (len(saved.steps), saved.head) == (steps, head)
    assert saved.commands[-1].step_ids == (head,)


async def test_takes_that_come_while_the_human_is_elsewhere_open_nothing(
    opened: Opened, slow: Slow
) -> None:
    async with flying(opened, slow, key="") as flight:
        driver, model = flight.driver, flight.model
        await driver.press("s")
        slow.quick = False
        await driver.press("r", "2")
        await driver.press_until("enter", lambda: slow.asked == 4)
        await flight.press("g")
        await slow.let(driver, 2)
        await flight.idle()
        assert driver.app.screen is driver.app.debugger
        assert model.cursor == 0
        assert "2 new takes of step 4" in flight.text()
        await driver.press("G", "vertical_line")
        assert isinstance(driver.app.screen, TakesScreen)
        assert len(driver.app.screen.takes) == 3


async def test_quitting_while_a_call_runs_ends_it_and_loses_nothing(
    opened: Opened, slow: Slow, tmp_path: Path
) -> None:
    library = tmp_path / "library.db"
    async with flying(opened, slow, key="c", library=library) as flight:
        rollout_id = flight.model.rollout.header.id
        await flight.driver.pilot.press("ctrl+q")
        await flight.driver.until(lambda: not flight.driver.app.is_running)
        flight.driver.app.controller.stop()
    assert (slow.asked, slow.ended) == (2, 2)
    with Library.open(library) as reopened:
        saved = reopened.load(rollout_id)
    assert [payload_text(step.payload) for step in saved.steps] == [
        *("Hi", "Answer 1.", "And then?", OTHER),
    ]
    assert all(step.seq for step in saved.steps)


async def test_trust_is_asked_once_for_steps_and_takes_and_escape_leaves_no_process(
    opened: Opened, tmp_path: Path
) -> None:
    noted = tmp_path / "pid"
    (tmp_path / "mine.py").write_text(
        "import os, pathlib, time\n"
        "def reply(view):\n"
        "    if view.take_index == 2:\n"
        f"        pathlib.Path({str(noted)!r}).write_text(str(os.getpid()))\n"
        "        time.sleep(600)\n"
        "    return f'take {view.take_index}'\n"
    )
    project = tmp_path / "mine.yaml"
    project.write_text(
        "version: 1\ntitle: Mine\nopening: Hi\n"
        "target: {kind: python, object: 'mine:reply'}\nevaluator: {kind: heuristic}\n"
    )
    async with opened(OpenTarget(path=project)) as driver:
        model = driver.screen.model
        await driver.press("s")
        assert isinstance(driver.app.screen, ChooseScreen)
        await driver.press_until("y", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: len(model.path) == 1)
        await driver.press("s")
        assert payload_text(model.path.steps[-1].payload) == "take 0"
        await driver.pilot.press("r", "2")
        await driver.press_until("enter", lambda: driver.app.controller.busy)
        await driver.until(lambda: noted.exists() and bool(noted.read_text()))
        await driver.until(lambda: model.takes(1) == 2)
        assert driver.app.screen is driver.app.debugger
        await driver.pilot.press("escape")
        await driver.until(driver._settled)
        with pytest.raises(ProcessLookupError):
            os.kill(int(noted.read_text()), 0)
        await driver.until(lambda: "the takes that had come are kept" in driver.text())
        assert payload_text(model.path.steps[-1].payload) == "take 1"
