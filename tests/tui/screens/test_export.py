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
    ExportOption,
    ExportReport,
    ExportRequest,
    Values,
    file_stem,
    free_path,
    with_suffix,
)

from ...screen_text import screen_text
from .hosting import NARROW, NOTHING, WIDE, Host, settle, type_text, wait_for

WHAT = ExportOption(
    "what",
    "what",
    (
        ("branch", "the whole branch, 24 of 24 steps"),
        ("here", "up to here, 20 of 24 steps"),
        ("all", "all 3 branches"),
    ),
)
SECRETS = ExportOption("redact", "secrets", (("", "as they stand"), ("yes", "replaced")))
HISTORY = ExportOption("history", "history", (("turn", "its own turn"), ("full", "all before")))
BOTH = ("what", "redact")
FORMATS = (
    ExportFormat("turn-records", ".jsonl", "one JSON line for each turn", (*BOTH, "history")),
    ExportFormat("openai", ".jsonl", "OpenAI chat JSONL", BOTH),
    ExportFormat("markdown", ".md", "Markdown for people to read", BOTH, document=True),
    ExportFormat("bundle", ".rollstep.jsonl", "the whole rollout, nothing lost", ("redact",)),
)


async def report(name: str, values: Values) -> ExportReport:
    if name == "turn-records" and values["what"] == "here":
        return ExportReport(("turn 6 has no final reply [/b]",), refused=True)
    chosen = ", ".join(f"{name} {value}" for name, value in values.items() if value)
    found = () if values["redact"] else ("found: SHOP_API_KEY (step 3, text)",)
    return ExportReport((f"not kept: reasoning (step 2) in {name}: {chosen}",), warn=found)


def dialog(folder: Path, write: Callable[[ExportChoice], str] | None = None) -> Host:
    async def write_it(choice: ExportChoice) -> str:
        if write is not None:
            return write(choice)
        Path(choice.path).write_text("x")
        return f"written to {choice.path}"

    request = ExportRequest(
        "Export: Refund a damaged blender",
        FORMATS,
        (WHAT, SECRETS, HISTORY),
        report,
        write_it,
        str(folder),
        "refund",
        folders=frozenset({("what", "all")}),
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
    values = {"what": "branch", "redact": "", "history": "turn"}
    choice = ExportChoice("turn-records", path, values)
    assert app.result == ExportDone(choice, f"written to {path}")


async def test_a_refused_scope_says_why_and_writes_nothing(tmp_path: Path) -> None:
    app = dialog(tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("tab", "l")
        await wait_for(pilot, lambda: "turn 6 has no final reply [/b]" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "It cannot be written so" in screen_text(app))
        assert app.result is NOTHING
        await pilot.press("shift+tab", "j")
        await wait_for(pilot, lambda: "in openai: what here" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: app.result is not NOTHING)
        choice = app.result.choice
        assert (choice.format, choice.values) == ("openai", {"what": "here", "redact": ""})


async def test_another_format_has_another_suffix(tmp_path: Path) -> None:
    app = dialog(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("j", "j")
        await wait_for(pilot, lambda: "refund.md" in screen_text(app))
        await pilot.press("j")
        await wait_for(pilot, lambda: "refund.rollstep.jsonl" in screen_text(app))


async def test_what_is_chosen_stays_from_format_to_format(tmp_path: Path) -> None:
    app = dialog(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("tab", "G", "l", "k", "space")
        await wait_for(pilot, lambda: "redact yes, history full" in screen_text(app))
        await pilot.press("shift+tab", "j")
        await wait_for(pilot, lambda: "in openai: what branch, redact yes" in screen_text(app))
        assert "history" not in screen_text(app)
        await pilot.press("tab", "g", "h")
        await wait_for(pilot, lambda: "what all" in screen_text(app))
        await pilot.press("right")
        await wait_for(pilot, lambda: "what branch" in screen_text(app))


async def test_several_documents_go_into_a_folder(tmp_path: Path) -> None:
    (tmp_path / "refund").mkdir()
    written: list[ExportChoice] = []

    def write(choice: ExportChoice) -> str:
        written.append(choice)
        return "done"

    app = dialog(tmp_path, write)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("j", "j", "tab", "h")
        await wait_for(pilot, lambda: "in markdown: what all" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: app.result is not NOTHING)
    assert written[0].path == str(tmp_path / "refund")


async def test_a_folder_with_something_in_it_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "refund").mkdir()
    (tmp_path / "refund" / "mine").write_text("mine")
    app = dialog(tmp_path, lambda choice: "done")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("j", "j", "tab", "h")
        await wait_for(pilot, lambda: "in markdown: what all" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "The folder holds something" in screen_text(app))
        await pilot.press("o")
        await wait_for(pilot, lambda: app.result is not NOTHING)
        assert app.result.choice.overwrite


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


@pytest.mark.parametrize("size", [NARROW, (120, 30), WIDE])
async def test_the_export_dialog(
    same_screen: Callable[..., None], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Formats, and choices beside them; the path; under them what was found, and what the format
    cannot hold.
    """
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
    assert with_suffix("a/b.md", ".md", "") == "a/b"
    assert with_suffix("a/b", "", ".md") == "a/b.md"
    assert free_path(str(tmp_path), "a", ".md") == str(tmp_path / "a.md")
