from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from rollstep.core.errors import FormatError
from rollstep.core.formats import mini_swe_agent
from rollstep.core.model.messages import Stop
from rollstep.core.model.project import HumanTarget

from .foreign import mangled, read_all, spoken, survives

ASK = "Fix the bug. To finish: `echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT`"
ACT = "THOUGHT: look around.\n\n```bash\nls -la\n```"
BARE: list[Any] = [
    {"role": "system", "content": "Exactly ONE bash block."},
    {"role": "user", "content": ASK},
    {"role": "assistant", "content": ACT},
    {"role": "user", "content": "<returncode>0</returncode>\n<output>\nsetup.py\n</output>"},
]
FIRST: dict[str, Any] = {
    "info": {
        "exit_status": "Submitted",
        "submission": "diff --git a b",
        "model_stats": {"instance_cost": 0.5, "api_calls": 1},
        "mini_version": "1.14.0",
    },
    "messages": BARE,
    "trajectory_format": "mini-swe-agent-1",
    "instance_id": "django__django-1",
}
WITH_EXIT: dict[str, Any] = {
    "info": {"exit_status": "LimitsExceeded", "submission": "", "config": {"agent": {}}},
    "messages": [
        BARE[0],
        {"role": "user", "content": ASK, "extra": {"timestamp": 1767225600.5}},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "bash", "arguments": '{"command":"ls"}'},
                }
            ],
            "extra": {
                "actions": [{"command": "ls"}],
                "cost": 0.25,
                "timestamp": 1767225601.0,
                "response": {
                    "id": "r1",
                    "model": "gpt-x",
                    "usage": {"prompt_tokens": 9, "completion_tokens": 2},
                },
            },
        },
        {"role": "tool", "tool_call_id": "c1", "content": "<returncode>0</returncode>"},
        {
            "role": "exit",
            "content": "",
            "extra": {"exit_status": "LimitsExceeded", "submission": ""},
        },
    ],
    "trajectory_format": "mini-swe-agent-1.1",
}


def test_a_bare_list_is_read_as_the_model_saw_it() -> None:
    (imported,) = read_all(mini_swe_agent.READER, BARE)
    assert spoken(imported) == [
        f"evaluator: {ASK}",
        f"target: {ACT}",
        "evaluator: <returncode>0</returncode>\n<output>\nsetup.py\n</output>",
    ]
    assert isinstance(imported.project.target, HumanTarget)
    assert imported.project.target.system == "Exactly ONE bash block."


def test_the_end_in_info_is_the_stop_and_a_score() -> None:
    (imported,) = read_all(mini_swe_agent.READER, FIRST)
    assert imported.steps[-1].payload == Stop("Submitted", "rule", "diff --git a b")
    (score,) = imported.scores
    assert (score.name, score.value) == ("exit_status", "Submitted")
    assert imported.title == "django__django-1"
    assert '"mini_version": "1.14.0"' in imported.project.metadata
    assert '"instance_id"' in imported.extra


def test_a_message_of_the_role_exit_is_the_stop() -> None:
    (imported,) = read_all(mini_swe_agent.READER, WITH_EXIT)
    assert spoken(imported)[1:] == [
        'target:  [bash {"command":"ls"} c1]',
        "tool: <returncode>0</returncode> <c1>",
        "stop LimitsExceeded by rule",
    ]
    call = imported.steps[1].call
    assert call is not None
    assert (call.model, call.cost, call.usage.tokens, call.response_id) == ("gpt-x", 0.25, 11, "r1")
    assert imported.created_at == 1767225600.5
    assert imported.scores[0].explanation == "nothing was submitted"


def test_how_surely_a_record_is_mini_swe_agent() -> None:
    assert mini_swe_agent.recognise(BARE) > 90
    assert mini_swe_agent.recognise(FIRST) == 99
    assert mini_swe_agent.recognise({"messages": [], "info": {"exit_status": None}}) == 95
    assert mini_swe_agent.recognise({"messages": BARE}) == 0
    assert (
        mini_swe_agent.recognise([{"role": "user", "content": "run ```bash\nls\n``` please"}]) == 0
    )


@pytest.mark.parametrize("value", [[], {}, {"messages": []}, {"messages": 3}])
def test_what_holds_no_messages_is_refused(value: Any) -> None:
    with pytest.raises(FormatError, match="no messages"):
        read_all(mini_swe_agent.READER, value)


@given(mangled(WITH_EXIT) | mangled(BARE) | mangled(FIRST))
def test_wrong_types_give_notes_or_a_refusal(value: Any) -> None:
    survives(mini_swe_agent.READER, value)
