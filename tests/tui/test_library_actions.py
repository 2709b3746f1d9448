"""What the library screen does to many rollouts: hidden and brought back, marked by the menus of
the queue, all of it also by name.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rollstep.core.config.keys import Config, ReviewKeys
from rollstep.core.config.loading import Loaded
from rollstep.core.errors import ConfigError
from rollstep.core.listing.rollout_list import list_rollouts
from rollstep.core.store.library import Library
from rollstep.tui.remapping import remapped
from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.library import LibraryScreen
from rollstep.tui.screens.mark_menu import KeyMenu, WhyScreen
from rollstep.tui.screens.replace_ask import ReplaceAskScreen
from textual.command import CommandPalette
from textual.widgets import TextArea

from tests.core.store.making import conversation, first

from .conftest import Driver, Opened
from .test_key_order import burst
from .test_library import listed, text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six rollouts; r5, the newest, is listed first."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for number in range(6):
            steps = conversation(1, f"s{number}-", stop="goal_reached")
            library.commit(first(f"r{number}", steps, head=steps[-1].id))
    return path


def in_sight(path: Path) -> list[str]:
    with Library.open(path) as library:
        return sorted(list_rollouts(library).ids())


async def confirmed(driver: Driver, key: str = "y") -> None:
    """Answer the question that is asked."""
    await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
    question = driver.app.screen
    await driver.press_until(key, lambda: driver.app.screen is not question)


async def test_a_hidden_one_leaves_the_list_and_u_brings_it_back(
    opened: Opened, path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("j", "D")
        await confirmed(driver)
        await driver.until(lambda: "Hidden: 1." in text(driver))
        assert "Library   5 rollouts   1 hidden" in text(driver)
        await driver.until(lambda: screen.model.current is not None)
        assert screen.model.current.summary.id == "r3"
        assert in_sight(path) == ["r0", "r1", "r2", "r3", "r5"]
        await driver.press("u")
        await driver.until(lambda: len(screen.model) == 6)
        await driver.until(lambda: "Brought back: 1" in text(driver))
        assert len(in_sight(path)) == 6


async def test_it_is_taken_back_also_after_one_was_opened(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver)
        await driver.press("D")
        await confirmed(driver)
        await driver.until(lambda: "Hidden: 1." in text(driver))
        await driver.press("A")
        await driver.until(lambda: "Accepted: 1." in text(driver))
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        await driver.press("u")
        await driver.until(lambda: "Marks taken back: 1" in text(driver))
        await driver.press("u")
        await driver.until(lambda: "Brought back: 1" in text(driver))
        assert len(in_sight(path)) == 6


async def test_a_selection_is_hidden_after_a_question_and_no_hides_nothing(
    opened: Opened, path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("v", "v", "G", "v", "k", "D")
        await confirmed(driver, "n")
        assert len(screen.model) == 6
        await driver.press("D")
        await confirmed(driver)
        await driver.until(lambda: "Hidden: 3." in text(driver))
        assert in_sight(path) == ["r1", "r2", "r3"]
        assert screen.model.chosen == set()
        await driver.until(lambda: screen.model.current is not None)
        assert screen.model.current.summary.id == "r1"


async def test_hidden_ones_are_listed_by_a_query_and_come_back(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("V", "D")
        await confirmed(driver)
        await driver.until(lambda: "All 6 rollouts are hidden" in text(driver))
        await driver.press("slash")
        await driver.until(lambda: driver.app.focused is not screen.table_pane)
        await driver.press(*"hidden:any", "enter")
        await driver.until(lambda: len(screen.model) == 6)
        await driver.until(lambda: ">h " in text(driver))
        await driver.press("D")
        await driver.until(lambda: "Brought back: 1" in text(driver))
        assert in_sight(path) == ["r5"]
        await driver.press("u")
        await driver.until(lambda: "Hidden again: 1" in text(driver))
        await driver.press("V", "D")
        await confirmed(driver, "b")
        await driver.until(lambda: "Brought back: 6" in text(driver))
        assert len(in_sight(path)) == 6


async def test_reasons_have_numbers_for_many_too(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        driver.app.review_keys = ReviewKeys(reasons=("wrong facts", "unsafe"))
        await driver.press("v", "v", "R")
        await driver.until(lambda: isinstance(driver.app.screen, WhyScreen))
        title = driver.app.screen.query_one("#title")
        assert "Reject 2 rollouts: why?" in str(title.render())
        await driver.press_until("2", lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("y", lambda: driver.app.screen is screen)
        await driver.until(lambda: "Rejected (unsafe): 2" in text(driver))
        with Library.open(path) as library:
            marks = [library.load(f"r{n}").marks[0] for n in (5, 4)]
        assert [(mark.verdict, mark.note) for mark in marks] == [("reject", "unsafe")] * 2


async def test_a_tag_goes_on_all_of_several_and_then_off(opened: Opened, path: Path) -> None:
    def tags() -> list[tuple[str, ...]]:
        with Library.open(path) as library:
            return [m.tags for n in (5, 4, 3) for m in library.load(f"r{n}").marks]

    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        driver.app.review_keys = ReviewKeys(tags={"r": "refund"})

        async def tag() -> None:
            await driver.press("m")
            await driver.until(lambda: isinstance(driver.app.screen, KeyMenu))
            menu = driver.app.screen
            await driver.press_until("t", lambda: driver.app.screen is not menu)
            menu = driver.app.screen
            await driver.press_until("r", lambda: driver.app.screen is not menu)

        await tag()
        await driver.until(lambda: "Tag refund: 1" in text(driver))
        await driver.press("v", "v", "v")
        await tag()
        await confirmed(driver)
        await driver.until(
            lambda: "Tag refund: 2. u takes it back. 1 said so already." in text(driver)
        )
        assert tags() == [("refund",)] * 3
        await tag()
        await confirmed(driver)
        await driver.until(lambda: "No tag refund: 3" in text(driver))
        assert tags() == [()] * 3
        await driver.press("u")
        await driver.until(lambda: "Marks taken back: 3" in text(driver))
        assert tags() == [("refund",)] * 3
        assert driver.app.screen is screen


async def test_replace_is_found_by_name(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver)
        for key in ("colon", "ctrl+p"):
            await driver.press(key)
            await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
            await driver.press(*"replace")
            await driver.press_until(
                "enter", lambda: isinstance(driver.app.screen, ReplaceAskScreen)
            )
            await driver.press("escape")


def keyed(overrides: dict[str, str]) -> Loaded:
    return Loaded(Config(keys=overrides), {})


def test_own_actions_take_other_keys_and_leave_the_debugger_its_own() -> None:
    overrides = {"library_hide": "s", "library_replace": "A", "next": "f"}
    debugger = {action.id: action.keys for action in remapped(keyed(overrides)).registry}
    library = {action.id: action.keys for action in remapped(keyed(overrides)).library}
    assert debugger["step"] == ("s", "f10")
    assert debugger["accept"] == ("A",)
    assert (library["library_hide"], library["library_replace"]) == (("s",), ("A",))
    assert library["library_filters"] == ()  # its key is given to another action of this screen
    assert remapped(keyed({"step": "D"})).library == remapped(keyed({})).library


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"library_hid": "s"}, "Did you mean library_hide?"),
        ({"library_hide": "escape"}, "keys.cancel: it has no key left in the library."),
        ({"library_hide": "y", "accept": "y"}, "'y' is given to library_hide too."),
    ],
)
def test_what_is_refused(overrides: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        remapped(keyed(overrides))
    assert words in str(caught.value)


def test_bindings_the_line_of_keys_and_help_follow() -> None:
    """In a process of its own: keys are changed before any screen is loaded."""
    script = """
from rollstep.tui.remapping import apply_keys
from rollstep.core.config.keys import Config
from rollstep.core.config.loading import Loaded
apply_keys(Loaded(Config(keys={"library_hide": "H", "accept": "a", "next": "D"}), {}))
from rollstep.tui.library.words import key_line
from rollstep.tui.screens.library import LibraryScreen
bound = {key: b.action for b in LibraryScreen.BINDINGS for key in b.key.split(",")}
line = key_line(200).text
print(bound["H"], bound["a"], bound["D"], "A" in bound, "a R M verdict" in line, "H hide" in line)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    wanted = "act('library_hide') act('accept') act('next') False True True"
    assert done.stdout.strip() == wanted


async def test_earlier_filters_come_back_also_in_another_program(
    opened: Opened, path: Path
) -> None:
    async def typed(driver: Driver) -> TextArea:
        await driver.press("slash")
        await driver.until(lambda: isinstance(driver.app.focused, TextArea))
        line = driver.app.focused
        assert isinstance(line, TextArea)
        return line

    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        for query in ("turns>1", "turns=1"):
            await typed(driver)
            await driver.press(*query, "enter")
            await driver.until(lambda q=query: screen.model.listed_query == q)
            await driver.press("escape")
            await driver.until(lambda: screen.model.listed_query == "")
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.until(lambda: bool(screen.filter_line.history.earlier()))
        line = await typed(driver)
        await driver.press("up")
        assert line.text == "turns=1"
        await driver.press("up")
        assert line.text == "turns>1"
        await driver.press("ctrl+n", "ctrl+p", "ctrl+p", "down")
        assert line.text == "turns=1"
        await driver.until(lambda: screen.model.listed_query == "turns=1")
        await driver.press("down", "down")
        assert line.text == ""
        await driver.press(*"ti", "down", "up", "tab")
        assert line.text == "title "  # here the arrows choose completions


async def test_keys_that_come_right_behind_others_are_meant_for_what_those_open(
    opened: Opened, path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        burst(driver.app, ["slash", *"turns=1", "enter", "R", *"so it is", "enter"])
        await driver.until(lambda: "Rejected (so it is): 1" in text(driver))
        assert screen.model.query == "turns=1"
    with Library.open(path) as library:
        assert library.load("r5").marks[0].note == "so it is"
