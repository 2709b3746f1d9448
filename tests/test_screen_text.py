from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from .conftest import _compare
from .screen_text import screen_text


class Behind(App[None]):
    CSS = "Static { width: auto } Over { align: center middle } Over Static { border: solid red }"

    def compose(self) -> ComposeResult:
        yield Static("behind [x] 漢字", markup=False)


class Over(ModalScreen[None]):
    def compose(self) -> ComposeResult:
        yield Static("over")


async def test_a_modal_screen_is_seen_with_what_is_behind_it(
    same_screen: Callable[..., None],
) -> None:
    """ "over" in a box in the middle; "behind [x]" and two wide characters in the first row."""
    app = Behind()
    async with app.run_test(size=(30, 7)) as pilot:
        app.push_screen(Over())
        await pilot.pause()
        same_screen(app)
        assert screen_text(app).count("\n") <= 7


def test_another_screen_than_the_stored_one_fails(tmp_path: Path) -> None:
    stored = tmp_path / "screens" / "name.txt"
    with pytest.raises(pytest.fail.Exception, match="not stored yet"):
        _compare("a\n", stored, update=False)
    _compare("a\n", stored, update=True)
    _compare("a\n", stored, update=False)
    with pytest.raises(AssertionError):
        _compare("b\n", stored, update=False)
