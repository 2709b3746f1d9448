"""The line that queries are typed in: what is said of a letter comes with it, and once."""

from __future__ import annotations

import pytest
from rollstep.tui.key_order import OrderedKeys
from rollstep.tui.widgets.query_field import Looked, Offer, QueryField
from textual.app import ComposeResult
from textual.events import Key

from ..screens.hosting import wait_for


class _Host(OrderedKeys[None]):
    def __init__(self) -> None:
        super().__init__()
        self.looked: list[tuple[str, int]] = []
        self.typed: list[str] = []
        self.chosen: list[str] = []
        self.field = QueryField()

    def compose(self) -> ComposeResult:
        yield self.field

    def on_mount(self) -> None:
        self.field.ask("filter", "", self.look)

    def look(self, text: str, cursor: int) -> Looked:
        self.looked.append((text, cursor))
        if text.endswith("!"):
            return Looked((), "wrong")
        return Looked((Offer(f"{text}-more", "what goes on", 0, len(text)),))

    def on_query_field_typed(self, event: QueryField.Typed) -> None:
        self.typed.append(event.text)

    def on_query_field_chosen(self, event: QueryField.Chosen) -> None:
        self.chosen.append(event.text)

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


def burst(app: _Host, *keys: str) -> None:
    """All at once, as a terminal sends what was typed while the program was busy."""
    for key in keys:
        app.post_message(Key(key, key if len(key) == 1 else None))


LETTERS = "abcdefghijklmnopqrstuvwxyz" * 2


async def test_of_a_burst_of_letters_few_are_looked_at_and_the_last_one_is() -> None:
    app = _Host()
    async with app.run_test() as pilot:
        await pilot.pause()
        burst(app, *LETTERS)
        await wait_for(pilot, lambda: f"{LETTERS}-more" in app.offered)
        assert not app.keys_wait
        assert not app.field.box.outdated
        await wait_for(pilot, lambda: app.typed[-1] == LETTERS)
        assert len(app.typed) == len(app.looked) < len(LETTERS)


async def test_a_key_that_says_nothing_behind_a_burst_leaves_nothing_outdated() -> None:
    app = _Host()
    async with app.run_test() as pilot:
        await pilot.pause()
        burst(app, *"abc", "f9")
        await wait_for(pilot, lambda: "abc-more" in app.offered and not app.field.box.outdated)


@pytest.mark.parametrize(("text", "chosen"), [("abcd", ["abcd"]), ("abc!", [])])
async def test_enter_behind_a_burst_is_for_all_of_it(text: str, chosen: list[str]) -> None:
    app = _Host()
    async with app.run_test() as pilot:
        await pilot.pause()
        burst(app, *text, "enter")
        await wait_for(pilot, lambda: bool(app.typed) and app.typed[-1] == text)
        await pilot.pause()
        assert app.chosen == chosen


async def test_tab_behind_a_burst_completes_what_was_typed() -> None:
    app = _Host()
    async with app.run_test() as pilot:
        await pilot.pause()
        burst(app, *"abc", "tab")
        await wait_for(pilot, lambda: app.field.text == "abc-more ")
