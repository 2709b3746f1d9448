"""What a model that invents tool results is sent, and how its answers are read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.model.messages import ToolCall, target_reply, tool_result, user_message
from rollstep.core.model.project import LlmEvaluator, LlmSimulator, LlmTarget, Project, Tool
from rollstep.core.model.project import ToolExample as Example
from rollstep.core.roles.llm_simulator import Result, read_result, simulator_request
from rollstep.core.roles.reading import members

from .making import view

RETURNS = '{"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}'
CALL = ToolCall("c3", "get_order", '{"id": 2}')
STATE = '{"paid": 1.10}'


def project(returns: str | None = RETURNS, **simulator: Any) -> Project:
    return Project(
        "t",
        LlmTarget("openai/m", system="Secret."),
        LlmEvaluator("openai/m"),
        tools=(Tool("get_order", "Looks an order up.", returns=returns), Tool("other")),
        tool_simulator=LlmSimulator("openai/m", **simulator),
    )


def sent(*messages: Any, state: str | None = None, **simulator: Any) -> tuple[str, str]:
    given = project(**simulator)
    seen = view("tool", *messages, call=CALL, project=given, state=state)
    assert isinstance(given.tool_simulator, LlmSimulator)
    system, user = simulator_request(seen, CALL, given.tool_simulator).messages
    return system["content"], user["content"]


def read(
    text: str, returns: str | None = RETURNS, state: str | None = None, **simulator: Any
) -> Result:
    given = project(returns, **simulator)
    assert isinstance(given.tool_simulator, LlmSimulator)
    seen = view("tool", call=CALL, project=given, state=state)
    return read_result(text, seen, given.tool_simulator)


def test_it_is_sent_all_that_it_must_not_contradict() -> None:
    path = (
        user_message("Where is it?"),
        target_reply("Let me look.", (ToolCall("c1", "get_order", '{"id": 1}'), CALL)),
        tool_result("c1", '{"status": "lost"}'),
    )
    examples = (Example("get_order", '{"status": "paid"}', '{"id": 9}'), Example("other", "1"))
    system, user = sent(*path, world="Order 1 is lost.", examples=examples)
    for text in ("Looks an order up.", RETURNS, "What is true: Order 1 is lost.", '"error"'):
        assert text in system
    assert 'get_order({"id": 9}) -> {"status": "paid"}' in system
    assert "other(" not in system
    assert user.split("\n") == [
        "The conversation so far:",
        "user: Where is it?",
        "Let me look.",
        '[called get_order({"id": 1})]',
        '[called get_order({"id": 2})]',
        '[get_order({"id": 1}) answered: {"status": "lost"}]',
        "",
        'Now answer this call of get_order: {"id": 2}',
    ]
    assert "Secret." not in system + user


def test_a_prompt_of_the_project_s_own_takes_the_place_of_ours() -> None:
    system, _ = sent(prompt="{{ tool.name }} {{ call.arguments }} {{ world }}", world="W")
    assert system == 'get_order {"id": 2} W'


def test_a_state_is_given_as_the_path_holds_it_and_else_as_the_project_does() -> None:
    assert "The state now: " not in sent()[1]
    assert f"The state now: {STATE}\n" in sent_with_state()
    assert 'The state now: {"paid": 2}\n' in sent_with_state('{"paid": 2}')


def sent_with_state(before: str | None = None) -> str:
    given = project()
    spec = LlmSimulator("openai/m", state=STATE)
    seen = view("tool", call=CALL, project=given, state=before)
    system, user = simulator_request(seen, CALL, spec).messages
    assert '"state": the whole state' in system["content"]
    return str(user["content"])


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"status":  "lost"}', Result('{"status":  "lost"}')),
        ('```json\n{"status": "lost"}\n```', Result('{"status": "lost"}')),
        ('{"error": "no such order"}', Result('{"error": "no such order"}', is_error=True)),
    ],
)
def test_a_result_is_kept_as_it_is_written(text: str, result: Result) -> None:
    assert read(text) == result


@pytest.mark.parametrize("text", ["{}", "[1, 2]", "null", "true", "42", '""', "shipped"])
def test_a_result_may_be_any_value_where_the_tool_does_not_say(text: str) -> None:
    assert read(text, returns=None) == Result(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It is lost, I think.", "is not JSON"),
        ("{}", "does not fit its returns"),
        ('{"status": 4}', "does not fit its returns"),
        ("null", "does not fit its returns"),
    ],
)
def test_what_a_tool_does_not_return_is_a_problem_in_words(text: str, words: str) -> None:
    assert words in read(text).problem


def test_an_error_that_is_what_the_tool_returns_is_no_failure() -> None:
    returns = '{"type": "object", "properties": {"error": {"type": "number"}}}'
    assert read('{"error": 4}', returns=returns) == Result('{"error": 4}')
    assert read('{"error": "x"}', returns=returns).problem


def read_keeping(text: str, before: str | None = None, returns: str | None = None) -> Result:
    given = project(returns)
    seen = view("tool", call=CALL, project=given, state=before)
    return read_result(text, seen, LlmSimulator("openai/m", state=STATE))


def test_an_answer_may_change_the_state_or_leave_it() -> None:
    changed = read_keeping('{"result": {"a": 1.10}, "state": {"paid":  2.50}}')
    assert changed == Result('{"a": 1.10}', state='{"paid":  2.50}')
    assert read_keeping('{"result": "shipped"}') == Result("shipped", state=STATE)
    assert read_keeping('{"result": null}', before='{"paid": 9}').state == '{"paid": 9}'


def test_a_state_that_is_none_is_a_problem() -> None:
    assert "not a JSON object of the form" in read_keeping('{"status": "lost"}').problem
    assert "its state is not a JSON object" in read_keeping('{"result": 1, "state": 2}').problem
    assert read_keeping('{"result": {}}', returns=RETURNS).problem


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{}", {}),
        (' { "a" : 1.10 , "b":[1, {"c": "}"}]} ', {"a": "1.10", "b": '[1, {"c": "}"}]'}),
        ('{"\\u0061": "x\\n"}', {"a": '"x\\n"'}),
        ("[1]", None),
        ('{"a": 1} more', None),
        ('{"a": 1', None),
        ("", None),
        ("[" * 100_000, None),
    ],
)
def test_the_members_of_an_object_are_cut_out_as_they_are_written(text: str, found: Any) -> None:
    assert members(text) == found
    if found is not None:
        assert {name: json.loads(value) for name, value in found.items()} == json.loads(text)
