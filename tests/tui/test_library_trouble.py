"""A library that fails while the app is open: said in words, and nothing ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.errors import NotSavedError, StoreError
from rollstep.core.events import Unsaved
from rollstep.core.store.bundle_reader import read_bundle
from rollstep.core.store.library import Library
from rollstep.tui import rescue
from rollstep.tui.bars import status
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.screens.start import StartScreen
from rollstep.tui.start import start_controller
from rollstep.tui.starting import ago
from rollstep.tui.target import OpenTarget

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


@pytest.mark.parametrize("width", [40, 80, 160])
def test_what_is_not_saved_is_told_however_long_its_words(width: int) -> None:
    model = DebuggerModel(refund())
    model.apply(Unsaved("Not saved: the library " + "/folder" * 50 + " is read-only.", 3))
    words = status(model, width).text
    assert words.startswith(" NOT SAVED, 3 only"[: width - 14])
    assert "step " in words
    assert len(words) <= width


async def test_what_the_library_could_not_take_is_in_a_file_before_it_is_left(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At the end of the program, and where another rollout is opened."""
    monkeypatch.setattr(rescue, "data_folder", lambda: tmp_path / "data")
    library = tmp_path / "library.sqlite"
    async with opened(OpenTarget(sample="refund"), library=library) as driver:
        controller = driver.app.controller
        await driver.press("s")
        library.rename(tmp_path / "aside")
        await driver.press("s", "s")
        steps = len(driver.screen.model.rollout)
        driver.app.dialogs.open_target(OpenTarget(sample="weekend"))
        await driver.until(lambda: "rollstep open" in str(driver.screen.flashed))
        (first,) = (tmp_path / "data" / "rescued").iterdir()
        ((saved, _),) = read_bundle(first)
        assert len(saved.steps) == steps
        await driver.press("s")
        controller.stop()
        told = controller.take_rescued()
    assert "1 step or edit could not be saved" in told
    (second,) = set((tmp_path / "data" / "rescued").iterdir()) - {first}
    assert str(second) in told


def test_what_could_be_saved_in_time_is_rescued_nowhere(tmp_path: Path) -> None:
    controller = start_controller(tmp_path / "library.sqlite")
    controller.open(OpenTarget(sample="refund")).result()
    controller.stop()
    assert controller.take_rescued() == ""


async def test_what_was_not_saved_is_saved_again_by_a_key_or_written_elsewhere(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*anything: object) -> None:
        raise NotSavedError("Not saved: disk full.")

    monkeypatch.setattr(rescue, "data_folder", lambda: tmp_path)
    async with opened(sample="refund", library=tmp_path / "library.sqlite") as driver:
        with monkeypatch.context() as full:
            full.setattr(Library, "commit", fail)
            await driver.press("s", "s")
            assert "Ctrl+S tries again" in driver.text()
            await driver.press("ctrl+s")
            await driver.until(lambda: "Still not saved, 2 only in memory" in driver.text())
            driver.screen.action_act("save_elsewhere", chosen=True)
            await driver.until(lambda: "The whole rollout is in" in driver.text())
            (file,) = (tmp_path / "rescued").iterdir()
            assert file.name.endswith(".rollstep.jsonl")
        await driver.press("ctrl+s")
        await driver.until(lambda: "All is saved." in driver.text())
        assert "NOT SAVED" not in driver.text()
