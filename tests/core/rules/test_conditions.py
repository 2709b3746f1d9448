"""What a ``when`` looks at, and when it holds."""

from __future__ import annotations

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.model.messages import (
    Payload,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import When
from rollstep.core.rules.conditions import holds, just_told, problem

CALLS = (ToolCall("c1", "get_order", "{}"), ToolCall("c2", "get_policy", "{}"))
ASKED = user_message("Where is my BLENDER?")
LOOKING = target_reply("Let me look.", CALLS)
ORDER = tool_result("c1", '{"status": "lost", "items": [{"price": 49.0, "gift": true}]}')
POLICY = tool_result("c2", '{"refundable": 1}')
TOLD_USER: tuple[Payload, ...] = (ASKED,)
TOLD_RESULTS: tuple[Payload, ...] = (ASKED, LOOKING, ORDER, POLICY)
TURN_OVER: tuple[Payload, ...] = (*TOLD_RESULTS, target_reply("It is lost. Refund?"))


def test_the_target_was_told_what_came_since_its_own_last_reply() -> None:
    assert just_told(TOLD_USER) == (ASKED,)
    assert just_told(TOLD_RESULTS) == (ORDER, POLICY)
    assert just_told((*TURN_OVER, ASKED)) == (ASKED,)


def test_the_evaluator_was_told_the_last_reply_and_the_results_of_that_turn() -> None:
    assert just_told(TURN_OVER) == (ORDER, POLICY, TURN_OVER[-1])
    assert just_told((*TURN_OVER, ASKED, target_reply("Hm."))) == (target_reply("Hm."),)


def test_nobody_was_told_anything_at_the_start() -> None:
    assert just_told(()) == ()
    assert not holds(When(text="x"), (), 0)
    assert holds(When(), (), 0)


@pytest.mark.parametrize(
    ("text", "held"), [("blender", True), ("Where IS", True), ("toaster", False), ("look", False)]
)
def test_text_is_a_substring_in_any_letter_case(text: str, held: bool) -> None:
    assert holds(When(text=text), TOLD_USER, 0) is held


def test_text_folds_letters_of_other_scripts() -> None:
    assert holds(When(text="STRASSE"), (user_message("In der Straße"),), 0)
    assert holds(When(text="заказ"), (user_message("ЗАКАЗ пришёл"),), 0)


def test_text_may_be_in_any_of_the_results() -> None:
    assert holds(When(text="lost"), TOLD_RESULTS, 0)
    assert holds(When(text="refundable"), TOLD_RESULTS, 0)
    assert not holds(When(text="blender"), TOLD_RESULTS, 0)


def test_regex_is_searched_and_minds_the_letter_case() -> None:
    assert holds(When(regex=r"my [A-Z]+\?$"), TOLD_USER, 0)
    assert not holds(When(regex="blender"), TOLD_USER, 0)
    assert holds(When(regex="(?i)blender"), TOLD_USER, 0)


def test_tool_is_the_one_that_the_last_result_answers() -> None:
    assert holds(When(tool="get_policy"), TOLD_RESULTS, 0)
    assert not holds(When(tool="get_order"), TOLD_RESULTS, 0)
    assert not holds(When(tool="get_order"), TOLD_USER, 0)


def test_an_id_that_comes_again_means_the_newest_call() -> None:
    again = target_reply("", (ToolCall("c2", "issue_refund", "{}"),))
    path = (*TURN_OVER, ASKED, again, tool_result("c2", "ok"))
    assert holds(When(tool="issue_refund"), path, 1)
    assert not holds(When(tool="get_policy"), path, 1)


@pytest.mark.parametrize(
    ("result", "held"),
    [
        ('{"/status": "lost"}', True),
        ('{"/status": "lost", "/items/0/price": 49}', True),
        ('{"/items/0/gift": true}', True),
        ('{"/items/0/gift": 1}', False),
        ('{"/items/0/price": "49.0"}', False),
        ('{"/items/1/price": 49}', False),
        ('{"/nothing": null}', False),
        ('{"": {"status": "lost"}}', False),
        ("{}", True),
    ],
)
def test_result_holds_pointers_and_values_compared_as_they_are(result: str, held: bool) -> None:
    path = (ASKED, LOOKING, ORDER)
    assert holds(When(result=result), path, 0) is held


def test_result_looks_at_the_last_result_only() -> None:
    assert holds(When(result='{"/refundable": 1}'), TOLD_RESULTS, 0)
    assert not holds(When(result='{"/status": "lost"}'), TOLD_RESULTS, 0)


def test_a_result_that_is_no_json_has_no_values() -> None:
    path = (ASKED, LOOKING, tool_result("c1", "permission denied"))
    assert not holds(When(result='{"/status": "lost"}'), path, 0)


def test_turn_counts_from_one() -> None:
    assert holds(When(turn=1), TOLD_USER, 0)
    assert not holds(When(turn=1), TOLD_USER, 1)


def test_all_that_is_given_must_hold() -> None:
    both = When(text="lost", tool="get_order", result='{"/status": "lost"}', turn=1)
    path = (ASKED, LOOKING, ORDER)
    assert holds(both, path, 0)
    assert not holds(both, path, 1)


@pytest.mark.parametrize(
    ("when", "words"),
    [
        (When(regex="(unclosed"), "is not a regular expression"),
        (When(result='{"status": 1}'), "starts with '/'"),
        (When(result="[1]"), "must be an object"),
    ],
)
def test_a_condition_that_can_never_be_asked_says_why(when: When, words: str) -> None:
    assert words in problem(when)
    path = (ASKED, LOOKING, ORDER)
    with pytest.raises(UsageError, match=r"regular|pointer|object"):
        holds(when, path, 0)


def test_a_good_condition_has_no_problem() -> None:
    assert problem(When(text="x", regex="a+", result='{"/a": 1}', turn=2)) == ""
