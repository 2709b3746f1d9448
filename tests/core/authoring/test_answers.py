"""From a model's answer to a project, or to everything that is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.authoring.answers import (
    ANGLES,
    Cast,
    Unusable,
    answer_format,
    metadata_of,
    project_of,
    question,
)
from rollstep.core.authoring.sources import Source
from rollstep.core.model.project import LlmEvaluator, LlmSimulator, LlmTarget, RulesSimulator
from rollstep.core.projects.reader import parse_project, parse_roles
from rollstep.core.projects.writer import project_yaml

GIVEN: dict[str, Any] = {
    "title": "Move a booking",
    "goal": "The table is moved to Friday at eight.",
    "opening": "Hi, about my table… it's no use tomorrow 🙂",
    "persona": "Friendly, gives the name only when asked.",
    "stop_when": "The booking is moved.",
    "system": "You take bookings.\nNever promise a window seat.",
    "world": "Booking 12: Okafor, Thursday 20:00.",
    "max_turns": 6,
    "tools": [
        {
            "name": "move_booking",
            "description": "Moves it.",
            "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}},
        }
    ],
}
CAST = Cast.of_model("openai/m", "http://127.0.0.1:1/v1")
ROLES = parse_roles("""\
max_turns: 3
target: {kind: llm, model: openai/t, system: Ours.}
evaluator: {kind: llm, model: openai/e}
tools: [{name: get_order}]
tool_simulator: {kind: rules, rules: [{tool: get_order, respond: {a: 1}}]}
""")


def made(given: Any, cast: Cast = CAST) -> Any:
    return project_of(given if isinstance(given, str) else json.dumps(given), cast, {"a": 1})


def test_all_roles_are_played_by_the_model_that_writes() -> None:
    project = made(GIVEN)
    assert isinstance(project.evaluator, LlmEvaluator)
    assert isinstance(project.target, LlmTarget)
    assert isinstance(project.tool_simulator, LlmSimulator)
    assert (project.evaluator.persona, project.evaluator.stop_when) == (
        GIVEN["persona"],
        GIVEN["stop_when"],
    )
    assert (project.target.system, project.target.api_base) == (
        GIVEN["system"],
        "http://127.0.0.1:1/v1",
    )
    assert project.tool_simulator.world == GIVEN["world"]
    assert project.tools[0].name == "move_booking"
    assert (project.opening, project.max_turns) == (GIVEN["opening"], 6)
    assert json.loads(project.metadata) == {"a": 1}
    assert parse_project(project_yaml(project)) == project


def test_a_roles_file_says_who_plays_and_with_which_tools() -> None:
    project = made(GIVEN, Cast.of_project(ROLES))
    assert isinstance(project.tool_simulator, RulesSimulator)
    assert [tool.name for tool in project.tools] == ["get_order"]
    assert isinstance(project.target, LlmTarget)
    assert (project.target.model, project.target.system) == ("openai/t", "Ours.")
    assert isinstance(project.evaluator, LlmEvaluator)
    assert (project.evaluator.model, project.evaluator.persona) == ("openai/e", GIVEN["persona"])
    assert "tools" not in answer_format(Cast.of_project(ROLES))["json_schema"]["schema"]["required"]


def test_without_tools_there_is_no_simulator_and_null_is_nothing() -> None:
    project = made({**GIVEN, "tools": [], "persona": None})
    assert project.tools == ()
    assert project.tool_simulator is None


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{}\n```",
        "Here it is:\n{}\nI hope it helps.",
        "{}",
    ],
)
def test_words_around_the_object_do_not_matter(text: str) -> None:
    assert made(text.replace("{}", json.dumps(GIVEN))).title == GIVEN["title"]


def test_every_fault_is_told_at_once() -> None:
    wrong = {
        **GIVEN,
        "goal": "",
        "colour": "red",
        "max_turns": "six",
        "tools": [{"name": "move booking", "parameters": {"type": "nonsense"}}, {"nome": "x"}],
    }
    with pytest.raises(Unusable) as caught:
        made(wrong)
    faults = "\n".join(caught.value.faults)
    for expected in (
        "colour: unknown key.",
        "goal: is missing.",
        'tools: "move booking" is no name of a tool',
        "max_turns: expected a whole number",
        "tools[1].nome: unknown key.",
        "tools[1]: name is missing.",
    ):
        assert expected in faults
    assert "line 1" not in faults


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I cannot do that.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('{"title": "cut', "no JSON object"),
        ('{"title": cut}', "not JSON"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "not JSON"),
    ],
)
def test_what_is_no_object_is_said(text: str, words: str) -> None:
    with pytest.raises(Unusable, match=words):
        made(text)


def test_the_question_holds_what_the_source_holds_and_no_template_of_its_own() -> None:
    failure = Source("failure", 3, "Refund {{ 7*7 }} {% if %}", "user: Hi", "t1")
    ((message),) = question(failure, CAST, ANGLES[1], ["First"])
    text = message["content"]
    assert message["role"] == "user"
    assert "Refund {{ 7*7 }} {% if %}" in text
    assert "user: Hi" in text
    assert ANGLES[1] in text
    assert "- First" in text
    assert "parameters (a JSON Schema" in text
    own = question(Source("goal", 1, "g"), Cast.of_project(ROLES), "", [])[0]["content"]
    assert "get_order" in own
    assert "parameters (a JSON Schema" not in own


def test_where_it_came_from_is_kept() -> None:
    seed = Source("seed", 7, "Hi", "{}", "t1", '{"memory": [1]}')
    assert metadata_of(seed, "seeds.jsonl", "openai/m", "2026-01-01T00:00:00Z", 5, "") == {
        "authored": {
            "from": {"file": "seeds.jsonl", "line": 7, "kind": "seed", "id": "t1"},
            "model": "openai/m",
            "at": "2026-01-01T00:00:00Z",
            "seed": 5,
            "angle": "",
        },
        "seed_context": {"memory": [1]},
    }
