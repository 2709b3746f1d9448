"""What the export dialog is opened with, and what is said when the file is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project, Tool
from rollstep.tui.exporting import fitting_names
from rollstep.tui.screens.export import ExportScreen

from ..screen_text import screen_text
from .conftest import Opened


@pytest.mark.parametrize(("sample", "name"), [("refund", "openai"), ("weekend", "turn-records")])
async def test_the_dialog_opens_with_a_format_that_holds_the_branch(
    opened: Opened, sample: str, name: str
) -> None:
    async with opened(sample=sample) as driver:
        await driver.press("t", "x")
        screen = driver.app.screen
        assert isinstance(screen, ExportScreen)
        assert screen._format.name == name


async def test_the_whole_path_is_said_when_it_is_written(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(sample="refund", size=(240, 45)) as driver:
        await driver.press("t", "x")
        screen = driver.app.screen
        assert isinstance(screen, ExportScreen)
        await driver.until(lambda: screen._report is not None)
        await driver.press("enter")
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        (beside,) = tmp_path.glob("*.provenance.jsonl")
        written = str(beside).removesuffix(".provenance.jsonl")
        assert f"Wrote {written}, and who made each message beside it" in driver.text()


async def test_the_dialog_has_the_choices_of_the_format_and_tells_what_it_finds(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_API_KEY", "arrived cracked")
    async with opened(sample="refund", size=(120, 30)) as driver:
        await driver.press("t", "x")
        screen = driver.app.screen
        assert isinstance(screen, ExportScreen)
        await driver.until(lambda: "found: SHOP_API_KEY" in screen_text(driver.app))
        assert "Secrets are written as they stand, unless you choose otherwise" in screen_text(
            driver.app
        )
        assert "beside it NAME.provenance.jsonl: who made each message" in screen_text(driver.app)
        await driver.press("tab", "j", "j", "j", "l")
        await driver.until(lambda: "replaced: SHOP_API_KEY" in screen_text(driver.app))
        await driver.press("k", "k", "l")
        await driver.until(lambda: screen.values["role"] == "evaluator" and bool(screen._report))
        await driver.press("h", "g", "l")
        await driver.until(lambda: "There is no such branch." in screen_text(driver.app))
        await driver.press("h", "enter")
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        for path in tmp_path.iterdir():
            assert "arrived cracked" not in path.read_text()


def test_odd_names_of_tools_are_fitted_and_stay_apart() -> None:
    tools = (Tool("get order"), Tool("get.order"), Tool("get_order"), Tool("x" * 70), Tool("fine"))
    project = Project("t", EchoTarget(), HeuristicEvaluator(), opening="Hi.", tools=tools)
    assert fitting_names(project) == (
        ("get order", "get_order_2"),
        ("get.order", "get_order_3"),
        ("x" * 70, "x" * 64),
    )
