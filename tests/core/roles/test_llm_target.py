"""What the target is sent. No model is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.model.messages import (
    Reasoning,
    TargetReply,
    ToolCall,
    UserMessage,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import LlmEvaluator, LlmTarget, Project, Tool
from rollstep.core.projects.seed_author import SeedAuthor
from rollstep.core.projects.seed_rows import row_of, seed_record
from rollstep.core.roles.llm_messages import target_request

from .making import view

CONTEXT = {
    "channel": "dm",
    "available_actions": ["REPLY", "CALENDAR"],
    "memory": [{"role": "user", "content": "I missed Tuesday."}, "odd", {"content": 4}],
    "roomName": None,
    "size": {"n": 1},
}


def project(context: Any = CONTEXT, **target: Any) -> Project:
    """As a seed row makes it."""
    raw = json.dumps({"task_id": "t", "user_text": "Move it?", "context": context}).encode()
    record = seed_record(raw, 1)
    assert record is not None
    roles = Project("r", LlmTarget("openai/m", **target), LlmEvaluator("openai/m"))
    return SeedAuthor([row_of(record, 1)], roles=roles).project_of(row_of(record, 1))


def system(given: Project) -> str | None:
    first, *_ = target_request(view("target", user_message("Hi"), project=given)).messages
    return str(first["content"]) if first["role"] == "system" else None


def test_a_seed_row_s_context_follows_the_system_text_where_the_project_says_so() -> None:
    assert system(project(system="Be kind.\n")) == "Be kind.\n"
    text = system(project(system="Be kind.", sees_context=True))
    assert text is not None
    assert text.split("\n") == [
        "Be kind.",
        "",
        "Actions that you have: REPLY, CALENDAR",
        "channel: dm",
        'size: {"n": 1}',
        "Earlier in this conversation:",
        "user: I missed Tuesday.",
        "note: odd",
        "note: 4",
        "",
    ]


@pytest.mark.parametrize("context", [None, {}])
def test_without_a_context_the_system_text_is_alone(context: Any) -> None:
    assert system(project(context, system="Be kind.\n", sees_context=True)) == "Be kind.\n"
    assert system(project(context, sees_context=True)) is None


@pytest.mark.parametrize("context", [[1], "text", {"memory": 4, "available_actions": {"a": 1}}])
def test_a_context_of_another_shape_is_sent_too_or_left_out_but_breaks_nothing(
    context: Any,
) -> None:
    assert system(project(context, system="S", sees_context=True))


def test_a_prompt_of_the_project_s_own_takes_the_place_of_the_system_text() -> None:
    prompt = "{{ system }} {% for m in memory %}{{ m.content }};{% endfor %} {{ actions|length }}"
    given = project(system="S", sees_context=True, prompt=prompt)
    assert system(given) == "S I missed Tuesday.;odd;4; 2"


def thinking(**more: str) -> str:
    return json.dumps({"type": "thinking", "thinking": "Look it up.", "signature": "s", **more})


def test_reasoning_is_replayed_as_it_came_and_not_at_all_once_it_was_edited() -> None:
    raw = thinking()
    redacted = '{"type": "redacted_thinking", "data": "x"}'
    blocks = (
        Reasoning("Look it up.", "s", raw),
        Reasoning("", None, redacted),
        Reasoning("Edited.", "s", raw),
        Reasoning("Never had a form of its provider's."),
    )
    request = target_request(view("target", TargetReply(text_parts("a"), blocks)))
    assert request.messages[-1]["thinking_blocks"] == [json.loads(raw), json.loads(redacted)]


def test_parallel_calls_and_their_results_keep_their_ids_and_order() -> None:
    calls = (ToolCall("c1", "f", '{"a":  1.10}'), ToolCall("call_1_2", "f", "{1", made_id=True))
    given = Project(
        "t", LlmTarget("openai/m"), LlmEvaluator("openai/m"), tools=(Tool("f", "F.", '{"x": 1}'),)
    )
    path = (user_message("Hi"), TargetReply((), (), calls), tool_result("call_1_2", "null"))
    request = target_request(view("target", *path, project=given))
    assert request.tools == [
        {"type": "function", "function": {"name": "f", "description": "F.", "parameters": {"x": 1}}}
    ]
    assert [
        (call["id"], call["function"]["arguments"]) for call in request.messages[1]["tool_calls"]
    ] == [("c1", '{"a":  1.10}'), ("call_1_2", "{1")]
    assert request.messages[2] == {"role": "tool", "content": "null", "tool_call_id": "call_1_2"}


def test_what_the_user_does_with_tools_of_its_own_is_told_and_not_left_out() -> None:
    own = UserMessage(text_parts("Let me check."), (), (ToolCall("u", "airplane_mode", "{}"),))
    path = (own, tool_result("u", "on"), TargetReply(text_parts("Thanks.")))
    request = target_request(view("target", *path))
    assert request.messages == [
        {"role": "user", "content": "Let me check.\n[called airplane_mode({})]"},
        {"role": "user", "content": "[airplane_mode answered: on]"},
        {"role": "assistant", "content": "Thanks."},
    ]
