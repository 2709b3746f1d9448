"""Scripted evaluators and targets."""

from __future__ import annotations

import pytest
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.model.messages import (
    Reasoning,
    Stop,
    TargetReply,
    ToolCall,
    UserMessage,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    EvaluatorLine,
    ScriptedCall,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
    When,
)
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.scripted import ScriptedEvaluatorRole, ScriptedTargetRole

from .making import view

SAID = (user_message("Hi, it arrived cracked."),)


def evaluator(*lines: EvaluatorLine) -> ScriptedEvaluatorRole:
    return ScriptedEvaluatorRole(ScriptedEvaluator(lines))


def target(*lines: TargetLine) -> ScriptedTargetRole:
    return ScriptedTargetRole(ScriptedTarget(lines))


async def test_the_lines_are_said_in_order_and_name_their_index() -> None:
    role = evaluator(EvaluatorLine("a"), EvaluatorLine("b"))
    assert await role.next(view("evaluator")) == Answer(user_message("a"), script_index=0)
    second = await role.next(view("evaluator", turn=1, used=(0,)))
    assert second == Answer(user_message("b"), script_index=1)


async def test_the_end_of_the_script_is_goal_reached() -> None:
    answer = await evaluator(EvaluatorLine("a")).next(view("evaluator", turn=1, used=(0,)))
    assert answer.payload == Stop("goal_reached", "evaluator")
    assert (await evaluator().next(view("evaluator"))).payload == Stop("goal_reached", "evaluator")


async def test_after_the_last_permitted_turn_it_is_max_turns_whatever_lines_are_left() -> None:
    role = evaluator(EvaluatorLine("a"), EvaluatorLine(stop="unrecoverable"))
    answer = await role.next(view("evaluator", turn=3, max_turns=3))
    assert answer.payload == Stop("max_turns", "evaluator")
    assert answer.script_index is None


async def test_a_stop_line_stops_with_its_own_reason_and_note() -> None:
    role = evaluator(EvaluatorLine("He gave up.", stop="gave_up"))
    answer = await role.next(view("evaluator"))
    assert answer == Answer(Stop("gave_up", "evaluator", "He gave up."), script_index=0)


async def test_an_empty_line_is_said_and_an_empty_one_without_text_is_the_end() -> None:
    assert (await evaluator(EvaluatorLine("")).next(view("evaluator"))).payload == UserMessage(())
    stop = await evaluator(EvaluatorLine()).next(view("evaluator"))
    assert stop.payload == Stop("goal_reached", "evaluator")


async def test_reasoning_is_kept_beside_the_text() -> None:
    answer = await evaluator(EvaluatorLine("a", reasoning="be rude")).next(view("evaluator"))
    assert answer.payload == UserMessage(user_message("a").parts, (Reasoning("be rude"),))


async def test_the_first_unused_line_whose_condition_holds_is_given() -> None:
    role = target(
        TargetLine("sorry", when=When(text="cracked")),
        TargetLine("late?", when=When(text="late")),
        TargetLine("anything else?"),
    )
    assert (await role.reply(view("target", *SAID))).script_index == 0
    late = user_message("It is LATE")
    assert (await role.reply(view("target", late, used=(0,)))).script_index == 1
    assert (await role.reply(view("target", *SAID, used=(0,)))).script_index == 2


async def test_an_override_changes_what_follows() -> None:
    role = target(
        TargetLine(tool_calls=(ScriptedCall("get_order"),), when=When(text="order")),
        TargetLine("It is lost: refunded.", when=When(result='{"/status": "lost"}')),
        TargetLine("It is on its way.", when=When(tool="get_order")),
    )
    asked = user_message("my order?")
    called = target_reply("", (ToolCall("call_1_1", "get_order", "{}"),))
    real = tool_result("call_1_1", '{"status": "shipped"}')
    edited = tool_result("call_1_1", '{"status": "lost"}')
    first = await role.reply(view("target", asked, called, real, used=(0,)))
    second = await role.reply(view("target", asked, called, edited, used=(0,)))
    assert payload_text(first.payload) == "It is on its way."
    assert payload_text(second.payload) == "It is lost: refunded."


async def test_takes_are_given_in_turn_and_start_over() -> None:
    role = target(TargetLine("one", takes=("two", "three")))
    texts = [
        payload_text((await role.reply(view("target", *SAID, take=take))).payload)
        for take in range(5)
    ]
    assert texts == ["one", "two", "three", "one", "two"]


async def test_calls_get_ids_that_say_where_they_stand() -> None:
    role = target(TargetLine("", tool_calls=(ScriptedCall("a", '{"x": 1.0}'), ScriptedCall("b"))))
    answer = await role.reply(view("target", *SAID, turn=2))
    assert isinstance(answer.payload, TargetReply)
    assert answer.payload.tool_calls == (
        ToolCall("call_3_1", "a", '{"x": 1.0}'),
        ToolCall("call_3_2", "b", "{}"),
    )


async def test_ids_are_unique_within_the_path_and_the_same_each_time() -> None:
    """A path whose turns were deleted or inserted holds ids of other turns' numbers."""
    role = target(TargetLine("", tool_calls=(ScriptedCall("a"), ScriptedCall("b"))))
    before = (
        *SAID,
        target_reply("", (ToolCall("call_1_2", "a", "{}"), ToolCall("mine", "a", "{}"))),
        tool_result("call_1_2", "1"),
        tool_result("mine", "2"),
    )
    answers = [(await role.reply(view("target", *before))).payload for _ in range(2)]
    assert isinstance(answers[0], TargetReply)
    assert [call.id for call in answers[0].tool_calls] == ["call_1_1", "call_1_3"]
    assert answers[0] == answers[1]


async def test_no_reply_left_says_what_it_was_told_and_what_to_do() -> None:
    role = target(TargetLine("a", when=When(text="nothing of the kind")), TargetLine("b"))
    with pytest.raises(RoleError) as caught:
        await role.reply(view("target", *SAID, used=(1,)))
    assert caught.value.kind == "not_ready"
    assert "no reply left that fits “Hi, it arrived cracked.”" in str(caught.value)
    assert "1 of its 2 replies are used up" in str(caught.value)
    assert "by hand" in str(caught.value)


def test_a_broken_condition_is_refused_when_the_role_is_made() -> None:
    with pytest.raises(UsageError, match=r"target\.replies\[1\]\.when: The regex"):
        target(TargetLine("a"), TargetLine("b", when=When(regex="(")))


async def test_a_long_script_goes_on_where_it_is() -> None:
    role = evaluator(*(EvaluatorLine(str(i)) for i in range(50)))
    used = tuple(range(40))
    assert (await role.next(view("evaluator", turn=3, used=used))).script_index == 40
