"""What one step says alone, and evaluators that give themselves away."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    TargetReply,
    Text,
    UserMessage,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import LlmEvaluator
from rollstep.core.rules.lint.alone import _cheap, cheap, is_plain

from ....strategies import payloads
from .paths import BYE, HELLO, asks, call, flags, project, result, step


@pytest.mark.parametrize(
    ("payload", "rules"),
    [
        (user_message("x"), []),
        (user_message(""), ["empty"]),
        (user_message(" \n\t\u00a0"), ["empty"]),
        (user_message(" x"), []),
        (UserMessage((OtherPart("image", "image/png", 3, "{}"),)), []),
        (target_reply(""), ["empty"]),
        (asks(call("a"), text=""), []),
        (TargetReply((), refusal="No."), ["refused"]),
        (tool_result("a", ""), ["empty"]),
        (tool_result("a", "no", is_error=True), ["tool-error"]),
        (TargetReply(text_parts("Hm"), finish_reason="length"), ["cut-off"]),
        (TargetReply(text_parts("Hm"), finish_reason="stop"), []),
        (asks(call("a", arguments="{")), ["bad-arguments"]),
    ],
)
def test_what_a_payload_says_alone(payload: Payload, rules: list[str]) -> None:
    assert [each.rule for each in cheap(step("s", payload))] == rules


def test_what_else_a_step_says_alone() -> None:
    odd = step(
        "s", tool_result("a", "x"), state="{}", state_stale=True, late=True, injected="empty"
    )
    assert [each.rule for each in cheap(odd)] == ["stale-state", "late", "injected"]
    assert cheap(step("s", tool_result("a", "x"), state="{}")) == ()


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("ad\u200bmin", True),
        ("a\x1b[31mred", True),
        ("你好，请帮我退款" * 400 + "\u202e", True),
        ("你好，请帮我退款" * 400, False),
        ("🏳️‍🌈 and می‌خواهم", False),
        ("a\tb\nc\r\nd", False),
        ("10%\r20%", True),
    ],
)
def test_hidden_characters(text: str, flagged: bool) -> None:
    assert flags(HELLO, target_reply(text)) == ([("s2", "hidden-characters")] if flagged else [])


def test_hidden_characters_in_arguments() -> None:
    odd = asks(call("a", arguments='{"id": "1\u200b"}'))
    assert flags(HELLO, odd, result("a"), BYE) == [("s2", "hidden-characters")]


# -- leaks ------------------------------------------------------------------------------------

TOLD = LlmEvaluator(
    "some/model",
    persona="Impatient; says 'please'. Gives the order number only when asked for it.",
    instructions=(
        'Begin with "Good day to you all, dear friends of mine". '
        "只有在被问到的时候才说出你的订单号码。"
    ),
    stop_when="The refund is confirmed or refused with a clear reason why not.",
)


@pytest.mark.parametrize(
    "text",
    [
        "I give: GIVES the order-number, only when asked for it!",
        "Stop: the refund is confirmed or refused.",
        "我会：只有在被问到的时候，才说出你的订单号码",
    ],
)
def test_an_evaluator_that_repeats_what_it_was_told_leaks(text: str) -> None:
    assert flags(user_message(text), projects=[project(evaluator=TOLD)]) == [
        ("s1", "evaluator-leak")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The order number only when you asked.",
        "I want the refund, or a clear reason why not, thank you.",
        "Good day to you all, dear friends of mine!",
        "只有在被问到的时候",
    ],
)
def test_a_few_words_the_goal_and_what_is_quoted_are_no_leak(text: str) -> None:
    told = project(evaluator=TOLD, goal="A refund, or refused with a clear reason why not.")
    assert flags(user_message(text), projects=[told]) == []


def test_the_opening_is_no_leak_and_the_target_may_say_anything() -> None:
    opening = "Gives the order number only when asked for it."
    assert flags(user_message(opening), projects=[project(evaluator=TOLD, opening=opening)]) == []
    said = (HELLO, TargetReply((Text(opening),)))
    assert flags(*said, projects=[project(evaluator=TOLD)]) == []


@given(payloads, st.sampled_from([{}, {"late": True}, {"state_stale": True}, {"injected": "x"}]))
def test_what_is_plain_at_a_quick_look_is_so_at_a_long_one(
    payload: Payload, more: dict[str, Any]
) -> None:
    made = step("s", payload, **more)
    assert not (is_plain(made) and list(_cheap(made)))


def test_an_ordinary_step_is_plain_at_a_quick_look() -> None:
    for payload in (user_message("x"), target_reply("x"), tool_result("a", "x"), BYE):
        assert is_plain(step("s", payload))
    assert is_plain(step("s", asks(call("a"), text="I look.")))
