from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from rollstep.core.errors import FormatError
from rollstep.core.formats import swe_agent
from rollstep.core.model.messages import Stop, TargetReply

from .foreign import mangled, read_all, spoken, survives

ASKED = [
    {"role": "system", "content": "You fix bugs.", "agent": "main"},
    {"role": "user", "content": [{"type": "text", "text": "Fix it."}], "agent": "main"},
]
STEPS: list[dict[str, Any]] = [
    {
        "action": "ls -F",
        "observation": "setup.py",
        "response": "Let me look.\n```\nls -F\n```",
        "thought": "Let me look.",
        "execution_time": 0.4,
        "state": {"working_dir": "/repo"},
        "query": ASKED,
    },
    {
        "action": "submit",
        "observation": "",
        "response": "Done.",
        "thought": "Done.",
        "query": [*ASKED, {"role": "assistant", "content": "Let me look."}],
        "thinking_blocks": [{"type": "thinking", "thinking": "easy", "signature": "s"}],
    },
]
HISTORY: list[dict[str, Any]] = [
    *ASKED,
    {
        "role": "assistant",
        "content": "Let me look.",
        "thought": "Let me look.",
        "action": "ls -F",
        "agent": "main",
        "message_type": "action",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "bash", "arguments": '{"command": "ls -F"}'},
            }
        ],
    },
    {"role": "tool", "content": "setup.py", "agent": "main", "tool_call_ids": ["c1"]},
    {"role": "assistant", "content": "Done.", "agent": "main", "tool_calls": None},
]
RUN: dict[str, Any] = {
    "environment": "swe_main",
    "trajectory": STEPS,
    "history": HISTORY,
    "info": {"exit_status": "submitted", "submission": "diff", "model_stats": {"api_calls": 2}},
    "replay_config": json.dumps(
        {
            "agent": {"model": {"name": "claude-x"}},
            "problem_statement": {"text": "A bug.", "id": "repo__1"},
        }
    ),
}


def test_the_history_is_read_where_there_is_one() -> None:
    (imported,) = read_all(swe_agent.READER, RUN)
    assert spoken(imported) == [
        "evaluator: Fix it.",
        'target: Let me look. [bash {"command": "ls -F"} c1]',
        "tool: setup.py <c1>",
        "target: Done.",
        "stop submitted by rule",
    ]
    assert imported.project.goal == "A bug."
    assert imported.title == "repo__1"
    assert imported.steps[-1].payload == Stop("submitted", "rule", "diff")


def test_the_query_of_a_step_is_the_recorded_request_of_its_reply() -> None:
    (imported,) = read_all(swe_agent.READER, RUN)
    bodies = dict(imported.requests)
    first, second = imported.steps[1].call, imported.steps[3].call
    assert first is not None
    assert second is not None
    assert json.loads(bodies[first.request]) == {"model": "claude-x", "messages": ASKED}
    assert len(json.loads(bodies[second.request])["messages"]) == 3


def test_without_a_history_thoughts_actions_and_observations_are_the_steps() -> None:
    (imported,) = read_all(swe_agent.READER, {**RUN, "history": []})
    assert spoken(imported) == [
        "evaluator: Fix it.",
        'target: Let me look. [bash {"command": "ls -F"} call_1]',
        "tool: setup.py <call_1>",
        'target: Done. [bash {"command": "submit"} call_2]',
        "tool:  <call_2>",
        "stop submitted by rule",
    ]
    replies = [s.payload for s in imported.steps if isinstance(s.payload, TargetReply)]
    assert all(call.made_id for reply in replies for call in reply.tool_calls)
    assert replies[1].reasoning[0].signature == "s"
    assert '"working_dir": "/repo"' in imported.steps[1].extra


def test_messages_of_other_agents_are_noted() -> None:
    other = {"role": "assistant", "content": "I choose the first.", "agent": "chooser"}
    (imported,) = read_all(swe_agent.READER, {**RUN, "history": [*HISTORY, other]})
    assert len(imported.steps) == 5
    assert any("'chooser'" in note.message for note in imported.notes)


def test_a_run_that_gave_nothing_says_so() -> None:
    info = {"exit_status": "exit_cost", "submission": None, "review": {"accept": False}}
    (imported,) = read_all(swe_agent.READER, {**RUN, "info": info})
    exit_status, review = imported.scores
    assert exit_status.value == "exit_cost"
    assert exit_status.explanation == "nothing was submitted"
    assert (review.name, review.value) == ("review: accept", 0.0)


def test_how_surely_a_record_is_swe_agent() -> None:
    assert swe_agent.recognise(RUN) > 90
    assert swe_agent.recognise({"trajectory": [], "history": [], "info": {}}) == 90
    assert swe_agent.recognise({"trajectory": [{"role": "user"}]}) == 0


def test_what_holds_nothing_is_refused() -> None:
    with pytest.raises(FormatError, match="no steps"):
        read_all(swe_agent.READER, {"trajectory": [], "history": [], "info": {}})


@given(mangled(RUN) | mangled({**RUN, "history": []}))
def test_wrong_types_give_notes_or_a_refusal(value: Any) -> None:
    survives(swe_agent.READER, value)
