"""Calls and results in pairs, and whose move it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rollstep.core.model.messages import (
    Stop,
    SystemNote,
    ToolCall,
    UserMessage,
    target_reply,
    text_parts,
    user_message,
)
from rollstep.core.rules.lint.linter import findings

from .paths import BYE, HELLO, asks, call, flags, imported, project, result, rollout, step

DATA = Path(__file__).parent / "data"
TWO = asks(call("a"), call("b", arguments='{"id": "2"}'))


def test_a_sound_path_has_no_flags() -> None:
    assert flags(HELLO, TWO, result("a"), result("b"), BYE, Stop("goal_reached", "evaluator")) == []


def test_results_may_come_in_any_order() -> None:
    assert flags(HELLO, TWO, result("b"), result("a"), BYE) == []


def test_a_call_is_without_result_only_when_something_else_follows() -> None:
    assert flags(HELLO, TWO, result("a")) == []
    assert flags(HELLO, TWO, result("a"), BYE) == [
        ("s2", "call-without-result"),
        ("s4", "illegal"),
    ]
    assert flags(HELLO, TWO, Stop("no_use", "human")) == [("s2", "call-without-result")]


def test_the_words_name_the_calls_that_were_left() -> None:
    tree = rollout(HELLO, TWO, result("a"), HELLO)
    assert findings(tree, "s4")[0].words == "no result of get_order (b) before step 4"


def test_ids_may_come_again_in_later_turns() -> None:
    again = (HELLO, asks(call("a")), result("a"), BYE)
    assert flags(*again, *again) == []


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((HELLO, BYE, result("a")), "no call before it has the id 'a'"),
        ((HELLO, asks(call("a")), result("a"), result("a")), "its call at step 2 has a result"),
        ((HELLO, asks(call("a")), HELLO, result("a")), "its call at step 2 was left without one"),
    ],
)
def test_a_result_that_answers_no_open_call(steps: tuple[object, ...], words: str) -> None:
    tree = rollout(*steps)  # type: ignore[arg-type]
    last = f"s{len(steps)}"
    found = [each for each in findings(tree, last) if each.step_id == last]
    assert [each.rule for each in found] == ["result-without-call"]
    assert words in found[0].words


def test_results_of_a_users_own_calls_are_no_business_of_the_table() -> None:
    asked = UserMessage(text_parts("Look."), tool_calls=(ToolCall("u", "open_app", "{}"),))
    assert flags(asked, result("u"), BYE) == []


def test_two_of_a_role_in_a_row() -> None:
    assert flags(HELLO, HELLO, BYE) == [("s2", "same-role-twice")]
    assert flags(HELLO, BYE, target_reply("And another thing.")) == [("s3", "same-role-twice")]
    assert flags(HELLO, BYE, HELLO, BYE) == []


def test_a_system_note_between_two_of_a_role_changes_nothing() -> None:
    note = step("n", SystemNote(text_parts("Be brief.")), origin="import")
    assert flags(HELLO, note, user_message("Hello?")) == [("s3", "same-role-twice")]
    assert flags(HELLO, note, BYE) == []


def test_what_the_table_forbids_is_flagged_whatever_its_origin() -> None:
    assert flags(BYE, HELLO) == [("s1", "illegal")]
    second = step("s2", HELLO, origin="import")
    assert flags(asks(call("a")), second)[-1] == ("s2", "illegal")
    assert flags(HELLO, BYE, Stop("goal_reached", "evaluator"), HELLO) == [("s4", "illegal")]
    assert flags(HELLO, Stop("no_use", "human")) == []


def test_runs_of_other_programs_begin_with_a_greeting_and_end_with_last_words() -> None:
    greets, last = step("a", BYE, origin="import"), step("b", HELLO, origin="import")
    stop = Stop("user_stop", "evaluator")
    assert flags(greets, last, step("c", stop, origin="import")) == []
    assert flags(greets, last, stop) == [("s3", "illegal")]
    looks = step("d", asks(call("a")), origin="import")
    found = flags(greets, last, looks, step("e", stop, origin="import"))
    assert found == [("d", "call-without-result"), ("e", "illegal")]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (0, []),
        (1, []),
        (2, [(2, "call-without-result"), (3, "illegal"), (4, "result-without-call")]),
        (3, [(2, "result-without-call")]),
        (4, [(1, "result-without-call")]),
        (5, [(3, "result-without-call")]),
    ],
)
def test_pairs_that_branching_or_deleting_broke(row: int, expected: list[tuple[int, str]]) -> None:
    lines = (DATA / "pairs_of_calls_and_results_broken.jsonl").read_text("utf-8").splitlines()
    found = flags(*imported(json.loads(lines[row])), projects=[project(tools=())])
    assert found == [(f"s{number}", rule) for number, rule in expected]
