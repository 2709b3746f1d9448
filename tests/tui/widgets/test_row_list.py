from __future__ import annotations

from rollstep.tui.widgets.row_list import Column, ListRow, RowList
from textual.app import App, ComposeResult

from ...screen_text import screen_text

ROWS = [
    ListRow(("Samples",)),
    *(ListRow((f"row {n} [/x]\x1b", "what"), n, (Column(12), Column(least=40))) for n in range(50)),
    ListRow(("",)),
    ListRow(("last",), "last"),
]


class Listing(App[None]):
    def __init__(self, rows: list[ListRow]) -> None:
        super().__init__()
        self.list = RowList(rows)

    def compose(self) -> ComposeResult:
        yield self.list

    def on_mount(self) -> None:
        self.list.focus()


async def test_the_cursor_passes_over_headings_and_stays_in_view() -> None:
    app = Listing(ROWS)
    async with app.run_test(size=(60, 10)) as pilot:
        assert app.list.current == ROWS[1]
        await pilot.press("k")
        assert app.list.current == ROWS[1]
        await pilot.press("G")
        await pilot.pause()
        assert app.list.current == ROWS[-1]
        assert "▸ last" in screen_text(app)
        await pilot.press("k")
        assert app.list.current == ROWS[-3]
        await pilot.press("g")
        await pilot.pause()
        assert screen_text(app).startswith("  Samples\n▸ row 0")
        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        assert "▸ row 18" in screen_text(app)


async def test_cells_are_made_safe_and_narrow_lists_leave_columns_out() -> None:
    app = Listing(ROWS)
    async with app.run_test(size=(60, 10)) as pilot:
        assert "row 0 [/x]␛" in screen_text(app)
        assert "what" in screen_text(app)
        await pilot.resize_terminal(30, 10)
        await pilot.pause()
        assert "what" not in screen_text(app)


async def test_showing_other_rows_keeps_the_cursor_on_its_row() -> None:
    app = Listing(ROWS)
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("j", "j")
        app.list.show(ROWS[2:])
        assert app.list.current == ROWS[3]
        app.list.show([])
        await pilot.press("j", "G", "enter", "pagedown")
        assert app.list.current is None


async def test_a_long_list_costs_what_is_seen() -> None:
    drawn = 0

    class Counting(RowList):
        def render_line(self, y: int):  # type: ignore[no-untyped-def]
            nonlocal drawn
            drawn += 1
            return super().render_line(y)

    app = Listing([])
    app.list = Counting([ListRow((str(n),), n) for n in range(100_000)])
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("G")
        await pilot.pause()
        assert drawn < 500
