"""What takes long in the library screen holds nothing up, is said, and can be taken back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.errors import StoppedError, StoreError
from rollstep.core.listing import sql
from rollstep.core.rules import searching
from rollstep.core.store.beside import LibraryBeside
from rollstep.core.store.library import Library
from rollstep.tui.asking import Asking
from rollstep.tui.screens.library import LibraryScreen
from rollstep.tui.screens.stats import StatsScreen
from textual.widgets import TextArea

from tests.core.store.making import first, step

from .conftest import Driver, Opened
from .test_library import listed, path, text

__all__ = ["path"]

_PATIENCE = 20


class Gate:
    """Where whoever comes through waits until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()

    def wait(self) -> None:
        self.reached.set()
        self.opened.wait(_PATIENCE)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.opened.set()
    for each in threading.enumerate():
        if each.name == "long read":
            each.join(_PATIENCE)


@pytest.fixture
def slow(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """The regular expression ``slow`` takes until the gate is opened, and fits everything."""
    usual = sql._fits

    def fits(text: Any, regex: bytes) -> bool:
        if regex != b"slow":
            return usual(text, regex)
        gate.wait()
        return True

    monkeypatch.setattr(sql, "_fits", fits)
    return gate


def slow_to_read(rollout: str, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads this rollout beside the others waits until the gate is opened."""
    load = LibraryBeside.load

    def slow_load(self: LibraryBeside, rollout_id: str) -> Any:
        if rollout_id == rollout:
            gate.wait()
        return load(self, rollout_id)

    monkeypatch.setattr(LibraryBeside, "load", slow_load)


async def type_slow(driver: Driver, gate: Gate) -> None:
    await driver.press("slash")
    await driver.until(lambda: isinstance(driver.app.focused, TextArea))
    await driver.press(*"title~slow")
    await driver.until(gate.reached.is_set)


async def test_rows_moves_and_marks_go_on_while_it_filters(
    opened: Opened, path: Path, slow: Gate
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await type_slow(driver, slow)
        await driver.press("enter")
        await driver.until(lambda: "filtering …" in text(driver))
        await driver.press("j", "A")
        await driver.until(lambda: "Accepted: 1" in text(driver))
        await driver.until(lambda: screen.table_pane._rows[2].text.strip().startswith(">  A"))
        assert screen.model.at == 1
        assert len(screen.model) == 30
        with Library.open(path) as library:
            assert [mark.verdict for mark in library.load("r29").marks] == ["accept"]
        assert "filtering …" in text(driver)


async def test_the_cursor_is_where_it_was_moved_to_meanwhile(
    opened: Opened, path: Path, slow: Gate
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await type_slow(driver, slow)
        read = screen.listing._asking._read
        await driver.press("enter", "j", "j", "v")
        assert screen.listing._asking._read is read  # Enter does not begin it again
        at, chosen = screen.model.key, set(screen.model.chosen)
        slow.opened.set()
        await driver.until(lambda: screen.model.listed_query == "title~slow")
        assert screen.model.key == at
        assert screen.model.chosen == chosen
        assert len(chosen) == 1


async def test_escape_takes_a_slow_filter_back(opened: Opened, path: Path, slow: Gate) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await type_slow(driver, slow)
        await driver.press("enter")
        await driver.until(lambda: "filtering …" in text(driver))
        await driver.press("escape")
        assert "filtering …" not in text(driver)
        assert "Library   30 rollouts" in text(driver)
        assert screen.model.query == ""
        assert driver.app.screen is screen


async def test_escape_in_the_field_takes_it_back_too(
    opened: Opened, path: Path, slow: Gate
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver, "turns>1")
        await driver.press("slash")
        await driver.until(lambda: isinstance(driver.app.focused, TextArea))
        await driver.press(*" title~slow")
        await driver.until(slow.reached.is_set)
        await driver.press("escape")
        await driver.until(lambda: driver.app.focused is screen.table_pane)
        assert screen.model.query == screen.model.listed_query == "turns>1"
        assert not screen.listing._asking.under_way


async def test_the_answer_of_a_filter_that_was_replaced_never_shows(
    opened: Opened, path: Path, slow: Gate
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await type_slow(driver, slow)
        replaced = screen.listing._asking._read
        assert replaced is not None
        screen.listing.filter_by("turns>1")
        await driver.until(lambda: screen.model.listed_query == "turns>1")
        assert isinstance(replaced.future.exception(), StoppedError)
        slow.opened.set()
        for each in threading.enumerate():
            if each.name == "long read":
                each.join(_PATIENCE)
        await driver.pilot.pause()
        assert screen.model.listed_query == "turns>1"
        assert len(screen.model) == 20


async def test_an_answer_that_is_there_but_was_not_taken_yet_never_shows_either(
    opened: Opened, path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        answers: list[str] = []
        asking = Asking(driver.app, screen)
        asking.ask(lambda library: "first", answers.append)
        assert asking._read is not None
        assert asking._read.future.result(_PATIENCE) == "first"
        asking.ask(lambda library: "second", answers.append)
        await driver.until(lambda: bool(answers))
        await driver.pilot.pause()
        assert answers == ["second"]
        assert not asking.under_way


async def test_leaving_the_screen_takes_it_back(opened: Opened, path: Path, slow: Gate) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await type_slow(driver, slow)
        await driver.press("enter")
        await driver.until(lambda: screen.listing._asking.under_way)
        read = screen.listing._asking._read
        assert read is not None
        await driver.press("q")
        await driver.until(read.future.done)
        assert isinstance(read.future.exception(), StoppedError)
        await driver.until(lambda: not isinstance(driver.app.screen, LibraryScreen))


async def test_a_filter_that_cannot_be_asked_is_said_and_the_list_stays(
    opened: Opened, path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        path.rename(path.with_name("moved.sqlite"))
        screen.listing.filter_by("turns>1")
        said = "deleted, moved or replaced"  # of the page too, if it was not read yet
        await driver.until(lambda: any(said in n.message for n in driver.app._notifications))
        assert len(screen.model) == 30
        assert not screen.listing._asking.under_way


async def test_numbers_are_counted_beside_and_left_with_escape(
    opened: Opened, path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_to_read("r20", gate, monkeypatch)
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("number_sign")
        await driver.until(lambda: "of 30; Esc stops" in text(driver))
        await driver.press("j")
        assert screen.model.at == 1
        await driver.press("escape")
        assert "Not counted to the end." in text(driver)
        assert not screen.numbers._asking.under_way
        gate.opened.set()
        await driver.press("number_sign")
        await driver.until(lambda: isinstance(driver.app.screen, StatsScreen))


async def test_numbers_that_cannot_be_counted_are_given_up(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*anything: object) -> None:
        raise StoreError("The disk failed.")

    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.until(lambda: not screen.upkeep._under_way)
        monkeypatch.setattr(Library, "count_undescribed", fail)
        await driver.press("number_sign")
        await driver.until(lambda: screen.numbers._timer is None)
        assert "The disk failed." in text(driver)
        assert not screen.numbers.give_up()
        monkeypatch.undo()
        await driver.press("number_sign")
        await driver.until(lambda: isinstance(driver.app.screen, StatsScreen))


async def test_marks_one_after_the_other_start_one_look_through(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.until(lambda: not screen.upkeep._under_way)
        begun: list[object] = []
        later = driver.app.later
        monkeypatch.setattr(driver.app, "later", lambda work: begun.append(work) or later(work))
        for _ in range(3):
            screen.changed()
        assert len(begun) == 1
        await driver.until(lambda: not screen.upkeep._under_way)
        screen.changed()
        assert len(begun) == 2


async def test_enter_lists_anew_by_the_same_filter(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver, "verdict:none")
        await driver.until(lambda: len(screen.model) == 29)
        await driver.press("A")
        await driver.until(lambda: "Accepted: 1" in text(driver))
        await driver.until(lambda: screen.upkeep.waiting == 0 and screen.upkeep.known)
        assert len(screen.model) == 29
        await driver.press("slash")
        await driver.until(lambda: isinstance(driver.app.focused, TextArea))
        await driver.press("enter")
        await driver.until(lambda: len(screen.model) == 28)


async def test_a_rollout_that_is_read_for_the_page_holds_nothing_up(
    opened: Opened, path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_to_read("r29", gate, monkeypatch)
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("j")
        await driver.until(gate.reached.is_set)
        await driver.press("A")
        await driver.until(lambda: "Accepted: 1" in text(driver))
        await driver.press("j")
        await driver.until(lambda: "title of r28" in screen.page._rows[0].text)
        gate.opened.set()
        await driver.pilot.pause()
        assert "title of r28" in screen.page._rows[0].text


async def test_a_regular_expression_that_ran_out_of_time_is_said(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "PATIENCE", 0.001)
    with Library.open(path) as library:
        library.commit(first("long", (step("long-0", None, "s" * 2_000 + "!"),)))
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        screen.listing.filter_by("text~/(s+t*)+(e*p*)+$/")
        await driver.until(lambda: "takes too long for some texts" in text(driver))
        assert len(screen.model) == 1


async def test_marks_on_many_are_ended_with_escape_and_what_is_done_stays(
    opened: Opened, path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Library.load

    def slow_load(self: Library, rollout_id: str) -> Any:
        if rollout_id == "r27" and not gate.opened.is_set():
            gate.wait()
        return load(self, rollout_id)

    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("j", *"v" * 6, "A")
        monkeypatch.setattr(Library, "load", slow_load)
        await driver.press_until("y", lambda: driver.app.screen is screen)
        await driver.until(lambda: "Marking … 2 of 6; Esc ends it there" in text(driver))
        await driver.press("R")
        assert "Marking: R waits until that is over." in text(driver)
        await driver.press("escape")
        gate.opened.set()
        await driver.until(lambda: "Accepted: 3." in text(driver))
        assert len(screen.model.chosen) == 6
        await driver.press("u")
        await driver.until(lambda: "Marks taken back: 3." in text(driver))
        with Library.open(path) as library:
            marks = [mark for n in range(24, 30) for mark in library.load(f"r{n}").marks]
        assert [mark.verdict for mark in marks] == [None] * 3


async def test_what_goes_wrong_in_the_middle_blocks_no_key(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        engine = driver.app.controller.engine
        monkeypatch.setattr(engine, "library", None)
        await driver.press("A")
        await driver.until(lambda: not screen.working.words)
        monkeypatch.undo()
        await driver.press("A")
        await driver.until(lambda: "Accepted: 1." in text(driver))
