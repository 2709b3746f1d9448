"""What the export dialog is opened with, and what is said when the file is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.tui.screens.export import ExportScreen

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
        assert f"Wrote {written}, and who made each message to" in driver.text()
