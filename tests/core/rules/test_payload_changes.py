"""What differs between two payloads, in words."""

from __future__ import annotations

from hypothesis import given
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    tool_result,
    user_message,
)
from rollstep.core.rules.compare import compare
from rollstep.core.rules.payload_changes import payload_changes

from ...strategies import payloads
from .test_compare import path


def test_each_field_that_differs_is_named() -> None:
    one = TargetReply(
        (Text("I look."),),
        (Reasoning("Why not?", "signed"),),
        (ToolCall("a", "get", '{"id": 1}'), ToolCall("b", "put", "{}")),
        "stop",
    )
    other = TargetReply(
        (Text("I looked."),),
        (Reasoning("Why not?", "signed anew"),),
        (ToolCall("x", "get", '{"id": 2}'),),
        "length",
    )
    found = payload_changes(one, other)
    assert [change.what for change in found] == [
        "reasoning as received",
        "text",
        "finish reason",
        "arguments of call 1",
        "call 2",
    ]
    assert found[3][1:] == ('{"id": 1}', '{"id": 2}')
    assert found[4][1:] == ("put({})", "")


def test_an_error_and_a_stop_are_told() -> None:
    found = payload_changes(tool_result("a", "x"), tool_result("b", "x", is_error=True))
    assert found == (("error", "no", "yes"),)
    found = payload_changes(user_message("why?"), Stop("goal_reached", "evaluator"))
    assert [tuple(change) for change in found] == [
        ("kind", "message", "stop"),
        ("reason", "", "goal_reached"),
        ("by", "", "evaluator"),
        ("text", "why?", ""),
    ]


@given(payloads, payloads)
def test_there_is_a_change_exactly_where_a_comparison_sees_one(
    one: Payload, other: Payload
) -> None:
    if compare(path(one), path(other)).equal:
        assert payload_changes(one, other) == ()
    elif not (_answers(one) and _answers(other)):
        assert payload_changes(one, other)


def _answers(payload: Payload) -> bool:
    """Results that stand alone may differ in nothing but which call they answer."""
    return hasattr(payload, "call_id")
