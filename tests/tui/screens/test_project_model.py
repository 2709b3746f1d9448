"""The project form's texts: whatever was not touched comes back equal, faults name their place."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.projects.reader import read_project
from rollstep.tui.screens.project_model import FIELDS, HINTS, ProjectModel
from rollstep.tui.screens.project_types import blank_project

SAMPLES = sorted((Path(__file__).parents[3] / "sample_projects").glob("*.yaml"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_an_untouched_form_gives_an_equal_project(path: Path) -> None:
    project = read_project(path)
    assert ProjectModel(project).check() == (project, [])


def test_an_empty_text_is_not_the_same_as_none() -> None:
    project = Project("t", EchoTarget(system=""), HeuristicEvaluator(), opening="")
    assert ProjectModel(project).check()[0] == project


@pytest.mark.parametrize("field", ["title", "goal", "opening", "persona", "system"])
def test_a_plain_field_keeps_odd_characters(field: str) -> None:
    odd = "a\u2028b\r\nc [x] 'q' \"Q\": #1 \ud83d\x1b\n  end"
    model = ProjectModel(blank_project())
    model.set(field, odd)
    project, faults = model.check()
    assert faults == []
    assert project is not None
    holder = {"persona": project.evaluator, "system": project.target}.get(field, project)
    assert getattr(holder, field) == odd


def test_shaped_parts_are_edited_as_yaml() -> None:
    model = ProjectModel(blank_project())
    model.set("evaluator", "evaluator:\n  kind: scripted\n  messages: [hello, {stop: bored}]\n")
    model.set("tools", "tools:\n  - name: get_order\n")
    model.set("tool_simulator", "tool_simulator: {kind: human}")
    model.set("more", "stop: {max_cost_usd: 0.5}\n")
    project, faults = model.check()
    assert faults == []
    assert project is not None
    assert [tool.name for tool in project.tools] == ["get_order"]
    assert project.stop.max_cost_usd == 0.5


def test_every_fault_is_named_at_once_with_its_field_and_line() -> None:
    model = ProjectModel(blank_project())
    model.set("title", " ")
    model.set("max_turns", "eight")
    model.set("evaluator", "evaluator:\n  kind: heuristc\n")
    model.set("tools", "tools:\n  - name: a\n  - nme: b\n")
    project, faults = model.check()
    assert project is None
    lines = [fault.render() for fault in faults]
    assert lines[0] == "title: a project needs a title"
    assert lines[1] == "max turns: a whole number, at least 1"
    assert any(line.startswith("evaluator, line 2: evaluator.kind: unknown") for line in lines)
    assert any(line.startswith("tools, line 3: tools[1].nme: unknown key.") for line in lines)


def test_broken_yaml_names_its_place_and_stays_as_typed() -> None:
    model = ProjectModel(blank_project())
    model.set("target", "target: {kind: echo\n")
    project, faults = model.check()
    assert project is None
    assert faults
    again = ProjectModel(blank_project(), model.dump())
    assert again.draft_loaded
    assert again.texts["target"] == "target: {kind: echo\n"


@pytest.mark.parametrize("draft", ["{", "[]", '{"texts": {}}', '{"texts": {"title": 1}}'])
def test_a_draft_that_cannot_be_read_changes_nothing(draft: str) -> None:
    model = ProjectModel(blank_project(), draft)
    assert not model.draft_loaded
    assert not model.changed


def test_every_field_has_a_hint_and_a_role_change_keeps_the_plain_texts() -> None:
    assert set(HINTS) == set(FIELDS)
    base = msgspec.structs.replace(
        blank_project(), evaluator=HeuristicEvaluator(persona="Impatient.")
    )
    model = ProjectModel(base)
    model.set("evaluator", "evaluator: {kind: human}")
    project, _ = model.check()
    assert project is not None
    assert project.evaluator.persona == "Impatient."
