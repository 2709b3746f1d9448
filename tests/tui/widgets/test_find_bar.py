from __future__ import annotations

from rollstep.tui.widgets.find_bar import FindBar
from textual.app import App, ComposeResult

from ...screen_text import screen_text


class Finding(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.bar = FindBar()
        self.seen: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.bar

    def on_find_bar_typed(self, event: FindBar.Typed) -> None:
        self.seen.append(event.text)
        self.bar.tell(len(event.text), 1)

    def on_find_bar_stepped(self, event: FindBar.Stepped) -> None:
        self.seen.append(event.by)

    def on_find_bar_chosen(self, event: FindBar.Chosen) -> None:
        self.seen.append(("chosen", event.text))

    def on_find_bar_closed(self) -> None:
        self.seen.append("closed")


async def test_typing_finds_enter_stays_and_escape_goes_back() -> None:
    app = Finding()
    async with app.run_test(size=(60, 5)) as pilot:
        assert app.bar.region.height == 0
        app.bar.open()
        await pilot.press("r", "e", "down", "up")
        await pilot.pause()
        assert "1 of 2" in screen_text(app)
        await pilot.press("enter")
        app.bar.open()
        await pilot.press("x", "escape")
        assert app.seen == ["r", "re", 1, -1, ("chosen", "re"), "x", "closed"]


async def test_nothing_found_is_said() -> None:
    app = Finding()
    async with app.run_test(size=(60, 5)) as pilot:
        app.bar.open()
        await pilot.press("r")
        app.bar.tell(0)
        await pilot.pause()
        assert "not found" in screen_text(app)
