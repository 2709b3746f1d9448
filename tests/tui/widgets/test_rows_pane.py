"""A pane of rows: what is painted, and what it remembers."""

from __future__ import annotations

import gc

from rollstep.tui.palette import Palette
from rollstep.tui.rows import Row, row
from rollstep.tui.themes import DEFAULT, find_theme
from rollstep.tui.widgets.rows_pane import RowsPane
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.strip import Strip

from ...screen_text import screen_text

TALL = 10


class Paned(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.pane = RowsPane(Palette(find_theme(DEFAULT, None)), id="pane")

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.place(Region(0, 0, 20, TALL))


def _rows(start: int) -> list[Row]:
    return [row((f"line {number}", "text")) for number in range(start, start + TALL)]


async def test_lines_that_are_not_shown_any_more_do_not_wait_for_the_collector() -> None:
    app = Paned()
    async with app.run_test(size=(20, TALL)) as pilot:
        await pilot.pause()
        gc.collect()
        before = sum(isinstance(each, Strip) for each in gc.get_objects())
        gc.disable()
        try:
            for start in range(0, 300, TALL):
                app.pane.set_rows(_rows(start))
                await pilot.pause()
            alive = sum(isinstance(each, Strip) for each in gc.get_objects())
        finally:
            gc.enable()
        assert alive - before <= 2 * TALL


async def test_a_line_that_is_too_long_is_cut_and_a_short_one_is_filled() -> None:
    app = Paned()
    async with app.run_test(size=(20, TALL)) as pilot:
        app.pane.set_rows([row(("漢" * 15, "text")), row(("short", "text"))])
        await pilot.pause()
        assert [app.pane._strip(y, 20, None).cell_length for y in (0, 1, 2)] == [20, 20, 20]
        assert screen_text(app).split("\n")[0] == "漢" * 10


async def test_a_pane_remembers_two_screenfuls_however_far_it_is_scrolled() -> None:
    """A strip takes 3 kB: those of all that was ever read would grow into many MB."""
    app = Paned()
    async with app.run_test(size=(20, TALL)) as pilot:
        for start in range(0, 200, 3):
            app.pane.set_rows(_rows(start))
            await pilot.pause()
            assert screen_text(app).split("\n")[0].strip() == f"line {start}"
            assert len(app.pane._strips) <= 2 * TALL
        shown = [app.pane._strips[each] for each in _rows(198)]
        app.pane.set_rows(_rows(199))
        await pilot.pause()
        assert [app.pane._strips[each] for each in _rows(199)[:-1]] == shown[1:]
