"""The table: every row, and everything that it forbids."""

import pytest
from rollstep.core.errors import IllegalStepError
from rollstep.core.model.messages import (
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import PythonSimulator, RulesSimulator, SimulatorSpec
from rollstep.core.rules.stepper import (
    START,
    Ask,
    Nobody,
    Opening,
    Position,
    RuleStop,
    advance,
    advance_anyway,
    next_action,
    together,
    why_illegal,
)

from ..projects_for_tests import refund

A, B = ToolCall("a", "get_order", "{}"), ToolCall("b", "get_order", "{}")
CALLS = TargetReply((), tool_calls=(A, B))


def at(*payloads: Payload) -> Position:
    position = START
    for payload in payloads:
        position = advance(position, payload)
    return position


USER, REPLY = user_message("hi"), target_reply("yes")
RESULT_A, RESULT_B = tool_result("a", "1"), tool_result("b", "2")
STOP = Stop("goal_reached", "evaluator")


@pytest.mark.parametrize(
    ("path", "action"),
    [
        ((), Opening("My blender is broken.")),
        ((USER,), Ask("target", 0)),
        ((USER, CALLS), Ask("tool", 0, A)),
        ((USER, CALLS, RESULT_A), Ask("tool", 0, B)),
        ((USER, CALLS, RESULT_B), Ask("tool", 0, A)),
        ((USER, CALLS, RESULT_A, RESULT_B), Ask("target", 0)),
        ((USER, REPLY), Ask("evaluator", 1)),
        ((USER, REPLY, USER, REPLY), Ask("evaluator", 2, last_chance=True)),
        ((USER, REPLY, STOP), Nobody()),
    ],
)
def test_each_row_of_the_table(path: tuple[Payload, ...], action: object) -> None:
    assert next_action(at(*path), refund(max_turns=2)) == action


def test_without_an_opening_the_evaluator_is_asked() -> None:
    assert next_action(START, refund(opening=None)) == Ask("evaluator", 0)


def test_an_empty_opening_is_sent() -> None:
    assert next_action(START, refund(opening="")) == Opening("")


def test_after_max_steps_per_turn_a_rule_stops_instead_of_asking_the_target() -> None:
    project = refund(max_steps_per_turn=4)
    assert next_action(at(USER, CALLS, RESULT_A, RESULT_B), project) == RuleStop("max_steps")
    assert next_action(at(USER), refund(max_steps_per_turn=1)) == Ask("target", 0)


@pytest.mark.parametrize(
    ("path", "payload", "words"),
    [
        ((), REPLY, "the evaluator's move"),
        ((USER,), USER, "the target's move"),
        ((USER,), RESULT_A, "No open call"),
        ((USER, CALLS), REPLY, "the tool simulator's move"),
        ((USER, CALLS, RESULT_A), RESULT_A, "No open call has the id 'a'"),
        ((USER, CALLS), STOP, "evaluator cannot stop here"),
        ((USER, REPLY), SystemNote(()), "only from an import"),
        ((USER, REPLY, STOP), USER, "Nothing can follow a stop"),
        ((USER, REPLY, STOP), Stop("x", "human"), "Nothing can follow a stop"),
    ],
)
def test_what_the_table_forbids(path: tuple[Payload, ...], payload: Payload, words: str) -> None:
    position = at(*path)
    with pytest.raises(IllegalStepError, match=words):
        advance(position, payload)


def test_a_human_or_a_rule_may_stop_anywhere() -> None:
    assert why_illegal(at(USER, CALLS), Stop("unrecoverable", "human")) == ""
    assert why_illegal(at(USER), Stop("max_steps", "rule")) == ""


def test_calls_with_the_same_id_are_answered_one_by_one() -> None:
    twin = TargetReply((), tool_calls=(A, A))
    position = at(USER, twin, RESULT_A)
    assert position.open_calls == (A,)
    assert at(USER, twin, RESULT_A, RESULT_A).due == "target"


def test_an_import_may_hold_anything_and_still_has_a_next() -> None:
    position = START
    for payload in (RESULT_A, REPLY, USER, USER, SystemNote(()), CALLS, USER):
        position = advance_anyway(position, payload)
    assert position.due == "target"
    assert position.depth == 7


@pytest.mark.parametrize(
    ("simulator", "count"),
    [
        (PythonSimulator("x:y", independent=True), 2),
        (PythonSimulator("x:y"), 0),
        (RulesSimulator(independent=True), 0),
        (None, 0),
    ],
)
def test_only_an_independent_simulator_that_waits_is_asked_for_all_open_calls(
    simulator: SimulatorSpec | None, count: int
) -> None:
    calls = (ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}"))
    position = advance(advance(START, user_message("Hi")), TargetReply((), tool_calls=calls))
    project = refund(tool_simulator=simulator)
    asks = together(position, project)
    assert [ask.call for ask in asks] == list(calls[:count])
    assert asks[:1] in ((), (next_action(position, project),))
    assert together(advance(position, tool_result("a", "one")), project) == ()
