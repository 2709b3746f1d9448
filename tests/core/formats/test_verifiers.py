from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from rollstep.core.errors import FormatError
from rollstep.core.formats import verifiers
from rollstep.core.model.messages import Stop, TargetReply
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.rollout import Rollout, RolloutHeader

from .foreign import mangled, read_all, spoken, survives

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
ROW: dict[str, Any] = {
    "example_id": 3,
    "task": "sums",
    "prompt": [
        {"role": "system", "content": "Add."},
        {"role": "user", "content": "1+1?"},
    ],
    "completion": [
        {"role": "assistant", "content": "", "tool_calls": [json.dumps(CALL)]},
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
        {"role": "assistant", "content": "2"},
    ],
    "answer": "2",
    "reward": 0.5,
    "metrics": {"format": 1},
    "correct": 1.0,
    "generation_ms": 12.0,
    "info": {"oai_tools": [{"type": "function", "function": {"name": "add", "parameters": {}}}]},
    "stop_condition": "max_turns_reached",
    "error": {"message": "late"},
}
TRACE: dict[str, Any] = {
    "version": 1,
    "id": "trace-1",
    "task": {"type": "Sums", "data": {"name": "one", "answer": "2"}},
    "agent": {"name": "solver"},
    "tools": [{"name": "add", "description": "Adds", "parameters": {"type": "object"}}],
    "nodes": [
        {"parent": None, "message": {"role": "system", "content": "Add."}},
        {"parent": 0, "message": {"role": "user", "content": "1+1?"}},
        {
            "parent": 1,
            "sampled": True,
            "finish_reason": "tool_calls",
            "token_ids": [1, 2],
            "message": {
                "role": "assistant",
                "content": None,
                "reasoning_content": "Hm.",
                "tool_calls": [{"id": "c1", "name": "add", "arguments": '{"a":1}'}],
            },
        },
        {"parent": 2, "message": {"role": "tool", "tool_call_id": "c1", "content": "2"}},
        {"parent": 3, "sampled": True, "message": {"role": "assistant", "content": "It is 2."}},
        {"parent": None, "message": {"role": "system", "content": "Add."}},
        {"parent": 5, "message": {"role": "user", "content": "Shortened: 1+1?"}},
        {"parent": 6, "sampled": False, "message": {"role": "assistant", "content": "Hello."}},
    ],
    "calls": [
        {
            "node": 2,
            "model": "m",
            "sampling": {"temperature": 0.5, "top_p": None},
            "usage": {"prompt_tokens": 9, "completion_tokens": 2},
            "time": {"start": 1772359200.0, "end": 1772359201.5},
        },
        {"node": None, "error": {"type": "ProviderError", "message": "overloaded"}},
    ],
    "rewards": {"right": {"score": 1.0, "weight": 0.5}, "style": {"score": 0.0}, "late": None},
    "metrics": {"turns": 2},
    "info": {
        "judge_calls": [{"name": "style", "response": {"message": {"content": "Too short."}}}]
    },
    "stop_condition": "agent_completed",
    "errors": [{"type": "Timeout", "message": "too slow", "traceback": "…"}],
    "timing": {"start": 1772359199.0},
}


def test_a_row_is_prompt_and_completion() -> None:
    (imported,) = read_all(verifiers.READER, ROW)
    assert spoken(imported) == [
        "evaluator: 1+1?",
        'target:  [add {"a": 1} c1]',
        "tool: 2 <c1>",
        "target: 2",
        "stop max_turns_reached by rule",
    ]
    assert isinstance(imported.project.target, HumanTarget)
    assert imported.project.target.system == "Add."
    assert imported.project.goal == "2"
    assert imported.title == "sums 3"
    assert [tool.name for tool in imported.project.tools] == ["add"]
    assert [(each.name, each.value) for each in imported.scores] == [
        ("reward", 0.5),
        ("format", 1.0),
        ("correct", 1.0),
    ]
    assert [attempt.words for attempt in imported.attempts] == ["late"]


def test_texts_stand_for_a_message_each() -> None:
    (imported,) = read_all(verifiers.READER, {"prompt": "1+1?", "completion": "2", "reward": 1})
    assert spoken(imported) == ["evaluator: 1+1?", "target: 2"]


def test_a_trace_is_a_tree() -> None:
    (imported,) = read_all(verifiers.READER, TRACE)
    rollout = Rollout(RolloutHeader("r", ""), [imported.project])
    rollout.add_all(imported.steps)
    lines = dict(zip((step.id for step in imported.steps), spoken(imported), strict=True))
    paths = [[lines[step.id] for step in rollout.path(leaf)] for leaf in rollout.leaves()]
    assert paths == [
        [
            "evaluator: 1+1?",
            'target:  [add {"a":1} c1]',
            "tool: 2 <c1>",
            "target: It is 2.",
        ],
        ["evaluator: Shortened: 1+1?", "target: Hello.", "stop agent_completed by rule"],
    ]
    assert isinstance(imported.project.target, HumanTarget)
    assert imported.project.target.system == "Add."
    assert imported.key == "trace-1"
    assert imported.title == "Sums one"


def test_how_replies_of_a_trace_were_made() -> None:
    (imported,) = read_all(verifiers.READER, TRACE)
    reply = imported.steps[1]
    assert isinstance(reply.payload, TargetReply)
    assert reply.payload.finish_reason == "tool_calls"
    assert reply.payload.reasoning[0].text == "Hm."
    assert reply.call is not None
    assert (reply.call.model, reply.call.seconds, reply.call.usage.tokens) == ("m", 1.5, 11)
    assert reply.call.params == '{"temperature": 0.5}'
    assert [attempt.words for attempt in imported.attempts] == ["overloaded", "Timeout: too slow"]
    (mark,) = imported.marks
    assert (mark.step_id, mark.train) == (imported.steps[-2].id, False)
    assert isinstance(imported.steps[-1].payload, Stop)
    assert any("token ids" in note.message for note in imported.notes)


def test_rewards_are_summed_by_their_weights_and_judges_are_quoted() -> None:
    (imported,) = read_all(verifiers.READER, TRACE)
    assert [(each.name, each.value, each.explanation) for each in imported.scores] == [
        ("reward", 0.5, ""),
        ("right", 1.0, "weight 0.5"),
        ("style", 0.0, "Too short."),
        ("late", None, ""),
        ("turns", 2.0, ""),
    ]


def test_a_node_behind_one_that_is_not_there_begins_a_branch() -> None:
    nodes = [*TRACE["nodes"][:2], {"parent": 9, "message": {"role": "user", "content": "lost"}}]
    (imported,) = read_all(verifiers.READER, {**TRACE, "nodes": nodes, "calls": []})
    assert imported.steps[1].parent_id is None
    assert any("9, is not there" in note.message for note in imported.notes)


def test_how_surely_a_record_is_verifiers() -> None:
    assert verifiers.recognise(ROW) == 96
    assert verifiers.recognise(TRACE) == 97
    assert verifiers.recognise({"prompt": [], "completion": []}) == 0
    assert verifiers.recognise({"nodes": [{"id": 1}], "rewards": {}, "task": {}}) == 0


@pytest.mark.parametrize("value", [{**TRACE, "nodes": []}, {**ROW, "prompt": 1, "completion": 2}])
def test_what_holds_no_messages_is_refused(value: Any) -> None:
    with pytest.raises(FormatError, match="no messages"):
        read_all(verifiers.READER, value)


@given(mangled(ROW) | mangled(TRACE))
def test_wrong_types_give_notes_or_a_refusal(value: Any) -> None:
    survives(verifiers.READER, value)
