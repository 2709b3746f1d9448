from __future__ import annotations

from pathlib import Path

from rollstep.tui.screens.new_project import NewProject, NewRequest, NewResult
from rollstep.tui.screens.project_types import blank_project
from textual.app import App

from ...screen_text import screen_text
from .hosting import NARROW, type_text, wait_for


class Making(App[None]):
    def __init__(self, request: NewRequest) -> None:
        super().__init__()
        self.request = request
        self.results: list[NewResult] = []

    def on_mount(self) -> None:
        NewProject(self, self.request, self.results.append).ask()


def open_for_keys(app: Making) -> bool:
    return not app.screen._guard.closed  # type: ignore[attr-defined]


async def test_a_blank_project_can_be_started_at_once() -> None:
    app = Making(NewRequest())
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: open_for_keys(app))
        assert "A copy" not in screen_text(app)
        await pilot.press("b", "ctrl+s", "enter")
        assert app.results[0].start == "blank"
        assert app.results[0].form.project == blank_project()


async def test_a_copy_says_how_many_steps_it_takes_along() -> None:
    app = Making(NewRequest(current=blank_project(), copied=20))
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: open_for_keys(app))
        assert "the project and 20 steps" in screen_text(app)
        await pilot.press("c")
        await wait_for(pilot, lambda: "A copy of New project" in screen_text(app))
        await pilot.press("escape")
        assert app.results[0].form.outcome == "closed"


async def test_a_seed_row_becomes_a_project(tmp_path: Path) -> None:
    path = tmp_path / "seeds.jsonl"
    path.write_text('{"task_id": "one", "user_text": "hello"}\n')
    app = Making(NewRequest())
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: open_for_keys(app))
        await pilot.press("s")
        await type_text(pilot, str(path))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "▸ 1" in screen_text(app))
        await pilot.press("enter", "ctrl+s", "enter")
        result = app.results[0]
        assert (result.start, result.seed is not None) == ("seed", True)
        assert result.form.project is not None
        assert result.form.project.opening == "hello"


async def test_an_unfinished_form_can_be_taken_up_again() -> None:
    app = Making(NewRequest())
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: open_for_keys(app))
        await pilot.press("b", "x", "escape")
        draft = app.results[0].form.draft
    again = Making(NewRequest(draft=draft))
    async with again.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: open_for_keys(again))
        await pilot.press("d", "ctrl+s", "enter")
        assert again.results[0].form.project is not None
        assert again.results[0].form.project.title == "x"
