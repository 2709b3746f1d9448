"""Words are replaced over the selection of the library screen, with a yes for each hit."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.model.messages import (
    TargetReply,
    ToolCall,
    payload_text,
    target_reply,
    tool_result,
)
from rollstep.core.store.library import Library
from rollstep.tui.screens.choose import ChooseScreen
from rollstep.tui.screens.library import LibraryScreen
from rollstep.tui.screens.replace import ReplaceScreen
from rollstep.tui.screens.replace_ask import ReplaceAskScreen

from tests.core.store.making import conversation, first, step

from .conftest import Driver, Opened
from .test_library import listed, text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three rollouts of two turns."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for number in range(3):
            steps = conversation(2, f"r{number}-", stop="goal_reached")
            library.commit(first(f"r{number}", steps, head=steps[-1].id))
    return path


def said(path: Path, rollout_id: str) -> list[str]:
    with Library.open(path) as library:
        saved = library.load(rollout_id)
        rollout = saved.tree()
        return [payload_text(s.payload) for s in rollout.path(rollout.newest_leaf(saved.head))]


def shown(driver: Driver) -> str:
    screen = driver.app.screen
    assert isinstance(screen, ReplaceScreen)
    return "\n".join(str(screen.query_one(name).render()) for name in ("#title", "#at", "#change"))


async def asked(driver: Driver, find: str, put: str, reason: str, where: str = "all steps") -> None:
    """Fill in the dialog."""
    await driver.press("r")
    await driver.until(lambda: isinstance(driver.app.screen, ReplaceAskScreen))
    screen = driver.app.screen
    assert isinstance(screen, ReplaceAskScreen)
    for name, value in (("find", find), ("put", put), ("reason", reason)):
        screen._boxes[name].value = value
    chosen = screen.query_one("#where")
    await driver.press_until("down", lambda: str(chosen.render()) == f"in {where}")
    await driver.press_until("ctrl+s", lambda: driver.app.screen is not screen)


async def test_each_hit_gets_its_yes_and_u_takes_all_back(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await listed(driver)
        await driver.press("v", "v")  # r2 and r1
        await asked(driver, "/(que)stion/", r"\1ry", "shorter")
        await driver.until(lambda: isinstance(driver.app.screen, ReplaceScreen))
        assert "1 of 4   0 yes" in shown(driver)
        assert "E 1 evaluator's message in title of r2" in shown(driver)
        assert "[-question-]{+query+} 0" in shown(driver)
        await driver.press_until("y", lambda: "2 of 4   1 yes" in shown(driver))
        await driver.press("n")
        assert "3 of 4   1 yes" in shown(driver)
        await driver.press("k")
        assert "2 of 4   1 yes" in shown(driver)
        await driver.press("n", "a")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("y", lambda: driver.app.screen is screen)
        await driver.until(lambda: "Replaced in 3 places of 2 rollouts" in text(driver))
        assert said(path, "r2") == ["query 0", "answer 0", "question 1", "answer 1", ""]
        assert said(path, "r1") == ["query 0", "answer 0", "query 1", "answer 1", ""]
        assert said(path, "r0")[0] == "question 0"
        await driver.press("u")
        await driver.until(lambda: "Replacement taken back in 2" in text(driver))
        assert said(path, "r1") == said(path, "r2") == said(path, "r0")


async def test_esc_changes_nothing_and_no_hit_is_said(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver)
        await asked(driver, "nowhere", "x", "why")
        await driver.until(lambda: isinstance(driver.app.screen, ReplaceAskScreen))
        dialog = driver.app.screen
        assert isinstance(dialog, ReplaceAskScreen)
        await driver.until(lambda: dialog._boxes["reason"].value == "why")
        assert [box.value for box in dialog._boxes.values()] == ["nowhere", "x", "why"]
        assert "nowhere stands in none" in str(dialog.query_one("#problem").render())
        await driver.press("escape")
        await asked(driver, "answer", "", "")
        await driver.until(lambda: isinstance(driver.app.screen, ReplaceScreen))
        assert "[-answer" in shown(driver)
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, LibraryScreen))
        assert "Nothing was replaced" in text(driver)


async def test_what_cannot_be_found_is_said_in_the_dialog(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver)
        await driver.press("r")
        await driver.until(lambda: isinstance(driver.app.screen, ReplaceAskScreen))
        screen = driver.app.screen
        assert isinstance(screen, ReplaceAskScreen)
        screen._boxes["find"].value = "/(/"
        problem = screen.query_one("#problem")
        await driver.press_until("ctrl+s", lambda: "no regular expression" in str(problem.render()))
        await driver.press("down", "down")
        assert "in tool results" in str(screen.query_one("#where").render())


async def test_arguments_are_chosen_in_the_dialog(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "tools.sqlite"
    call = ToolCall("c1", "get_order", '{"id": "4471", "n": 7}')
    with Library.open(path) as library:
        steps = (
            step("s1", None, "4471?"),
            step("s2", "s1", target_reply("", (call,))),
            step("s3", "s2", tool_result("c1", "sent")),
        )
        library.commit(first("r0", steps, head="s3"))
    async with opened(library=path, size=(120, 30)) as driver:
        await listed(driver)
        await asked(driver, "7", "seven", "in words", where="arguments of the target's calls")
        await driver.until(lambda: isinstance(driver.app.screen, ReplaceScreen))
        assert "T 2 arguments of get_order in title of r0" in shown(driver)
        screen = driver.app.screen
        await driver.press("n")
        said = screen.query_one("#said")
        assert "no JSON any more" in str(said.render())
        await driver.press("k", "y", "n")
        await driver.until(lambda: isinstance(driver.app.screen, ChooseScreen))
        await driver.press_until("y", lambda: isinstance(driver.app.screen, LibraryScreen))
        await driver.until(lambda: "Replaced in 1 place of 1 rollout" in text(driver))
    with Library.open(path) as library:
        saved = library.load("r0")
        made = next(s for s in saved.steps if s.origin == "human" and s.copied_from is None)
        assert isinstance(made.payload, TargetReply)
        assert made.payload.tool_calls[0].arguments == '{"id": "44seven1", "n": 7}'
