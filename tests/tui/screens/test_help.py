from __future__ import annotations

from collections.abc import Callable

import pytest
from rollstep.tui.screens.help import HelpScreen

from ...screen_text import screen_text
from .hosting import NARROW, NOTHING, WIDE, Host, settle, type_text, wait_for

SECTIONS = [
    ("LOOK: free, and changes nothing", [("j k", "next and previous step")]),
    ("MAKE: can be undone", [("s  F10", "step: one role acts")]),
    ("DECIDE: asks, or opens a dialog", [("x", "export")]),
    ("LEAVE: closes, cancels, quits", [("Ctrl+Q", "quit")]),
]


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_help(same_screen: Callable[..., None], size: tuple[int, int]) -> None:
    """LOOK, MAKE, DECIDE and LEAVE in this order, then signs and words."""
    app = Host(HelpScreen(SECTIONS))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        same_screen(app)


async def test_typing_after_a_slash_finds_a_key_or_a_word() -> None:
    app = Host(HelpScreen(SECTIONS))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "quit?")
        await pilot.press("backspace")
        await wait_for(pilot, lambda: "step: one role" not in screen_text(app))
        assert "Ctrl+Q" in screen_text(app)
        await pilot.press("enter", "escape")
        await wait_for(pilot, lambda: "step: one role" in screen_text(app))
        assert app.result is NOTHING
        await pilot.press("q")
        assert app.result is None
