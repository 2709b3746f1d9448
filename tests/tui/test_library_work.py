"""What is done with rollouts of the library goes on when its screen is left; what takes it back is
kept until it has.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from rollstep.core import marking
from rollstep.core.config.keys import ReviewKeys
from rollstep.core.errors import NotSavedError, StoreError
from rollstep.core.marking import mark_rollouts
from rollstep.core.rules.marking import MarkChange
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.library import LibraryScreen
from rollstep.tui.screens.mark_menu import KeyMenu
from rollstep.tui.screens.reason import ReasonScreen
from rollstep.tui.screens.start import StartScreen

from .conftest import Opened
from .test_library import listed, path, shown, text
from .test_library_slow import Gate, gate

__all__ = ["gate", "path"]


def full(*_: object) -> None:
    raise NotSavedError("Not saved: disk full.")


def verdicts(path: Path, *rollout_ids: str) -> list[str | None]:
    with Library.open(path) as library:
        return [mark.verdict for each in rollout_ids for mark in library.load(each).marks]


async def test_what_could_not_be_taken_back_can_be_later_and_nothing_done_is_none_to_be(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("j", "A")
        await driver.until(lambda: "Accepted: 1. u takes it back." in text(driver))
        with monkeypatch.context() as patch:
            patch.setattr(Library, "commit", full)
            await driver.press("j", "M")
            await driver.until(
                lambda: "Unsure: 0.  Not: r28 (Not saved: disk full.)" in text(driver)
            )
            assert "u takes it back" not in text(driver)
            await driver.press("u")
            await driver.until(lambda: "Marks taken back: 0.  Not: r29" in text(driver))
        assert verdicts(path, "r29") == ["accept"]
        await driver.press("u")
        await driver.until(lambda: "Marks taken back: 1." in text(driver))
        assert verdicts(path, "r29") == [None]
        assert screen.working.done == []


async def test_what_went_wrong_as_a_whole_can_be_taken_back_later(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise StoreError("The library is locked.")

    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver)
        await driver.press("D")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("y", lambda: isinstance(driver.app.screen, LibraryScreen))
        await driver.until(lambda: "Hidden: 1." in text(driver))
        with monkeypatch.context() as patch:
            patch.setattr("rollstep.tui.screens.library_hide.show_rollouts", locked)
            await driver.press("u")
            await driver.until(lambda: not shown(driver).working.words)
        assert len(shown(driver).model) == 29
        await driver.press("u")
        await driver.until(lambda: len(shown(driver).model) == 30)


async def test_work_and_what_takes_it_back_outlive_the_screen(
    opened: Opened, path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = marking.has_marked

    async def slow(session: Session, *rest: Any) -> bool:
        if session.rollout.header.id == "r27":
            await asyncio.to_thread(gate.wait)
        return await usual(session, *rest)

    async with opened(library=path, size=(120, 30)) as driver:
        first = await listed(driver)
        await driver.press("j", *"v" * 6, "A")
        monkeypatch.setattr(marking, "has_marked", slow)
        await driver.press_until("y", lambda: driver.app.screen is first)
        await driver.until(gate.reached.is_set)
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        driver.app.dialogs.open_library()
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        await driver.until(lambda: "Marking … 2 of 6; Esc ends it there" in text(driver))
        await driver.press("R")
        await driver.until(lambda: "Marking: R waits until that is over." in text(driver))
        await driver.press("escape")
        gate.opened.set()
        await driver.until(lambda: "Accepted: 3. u takes it back." in text(driver))
        shown(driver).making.do_undo()
        await driver.until(lambda: "Marks taken back: 3." in text(driver))
        assert verdicts(path, "r29", "r28", "r27") == [None] * 3


async def test_what_is_not_saved_is_said_where_the_library_was_left(
    opened: Opened, path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, str]] = []
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)

        def slow_commit(*_: object) -> None:
            gate.wait()
            full()

        monkeypatch.setattr(Library, "commit", slow_commit)
        monkeypatch.setattr(driver.app, "say", lambda *words: said.append(words))
        await driver.press("j", "A")
        await driver.until(gate.reached.is_set)
        screen.dismiss(None)
        await driver.until(lambda: not screen.is_attached)
        gate.opened.set()
        await driver.until(lambda: bool(said))
        assert said == [("Accepted: 0.  Not: r29 (Not saved: disk full.)", "alarm")]


async def test_the_menu_shows_the_own_marks_and_not_those_of_others(
    opened: Opened, path: Path
) -> None:
    with Library.open(path) as library:
        await mark_rollouts(library, ("r29",), MarkChange(tag="refund", rating=2), "jo")
        await mark_rollouts(library, ("r29",), MarkChange(rating=4), "mira")
    async with opened(library=path, size=(120, 30)) as driver:
        driver.app.controller.engine._author = "mira"
        driver.app.review_keys = ReviewKeys(tags={"r": "refund"})
        await listed(driver)
        await driver.press("m")
        await driver.until(lambda: isinstance(driver.app.screen, KeyMenu))
        menu = driver.app.screen
        assert isinstance(menu, KeyMenu)
        assert [row.key for row in menu._rows.values() if row.on] == ["4"]
        await driver.press_until("t", lambda: driver.app.screen is not menu)
        menu = driver.app.screen
        await driver.press_until("r", lambda: driver.app.screen is not menu)
        await driver.until(lambda: "Tag refund: 1." in text(driver))
    with Library.open(path) as library:
        assert [mark.tags for mark in library.load("r29").marks] == [("refund",)] * 2


@pytest.mark.parametrize(("answer", "kept"), [("y", b"turns>1"), ("n", b"verdict:none")])
async def test_a_filter_of_a_name_that_there_is_replaces_it_after_a_question(
    opened: Opened, path: Path, answer: str, kept: bytes
) -> None:
    with Library.open(path) as library:
        library.keep("filter", "mine", b"verdict:none")
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver, "turns>1")

        await driver.press("f")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("s", lambda: isinstance(driver.app.screen, ReasonScreen))
        await driver.press(*"mine")
        await driver.press_until("enter", lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until(answer, lambda: isinstance(driver.app.screen, LibraryScreen))
        words = "mine was replaced" if answer == "y" else "mine stays as it is"
        await driver.until(lambda: words in text(driver))
    with Library.open(path) as library:
        assert library.kept("filter") == {"mine": kept}
