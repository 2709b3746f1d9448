"""A library that fails while the app is open: said in words, and nothing ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.errors import NotSavedError, StoreError
from rollstep.core.events import Unsaved
from rollstep.core.store.library import Library
from rollstep.tui.bars import status
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.screens.start import StartScreen
from rollstep.tui.starting import ago

from .conftest import Opened
from .synthetic import refund

WORDS = "The library is damaged."


@pytest.fixture
def damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*anything: object) -> None:
        raise StoreError(WORDS)

    for name in ("recent", "drafts", "request"):
        monkeypatch.setattr(Library, name, fail)


@pytest.mark.usefixtures("damaged")
async def test_the_start_screen_opens_without_the_rollouts_and_says_why(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.until(lambda: WORDS in driver.text())
        await driver.press("s", "q")
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        screen = driver.app.screen
        assert isinstance(screen, StartScreen)
        assert screen.request.notice == WORDS
        assert screen.request.samples


async def test_a_draft_that_cannot_be_kept_is_told_once(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[str] = []

    def fail(*anything: object) -> None:
        raise NotSavedError("Not saved: disk full.")

    async with opened(sample="refund", library=tmp_path / "library.sqlite") as driver:
        monkeypatch.setattr(driver.app, "say", told.append)
        with monkeypatch.context() as full:
            full.setattr(Library, "save_draft", fail)
            for body in ("a", "ab", "abc"):
                driver.app.keep_draft("write:", body)
                await driver.until(lambda: bool(driver.app._draft_words))
            await driver.pilot.pause()
        assert told == ["Not saved: disk full. What you type is only in memory."]
        assert driver.app.draft("write:") == "abc"
        driver.app.keep_draft("write:", "abcd")
        await driver.until(lambda: not driver.app._draft_words)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (5, "just now"),
        (-5, "just now"),
        (-1e300, ""),
        (3 * 86_400, "3 days ago"),
        (61, "1 minute ago"),
    ],
)
def test_times_in_words_whatever_the_clock_says(seconds: float, words: str) -> None:
    assert ago(seconds) == words


@pytest.mark.parametrize("width", [20, 80, 160])
def test_what_is_not_saved_is_told_however_long_its_words(width: int) -> None:
    model = DebuggerModel(refund())
    model.apply(Unsaved("Not saved: the library " + "/folder" * 50 + " is read-only.", 3))
    words = status(model, width).text
    assert words.startswith(" NOT SAVED, 3 only"[: width - 14])
    assert "step " in words
    assert len(words) <= width
