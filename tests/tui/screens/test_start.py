from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.tui.screens.start import (
    RecentRow,
    SampleRow,
    StartChoice,
    StartRequest,
    StartScreen,
)

from ...screen_text import screen_text
from .hosting import NARROW, NOTHING, WIDE, Host, settle, type_text, wait_for

SAMPLES = (
    SampleRow("refund", "Refund a damaged blender", "The customer gets a refund.", "Correct it."),
    SampleRow("trip", "Three stops with Father", "A plan for a weekend.", "Make it forget."),
)
RECENT = tuple(
    RecentRow(f"r{n}", f"Rollout {n} [/b]\x1b", 6, n % 3, "goal_reached", "2 hours ago")
    for n in range(12)
)


def start(**more: object) -> Host:
    return Host(StartScreen(StartRequest(SAMPLES, **more)))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_start_screen(same_screen: Callable[..., None], size: tuple[int, int]) -> None:
    """Recent rollouts, samples, a file, something new; below, what the cursor stands on."""
    app = start(recent=RECENT)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        same_screen(app)


async def test_enter_opens_what_the_cursor_stands_on() -> None:
    app = start(recent=RECENT)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("j", "enter")
        assert app.result == StartChoice("rollout", "r1")
    app = start()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("j", "enter")
        assert app.result == StartChoice("sample", "trip", recorded=True)


async def test_v_opens_a_sample_with_nothing_played_yet() -> None:
    app = start()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("v")
        assert app.result == StartChoice("sample", "refund")


async def test_older_rollouts_come_on_demand() -> None:
    app = start(recent=RECENT)
    async with app.run_test(size=WIDE) as pilot:
        assert "Rollout 11" not in screen_text(app)
        await pilot.press(*["j"] * 8, "enter")
        await wait_for(pilot, lambda: "Rollout 11" in screen_text(app))


async def test_typing_after_a_slash_finds_a_row() -> None:
    app = start(recent=RECENT)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "fatherq")
        await pilot.press("backspace", "enter", "enter")
        assert app.result == StartChoice("sample", "trip", recorded=True)


async def test_a_path_is_completed_and_opened(tmp_path: Path) -> None:
    (tmp_path / "refund.yaml").write_text("")
    app = start()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("o")
        await type_text(pilot, f"{tmp_path}/re")
        await wait_for(pilot, lambda: "refund.yaml" in screen_text(app))
        await pilot.press("tab")
        await wait_for(pilot, lambda: "/refund.yaml" in screen_text(app).replace("\n", ""))
        await pilot.press("enter")
        assert app.result == StartChoice("path", f"{tmp_path}/refund.yaml")


async def test_a_path_that_could_not_be_opened_is_said_and_can_be_put_right() -> None:
    app = start(notice="nope[/b].yaml: there is no such file", path="nope[/b].yaml")
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: "there is no such file" in screen_text(app))
        await pilot.press("backspace", "enter")
        assert app.result == StartChoice("path", "nope[/b].yam")


@pytest.mark.parametrize(("key", "kind"), [("a", "new"), ("q", "quit"), ("question_mark", "help")])
async def test_the_other_keys(key: str, kind: str) -> None:
    app = start()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press(key)
        assert app.result.kind == kind


async def test_escape_goes_back_only_to_a_screen_that_is_there() -> None:
    app = start()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("escape")
        assert app.result is NOTHING
        app.push_screen(StartScreen(StartRequest(SAMPLES)), app._done)
        await pilot.press("slash", "x", "escape")
        assert app.result is NOTHING
        await pilot.press("escape")
        assert app.result is None


async def test_the_help_can_be_left_to_the_app() -> None:
    asked: list[bool] = []
    app = Host(StartScreen(StartRequest(SAMPLES), on_help=lambda: asked.append(True)))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("question_mark")
        assert (asked, app.result) == ([True], NOTHING)


def test_the_first_paint_needs_no_text_area_and_nothing_heavy() -> None:
    code = (
        "import sys, rollstep.tui.screens.start; "
        "print([m for m in ('textual.widgets._text_area', 'yaml', 'jsonschema', 'litellm') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
