from __future__ import annotations

from collections.abc import Callable

import pytest
from rollstep.tui.screens.choose import (
    ChooseRequest,
    ChooseScreen,
    Option,
    confirm,
    trust_question,
)

from ...screen_text import screen_text
from .hosting import NARROW, NOTHING, WIDE, Host, settle, type_text, wait_for

BRANCHES = ChooseRequest(
    "Branches",
    (
        Option("a", "main", "24 steps, max_turns"),
        Option("b", "angry [/b]\x1b[31m", "12 steps, open"),
        Option("c", "no-policy", "20 steps, goal_reached"),
    ),
    chosen="b",
    filterable=True,
)


def ready(app: Host) -> bool:
    return not app.shown._guard.closed  # type: ignore[attr-defined]


async def test_the_cursor_starts_on_what_is_chosen_and_enter_takes_a_row() -> None:
    app = Host(ChooseScreen(BRANCHES))
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: ready(app))
        await pilot.press("j", "enter")
        assert app.result == "c"


async def test_escape_chooses_nothing() -> None:
    app = Host(ChooseScreen(BRANCHES))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("escape")
        assert app.result is None


async def test_typing_after_a_slash_cuts_the_list_down() -> None:
    app = Host(ChooseScreen(BRANCHES))
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: ready(app))
        await pilot.press("slash")
        await type_text(pilot, "jk")
        await pilot.press("backspace", "backspace")
        await type_text(pilot, "POL")
        await pilot.pause()
        assert "angry" not in screen_text(app)
        await pilot.press("enter", "enter")
        assert app.result == "c"


async def test_a_click_chooses() -> None:
    app = Host(ChooseScreen(BRANCHES))
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: ready(app))
        await pilot.click("RowList", offset=(4, 0), times=2)
        assert app.result == "a"


async def test_confirming_needs_its_letter_and_enter_alone_is_no() -> None:
    for key, result in (("enter", "no"), ("y", "yes"), ("n", "no")):
        app = Host(ChooseScreen(confirm("Delete turn 3?")))
        async with app.run_test(size=NARROW) as pilot:
            await wait_for(pilot, lambda app=app: ready(app))  # type: ignore[misc]
            await pilot.press(key)
            assert app.result == result


async def test_a_key_meant_for_the_screen_before_answers_nothing() -> None:
    app = Host(ChooseScreen(confirm("Delete turn 3?")))
    async with app.run_test(size=NARROW) as pilot:
        app.shown._guard._until = float("inf")  # type: ignore[attr-defined]
        await pilot.press("y", "enter")
        assert app.result is NOTHING
        assert "rests for a moment after the dialog opens: press it again." in screen_text(app)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_trust_question_names_the_code(
    same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """The object is named in full; the cursor stands on the safe answer."""
    app = Host(ChooseScreen(trust_question(("runs my_pkg.agent:make",))))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        same_screen(app)


async def test_the_dialog_grows_to_its_rows_and_no_wider_than_the_screen() -> None:
    detail = 'city: "Oslo" → "Bergen"; ' + "because the customer moved there " * 3 + "END"
    request = ChooseRequest("Outline", (Option("0", "edit: step 6, target", detail),))
    for size, whole in ((NARROW, False), (WIDE, True)):
        app = Host(ChooseScreen(request))
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            assert "edit: step 6, target  city:" in screen_text(app)
            assert ("END" in screen_text(app)) is whole
            assert app.screen.query_one("#dialog").region.width <= size[0]
            await pilot.resize_terminal(160, 45)
            await settle(pilot)
            assert "END" in screen_text(app)
