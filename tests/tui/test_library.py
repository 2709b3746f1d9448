"""The library screen: rollouts are found by a query, marked alone and together, opened and left."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.model.marks import Mark
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library
from rollstep.tui.library.columns import draw, header, table
from rollstep.tui.library.model import LibraryModel
from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.export import ExportScreen
from rollstep.tui.screens.library import LibraryScreen
from rollstep.tui.screens.mark_menu import WhyScreen
from rollstep.tui.screens.reason import ReasonScreen
from rollstep.tui.screens.start import StartScreen
from rollstep.tui.screens.stats import StatsScreen
from rollstep.tui.target import OpenTarget
from textual.widgets import TextArea

from tests.core.store.making import conversation, first

from .conftest import Driver, Opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Thirty rollouts; the tenth is accepted, every third has one turn."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for number in range(30):
            turns = 1 if number % 3 == 0 else 2
            steps = conversation(turns, f"r{number}-", stop="goal_reached")
            library.commit(first(f"r{number:02}", steps, head=steps[-1].id))
        mark = Mark("r9-2", verdict="accept", tags=("good",), by="mira", at=5.0)
        library.commit(Change("r09", marks=(mark,)))
    return path


def shown(driver: Driver) -> LibraryScreen:
    screen = driver.app.screen
    assert isinstance(screen, LibraryScreen)
    return screen


def text(driver: Driver) -> str:
    screen = next(s for s in driver.app.screen_stack if isinstance(s, LibraryScreen))
    panes = (screen.title_pane, screen.table_pane, screen.page, screen.keys)
    return "\n".join(row.text for pane in panes for row in pane._rows)


async def listed(driver: Driver, query: str = "") -> LibraryScreen:
    """Open the library, and wait until all is known of all rollouts."""
    driver.app.dialogs.open_library(query)
    await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
    screen = shown(driver)
    await driver.until(lambda: screen.upkeep.known and screen.model.current is not None)
    return screen


async def test_all_are_listed_the_newest_first(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.until(lambda: "question 0" in text(driver))
        assert "Library   30 rollouts" in text(driver)
        await driver.until(lambda: "title of r09" in screen.table_pane._rows[1].text)
        assert "A" in screen.table_pane._rows[1].text
        await driver.press("j")
        await driver.until(lambda: "title of r29" in screen.page._rows[0].text)


async def test_a_filter_is_typed_and_the_table_follows(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("slash")
        await driver.until(lambda: isinstance(driver.app.focused, TextArea))
        await driver.press(*"turns")
        await driver.press(">", "1")
        await driver.until(lambda: len(screen.model) == 20)
        await driver.press("enter")
        await driver.until(lambda: driver.app.focused is screen.table_pane)
        assert "20 rollouts  of turns>1" in text(driver)
        await driver.press("escape")
        await driver.until(lambda: len(screen.model) == 30)


async def test_a_wrong_filter_says_where_and_lists_as_before(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("slash")
        await driver.until(lambda: isinstance(driver.app.focused, TextArea))
        await driver.press(*"turnz>1", "enter")
        words = screen.query_one(".query-words")
        await driver.until(lambda: "did you mean turns?" in str(words.render()))
        assert len(screen.model) == 30
        await driver.press("escape")
        await driver.until(lambda: driver.app.focused is screen.table_pane)
        assert screen.model.query == ""


async def test_a_mark_is_given_and_taken_back(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("j", "A")
        await driver.until(lambda: "Accepted: 1" in text(driver))
        await driver.until(lambda: screen.table_pane._rows[2].text.strip().startswith(">  A"))
        with Library.open(path) as library:
            assert [mark.verdict for mark in library.load("r29").marks] == ["accept"]
        await driver.press("u")
        await driver.until(lambda: "Marks taken back: 1" in text(driver))
        with Library.open(path) as library:
            assert [mark.verdict for mark in library.load("r29").marks] == [None]


async def test_many_are_marked_after_one_question(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("j", "v", "v", "v")
        assert "3 selected" in text(driver)
        await driver.press("M")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("y", lambda: driver.app.screen is screen)
        await driver.until(lambda: "Unsure: 3" in text(driver))
        with Library.open(path) as library:
            verdicts = [library.load(f"r{n}").marks[0].verdict for n in (29, 28, 27)]
        assert verdicts == ["unsure"] * 3
        await driver.press("escape")
        assert screen.model.chosen == set()


async def test_a_rejection_asks_why(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("R")
        await driver.until(lambda: isinstance(driver.app.screen, WhyScreen))
        await driver.press(*"bad")
        await driver.press_until("enter", lambda: driver.app.screen is screen)
        await driver.until(lambda: "Rejected" in text(driver))
        with Library.open(path) as library:
            mine = [mark for mark in library.load("r09").marks if mark.by != "mira"]
        assert [(mark.verdict, mark.note) for mark in mine] == [("reject", "bad")]


async def test_another_order_and_the_other_way_round(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("o")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("j", lambda: _at(driver) == "title")
        await driver.press_until("enter", lambda: driver.app.screen is screen)
        await driver.until(lambda: _titles(screen)[:2] == ["r00", "r01"])
        await driver.press("O")
        await driver.until(lambda: _titles(screen)[:2] == ["r29", "r28"])


async def test_a_filter_is_saved_and_used_again(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver, "turns = 1")
        await driver.press("f")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("s", lambda: isinstance(driver.app.screen, ReasonScreen))
        await driver.press(*"short")
        await driver.press_until("enter", lambda: driver.app.screen is screen)
        await driver.until(lambda: "Saved as short" in text(driver))
        await driver.press("escape")
        await driver.until(lambda: len(screen.model) == 30)
        await driver.press("f")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("enter", lambda: driver.app.screen is screen)
        await driver.until(lambda: len(screen.model) == 10)


async def test_words_of_the_filter_are_shown_where_they_stand(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        with Library.open(path) as library:
            library.index_pending()
        screen = await listed(driver, '"answer 1"')
        assert len(screen.model) == 20
        await driver.until(lambda: "…" in text(driver) and "answer 1" in text(driver))
        assert "#4" in text(driver)


async def test_enter_opens_and_q_comes_back_to_the_same_place(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver, "turns = 2")
        await driver.press("j", "j", "j", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        title = screen.model.current
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        again = shown(driver)
        await driver.until(lambda: again.model.current is not None)
        assert again.model.current == title
        assert again.model.query == "turns = 2"
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))


async def test_numbers_of_what_is_listed(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver, "turns = 1")
        await driver.press("number_sign")
        await driver.until(lambda: isinstance(driver.app.screen, StatsScreen))
        await driver.press("q")
        await driver.until(lambda: driver.app.screen is screen)


async def test_an_empty_library_says_how_to_fill_it(opened: Opened, tmp_path: Path) -> None:
    async with opened(library=tmp_path / "none.sqlite", size=(80, 24)) as driver:
        driver.app.dialogs.open_library()
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        await driver.until(lambda: "No rollouts yet" in text(driver))
        await driver.press("j", "A", "v", "V", "enter", "N")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 130, 200])
def test_rows_are_as_wide_as_the_table(width: int, path: Path) -> None:
    with Library.open(path) as library:
        (key, _), *_ = library.ids_after(0)
        listed_rollout = library.listed([key])[key]
    made = table(width)
    for row in (
        header(made, "title", False),
        draw(made, listed_rollout, 0.0, here=True, chosen=True),
    ):
        assert len(row.text.rstrip()) <= width


def test_the_model_without_a_list_is_harmless() -> None:
    model = LibraryModel()
    assert (len(model), model.key, model.current, model.meant()) == (0, None, None, [])
    assert model.missing(10) is None
    assert not model.move(1)


async def test_another_rollout_is_not_left_for_it(opened: Opened, path: Path) -> None:
    """Over a rollout that came from elsewhere, Esc comes back to it."""
    async with opened(OpenTarget(rollout="r09"), library=path) as driver:
        driver.app.dialogs.open_library()
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))


def _at(driver: Driver) -> str:
    screen = driver.app.screen
    assert isinstance(screen, ChooseScreen)
    current = screen._list.current
    return str(current.key) if current is not None else ""


def _titles(screen: LibraryScreen) -> list[str]:
    return [row.text.split("title of ")[1][:3] for row in screen.table_pane._rows[1:4]]


async def test_what_is_listed_is_exported_and_what_is_selected(
    opened: Opened, path: Path, tmp_path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver, "turns>1")
        for selected, rows in ((0, 20), (2, 2)):
            await driver.press(*"v" * selected, "x")
            await driver.until(lambda: isinstance(driver.app.screen, ExportScreen))
            dialog = driver.app.screen
            assert isinstance(dialog, ExportScreen)
            dialog._formats.go_to(next(f for f in dialog.request.formats if f.name == "openai"))
            await driver.until(lambda d=dialog: d._report is not None and not d._report.refused)
            assert dialog._report is not None
            assert any(f"{rows} rows" in line for line in dialog._report.lines)
            target = tmp_path / f"out{rows}.jsonl"
            dialog._path.path = str(target)
            await driver.press("ctrl+s")
            await driver.until(lambda: driver.app.screen is screen)
            assert len(target.read_text(encoding="utf-8").splitlines()) == rows
            await driver.until(lambda r=rows: f"{r} rows" in text(driver))


async def test_j_and_k_go_through_the_list_in_the_debugger(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver, "turns>1")
        await driver.press("j", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.until(lambda: " 2 of 20  title of r28" in driver.text())
        await driver.press("J")
        await driver.until(lambda: " 3 of 20  title of r26" in driver.text())
        await driver.press("K")
        await driver.until(lambda: " 2 of 20  title of r28" in driver.text())
        await driver.press("K")
        await driver.until(lambda: " 1 of 20  title of r29" in driver.text())
        await driver.press("K")
        assert "This is the first of 20." in driver.text()
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        assert shown(driver).model.at == 0


async def test_hits_of_the_filter_are_walked_and_opened_there(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver, '"answer"')
        await driver.until(lambda: "#2" in text(driver))
        await driver.press("n")
        assert "> #2 " in text(driver)
        assert "hit 1 of 1" in text(driver)
        await driver.press("j")
        assert screen.reader.seq is None
        await driver.until(lambda: "#4" in text(driver))
        await driver.press("N")
        assert "hit 2 of 2" in text(driver)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        step = driver.screen.model.step
        assert step is not None
        assert step.seq == 4
