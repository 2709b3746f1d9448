from __future__ import annotations

from rollstep.tui.widgets.line_view import SHOWN, LineView, Passage
from textual.app import App, ComposeResult

from ...screen_text import screen_text


class Viewing(App[None]):
    def __init__(self, *passages: Passage) -> None:
        super().__init__()
        self.view = LineView(passages)

    def compose(self) -> ComposeResult:
        yield self.view

    def on_mount(self) -> None:
        self.view.focus()


async def test_passages_stand_under_headings_with_unsafe_characters_as_marks() -> None:
    app = Viewing(Passage('{"a": 1}', "result [/b]", json=True), Passage("x\x1b[31m\u202e", "raw"))
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        assert screen_text(app) == (
            ' result [/b]\n {"a": 1}\n\n raw\n x␛[31m‹U+202E›\n\n\n\n'.rstrip("\n") + "\n"
        )


async def test_long_lines_wrap_anew_when_the_width_changes() -> None:
    app = Viewing(Passage("word " * 20))
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        narrow = app.view.height_needed
        await pilot.resize_terminal(80, 8)
        await pilot.pause()
        assert app.view.height_needed < narrow


async def test_keys_read_on_and_more_of_a_huge_text_comes_on_demand() -> None:
    app = Viewing(Passage("x" * (SHOWN + 500)))
    async with app.run_test(size=(40, 8)) as pilot:
        while not app.view.show_vertical_scrollbar:
            await pilot.pause(0.01)
        await pilot.press("space")
        assert app.view.scroll_offset.y == 7
        await pilot.press("space")
        assert app.view.scroll_offset.y == 14
        await pilot.press("G")
        await pilot.pause()
        assert "500 more characters" in screen_text(app)
        await pilot.press("m", "G")
        await pilot.pause()
        assert app.view.hidden == 0
        assert "more characters" not in screen_text(app)
        await pilot.press("g")
        assert app.view.scroll_offset.y == 0


async def test_nothing_is_wrapped_before_there_is_a_width() -> None:
    app = Viewing(Passage("Hi there."))
    assert app.view.height_needed == 0
    async with app.run_test(size=(40, 8)) as pilot:
        while not app.view.height_needed:
            await pilot.pause(0.01)
        assert app.view.height_needed == 1
