"""A tiny app around one screen, for tests of screens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events
from textual.app import App
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen

from ...screen_text import screen_text

WIDE = (160, 45)
NARROW = (80, 24)
NOTHING = object()


class Host(App[None]):
    """Shows one screen and keeps what it was dismissed with."""

    def __init__(self, screen: Screen[Any]) -> None:
        super().__init__()
        self.shown = screen
        self.result: Any = NOTHING

    def on_mount(self) -> None:
        self.push_screen(self.shown, self._done)

    def _done(self, result: Any) -> None:
        self.result = result


async def wait_for(pilot: Pilot[Any], condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Let the app run until the condition holds."""
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        await pilot.pause(0.02)
    raise AssertionError("the condition never held")


async def type_text(pilot: Pilot[Any], text: str) -> None:
    """Press a key for each character, one right after the other, as a quick typist does; then wait
    until all of them have been dealt with.
    """
    names = {" ": "space", "\n": "enter"}
    driver = pilot.app._driver
    assert driver is not None
    for char in text[:-1]:
        key = names.get(char) or (char if char.isalnum() else _character_to_key(char))
        event = events.Key(key, "\r" if char == "\n" else char)
        event.set_sender(pilot.app)
        driver.send_message(event)
    await pilot.press(*(names.get(char, char) for char in text[-1:]))


async def settle(pilot: Pilot[Any]) -> None:
    """Let the app run until the screen stays the same for a while."""
    seen, same = "", 0
    for _ in range(200):
        await pilot.pause(0.03)
        now = screen_text(pilot.app)
        same = same + 1 if now == seen else 0
        seen = now
        if same >= 8:
            return
    raise AssertionError("the screen never came to rest")
