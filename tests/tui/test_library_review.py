"""A queue is begun in the library on what is selected or listed, and leads back there; from the
debugger on one of its rollouts, J and K go to its neighbours.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.review.keeping import listed_queues, open_queue
from rollstep.core.review.queue import Queue
from rollstep.core.store.library import Library
from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.library import LibraryScreen
from rollstep.tui.screens.review import ReviewScreen

from tests.core.store.making import conversation, first

from .conftest import Driver, Opened
from .test_library import listed, shown


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six rollouts, of one and two turns in turn."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for number in range(6):
            steps = conversation(1 + number % 2, f"s{number}-", stop="goal_reached")
            library.commit(first(f"r{number}", steps, head=steps[-1].id))
    return path


def queues(path: Path) -> list[Queue]:
    with Library.open(path) as library:
        return [open_queue(library, each.head.name).queue for each in listed_queues(library)]


async def reviewing(driver: Driver) -> ReviewScreen:
    await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen))
    screen = driver.app.screen
    assert isinstance(screen, ReviewScreen)
    await driver.until(lambda: screen.model.shown is not None)
    return screen


async def test_what_is_listed_is_reviewed_and_q_comes_back(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver, "turns = 2")
        await driver.press("j", "Q")
        review = await reviewing(driver)
        assert review.model.queue.ids == ("r1", "r3", "r5")
        assert review.model.queue.query == "turns = 2"
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        await driver.until(lambda: shown(driver).model.current is not None)
        assert (shown(driver).model.query, shown(driver).model.at) == ("turns = 2", 1)
        assert len(queues(path)) == 1


async def test_a_selection_is_reviewed_and_an_unfinished_queue_gone_on_with(
    opened: Opened, path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver)
        await driver.press("v", "v", "Q")
        review = await reviewing(driver)
        assert review.model.queue.ids == ("r4", "r5")
        await driver.press_until("A", lambda: review.model.queue.at == 1)
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        assert len(shown(driver).model.chosen) == 2
        await driver.press("Q")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        question = driver.app.screen
        await driver.press_until("1", lambda: driver.app.screen is not question)
        again = await reviewing(driver)
        assert (again.model.queue.ids, again.model.queue.at) == (("r4", "r5"), 1)
        assert [queue.query for queue in queues(path)] == ["2 selected of all"]


async def test_j_and_k_in_the_debugger_go_through_the_queue(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver)
        await driver.press("Q")
        await reviewing(driver)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.until(lambda: " 1 of 6  title of r0" in driver.text())
        await driver.press_until("K", lambda: "This is the first of 6." in driver.text())
        await driver.press("J")
        await driver.until(lambda: " 2 of 6  title of r1" in driver.text())
        await driver.press("J")
        await driver.until(lambda: " 3 of 6  title of r2" in driver.text())
        await driver.until(lambda: queues(path)[0].at == 2)
        await driver.press("q")
        review = await reviewing(driver)
        assert review.model.queue.current == "r2"
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))


async def test_a_guide_that_cannot_be_read_is_said_and_no_queue_begins(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "rollstep.toml").write_text('[review]\nguide_file = "none.md"\n')
    monkeypatch.chdir(tmp_path)
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("Q")
        await driver.until(lambda: bool(driver.app._notifications))
        (said,) = driver.app._notifications
        assert "none.md cannot be read: No such file" in said.message
        assert driver.app.screen is screen
    assert queues(path) == []
