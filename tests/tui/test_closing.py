"""Keys that arrive faster than a dialog closes."""

from __future__ import annotations

from typing import Any

from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.help import HelpScreen
from textual.screen import Screen

from .conftest import Driver, Opened


async def closed_thrice(driver: Driver, screen: Screen[Any], answer: object) -> None:
    """As by a key that is held: the answers wait in the screen's own queue."""

    def close() -> None:
        screen.dismiss(answer)

    for _ in range(3):
        screen.call_later(close)
    await driver.until(lambda: driver.app.screen is not screen)
    await driver.pilot.pause()


async def test_a_second_answer_to_a_dialog_closes_nothing_else(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        chosen: list[str] = []
        driver.app.push_screen(HelpScreen([]))
        driver.app.dialogs.choose("Which?", (("a", "this", "x"), ("b", "that", "y")), chosen.append)
        await driver.pilot.pause()
        dialog = driver.app.screen
        assert isinstance(dialog, ChooseScreen)
        await closed_thrice(driver, dialog, "a")
        assert chosen == ["a"]
        assert isinstance(driver.app.screen, HelpScreen)


async def test_a_second_answer_to_the_palette_is_no_crash(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("colon")
        await closed_thrice(driver, driver.app.screen, None)
        assert isinstance(driver.app.screen, DebuggerScreen)
