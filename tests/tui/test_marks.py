"""Marks in the debugger: verdicts, ratings, tags, notes, the loss mask; an edit outdates them."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from rollstep.core.config.keys import ReviewKeys
from rollstep.core.model.marks import Mark
from rollstep.core.store.library import Library
from rollstep.tui.outline.model import Outline
from rollstep.tui.rollstep_app import RollstepApp
from rollstep.tui.screens.mark_menu import KeyMenu, WhyScreen
from rollstep.tui.screens.marking import MarkAsking
from rollstep.tui.screens.reason import ReasonScreen
from rollstep.tui.screens.start import StartScreen
from rollstep.tui.target import OpenTarget

from tests.core.store.making import conversation, first

from .conftest import Driver, Opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """One rollout of five steps that nobody has marked."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        steps = conversation(2, stop="goal_reached")
        library.commit(first("r1", steps, head=steps[-1].id))
    return path


def _marks(path: Path) -> list[Mark]:
    with Library.open(path) as library:
        return list(library.load("r1").marks)


async def _menu(driver: Driver, *keys: str) -> None:
    for key in keys:
        await driver.pilot.press(key)
        await driver.pilot.pause()


async def test_a_verdict_stands_on_the_branch_and_u_takes_it_back(
    opened: Opened, path: Path
) -> None:
    async with opened(OpenTarget(rollout="r1"), library=path) as driver:
        leaf = driver.screen.model.leaf
        await driver.press("k", "k", "A")
        assert "A accepted" in driver.text()
        assert [(m.step_id, m.verdict) for m in _marks(path)] == [(leaf, "accept")]
        assert "[A]" in Outline(driver.screen.model, {}).words.tags(_last(driver))
        await driver.press("u")
        assert "A accepted" not in driver.text()
        assert [m.verdict for m in _marks(path)] == [None]


def _last(driver: Driver):  # type: ignore[no-untyped-def]
    return Outline(driver.screen.model, {}).tree.segments[-1]


async def test_an_edit_after_a_verdict_shows_it_outdated(opened: Opened, path: Path) -> None:
    async with opened(OpenTarget(rollout="r1"), library=path) as driver:
        await driver.press("A", "k", "e")
        await driver.pilot.press("x", "ctrl+s")
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: "A! accepted" in driver.text())
        await driver.press("A")
        await driver.until(lambda: "A! accepted" not in driver.text())
        assert "A accepted" in driver.text()


async def test_a_rejection_takes_a_reason_by_number_or_typed(opened: Opened, path: Path) -> None:
    async with opened(OpenTarget(rollout="r1"), library=path) as driver:
        driver.app.review_keys = ReviewKeys(reasons=("wrong facts", "unsafe"))
        await driver.pilot.press("R")
        await driver.until(lambda: isinstance(driver.app.screen, WhyScreen))
        await driver.pilot.press("2")
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: "R rejected" in driver.text())
        assert [(m.verdict, m.note) for m in _marks(path)] == [("reject", "unsafe")]
        await driver.pilot.press("R")
        await driver.until(lambda: isinstance(driver.app.screen, WhyScreen))
        await driver.pilot.press(*"no 2", "enter")
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: [m.note for m in _marks(path)] == ["no 2"])


async def test_ratings_tags_notes_and_the_loss_mask_stand_behind_m(
    opened: Opened, path: Path
) -> None:
    async with opened(OpenTarget(rollout="r1"), library=path) as driver:
        driver.app.review_keys = ReviewKeys(tags={"r": "refund"})
        await _menu(driver, "m", "4")
        await driver.until(lambda: any(m.rating == 4 for m in _marks(path)))
        await _menu(driver, "m", "t", "r")
        await driver.until(lambda: any(m.tags == ("refund",) for m in _marks(path)))
        await _menu(driver, "m", "n")
        await driver.until(lambda: isinstance(driver.app.screen, ReasonScreen))
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await _menu(driver, "g", "m", "w")
        first_step = driver.screen.model.path.steps[0].id
        await driver.until(
            lambda: any(m.step_id == first_step and m.train is False for m in _marks(path))
        )


async def test_keys_that_mark_rest_after_a_paste(opened: Opened, path: Path) -> None:
    async with opened(OpenTarget(rollout="r1"), library=path) as driver:
        driver.app.guard.pasted()
        driver.app.guard._until = driver.app.guard._paste_until = float("inf")
        await driver.press("A", "R", "m")
        assert driver.app.screen is driver.app.debugger
        assert not isinstance(driver.app.screen, KeyMenu)
        assert "rests for a moment" in driver.text()
        assert _marks(path) == []


async def test_q_behind_a_mark_leaves_when_the_mark_is_made(opened: Opened) -> None:
    """Both keys are there before the engine has answered."""
    gate = threading.Event()

    async def slow(session: object) -> None:
        await asyncio.to_thread(gate.wait)

    async with opened(sample="refund") as driver:
        await driver.press("s")
        driver.app.controller.command("mark", slow)
        driver.screen.make.do_leave()
        assert driver.screen.make._leaving
        gate.set()
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        assert driver.app.debugger is not None
        assert not driver.app.debugger.make._leaving


def test_tags_that_were_typed_are_offered_again() -> None:
    app = SimpleNamespace(
        review_keys=ReviewKeys(tags={"r": "refund"}), typed_tags=["slow", "refund", "odd"]
    )
    asking = MarkAsking(cast(RollstepApp, app), lambda *_: None)
    tags = asking._lettered(Mark("s1", tags=("rude",)))
    assert tags == {"r": "refund", "1": "rude", "2": "odd", "3": "slow"}
