"""The line that queries are typed in: what is said of a letter comes with it, and once."""

from __future__ import annotations

from rollstep.tui.widgets.query_field import Looked, Offer, QueryField
from textual.app import App, ComposeResult


class _Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.looked: list[tuple[str, int]] = []
        self.typed: list[str] = []
        self.field = QueryField()

    def compose(self) -> ComposeResult:
        yield self.field

    def on_mount(self) -> None:
        self.field.ask("filter", "", self.look)

    def look(self, text: str, cursor: int) -> Looked:
        self.looked.append((text, cursor))
        return Looked((Offer(f"{text}-more", "what goes on", 0, len(text)),))

    def on_query_field_typed(self, event: QueryField.Typed) -> None:
        self.typed.append(event.text)

    @property
    def offered(self) -> str:
        return str(self.field._offers.render())


async def test_a_letter_and_its_completions_are_one_paint() -> None:
    app = _Host()
    async with app.run_test() as pilot:
        await pilot.pause()
        app.field.box.insert("t")
        assert "t-more" in app.offered  # before any message has gone anywhere
        await pilot.pause()
        assert app.looked.count(("t", 1)) == 1
        assert app.typed == ["", "t"]


async def test_a_text_that_comes_back_by_undo_is_told_too() -> None:
    app = _Host()
    async with app.run_test() as pilot:
        await pilot.press("a", "b", "ctrl+z")
        await pilot.pause()
        assert app.field.text == ""
        assert app.typed == ["", "a", "ab", ""]
        assert app.looked[-1] == ("", 0)


async def test_the_cursor_alone_has_others_offered_and_tells_nothing() -> None:
    app = _Host()
    async with app.run_test() as pilot:
        await pilot.press("a", "b", "left")
        await pilot.pause()
        assert app.looked[-1] == ("ab", 1)
        assert app.typed == ["", "a", "ab"]
