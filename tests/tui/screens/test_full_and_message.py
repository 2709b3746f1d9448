from __future__ import annotations

from collections.abc import Callable

import pytest
from rollstep.tui.screens.full import FullRequest, FullScreen
from rollstep.tui.screens.message import MessageRequest, MessageScreen
from rollstep.tui.widgets.line_view import SHOWN, Passage

from ...screen_text import screen_text
from .hosting import NARROW, WIDE, Host, settle, wait_for

STEP = FullRequest(
    "20 tool result: check_policy [/b]",
    (
        Passage('{\n  "refundable": false\n}', "result", json=True),
        Passage("a\x1b[31m\u202e\ud83d\n" * 100, "raw"),
    ),
)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_step_in_full(same_screen: Callable[..., None], size: tuple[int, int]) -> None:
    """Headings over each text, unsafe characters as marks, the keys in the last line."""
    app = Host(FullScreen(STEP))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        same_screen(app)


async def test_reading_on_reaches_the_end_and_y_copies_safely() -> None:
    app = Host(FullScreen(STEP))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("space", "G", "y")
        await wait_for(pilot, lambda: "copied" in screen_text(app))
        assert app.clipboard.startswith('{\n  "refundable": false\n}\n\na␛[31m')
        await pilot.press("escape")
        assert app.result is None


async def test_a_huge_line_is_shown_in_part_and_more_on_demand() -> None:
    app = Host(FullScreen(FullRequest("x", (Passage("x" * (SHOWN + 500)),))))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("G")
        await wait_for(pilot, lambda: "500 more characters" in screen_text(app))
        await pilot.press("m", "G")
        await wait_for(pilot, lambda: "more characters" not in screen_text(app))


async def test_the_traceback_of_an_attempt_is_behind_a_key() -> None:
    request = MessageRequest(
        "The target failed",
        "my_pkg.agent:make raised ValueError: [/b] no such order. Press r to retry.",
        'Traceback (most recent call last):\n  File "[x].py", line 3\n' * 40,
        error=True,
    )
    app = Host(MessageScreen(request))
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: "no such order. Press r to" in screen_text(app))
        assert "Traceback" not in screen_text(app)
        await pilot.press("d")
        await wait_for(pilot, lambda: 'File "[x].py", line 3' in screen_text(app))
        await pilot.press("y")
        assert "Traceback" in app.clipboard
        await pilot.press("enter")
        assert app.result is None
