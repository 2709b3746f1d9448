"""Keys that arrive in one burst act in the order in which they were typed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

import pytest
from rollstep.tui import key_order
from rollstep.tui.key_order import OrderedKeys
from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.widgets.find_bar import FindBar
from rollstep.tui.widgets.path_field import PathField
from rollstep.tui.widgets.text_box import TextBox
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key, Paste
from textual.widget import Widget
from textual.widgets import Input

from .conftest import Opened
from .screens.hosting import wait_for


def burst(app: App[int], keys: Iterable[str]) -> None:
    """All keys at once, as a terminal sends what was typed while the program was busy."""
    for key in keys:
        app.post_message(Key(key, key if len(key) == 1 else None))


class Host(OrderedKeys[int]):
    """Some fields below each other."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f5", "mark", priority=True)]

    def __init__(self, *fields: Widget) -> None:
        super().__init__()
        self.fields = fields
        self.marked = ""

    def compose(self) -> ComposeResult:
        yield from self.fields

    def action_mark(self) -> None:
        """A priority binding: it sees the text that was typed before it."""
        field = self.fields[0]
        assert isinstance(field, TextBox)
        self.marked = field.value

    def on_text_box_submitted(self) -> None:
        self.screen.focus_next()


TYPED = ("left", "left", "left", "X", "home", "Y", "end", "Z", "Q", "backspace")


@pytest.mark.parametrize("single_line", [False, True])
async def test_a_burst_into_a_text_box(single_line: bool) -> None:
    box = TextBox("abcdef", single_line=single_line)
    app = Host(box)
    async with app.run_test() as pilot:
        await pilot.press("end")
        burst(app, TYPED)
        await wait_for(pilot, lambda: box.value == "YabcXdefZ")


async def test_held_backspace_and_then_words() -> None:
    box = TextBox("x" * 40)
    app = Host(box)
    async with app.run_test() as pilot:
        await pilot.press("end")
        burst(app, [*["backspace"] * 40, *"new", "backspace", *"t text"])
        await wait_for(pilot, lambda: box.value == "net text")


async def test_an_input_of_textual_too() -> None:
    """The palette's line is one."""
    field = Input()
    app = Host(field)
    async with app.run_test() as pilot:
        burst(app, [*"abcdef", *TYPED])
        await wait_for(pilot, lambda: field.value == "YabcXdefZ")


@pytest.mark.parametrize("on", ["tab", "enter"])
async def test_what_follows_a_change_of_focus_goes_to_the_next_field(on: str) -> None:
    first, second = TextBox("", single_line=True), TextBox("", single_line=True)
    app = Host(first, second)
    async with app.run_test() as pilot:
        await pilot.press("end")
        burst(app, [*"one", on, *"twp", "backspace", "o"])
        await wait_for(pilot, lambda: (first.value, second.value) == ("one", "two"))


async def test_a_priority_key_and_a_paste_do_not_overtake() -> None:
    box = TextBox("")
    app = Host(box)
    async with app.run_test() as pilot:
        await pilot.press("end")
        burst(app, [*"abX", "backspace", "f5"])
        app.post_message(Paste("pasted"))
        burst(app, ["home", "0"])
        await wait_for(pilot, lambda: box.value == "0abpasted")
        assert app.marked == "ab"


async def test_find_bar_and_path_field() -> None:
    bar, path = FindBar(), PathField()
    app = Host(bar, path)
    async with app.run_test() as pilot:
        bar.open()
        await wait_for(pilot, lambda: app.focused is not None)
        burst(app, [*"kettel", "backspace", "backspace", *"le"])
        await wait_for(pilot, lambda: bar.text == "kettle")
        path.box.focus()
        await wait_for(pilot, lambda: app.focused is path.box)
        burst(app, [*"/nowhere/b", "home", "~", "end", "backspace", "a"])
        await wait_for(pilot, lambda: path.path == "~/nowhere/a")


async def test_keys_go_on_when_the_focused_widget_goes_away() -> None:
    """The key's way up ends where the widget ended."""
    first, second = TextBox("", id="first"), TextBox("", id="second")
    app = Host(first, second)
    async with app.run_test() as pilot:
        await pilot.press("end")
        burst(app, ["a", "b"])
        await first.remove()
        second.focus()
        await wait_for(pilot, lambda: app.focused is second)
        burst(app, [*"typed"])
        await wait_for(pilot, lambda: second.value.endswith("typed"))


class Stuck(Widget, can_focus=True):
    """Never done with a key until it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.free = asyncio.Event()

    async def on_key(self) -> None:
        await self.free.wait()


async def test_a_widget_that_is_stuck_does_not_keep_the_keys_of_the_app(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_order, "PATIENCE", 0.02)
    stuck = Stuck()
    app = Host(TextBox("seen"), stuck)
    async with app.run_test() as pilot:
        stuck.focus()
        await wait_for(pilot, lambda: app.focused is stuck)
        burst(app, ["x", "y", "f5"])
        for _ in range(1000):
            if app.marked:
                break
            await asyncio.sleep(0.005)
        stuck.free.set()
        assert app.marked == "seen"


async def test_in_the_editor_of_the_app(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("s", "e")
        screen = driver.app.screen
        assert isinstance(screen, EditorScreen)
        box = driver.app.focused
        assert isinstance(box, TextBox)
        box.value = "abcdef"
        box.move_cursor(box.document.end)
        burst(driver.app, TYPED)
        await driver.until(lambda: box.value == "YabcXdefZ")
        screen._reason.focus()
        burst(driver.app, [*"whx", "left", "delete", "end", "y"])
        await driver.until(lambda: screen._reason.value == "why")


async def test_in_the_palette_of_the_app(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("colon")
        field = driver.app.screen.query_one(Input)
        burst(driver.app, [*"abcdef", *TYPED])
        await driver.until(lambda: field.value == "YabcXdefZ")


async def test_what_is_typed_behind_a_key_that_opens_is_typed_into_it(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("s")
        burst(driver.app, ["slash", *"blendex", "backspace", "r"])
        await driver.until(lambda: any(bar.text == "blender" for bar in driver.app.query(FindBar)))
        await driver.press("escape")
        burst(driver.app, ["w", *"a new replx", "backspace", "y"])
        await driver.until(lambda: isinstance(driver.app.focused, TextBox))
        await driver.until(lambda: driver.app.focused.value == "a new reply")  # type: ignore[union-attr]
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        burst(driver.app, ["colon", *"undp", "backspace", "o"])
        await driver.until(lambda: any(f.value == "undo" for f in driver.app.screen.query(Input)))
