"""What the README's five minutes say of keys and of the screen is so."""

from __future__ import annotations

from pathlib import Path

from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.widgets.text_box import TextBox

from .conftest import Opened

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


async def test_three_tabs_lead_to_the_arguments_of_the_mistaken_call(opened: Opened) -> None:
    assert "Press `e`, and `Tab` three times," in README
    async with opened(sample="refund") as driver:
        for _ in range(8):
            await driver.press("s")
        await driver.press("k", "k")
        assert driver.screen.model.cursor + 1 == 6
        await driver.pilot.press("e")
        await driver.until(lambda: isinstance(driver.app.screen, EditorScreen))
        await driver.pilot.press("tab", "tab", "tab")
        field = driver.app.focused
        assert isinstance(field, TextBox)
        assert field.text == '{"order_id": "4471", "reason": "changed_mind"}'


async def test_where_a_script_opens_nobody_is_told_that_it_is_their_move(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        assert "paused: the opening is next" in driver.text()
        assert "your move" not in driver.text()
