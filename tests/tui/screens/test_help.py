from __future__ import annotations

from collections.abc import Callable

import pytest
from rollstep.tui.screens.compare import CompareScreen
from rollstep.tui.screens.help import HelpScreen
from rollstep.tui.screens.own_keys import OwnKeys, key_rows
from rollstep.tui.screens.present import PresentScreen
from rollstep.tui.screens.reader import ReaderScreen
from rollstep.tui.screens.takes import TakesScreen

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


@pytest.mark.parametrize("screen", [CompareScreen, PresentScreen, ReaderScreen, TakesScreen])
def test_every_key_of_a_screen_stands_in_its_own_list_once(screen: type[OwnKeys]) -> None:
    rows = key_rows(screen.BINDINGS)  # type: ignore[attr-defined]
    keys = [key for shown, _ in rows for key in shown.split(" ")]
    assert len(keys) == len(set(keys))
    assert ("? F1", "Keys") in rows
    assert ("Ctrl+Q", "Quit") in rows
    assert all(what for _, what in rows)


def test_digits_that_do_the_same_are_one_range() -> None:
    assert ("Enter 1-9", "Choose") in key_rows(TakesScreen.BINDINGS)
    assert ("0-9", "That turn; 0 is the start") in key_rows(PresentScreen.BINDINGS)
    assert ("] l →", "Next step") in key_rows(ReaderScreen.BINDINGS)
