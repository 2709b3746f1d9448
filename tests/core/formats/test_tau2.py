from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from rollstep.core.errors import FormatError
from rollstep.core.formats import tau2
from rollstep.core.formats.reading.files import read_records
from rollstep.core.model.messages import Stop, UserMessage, payload_text
from rollstep.core.model.project import HumanTarget

from .foreign import mangled, read_all, spoken, survives

SIMULATION: dict[str, Any] = {
    "id": "sim-1",
    "task_id": "7",
    "trial": 0,
    "start_time": "2026-03-01T10:00:00.000000",
    "end_time": "2026-03-01T10:02:00.000000",
    "duration": 120.0,
    "termination_reason": "user_stop",
    "agent_cost": 0.02,
    "messages": [
        {"role": "assistant", "content": "Hi! How can I help?", "turn_idx": 0, "tool_calls": None},
        {"role": "user", "content": "My order 4471 is broken.", "turn_idx": 1},
        {
            "role": "assistant",
            "content": None,
            "turn_idx": 2,
            "tool_calls": [
                {
                    "id": "c1",
                    "name": "get_order",
                    "arguments": {"order_id": "4471", "price": 1.10},
                    "requestor": "assistant",
                }
            ],
            "cost": 0.01,
            "usage": {"prompt_tokens": 50, "completion_tokens": 5},
            "generation_time_seconds": 1.5,
            "timestamp": "2026-03-01T10:00:05+00:00",
        },
        {
            "id": "c1",
            "role": "tool",
            "content": "no such order",
            "requestor": "assistant",
            "error": True,
            "turn_idx": 3,
        },
        {
            "role": "user",
            "content": None,
            "turn_idx": 4,
            "tool_calls": [
                {"id": "u1", "name": "look_at_box", "arguments": {}, "requestor": "user"}
            ],
        },
        {"id": "u1", "role": "tool", "content": "4417", "requestor": "user", "turn_idx": 5},
        {"role": "user", "content": "It is 4417. ###STOP###", "turn_idx": 6},
    ],
    "reward_info": {
        "reward": 0.0,
        "reward_basis": ["DB", "ACTION", "COMMUNICATE"],
        "reward_breakdown": {"DB": 0.0, "ACTION": 0.0, "COMMUNICATE": 1.0},
        "db_check": {"db_match": False, "db_reward": 0.0},
        "action_checks": [
            {
                "action": {
                    "action_id": "7_1",
                    "name": "get_order",
                    "arguments": {"order_id": "4417"},
                    "compare_args": ["order_id"],
                },
                "action_match": False,
                "action_reward": 0.0,
            },
            {
                "action": {
                    "action_id": "7_2",
                    "name": "issue_refund",
                    "arguments": {"order_id": "4417"},
                    "requestor": "assistant",
                },
                "action_match": False,
                "action_reward": 0.0,
            },
            {
                "action": {"action_id": "7_3", "name": "look_at_box", "arguments": {}},
                "action_match": True,
                "action_reward": 1.0,
            },
        ],
        "nl_assertions": [
            {"nl_assertion": "The agent is kind", "met": True, "justification": "It said hi."}
        ],
        "communicate_checks": [{"info": "help", "met": True, "justification": ""}],
        "env_assertions": [
            {
                "env_assertion": {
                    "env_type": "user",
                    "func_name": "assert_box",
                    "arguments": {"open": True},
                },
                "met": False,
                "reward": 0.0,
            }
        ],
    },
    "review": {
        "summary": "The agent gave up.",
        "has_errors": True,
        "errors": [
            {
                "source": "agent",
                "error_tags": ["gave_up"],
                "severity": "critical",
                "turn_idx": 2,
                "reasoning": "It asked once only.",
                "correct_behavior": "Ask again.",
            }
        ],
    },
}
AROUND: dict[str, Any] = {
    "info": {
        "agent_info": {"implementation": "llm_agent", "llm": "gpt-x"},
        "user_info": {"implementation": "user_simulator", "llm": "gpt-u"},
        "environment_info": {
            "domain_name": "retail",
            "policy": "Refund broken things.",
            "tool_defs": {"get_order": {"doc": "Find it", "params": {"type": "object"}}},
        },
    },
    "tasks": [
        {
            "id": "7",
            "user_scenario": {
                "persona": "Impatient.",
                "instructions": {"reason_for_call": "A refund.", "known_info": "Order 4417."},
            },
        }
    ],
}


def test_a_simulation_is_read_with_the_calls_of_both_sides() -> None:
    (imported,) = read_all(tau2.READER, SIMULATION, AROUND)
    assert spoken(imported) == [
        "target: Hi! How can I help?",
        "evaluator: My order 4471 is broken.",
        'target:  [get_order {"order_id": "4471", "price": 1.1} c1]',
        "tool: no such order <c1 error>",
        "evaluator:  [look_at_box {} u1]",
        "tool: 4417 <u1>",
        "stop user_stop by evaluator",
    ]
    assert imported.title == "retail 7, trial 0"
    assert imported.key == "sim-1"
    assert imported.created_at > 1.7e9


@pytest.mark.parametrize("token", ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"])
@pytest.mark.parametrize("reason", ["user_stop", None])
def test_the_message_with_which_the_user_stops_is_the_stop(token: str, reason: str | None) -> None:
    last = {"role": "user", "content": f"Thanks! {token}", "turn_idx": 6, "cost": 0.1}
    messages = [*SIMULATION["messages"][:-1], last]
    value = {**SIMULATION, "termination_reason": reason, "messages": messages}
    (imported,) = read_all(tau2.READER, value, AROUND)
    end = imported.steps[-1]
    assert end.payload == Stop("user_stop", "evaluator", f"Thanks! {token}")
    assert (end.parent_id, end.call and end.call.cost) == (imported.steps[-2].id, 0.1)
    assert [type(step.payload) for step in imported.steps].count(Stop) == 1


@pytest.mark.parametrize(
    ("reason", "last"),
    [
        ("max_steps", {"role": "user", "content": "###STOP###"}),
        ("user_stop", {"role": "user", "content": "No STOP here."}),
        ("agent_stop", {"role": "assistant", "content": "###STOP###"}),
    ],
)
def test_what_did_not_end_the_simulation_stays_a_message(reason: str, last: Any) -> None:
    messages = [*SIMULATION["messages"][:2], last]
    value = {**SIMULATION, "termination_reason": reason, "messages": messages}
    (imported,) = read_all(tau2.READER, value, AROUND)
    assert payload_text(imported.steps[-2].payload) == last["content"]
    end = imported.steps[-1].payload
    assert isinstance(end, Stop)
    assert (end.reason, end.note) == (reason, "")


def test_the_task_gives_goal_tools_and_policy() -> None:
    (imported,) = read_all(tau2.READER, SIMULATION, AROUND)
    project = imported.project
    assert project.goal == "Impatient.\n\nA refund.\n\nOrder 4417."
    assert isinstance(project.target, HumanTarget)
    assert project.target.system == "Refund broken things."
    assert [tool.name for tool in project.tools] == ["get_order"]
    assert imported.notes == ()


def test_what_a_message_cost_and_which_model_made_it() -> None:
    (imported,) = read_all(tau2.READER, SIMULATION, AROUND)
    call = imported.steps[2].call
    assert call is not None
    assert (call.model, call.cost, call.seconds, call.usage.tokens) == ("gpt-x", 0.01, 1.5, 55)
    assert imported.steps[2].created_at > 0
    assert imported.steps[0].call is None


def test_the_reward_says_why_and_cites_the_steps() -> None:
    (imported,) = read_all(tau2.READER, SIMULATION, AROUND)
    ids = [step.id for step in imported.steps]
    scores = {score.name: score for score in imported.scores}
    reward = imported.scores[0]
    assert (reward.name, reward.value, reward.judge) == ("reward", 0.0, "tau2")
    assert "issue_refund never called" in reward.explanation
    assert "called with other arguments" in reward.explanation
    assert "another state" in reward.explanation
    assert reward.step_ids == (ids[2],)
    assert scores["action: 7_1"].step_ids == (ids[2],)
    assert scores["action: 7_2"].step_ids == ()
    assert scores["action: 7_3"].step_ids == (ids[4],)
    assert scores["nl assertion: The agent is kind"].explanation == "It said hi."
    assert scores["communicate: help"].step_ids == (ids[0],)
    assert scores["env assertion: assert_box(open=true)"].value == 0.0
    review = scores["review: agent, gave_up"]
    assert (review.value, review.step_ids) == ("critical", (ids[2],))
    assert review.explanation == "It asked once only.\nShould have been: Ask again."


def test_a_whole_document_gives_each_of_its_simulations() -> None:
    found = read_all(tau2.READER, {**AROUND, "simulations": [SIMULATION, SIMULATION]})
    assert [imported.key for imported in found] == ["sim-1", "sim-1"]
    assert found[0].steps[0].id != found[1].steps[0].id


def test_results_of_several_calls_in_one_message_are_a_step_each() -> None:
    results = [{"role": "tool", "id": name, "content": name} for name in ("a", "b")]
    calls = [{"id": name, "name": "f", "arguments": {}} for name in ("a", "b")]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_messages": results},
    ]
    (imported,) = read_all(tau2.READER, {**SIMULATION, "messages": messages, "reward_info": None})
    assert spoken(imported)[2:4] == ["tool: a <a>", "tool: b <b>"]


def test_a_spoken_conversation_is_joined_from_its_ticks() -> None:
    ticks = [
        {"tick_id": 0, "agent_chunk": {"content": "Good "}, "user_chunk": {"content": ""}},
        {"tick_id": 1, "agent_chunk": {"content": "morning."}},
        {"tick_id": 2, "user_chunk": {"content": "Hello"}},
        {
            "tick_id": 3,
            "agent_tool_calls": [{"id": "c", "name": "f", "arguments": {}}],
            "agent_tool_results": [{"role": "tool", "id": "c", "content": "7"}],
        },
    ]
    (imported,) = read_all(tau2.READER, {**SIMULATION, "messages": None, "ticks": ticks})
    assert spoken(imported)[:4] == [
        "target: Good morning.",
        "evaluator: Hello",
        "target:  [f {} c]",
        "tool: 7 <c>",
    ]
    assert any("4 ticks" in note.message for note in imported.notes)


@pytest.mark.parametrize("results", [json.dumps(AROUND), "{", None])
def test_a_simulation_in_a_file_of_its_own_belongs_to_the_results_beside_it(
    tmp_path: Path, results: str | None
) -> None:
    folder = tmp_path / "simulations"
    folder.mkdir()
    (folder / "sim-1.json").write_text(json.dumps(SIMULATION, indent=1))
    if results is not None:
        (tmp_path / "results.json").write_text(results)
    (read,) = read_records(folder / "sim-1.json")
    (imported,) = read.imported
    assert len(imported.steps) == 7
    told = results == json.dumps(AROUND)
    assert bool(imported.project.goal) == bool(imported.project.tools) == told


def test_how_surely_a_record_is_tau2() -> None:
    assert tau2.recognise(SIMULATION) > 90
    assert tau2.recognise({**AROUND, "simulations": [SIMULATION]}) > 90
    assert tau2.recognise({"task_id": 1, "messages": []}) == 0
    assert tau2.recognise({"messages": []}) == 0
    assert tau2.recognise([SIMULATION]) == 0


@pytest.mark.parametrize("value", [[], {"simulations": []}, {"task_id": "1", "messages": []}])
def test_what_holds_no_messages_is_refused(value: Any) -> None:
    with pytest.raises(FormatError):
        read_all(tau2.READER, value)


def test_the_stop_keeps_the_word_of_the_source() -> None:
    (imported,) = read_all(tau2.READER, {**SIMULATION, "termination_reason": "too_many_errors"})
    assert imported.steps[-1].payload == Stop("too_many_errors", "rule")
    assert isinstance(imported.steps[-2].payload, UserMessage)


@given(mangled(SIMULATION), mangled(AROUND))
def test_wrong_types_give_notes_or_a_refusal(value: Any, around: Any) -> None:
    survives(tau2.READER, value, around)
