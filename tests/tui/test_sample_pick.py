"""Picking a sample of a log: failures first, found by typing, open before all is read."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.importing import SampleLine
from rollstep.tui.samples_read import read_samples
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.help import HelpScreen
from rollstep.tui.screens.sample_pick import SamplePick, SamplePickScreen
from rollstep.tui.screens.start import StartScreen
from rollstep.tui.target import OpenTarget
from rollstep.tui.widgets.row_list import RowList

from ..screen_text import screen_text
from .conftest import Driver, Opened
from .logs_for_tests import chats, tau2


def rows(driver: Driver) -> list[tuple[str, ...]]:
    return [row.cells for row in driver.app.screen.query_one(RowList).rows]


def said(driver: Driver, part: str) -> str:
    return "".join(str(each.render()) for each in driver.app.screen.query(part))


async def all_read(driver: Driver) -> None:
    def done() -> bool:
        return "sample" in said(driver, "#title") and "reading" not in said(driver, "#title")

    await driver.until(done)


async def picking(driver: Driver, path: Path) -> None:
    driver.app.dialogs.open_path(str(path))
    await driver.until(lambda: isinstance(driver.app.screen, SamplePickScreen))
    await all_read(driver)


async def test_failures_stand_first_and_enter_opens_one(opened: Opened, tmp_path: Path) -> None:
    path = tau2(tmp_path / "results.json", 1.0, 0.0, 1.0)
    async with opened(library=tmp_path / "l.db") as driver:
        await picking(driver, path)
        assert said(driver, "#title") == "results.json   3 samples"
        shown = rows(driver)
        assert [row[0] for row in shown] == ["FAILED 1", "2", "NOT FAILED 2", "1", "3"]
        assert "reward 0" in shown[1][2]
        assert shown[1][3] == "2 turns"
        await driver.pilot.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        assert "sample 1, message 1" in driver.text()
        assert "FAILED tau2 reward 0.0: issue_refund never called" in driver.text()


async def test_the_samples_are_of_the_format_that_is_named(opened: Opened, tmp_path: Path) -> None:
    path = chats(tmp_path / "chats.jsonl", 2)
    async with opened(library=tmp_path / "l.db") as driver:
        driver.app.dialogs.open_target(OpenTarget(path, read_as="trl"))
        await driver.until(lambda: isinstance(driver.app.screen, SamplePickScreen))
        await all_read(driver)
        await driver.pilot.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        assert driver.screen.model.rollout.header.format == "trl"


async def test_q_goes_back_to_the_samples_and_esc_to_the_rollout(
    opened: Opened, tmp_path: Path
) -> None:
    path = tau2(tmp_path / "results.json", 1.0, 0.0, 1.0)
    async with opened(library=tmp_path / "l.db") as driver:
        await picking(driver, path)
        await driver.pilot.press("G", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.pilot.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, SamplePickScreen))
        await all_read(driver)
        current = driver.app.screen.query_one(RowList).current
        assert current is not None
        assert current.key == SamplePick(3)
        await driver.pilot.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))


async def test_typing_cuts_the_list_down(opened: Opened, tmp_path: Path) -> None:
    path = chats(tmp_path / "chats.jsonl", 40)
    async with opened(library=tmp_path / "l.db") as driver:
        await picking(driver, path)
        await driver.pilot.press("question_mark")
        await driver.until(lambda: isinstance(driver.app.screen, HelpScreen))
        await driver.pilot.press("escape")
        await driver.pilot.press("slash", "q", "question_mark")
        assert rows(driver) == []
        assert "/q?" in said(driver, "#keys")
        await driver.pilot.press("backspace", "backspace", *"31")
        assert [row[0] for row in rows(driver)] == ["NOT FAILED 1", "31"]
        await driver.pilot.press("escape")
        assert len(rows(driver)) == 41
        await driver.pilot.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))


async def test_a_record_that_cannot_be_read_stands_there_with_the_reason(
    opened: Opened, tmp_path: Path
) -> None:
    path = chats(tmp_path / "chats.jsonl", 2)
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"messages": oops}\n' + json.dumps({"weather": "[/b]\x1b[31m"}) + "\n")
    async with opened(library=tmp_path / "l.db") as driver:
        await picking(driver, path)
        shown = rows(driver)
        assert shown[3][0] == "CANNOT BE READ 2"
        assert "line 3" in shown[4][1]
        await driver.pilot.press("G", "enter")
        assert isinstance(driver.app.screen, SamplePickScreen)
        assert "Looked for" in said(driver, "#about")


def test_reading_comes_in_batches_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    path = chats(tmp_path / "chats.jsonl", 3000)
    got: list[SampleLine] = []
    ends: list[bool] = []
    stop = threading.Event()

    def tell(lines: list[SampleLine], done: bool, words: str) -> None:
        assert not words
        got.extend(lines)
        ends.append(done)

    read_samples(path, tell, stop)
    assert [line.number for line in got] == list(range(1, 3001))
    assert ends[-1]
    assert not any(ends[:-1])
    ends.clear()
    stop.set()
    read_samples(path, tell, stop)
    assert ends == []


def test_a_file_that_goes_away_ends_the_list_with_the_reason(tmp_path: Path) -> None:
    words: list[str] = []
    path = tmp_path / "gone.jsonl"
    read_samples(path, lambda lines, done, said: words.append(said), threading.Event())
    assert "gone.jsonl" in words[0]


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_the_samples_of_a_log_at_every_size(
    opened: Opened, same_screen: Callable[..., None], tmp_path: Path, size: tuple[int, int]
) -> None:
    """Failures first, each with its score; the one under the cursor is said below."""
    path = tau2(tmp_path / "results.json", *(float(n % 3 > 0) for n in range(12)))
    async with opened(library=tmp_path / "l.db", size=size) as driver:
        await picking(driver, path)
        await driver.pilot.press("j")
        await driver.pilot.pause()
        same_screen(driver.app)


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_a_failed_sample_says_why_at_every_size(
    opened: Opened, same_screen: Callable[..., None], tmp_path: Path, size: tuple[int, int]
) -> None:
    """The header says that it failed and why; the inspector has the scores at the top."""
    path = tau2(tmp_path / "results.json", 0.0)
    async with opened(library=tmp_path / "l.db", size=size, target=OpenTarget(path)) as driver:
        await driver.press("G")
        same_screen(driver.app)


async def test_nothing_hostile_in_a_log_acts_on_the_list(opened: Opened, tmp_path: Path) -> None:
    text = "[/b]\x1b]52;c;eA==\x07\x9b31m\u202egnp [@click=app.quit]x\r\n\t"
    path = tmp_path / f"a[b]\u202e{chr(27)}.jsonl"
    rows = [{"messages": [{"role": "user", "content": text}]}, {"messages": {text: 1}}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    async with opened(library=tmp_path / "l.db") as driver:
        await picking(driver, path)
        await driver.pilot.press("j")
        await driver.pilot.pause()
        shown = screen_text(driver.app)
        assert "[/b]␛]52;c;eA==␇‹U+009B›31m‹U+202E›gnp [@click=app.quit]x" in shown
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r", "\t"} & set(shown)
