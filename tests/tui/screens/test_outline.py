"""The outline on a real session: going places, reverting, naming, hiding, filtering, undoing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from rollstep.core.model.rollout import Branch
from rollstep.core.model.steps import Attempt, Step
from rollstep.tui.screens.help import HelpScreen
from rollstep.tui.screens.key_guard import KeyGuard
from rollstep.tui.screens.outline import OutlineScreen
from rollstep.tui.target import OpenTarget
from textual.events import Paste

from ..conftest import Driver, Opened
from ..synthetic import HOSTILE, big, hostile, refund

SIZES = [(80, 24), (160, 45)]
RECORDED = OpenTarget(sample="refund", recorded=True)


def outline(driver: Driver) -> OutlineScreen:
    screen = driver.app.screen
    assert isinstance(screen, OutlineScreen)
    return screen


def text(driver: Driver) -> str:
    screen = outline(driver)
    panes = (screen.title_pane, screen.tree_pane, screen.page, screen.keys)
    return "\n".join(row.text for pane in panes for row in pane._rows)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Snapshots show the time, which is local."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def to_edit(driver: Driver, place: int) -> None:
    """The cursor to the edit at this place."""
    await driver.press("g")
    for _ in range(60):
        item = outline(driver).outline.item
        if item is not None and (item.kind, item.place + 1) == ("edit", place):
            return
        await driver.press("j")
    raise AssertionError(f"no edit of step {place}\n{text(driver)}")


@pytest.mark.parametrize("size", SIZES)
async def test_the_outline_of_a_forked_rollout(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Six branches by name: three at the side of the line that is shown, edits under each with
    what was changed, how each ended; beside it (below, at 80 columns) the ledger's entry of the
    selected edit with its words in [-…-] and {+…+}; what Enter does; the keys, with ? and Esc.
    """
    async with opened(RECORDED, size=size) as driver:
        await driver.press("o")
        await to_edit(driver, 7)
        same_screen(driver.app)


@pytest.mark.parametrize("size", SIZES)
async def test_drafts_flags_failures_and_a_hidden_branch(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Under the line that is shown: a draft …, a flag !, a failure x; the hidden branch greyed
    with [hidden]; the counts of each segment as marks.
    """
    async with opened(snapshot=refund(), size=size) as driver:
        model = driver.screen.model
        driver.app._drafts = {"override:s2": "{}"}
        model.attempts["s12"] = [Attempt("a", "s12", "target", "raised", "No answer in 120 s.")]
        model.branches = (Branch("o9-1", "a dead end", hidden=True),)
        await driver.press("o", "full_stop")
        same_screen(driver.app)


async def test_enter_goes_to_the_step_on_its_branch_and_the_jump_goes_back(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        model = driver.screen.model
        before = model.step_id
        await driver.press("o")
        await to_edit(driver, 7)
        wanted = outline(driver).outline.step
        assert wanted is not None
        assert wanted.id not in model.path.at
        await driver.press("enter")
        assert driver.app.screen is driver.app.debugger
        assert model.step_id == wanted.id
        await driver.press("apostrophe")
        assert model.step_id == before


@pytest.mark.parametrize("key", ["escape", "q", "o"])
async def test_leaving_goes_nowhere(opened: Opened, key: str) -> None:
    async with opened(RECORDED) as driver:
        before = driver.screen.model.step_id
        await driver.press("o", "j", "j", key)
        assert driver.app.screen is driver.app.debugger
        assert driver.screen.model.step_id == before


async def test_an_edit_is_reverted_with_a_reason_and_undone_without_leaving(
    opened: Opened,
) -> None:
    async with opened(RECORDED) as driver:
        model = driver.screen.model
        steps = len(model.rollout)
        await driver.press("o")
        await to_edit(driver, 7)
        edit = outline(driver).outline.step
        assert edit is not None
        await driver.press("R", *"no", "space", *"need", "backspace", "enter")
        assert len(model.rollout) > steps
        (revert,) = outline(driver).outline.words.reverts.values()
        assert (revert.step_id, revert.reason) == (edit.id, "no nee")
        assert outline(driver).outline.step is edit
        assert "Reverted; u takes that back. 6 later steps kept." in text(driver)
        assert "because: no nee" in text(driver)
        await driver.press("R", "enter")
        assert "was reverted already" in text(driver)
        await driver.press("u")
        assert "Undone: revert of tool result" in text(driver)
        assert outline(driver).outline.words.reverts == {}
        await driver.press("U")
        assert outline(driver).outline.words.reverts.keys() == {edit.id}
        assert driver.app.screen is not driver.app.debugger


async def test_a_revert_that_was_not_meant_is_left_with_escape(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        await driver.press("o")
        await to_edit(driver, 7)
        await driver.press("r", *"qo", "escape", "g")
        assert outline(driver).outline.words.reverts == {}
        await driver.press("R")
        assert "go to a line with * first" in text(driver)


async def test_a_branch_is_named_in_place_and_its_name_taken_away(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        model = driver.screen.model
        await driver.press("o", "G", "n")
        assert "Name of the branch: as it went▏" in text(driver)
        await driver.press("down", "backspace", "ctrl+u")
        driver.app.screen.post_message(Paste("the \x1b[1mworst\nof all"))
        await driver.pilot.pause()
        await driver.press("enter")
        assert {b.name for b in model.branches if b.leaf_id == model.leaf} == {"the \x1b[1mworst"}
        assert "· the ␛[1mworst [shown]" in text(driver)
        await driver.press("u")
        assert "as it went [shown]" in text(driver)
        await driver.press("g", "n")
        assert "6 branches go on from here" in text(driver)


async def test_a_hidden_branch_is_left_out_shown_greyed_and_brought_back(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        await driver.press("o", "full_stop")
        assert "No branch is hidden; D hides one." in text(driver)
        await to_edit(driver, 7)
        await driver.press("D")
        assert "policy says yes" not in text(driver)
        assert "6 branches, 1 hidden" in text(driver)
        await driver.press("full_stop")
        assert "policy says yes [hidden]" in text(driver)
        await to_edit(driver, 7)
        await driver.press("D")
        assert "Shown again." in text(driver)
        assert "[hidden]" not in text(driver)
        await driver.press("u", "u")
        assert "policy says yes" in text(driver)
        assert "hidden" not in text(driver).split("\n")[0]


async def test_a_filter_is_typed_kept_and_left(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        await driver.press("o")
        rows = len(outline(driver).outline.rows)
        await driver.press("slash", *"qqq")
        assert "Nothing matches the filter" in text(driver)
        await driver.press(*["backspace"] * 3, *"Better No", "enter")
        assert "a better no" in text(driver)
        assert len(outline(driver).outline.rows) < rows
        await driver.press("G", "k")
        await driver.press("escape")
        assert len(outline(driver).outline.rows) == rows
        await driver.press("escape")
        assert driver.app.screen is driver.app.debugger


async def test_folding_and_the_ends(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        await driver.press("o", "g", "h")
        assert len(outline(driver).outline.rows) == 1
        await driver.press("l", "l")
        assert outline(driver).outline.at == 1
        await driver.press("G", "pageup", "pagedown", "space", "backspace", "left", "right")
        assert driver.app.screen is not driver.app.debugger


async def test_a_step_that_arrives_while_it_is_open_is_in_the_tree(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("o")
        assert "nothing played yet" in text(driver)
        driver.app.controller.turn(None)
        await driver.until(lambda: not driver.app.controller.busy)
        await driver.until(lambda: "main [shown] [head]" in text(driver))
        assert outline(driver).outline.model.path.steps


async def test_nothing_is_made_while_a_step_is_being_made(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        await driver.press("o")
        await to_edit(driver, 7)
        await driver.press("R")
        running = driver.app.controller._running
        driver.app.controller._running = type("Busy", (), {"done": lambda self: False})()
        await driver.pilot.press("enter")
        await driver.pilot.pause()
        driver.app.controller._running = running
        assert "A step is being made." in text(driver)
        assert outline(driver).outline.words.reverts == {}


async def test_keys_that_act_rest_after_a_paste(opened: Opened) -> None:
    async with opened(RECORDED, guard=KeyGuard(lambda: 100.0)) as driver:
        await driver.press("o")
        driver.app.guard.pasted()
        await driver.press("u")
        assert "rests for a moment after a paste" in text(driver)


async def test_a_click_selects_and_another_goes_there(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        await driver.press("o")
        await driver.pilot.click("#outline-tree", offset=(10, 3))
        assert outline(driver).outline.at == 2
        wanted = outline(driver).outline.step
        await driver.pilot.click("#outline-tree", offset=(10, 3))
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        assert driver.screen.model.step is wanted


async def test_the_keys_are_listed(opened: Opened) -> None:
    async with opened(RECORDED) as driver:
        await driver.press("o", "question_mark")
        assert isinstance(driver.app.screen, HelpScreen)
        await driver.press("escape")
        assert outline(driver)


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_texts_do_nothing(opened: Opened, name: str) -> None:
    async with opened(snapshot=hostile(HOSTILE[name])) as driver:
        await driver.press("o", "g", *"jjjjjjjj", "slash", *"a", "escape", "escape")
        await driver.pilot.resize_terminal(40, 12)
        await driver.press("o", "G", "k", "escape")
        assert driver.app.return_code in (None, 0)


async def test_a_move_paints_two_rows_of_thousands(opened: Opened) -> None:
    """2,000 takes of one step: a key draws what has changed and nothing else."""
    snapshot = big(20)
    first = snapshot.steps[1]
    takes = tuple(
        Step(f"t{n}", first.parent_id, first.role, first.payload, "human", seq=100 + n)
        for n in range(2_000)
    )
    async with opened(snapshot=snapshot._replace(steps=(*snapshot.steps, *takes))) as driver:
        await driver.press("o")
        screen = outline(driver)
        await driver.until(lambda: screen.outline.tree.looked_at_all)
        assert len(screen.outline.rows) > 2_000
        await driver.press("g")
        drawn = len(screen._drawn)
        await driver.press("j")
        assert len(screen._drawn) - drawn <= 2


async def test_flags_that_are_found_while_it_is_open_are_in_the_tree(opened: Opened) -> None:
    """The linter works on behind it: kept steps after an edit are stale."""
    async with opened(RECORDED) as driver:
        await driver.press("o")
        await to_edit(driver, 7)
        await driver.press("R", "enter")
        await driver.until(lambda: "made before an edit above it" in text(driver))
