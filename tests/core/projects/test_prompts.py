"""Prompts are checked when the project file is read."""

from __future__ import annotations

import pytest
from rollstep.core.errors import ProjectFileError
from rollstep.core.model.project import LlmEvaluator, LlmSimulator, LlmTarget
from rollstep.core.projects.reader import parse_project

FILE = """title: t
target:
  kind: llm
  model: openai/m
  prompt: "{system} and {{ system }}"
evaluator:
  kind: llm
  model: openai/m
  prompt: |
    Play the user.
    EVALUATOR
tools: [{name: f}]
tool_simulator:
  kind: llm
  model: openai/m
  state: {orders: 1}
  examples:
    - {tool: f, respond: {ok: 1.10}}
  prompt: "TOOL"
"""


def file(evaluator: str = "{{ goal }}", tool: str = "{{ tool.name }}") -> str:
    return FILE.replace("EVALUATOR", evaluator).replace("TOOL", tool)


def test_a_prompt_may_name_what_its_role_knows() -> None:
    project = parse_project(file(), "p.yaml")
    assert isinstance(project.target, LlmTarget)
    assert isinstance(project.evaluator, LlmEvaluator)
    assert isinstance(project.tool_simulator, LlmSimulator)
    assert project.evaluator.prompt == "Play the user.\n{{ goal }}\n"
    assert project.tool_simulator.state == '{"orders": 1}'
    assert project.tool_simulator.examples[0].respond == '{"ok": 1.10}'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (file("{% if %}"), 11, "cannot be read: Expected an expression"),
        (file("{{ system }}"), 11, "system stands for nothing here. A prompt of this role may"),
        (file(tool="{{ persona }}"), 19, "persona stands for nothing here"),
        (file().replace("tool: f", "tool: g"), 18, "no declared tool"),
    ],
)
def test_what_is_wrong_with_a_prompt_is_told_with_its_line(
    text: str, line: int, words: str
) -> None:
    with pytest.raises(ProjectFileError) as caught:
        parse_project(text, "p.yaml")
    (fault,) = caught.value.faults
    assert fault.line == line
    assert words in fault.render()
