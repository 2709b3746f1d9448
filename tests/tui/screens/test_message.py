from __future__ import annotations

from collections.abc import Callable

import pytest
from rollstep.tui.screens.message import MessageRequest, MessageScreen

from ...screen_text import screen_text
from .hosting import NARROW, WIDE, Host, settle, wait_for

FAILED = MessageRequest(
    "The target failed [/b]",
    "my_pkg.agent:make raised ValueError: [/b] no such order. Press r to retry.",
    'Traceback (most recent call last):\n  File "[x].py", line 3\n\x1b[31m' * 40,
    error=True,
)


async def test_the_traceback_of_an_attempt_is_behind_a_key() -> None:
    app = Host(MessageScreen(FAILED))
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: "no such order. Press r to" in screen_text(app))
        assert "Traceback" not in screen_text(app)
        await pilot.press("d")
        await wait_for(pilot, lambda: 'File "[x].py", line 3' in screen_text(app))
        await pilot.press("y")
        assert "Traceback" in app.clipboard
        assert "\x1b" not in app.clipboard
        await pilot.press("enter")
        assert app.result is None


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_failure(same_screen: Callable[..., None], size: tuple[int, int]) -> None:
    """The words in the middle of the screen, as high as they are; keys under them."""
    app = Host(MessageScreen(FAILED))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        same_screen(app)
