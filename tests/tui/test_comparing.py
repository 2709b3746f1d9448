"""``d``: choosing what to compare with, walking the differences, going to a step of either side."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rollstep.core.errors import StoreError
from rollstep.core.model.messages import tool_result
from rollstep.core.store.library import Library
from rollstep.tui.comparing.choices import rollout_subject
from rollstep.tui.comparing.subjects import Subject
from rollstep.tui.comparing.view import CompareView
from rollstep.tui.screens import debugger_compare
from rollstep.tui.screens.compare import CompareScreen
from rollstep.tui.screens.compare_choice import CompareChoice
from rollstep.tui.target import OpenTarget
from rollstep.tui.widgets.rows_pane import RowsPane

from ..core.store.making import conversation, first
from .conftest import Driver, Opened
from .synthetic import big, chain, refund

SIZES = [(56, 24), (80, 24), (160, 45)]


def compared(driver: Driver) -> CompareView:
    screen = driver.app.screen
    assert isinstance(screen, CompareScreen)
    assert screen.view is not None
    return screen.view


def text(driver: Driver) -> str:
    screen = driver.app.screen
    assert isinstance(screen, CompareScreen)
    panes = (screen.top, screen.body, screen.keys)
    return "\n".join(row.text for pane in panes for row in pane._rows)


@pytest.mark.parametrize("size", SIZES)
async def test_an_override_beside_its_original_at_every_size(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """The two sides, how each ended; step 8 between both with ~ and > at the right one; what only
    the left has marked -. At 56 columns one side under the other.
    """
    async with opened(snapshot=refund(head="o8"), size=size) as driver:
        await driver.press("d")
        same_screen(driver.app)


async def test_the_choice_is_seen_over_the_debugger(
    opened: Opened, same_screen: Callable[..., None]
) -> None:
    """The original first, with what was changed; then the other take."""
    snapshot = refund(head="o8")
    third = chain((tool_result("c3", "timeout"),), parent="s7", prefix="p", seq=15)
    async with opened(
        snapshot=snapshot._replace(steps=(*snapshot.steps, *third)), size=(100, 30)
    ) as driver:
        await driver.press("d")
        await driver.until(lambda: "Looking" not in str(driver.app.screen.query_one("#text")))
        await driver.pilot.pause()
        same_screen(driver.app)


async def test_the_one_other_thing_is_compared_at_once(opened: Opened) -> None:
    async with opened(snapshot=refund(head="o8")) as driver:
        await driver.press("d")
        assert "difference 1 of " in text(driver)
        assert "- original of step 8" in text(driver)
        assert "changed: refundable: false → true" in text(driver)
        await driver.press("escape")
        assert driver.screen.model.step_id == "o8"


async def test_enter_goes_to_the_step_of_the_side_that_is_meant(opened: Opened) -> None:
    async with opened(snapshot=refund(head="o8")) as driver:
        model = driver.screen.model
        await driver.press("d", "h", "enter")
        assert model.step_id == "s8"
        assert model.leaf == "s12"
        await driver.press("apostrophe")
        assert model.step_id == "o8"
        await driver.press("d", "n", "l", "enter")
        assert model.step_id == "o9-1"


async def test_an_original_stands_on_the_left_of_its_override_whichever_is_shown(
    opened: Opened,
) -> None:
    async with opened(snapshot=refund(head="s8")) as driver:
        await driver.press("d")
        assert "- shown: branch 1 of 2" in text(driver)
        assert "+ take 2 of 2 of step 8" in text(driver)
        await driver.press("l", "enter")
        assert driver.screen.model.step_id == "o8"


async def test_n_and_brackets_walk_what_differs_and_a_click_means_a_side(opened: Opened) -> None:
    async with opened(snapshot=refund(head="o8")) as driver:
        await driver.press("d")
        view = compared(driver)
        count = len(view.comparison.differing)
        await driver.press(*["n"] * (count - 1))
        assert f"difference {count} of {count}" in text(driver)
        await driver.press("left_square_bracket")
        assert view.cursor == 7
        await driver.press("k")
        assert "The same on both sides" in text(driver)
        y = next(y for y, row in enumerate(view.rows()) if " 8 S" in row.text)
        await driver.pilot.click("#compare-body", offset=(5, y))
        assert (view.cursor, view.side) == (7, "left")
        await driver.press("g", "G", "z", "z", "space", "backspace")
        assert view.cursor == len(view.comparison.rows) - 1


async def test_d_offers_all_else_and_the_last_choice_first(opened: Opened) -> None:
    snapshot = refund(head="o8")
    third = chain((tool_result("c3", "timeout"),), parent="s7", prefix="p", seq=15)
    async with opened(snapshot=snapshot._replace(steps=(*snapshot.steps, *third))) as driver:
        await driver.press("d")
        assert isinstance(driver.app.screen, CompareChoice)
        await driver.press("down")
        await driver.press_until("enter", lambda: isinstance(driver.app.screen, CompareScreen))
        assert "- take 3 of 3 of step 8" in text(driver)
        await driver.press("d")
        assert isinstance(driver.app.screen, CompareChoice)
        await driver.press_until("enter", lambda: isinstance(driver.app.screen, CompareScreen))
        assert "- take 3 of 3 of step 8" in text(driver)


@asynccontextmanager
async def reading_another(opened: Opened, tmp_path: Path) -> AsyncIterator[Driver]:
    """A rollout of two of one project is open, and the other was chosen to compare with."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        library.commit(first("aaaa", conversation(2, "a", stop="max_turns"), head="a4"))
        library.commit(first("bbbb", conversation(3, "b", stop="max_turns"), head="b6"))
    async with opened(OpenTarget(rollout="bbbb"), library=path) as driver:
        await driver.press("d")
        dialog = driver.app.screen
        assert isinstance(dialog, CompareChoice)
        await driver.until(lambda: bool(dialog.request.options))
        await driver.press_until("enter", lambda: driver.app.screen is not dialog)
        yield driver


async def test_another_rollout_of_the_project_is_read_compared_and_opened(
    opened: Opened, tmp_path: Path
) -> None:
    async with reading_another(opened, tmp_path) as driver:
        await driver.until(lambda: "title of aaaa" in text(driver))
        assert "projects differ" not in text(driver)
        assert compared(driver).comparison.common == 4
        await driver.press("G", "h", "enter")
        await driver.until(
            lambda: (
                driver.app.debugger is not None
                and driver.app.debugger.model.rollout.header.id == "aaaa"
            )
        )


async def test_a_rollout_that_cannot_be_read_leads_back_and_says_why(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(library: Library, rollout_id: str) -> Subject:
        raise StoreError(f"The rollout {rollout_id} cannot be read.")

    monkeypatch.setattr(debugger_compare, "rollout_subject", fail)
    async with reading_another(opened, tmp_path) as driver:
        await driver.until(lambda: "aaaa cannot be read" in driver.text())
        assert driver.app.screen is driver.app.debugger


@pytest.mark.parametrize("broken", [False, True])
async def test_who_leaves_before_it_is_read_stays_in_the_debugger(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    read, done = threading.Event(), threading.Event()

    def slow(library: Library, rollout_id: str) -> Subject:
        assert read.wait(60)
        done.set()
        if broken:
            raise StoreError("It cannot be read.")
        return rollout_subject(library, rollout_id)

    monkeypatch.setattr(debugger_compare, "rollout_subject", slow)
    async with reading_another(opened, tmp_path) as driver:
        await driver.until(lambda: "Reading the rollout aaaa" in text(driver))
        await driver.press("n", "j", "enter", "escape")
        assert driver.app.screen is driver.app.debugger
        read.set()
        await driver.until(done.is_set)
        await driver.press("j", "k")
        assert driver.app.screen is driver.app.debugger


async def test_where_there_is_nothing_to_compare_with_it_says_so(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("s", "d")
        dialog = driver.app.screen
        assert isinstance(dialog, CompareChoice)
        await driver.until(lambda: "nothing to compare" in str(dialog.query_one("#text").render()))
        await driver.press("escape")
        assert driver.screen.model.cursor == 0


async def test_a_long_comparison_is_made_beside_the_screen(opened: Opened) -> None:
    snapshot = big(1_200)
    other = chain((tool_result("c0", "another"),), parent="s2", prefix="o", seq=1_201)
    async with opened(snapshot=snapshot._replace(steps=(*snapshot.steps, *other))) as driver:
        driver.screen.model.go_to("o1")
        await driver.press("d")
        await driver.until(lambda: "difference 1 of" in text(driver))
        assert compared(driver).cursor == 2


async def test_the_wheel_scrolls_and_leaves_the_cursor(opened: Opened) -> None:
    async with opened(snapshot=refund(head="o8"), size=(80, 16)) as driver:
        await driver.press("d")
        view, before = compared(driver), text(driver)
        body = driver.app.screen.query_one("#compare-body", RowsPane)
        body.post_message(RowsPane.Wheel(body, 3))
        await driver.until(lambda: text(driver) != before)
        assert view.cursor == 7
        await driver.press("j")
        assert "9 T" in text(driver)


async def test_a_rerun_opens_beside_its_original(opened: Opened, tmp_path: Path) -> None:
    """What ``rollstep rerun`` shows at its end: the original's branch at the left."""
    library = tmp_path / "library.sqlite"
    async with opened(sample="refund", library=library) as driver:
        await driver.press("t")
        old, leaf = driver.screen.model.rollout.header.id, driver.screen.model.path.steps[0].id
    async with opened(sample="refund", library=library, beside=(old, leaf)) as driver:
        await driver.until(lambda: isinstance(driver.app.screen, CompareScreen))
        screen = driver.app.screen
        assert isinstance(screen, CompareScreen)
        await driver.until(lambda: screen.view is not None)
        assert screen.subjects["left"].rollout.header.id == old
        assert screen.subjects["left"].leaf == leaf
        assert screen.subjects["right"].rollout is not screen.subjects["left"].rollout
