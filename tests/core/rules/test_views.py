"""Who sees what: views are computed from the path, and no role sees what is not its own."""

import pytest
from rollstep.core.model.messages import (
    Reasoning,
    TargetReply,
    Text,
    ToolCall,
    UserMessage,
    parts_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import RulesSimulator, ScriptedEvaluator
from rollstep.core.model.steps import Call, Step, Usage, role_of
from rollstep.core.rules.views import PathState, view_for

from ..projects_for_tests import refund

THOUGHT = (Reasoning("secret", "sig"),)
CALLS = (ToolCall("a", "get_order", '{"order_id": 1}'), ToolCall("b", "check_policy", "{}"))
PATH = (
    UserMessage((Text("hi"),), reasoning=THOUGHT),
    TargetReply((), reasoning=THOUGHT, tool_calls=CALLS),
    tool_result("a", "one"),
    tool_result("b", "two"),
    TargetReply((Text("done"),), reasoning=THOUGHT),
)


def steps(*payloads: object) -> list[Step]:
    made: list[Step] = []
    for index, payload in enumerate(payloads):
        parent = made[-1].id if made else None
        made.append(Step(str(index), parent, role_of(payload), payload, "script"))  # type: ignore[arg-type]
    return made


def sees(value: str) -> object:
    return refund(evaluator=ScriptedEvaluator(sees_tools=value))  # type: ignore[arg-type]


def test_the_target_keeps_its_reasoning_and_never_sees_the_evaluators() -> None:
    messages = view_for(refund(), steps(*PATH), "target").messages
    assert messages[0] == user_message("hi")
    assert messages[1:] == PATH[1:]


def test_the_evaluator_keeps_its_reasoning_and_never_sees_the_targets() -> None:
    messages = view_for(sees("full"), steps(*PATH), "evaluator").messages  # type: ignore[arg-type]
    assert messages[0] == PATH[0]
    assert messages[1] == TargetReply((), tool_calls=CALLS)
    assert messages[-1] == target_reply("done")


@pytest.mark.parametrize(
    ("value", "count", "arguments"), [("none", 2, None), ("names", 3, "{}"), ("full", 5, None)]
)
def test_the_evaluator_sees_of_tools_what_the_project_says(
    value: str, count: int, arguments: str | None
) -> None:
    messages = view_for(sees(value), steps(*PATH), "evaluator").messages  # type: ignore[arg-type]
    assert len(messages) == count
    if arguments:
        assert {call.arguments for call in messages[1].tool_calls} == {arguments}  # type: ignore[union-attr]


def test_text_beside_a_call_reaches_the_evaluator_without_the_call() -> None:
    path = steps(user_message("hi"), TargetReply((Text("Looking."),), tool_calls=CALLS))
    messages = view_for(sees("none"), path, "evaluator").messages  # type: ignore[arg-type]
    assert messages[1] == target_reply("Looking.")


def test_the_tool_simulator_sees_earlier_results_and_nobodys_reasoning() -> None:
    view = view_for(refund(), steps(*PATH[:3]), "tool")
    assert view.call == CALLS[1]
    assert view.messages == (
        user_message("hi"),
        TargetReply((), tool_calls=CALLS),
        tool_result("a", "one"),
    )


def test_an_independent_simulator_does_not_see_the_same_replys_results() -> None:
    project = refund(tool_simulator=RulesSimulator(independent=True))
    view = view_for(project, steps(*PATH[:3]), "tool")
    assert len(view.messages) == 2


def test_turn_index_counts_from_zero_and_is_the_next_turn_for_the_evaluator() -> None:
    assert view_for(refund(), steps(*PATH), "evaluator").turn_index == 1
    assert view_for(refund(), steps(*PATH), "target").turn_index == 0
    assert view_for(refund(), (), "evaluator").turn_index == 0


def test_used_script_lines_follow_from_the_path() -> None:
    path = steps(user_message("hi"), target_reply("one"), user_message("x"))
    path[1] = Step("1", "0", "target", target_reply("one"), "human", script_index=4)
    assert view_for(refund(), path, "target").used == (4,)
    assert view_for(refund(), path, "evaluator").used == ()


def test_cost_and_tokens_are_those_of_the_path() -> None:
    state = PathState(refund())
    call = Call("m", usage=Usage(10, 5), cost=0.5)
    state.extend(Step("0", None, "evaluator", user_message("hi"), "model", call=call))
    state.extend(Step("1", "0", "target", target_reply("x"), "model", call=call))
    state.extend(Step("2", "1", "evaluator", user_message("y"), "script"))
    assert (state.cost, state.tokens) == (1.0, 30)


def test_views_cannot_be_changed() -> None:
    view = view_for(refund(), steps(*PATH), "target")
    with pytest.raises(AttributeError):
        view.messages = ()  # type: ignore[misc]
    assert isinstance(view.messages, tuple)


def test_the_rng_is_the_same_for_the_same_place_and_take() -> None:
    first = view_for(refund(), steps(*PATH), "target", seed="1")
    again = view_for(refund(), steps(*PATH), "target", seed="1")
    other = view_for(refund(), steps(*PATH), "target", seed="1", take_index=1)
    assert first.rng().random() == again.rng().random() != other.rng().random()


def test_parts_are_joined_as_they_are() -> None:
    assert parts_text((Text(" a"), Text("b "))) == " ab "
