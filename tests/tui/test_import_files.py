"""Importing in the app: what was recognised is said first, then it is taken in, stopped, opened."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.importing import FileProgress, ImportSummary
from rollstep.core.store.library import Library
from rollstep.tui import import_look
from rollstep.tui.import_look import Preview, look, progress_words, summary_lines, take_in
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.import_files import ImportScreen
from rollstep.tui.screens.sample_pick import SamplePickScreen
from rollstep.tui.screens.start import StartScreen

from .conftest import Driver, Opened
from .logs_for_tests import chats, tau2


def mixed(folder: Path) -> Path:
    """A folder with two formats, a record that is broken, a file without JSON."""
    folder.mkdir()
    tau2(folder / "results.json", 0.0, 1.0)
    path = chats(folder / "chats.jsonl", 3)
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"messages": oops}\n{"weather": "[/b]\x1b[31m"}\n')
    (folder / "notes.txt").write_text("Dear diary,\n")
    return folder


def text_of(found: Preview) -> str:
    return "\n".join(line for _, line in found.lines())


def test_what_was_recognised_is_said_before_anything_is_imported(tmp_path: Path) -> None:
    found = look(mixed(tmp_path / "logs"), threading.Event())
    assert dict(found.formats) == {"openai": 3, "tau2": 2}
    assert (found.files, found.refusals, found.passed_over, found.whole) == (2, 2, 1, True)
    for words in (
        "2 files, 7 records",
        "openai: 3",
        "tau2: 2",
        "question 1",
        "2 records cannot be read:",
        "chats.jsonl: line 4",
        "1 file without JSON passed over",
        "Nothing else is lost",
    ):
        assert words in text_of(found)


def test_a_large_file_is_looked_into_only_as_far_as_is_quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_look, "_RECORDS", 20)
    found = look(chats(tmp_path / "chats.jsonl", 300), threading.Event())
    assert (found.records, found.whole, found.useful) == (20, False, True)
    assert "20 records looked at so far" in text_of(found)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.json", "", "the file is empty"),
        ("a.json", '{"weather": 1}', "Looked for"),
        ("a.txt", "Dear diary", "no JSON"),
    ],
)
def test_what_holds_nothing_known_cannot_be_imported(
    tmp_path: Path, name: str, content: str, words: str
) -> None:
    (tmp_path / name).write_text(content)
    found = look(tmp_path / name, threading.Event())
    assert not found.useful
    assert words in text_of(found)
    assert not look(tmp_path / "gone", threading.Event()).useful
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "nothing in it is JSON" in text_of(look(empty, threading.Event()))


def test_what_came_of_it_is_summed_up_and_importing_again_doubles_nothing(tmp_path: Path) -> None:
    path, library = mixed(tmp_path / "logs"), tmp_path / "l.db"
    Library.open(library).close()
    told: list[FileProgress] = []
    first = take_in(path, library, told.append, threading.Event())
    words = "\n".join(line for _, line in summary_lines(first))
    assert "5 taken in" in words
    assert "2 could not be read:" in words
    assert "chats.jsonl: line 4" in words
    assert told
    assert "100 %" in progress_words(told[-1])
    again = take_in(path, library, told.append, threading.Event())
    assert "5 were here already" in "\n".join(line for _, line in summary_lines(again))


def test_a_stopped_import_says_how_to_go_on() -> None:
    lines = summary_lines(ImportSummary(read=10, written=4, stopped=True))
    assert lines[-1][1] == "Stopped before the end. Importing it again goes on from here."


# the screen


def said(driver: Driver) -> str:
    return "".join(str(each.render()) for each in driver.app.screen.query("#lines"))


def keys(driver: Driver) -> str:
    return "".join(str(each.render()) for each in driver.app.screen.query("#keys"))


async def importing(driver: Driver, path: Path) -> None:
    """The dialog with what was found in this path."""
    await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
    driver.app.dialogs.import_files(str(path))
    await driver.until(lambda: isinstance(driver.app.screen, ImportScreen))
    await driver.pilot.press("enter")
    await driver.until(lambda: "looking" not in keys(driver) and bool(said(driver)))


async def test_i_on_the_start_screen_imports_and_enter_opens_the_first(
    opened: Opened, tmp_path: Path
) -> None:
    path = tau2(tmp_path / "results.json", 0.0, 1.0)
    async with opened(library=tmp_path / "l.db") as driver:
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        await driver.pilot.press("i")
        await driver.until(lambda: isinstance(driver.app.screen, ImportScreen))
        await driver.pilot.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        await importing(driver, path)
        assert "tau2: 2" in said(driver)
        await driver.press_until("enter", lambda: "Enter open" in keys(driver))
        assert "2 taken in" in said(driver)
        await driver.press_until("enter", lambda: isinstance(driver.app.screen, DebuggerScreen))
        assert "sample 0, message 1" in driver.text()


async def test_one_of_the_imported_is_picked(opened: Opened, tmp_path: Path) -> None:
    async with opened(library=tmp_path / "l.db") as driver:
        await importing(driver, chats(tmp_path / "chats.jsonl", 3))
        await driver.press_until("enter", lambda: "p pick one" in keys(driver))
        await driver.pilot.press("p")
        await driver.until(lambda: isinstance(driver.app.screen, SamplePickScreen))


async def test_esc_stops_an_import_and_what_was_taken_in_stays(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def slow(
        path: Path,
        library: Path,
        tell: Callable[[FileProgress], None],
        stop: threading.Event,
    ) -> ImportSummary:
        begun.set()
        assert stop.wait(30)
        return ImportSummary(read=2, written=2, stopped=True)

    monkeypatch.setattr("rollstep.tui.screens.import_files.take_in", slow)
    async with opened(library=tmp_path / "l.db") as driver:
        await importing(driver, chats(tmp_path / "chats.jsonl", 3))
        await driver.press_until("enter", begun.is_set)
        await driver.pilot.press("escape")
        await driver.until(lambda: "Stopped before the end" in said(driver))
        assert "2 taken in" in said(driver)


async def test_nothing_hostile_in_a_record_reaches_the_screen(
    opened: Opened, tmp_path: Path
) -> None:
    path = tmp_path / "chats.jsonl"
    text = "[/b]\x1b]52;c;eA==\x07 [@click=app.quit]x"
    rows = [{"messages": [{"role": "user", "content": text}]}, {text: 1}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    async with opened(library=tmp_path / "l.db") as driver:
        await importing(driver, path)
        assert "\x1b" not in said(driver)
        assert "[/b]␛]52;c;eA==␇ [@click=app.quit]x" in said(driver)


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_what_will_be_imported_at_every_size(
    opened: Opened,
    same_screen: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
) -> None:
    """Formats, titles, what cannot be read, what is noted; then the keys."""
    mixed(tmp_path / "logs")
    monkeypatch.chdir(tmp_path)
    async with opened(library=tmp_path / "l.db", size=size) as driver:
        await importing(driver, Path("logs"))
        await driver.pilot.pause()
        same_screen(driver.app)
