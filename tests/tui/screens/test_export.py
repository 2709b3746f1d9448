from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.errors import ExportError
from rollstep.tui.screens.export import ExportScreen
from rollstep.tui.screens.export_types import (
    ExportChoice,
    ExportDone,
    ExportFormat,
    ExportReport,
    ExportRequest,
    Scope,
    file_stem,
    free_path,
    with_suffix,
)

from ...screen_text import screen_text
from .hosting import NARROW, NOTHING, WIDE, Host, settle, type_text, wait_for

FORMATS = (
    ExportFormat("turn-records", ".jsonl", "one JSON line for each turn"),
    ExportFormat("openai", ".jsonl", "OpenAI chat JSONL"),
    ExportFormat("markdown", ".md", "Markdown for people to read"),
    ExportFormat("bundle", ".rollstep.jsonl", "the whole rollout, nothing lost", whole=True),
)


async def report(name: str, scope: Scope) -> ExportReport:
    if name == "turn-records" and scope == "here":
        return ExportReport(("turn 6 has no final reply [/b]",), refused=True)
    return ExportReport((f"not kept: reasoning (step 2) in {name}, {scope}",))


def dialog(folder: Path, write: Callable[[ExportChoice], str] | None = None) -> Host:
    async def write_it(choice: ExportChoice) -> str:
        if write is not None:
            return write(choice)
        Path(choice.path).write_text("x")
        return f"written to {choice.path}"

    request = ExportRequest(
        "Export: Refund a damaged blender", FORMATS, 24, 20, report, write_it, str(folder), "refund"
    )
    return Host(ExportScreen(request))


async def test_enter_writes_the_whole_branch_to_a_free_path(tmp_path: Path) -> None:
    (tmp_path / "refund.jsonl").write_text("old")
    app = dialog(tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: "not kept: reasoning" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: app.result is not NOTHING)
    path = str(tmp_path / "refund-2.jsonl")
    choice = ExportChoice("turn-records", "branch", path)
    assert app.result == ExportDone(choice, f"written to {path}")


async def test_a_refused_scope_says_why_and_writes_nothing(tmp_path: Path) -> None:
    app = dialog(tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("tab", "j")
        await wait_for(pilot, lambda: "turn 6 has no final reply [/b]" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "It cannot be written so" in screen_text(app))
        assert app.result is NOTHING
        await pilot.press("shift+tab", "j")
        await wait_for(pilot, lambda: "in openai, here" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: app.result is not NOTHING)
        assert (app.result.choice.format, app.result.choice.scope) == ("openai", "here")


async def test_another_format_has_another_suffix(tmp_path: Path) -> None:
    app = dialog(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("j", "j")
        await wait_for(pilot, lambda: "refund.md" in screen_text(app))
        await pilot.press("j")
        await wait_for(pilot, lambda: "refund.rollstep.jsonl" in screen_text(app))


async def test_a_file_is_written_over_only_when_told(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("old")
    app = dialog(tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("j", "j", "tab", "tab", "f7")
        await type_text(pilot, f"{tmp_path}/mine.md")
        await wait_for(pilot, lambda: "in markdown" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "A file is there already" in screen_text(app))
        assert (tmp_path / "mine.md").read_text() == "old"
        await pilot.press("o")
        await wait_for(pilot, lambda: app.result is not NOTHING)
        assert app.result.choice.overwrite


async def test_a_failure_is_said_and_the_path_stays(tmp_path: Path) -> None:
    def fail(choice: ExportChoice) -> str:
        if "nowhere" in choice.path:
            raise FileNotFoundError(choice.path)
        raise ExportError("step 3 holds something that looks like a key")

    app = dialog(tmp_path, fail)
    async with app.run_test(size=WIDE) as pilot:
        await wait_for(pilot, lambda: "not kept" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "Not written: step 3 holds" in screen_text(app))
        await pilot.press("tab", "tab", "f7")
        await type_text(pilot, "/nowhere/x.md")
        await pilot.press("enter")
        await wait_for(pilot, lambda: "There is no folder /nowhere" in screen_text(app))
        await pilot.press("escape")
        assert app.result is None


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_export_dialog(
    same_screen: Callable[..., None], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Format, scope and path; under them what the format cannot hold."""
    app = dialog(Path("exports"))
    async with app.run_test(size=size) as pilot:
        await wait_for(pilot, lambda: "not kept: reasoning" in screen_text(app))
        await wait_for(pilot, lambda: "No such file" in screen_text(app))
        await settle(pilot)
        same_screen(app)


def test_names_of_files(tmp_path: Path) -> None:
    assert file_stem("Refund: a [damaged] blender!") == "refund-a-damaged-blender"
    assert file_stem("नमस्ते 東京/..\\x") != ""
    assert "/" not in file_stem("../../etc/passwd")
    assert file_stem("…") == "rollout"
    assert with_suffix("a/b.jsonl", ".jsonl", ".md") == "a/b.md"
    assert with_suffix("a/b.txt", ".jsonl", ".md") == "a/b.txt"
    assert free_path(str(tmp_path), "a", ".md") == str(tmp_path / "a.md")
