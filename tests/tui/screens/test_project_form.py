from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.model.project import Project
from rollstep.core.projects.reader import read_project
from rollstep.tui.screens.project_form import ProjectFormScreen
from rollstep.tui.screens.project_types import ProjectRequest, ProjectResult, blank_project
from rollstep.tui.screens.seed_pick import SeedPickScreen

from ...screen_text import screen_text
from .hosting import NARROW, NOTHING, WIDE, Host, settle, type_text, wait_for

REFUND = Path(__file__).parents[3] / "sample_projects" / "refund.yaml"


def form(project: Project | None = None, folder: Path | None = None, **more: object) -> Host:
    screen = {key: more.pop(key) for key in ("on_draft",) if key in more}
    request = ProjectRequest("New project", project or blank_project(), folder=str(folder), **more)  # type: ignore[arg-type]
    return Host(ProjectFormScreen(request, **screen))  # type: ignore[arg-type]


async def test_an_untouched_project_is_used_as_it_is() -> None:
    project = read_project(REFUND)
    app = form(project)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("ctrl+s", "enter")
        assert app.result == ProjectResult("use", project)


async def test_fields_are_typed_one_after_the_other() -> None:
    app = form()
    async with app.run_test(size=NARROW) as pilot:
        await type_text(pilot, "Refund")
        await pilot.press("enter")
        await type_text(pilot, "Money back\nor why not")
        await pilot.press("ctrl+o")
        await type_text(pilot, "Hi")
        await pilot.press("ctrl+s", "enter")
        project = app.result.project
        assert (project.title, project.goal) == ("Refund", "Money back\nor why not")
        assert project.opening == "Hi"


async def test_the_list_goes_to_a_field_and_enter_into_its_text() -> None:
    app = form()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("shift+tab", "j", "enter")
        await type_text(pilot, "goal")
        await pilot.press("ctrl+s", "enter")
        assert app.result.project.goal == "goal"


async def test_faults_show_while_typing_and_saving_goes_to_the_first() -> None:
    app = form()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press(*["ctrl+o"] * 8)
        await type_text(pilot, "tools: [{nme: a}]")
        await wait_for(pilot, lambda: "unknown key. Did you mean name?" in screen_text(app))
        await pilot.press("ctrl+o", "ctrl+s")
        await pilot.pause()
        assert app.result is NOTHING
        assert "▸ !  Tools" in screen_text(app)
        await pilot.press("f7", "delete")
        await wait_for(pilot, lambda: "ready" in screen_text(app))


async def test_saved_as_a_project_file_and_then_used(tmp_path: Path) -> None:
    app = form(folder=tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await type_text(pilot, "A [b] trip")
        await pilot.press("ctrl+s", "f", "enter")
        path = tmp_path / "a-b-trip.yaml"
        await wait_for(pilot, lambda: f"Saved to {path}" in screen_text(app).replace("\n", ""))
        assert read_project(path).title == "A [b] trip"
        await pilot.press("enter")
        assert app.result.outcome == "use"
        assert app.result.path == str(path)


async def test_a_project_file_is_written_over_only_when_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("old")
    app = form(folder=tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("ctrl+s", "f", "f7")
        await type_text(pilot, str(path))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "A file is there already" in screen_text(app))
        assert path.read_text() == "old"
        await pilot.press("o")
        await wait_for(pilot, lambda: path.read_text() != "old")


async def test_saved_as_one_more_seed_row_after_saying_what_it_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "seeds.jsonl"
    path.write_text('{"task_id": "a", "user_text": "hello"}')
    app = form(read_project(REFUND), folder=tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("ctrl+s", "s")
        await wait_for(pilot, lambda: "A seed row cannot hold" in screen_text(app))
        await pilot.press("f7")
        await type_text(pilot, str(path))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "Added as a row" in screen_text(app))
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert [row["task_id"] for row in rows] == ["a", "Refund a damaged blender"]


async def test_a_failed_save_is_said_and_the_path_stays(tmp_path: Path) -> None:
    app = form(folder=tmp_path / "nowhere")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("ctrl+s", "f", "enter")
        await wait_for(pilot, lambda: "Not saved:" in screen_text(app))
        assert "nowhere" in screen_text(app)


async def test_leaving_keeps_a_draft_even_of_what_is_no_project() -> None:
    kept: list[str] = []
    app = form(on_draft=kept.append)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press(*["ctrl+o"] * 8)
        await type_text(pilot, "tools: [")
        await wait_for(pilot, lambda: bool(kept))
        await pilot.press("escape")
        assert app.result.outcome == "draft"
    again = form(draft=app.result.draft)
    async with again.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: "draft you left is back" in screen_text(again))
        assert "▸ !  Tools" not in screen_text(again)
        await wait_for(pilot, lambda: "!  Tools" in screen_text(again))
        await pilot.press("escape")
        assert json.loads(again.result.draft)["texts"]["tools"] == "tools: ["


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_project_form(same_screen: Callable[..., None], size: tuple[int, int]) -> None:
    """All fields at the left, the text of the tools at the right, an example while empty."""
    app = form()
    async with app.run_test(size=size) as pilot:
        await pilot.press(*["ctrl+o"] * 8)
        await wait_for(pilot, lambda: "ready" in screen_text(app))
        await settle(pilot)
        same_screen(app)


async def test_a_seed_row_is_picked_and_bad_rows_are_said(tmp_path: Path) -> None:
    path = tmp_path / "seeds.jsonl"
    path.write_text(
        '{"task_id": "one", "user_text": "hello"}\n{broken\n'
        '{"task_id": "two", "user_text": "[/b] book a trip"}\n{"task_id": "three"}\n'
    )
    app = Host(SeedPickScreen(str(path)))
    async with app.run_test(size=WIDE) as pilot:
        await wait_for(pilot, lambda: "seeds.jsonl: line 2" in screen_text(app))
        await pilot.press("slash")
        await type_text(pilot, "trip")
        await pilot.press("enter", "enter")
        pick = app.result
        assert (pick.path, pick.record, pick.project.title) == (str(path), 1, "two")
        assert pick.project.opening == "[/b] book a trip"


async def test_a_seed_file_that_is_not_there_is_said() -> None:
    app = Host(SeedPickScreen())
    async with app.run_test(size=WIDE) as pilot:
        await type_text(pilot, "/nowhere.jsonl")
        await pilot.press("enter")
        await wait_for(pilot, lambda: "no such seed file" in screen_text(app))
        await pilot.press("escape")
        assert app.result is None


async def test_a_check_that_ends_when_the_form_is_being_left_is_let_go() -> None:
    app = form()
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, ProjectFormScreen)
        await screen.remove_children()
        screen._checked([])
