import json
import re

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from rollstep.core.errors import UsageError
from rollstep.core.model.project import (
    EchoTarget,
    EvaluatorLine,
    HumanSimulator,
    Project,
    RulesSimulator,
    ScriptedCall,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
    Tool,
    ToolRule,
    When,
)
from rollstep.core.projects.reader import parse_project
from rollstep.core.projects.writer import project_yaml

from .strategies import ODD_TEXTS, projects

SURROGATE = re.compile("[\ud800-\udfff]")
SCRIPTED = ScriptedEvaluator((EvaluatorLine("hi"), EvaluatorLine(stop="bored")))


@settings(suppress_health_check=list(HealthCheck))
@given(projects)
def test_a_written_project_reads_back_equal(project):
    assert parse_project(project_yaml(project)) == project


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts_read_back_equal_everywhere(text):
    project = Project(
        text,
        EchoTarget(text),
        ScriptedEvaluator((EvaluatorLine(text), EvaluatorLine("a", when=When(text=text)))),
        goal=text,
        opening=text,
        metadata=json.dumps({text: [text, {"k": text}], "k": text}, ensure_ascii=True)
        if not SURROGATE.search(text)
        else "{}",
    )
    again = parse_project(project_yaml(project))
    assert (again.title, again.goal, again.opening) == (text, text, text)
    assert again.target == project.target
    assert again.evaluator == project.evaluator
    assert json.loads(again.metadata) == json.loads(project.metadata)


@pytest.mark.parametrize(
    "text", [t for t in ODD_TEXTS if not any("\ud800" <= c < "\ue000" for c in t)]
)
def test_other_yaml_readers_see_the_same_texts(text):
    written = project_yaml(Project(text, EchoTarget(), SCRIPTED, goal=text))
    seen = yaml.safe_load(written)
    assert (seen["title"], seen.get("goal", "")) == (text, text)


def test_the_text_is_readable():
    project = Project(
        title="Refund: a blender",
        target=ScriptedTarget(
            replies=(
                TargetLine("Let me look.", tool_calls=(ScriptedCall("get", '{"id": "4471"}'),)),
                TargetLine("Line one.\nLine two.\n", when=When(text="cracked")),
            ),
            system="You are the shop's agent.\n\n- be brief\n",
        ),
        evaluator=SCRIPTED,
        goal="A refund.",
        opening="It arrived cracked.",
        max_turns=8,
        tools=(Tool("get", parameters='{"type": "object", "required": ["id"]}'),),
        tool_simulator=RulesSimulator(
            (ToolRule("get", '{"status": "delivered", "price": 49.10}', '{"id": "4471"}'),)
        ),
    )
    assert project_yaml(project) == (
        "version: 1\n"
        'title: "Refund: a blender"\n'
        "goal: A refund.\n"
        "opening: It arrived cracked.\n"
        "max_turns: 8\n"
        "target:\n"
        "  kind: scripted\n"
        "  replies:\n"
        "    - text: Let me look.\n"
        "      tool_calls:\n"
        "        - name: get\n"
        '          arguments: {id: "4471"}\n'
        "    - text: |\n"
        "        Line one.\n"
        "        Line two.\n"
        "      when: cracked\n"
        "  system: |\n"
        "    You are the shop's agent.\n"
        "\n"
        "    - be brief\n"
        "evaluator:\n"
        "  kind: scripted\n"
        "  messages:\n"
        "    - hi\n"
        "    - stop: bored\n"
        "tools:\n"
        "  - name: get\n"
        "    parameters: {type: object, required: [id]}\n"
        "tool_simulator:\n"
        "  kind: rules\n"
        "  rules:\n"
        "    - tool: get\n"
        "      respond: {status: delivered, price: 49.10}\n"
        '      when: {id: "4471"}\n'
    )


def test_a_json_text_that_is_none_is_named():
    project = Project("t", EchoTarget(), SCRIPTED, metadata="{broken")
    with pytest.raises(UsageError, match="broken"):
        project_yaml(project)


def test_a_kind_without_fields_stays_a_mapping():
    project = Project(
        "t", EchoTarget(), SCRIPTED, tools=(Tool("a"),), tool_simulator=HumanSimulator()
    )
    assert parse_project(project_yaml(project)) == project
