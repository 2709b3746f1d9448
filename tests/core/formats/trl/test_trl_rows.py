"""What TRL rows hold, and what is refused of them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import ExportError
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.formats.trl import suggested_split
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    UserMessage,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)

from ..conftest import make_project, make_subject
from ..reading_back import read_line, rows_of, subject_from, with_options, write
from ..samples import GET_ORDER, everything
from ..trees import Tree

ASK = user_message("Hi.")
THOUGHT = (Reasoning("The user wants money."),)


def messages_of(subject: Subject, fmt: str = "trl") -> list[dict[str, Any]]:
    (row,) = rows_of(fmt, subject)
    found: list[dict[str, Any]] = json.loads(row.data)["messages"]
    return found


def called(arguments: str, **project: Any) -> Subject:
    return make_subject(
        ASK,
        target_reply("", (ToolCall("c1", "get_order", arguments),)),
        tool_result("c1", "r"),
        target_reply("b"),
        project=make_project(**{"tools": (GET_ORDER,), **project}),
    )


def test_arguments_are_objects_whose_numbers_stand_as_they_stood() -> None:
    data = write("trl", called('{"n": 1.10, "big": 12345678901234567890123, "z": -0}'))
    assert b'"arguments": {"n": 1.10, "big": 12345678901234567890123, "z": -0}' in data
    notes = report(called("{}"), FORMATS["trl"]).notes
    assert "arguments of calls are written as objects, and no longer as the text that came" in notes


@pytest.mark.parametrize(
    ("arguments", "wide"),
    [
        ('{"n": 9223372036854775807}', False),
        ('{"n": -12345678901234567890123}', True),
        ('{"n": "12345678901234567890123"}', False),
    ],
)
def test_numbers_that_who_loads_them_rounds_are_told(arguments: str, wide: bool) -> None:
    notes = report(called(arguments), FORMATS["trl"]).notes
    words = "whole numbers beyond 64 bits (step 2) are rounded by who loads them"
    assert (words in notes) == wide


@pytest.mark.parametrize(
    "arguments",
    ["null", '["A-100"]', '"A-100"', "", '{"order_id": A-100}', '{"a": NaN}', '{"a": 1, "a": 2}'],
)
def test_arguments_that_are_no_object_are_refused_with_message_and_step(arguments: str) -> None:
    text = report(called(arguments), FORMATS["trl"]).render()
    assert (
        "messages[2].tool_calls[0].function.arguments: the arguments are no JSON object (step 2); "
        "rule: this format has them as an object in which no key stands twice." in text
    )
    with pytest.raises(ExportError):
        write("trl", called(arguments))


def test_a_reply_that_only_calls_has_empty_content_which_every_template_takes() -> None:
    assert messages_of(called("{}"))[2]["content"] == ""


@pytest.mark.parametrize("key", ["reasoning_content", "thinking"])
def test_reasoning_stands_under_the_key_that_was_chosen(key: str) -> None:
    subject = make_subject(ASK, TargetReply(text_parts("a"), THOUGHT))
    written = messages_of(with_options(subject, reasoning_key=key))
    assert written[2] == {"role": "assistant", "content": "a", key: "The user wants money."}


def test_reasoning_and_text_beside_a_call_do_not_fit_gpt_oss() -> None:
    call = (ToolCall("c1", "get_order", "{}"),)
    subject = make_subject(
        ASK, TargetReply(text_parts("a"), THOUGHT, call), tool_result("c1", "r"), target_reply("b")
    )
    text = report(with_options(subject, reasoning_key="thinking"), FORMATS["trl"]).render()
    assert "gpt-oss has no place for both beside a call" in text
    assert "gpt-oss" not in report(subject, FORMATS["trl"]).render()


def test_the_end_and_the_verdict_have_columns_of_one_type_with_safe_names() -> None:
    (row,) = rows_of("trl", everything())
    value = json.loads(row.data)
    assert list(value) == [
        *("messages", "tools", "rollstep_stop", "rollstep_verdict", "rollstep_rating"),
    ]
    assert (value["rollstep_stop"], value["rollstep_verdict"], value["rollstep_rating"]) == (
        *("goal_reached", "accept", 4),
    )
    (row,) = rows_of("trl", make_subject(ASK, target_reply("a")))
    value = json.loads(row.data)
    assert (value["rollstep_stop"], value["rollstep_verdict"], value["rollstep_rating"]) == (
        *("", "", 0),
    )


def test_lone_surrogates_are_replaced_wherever_they_stand_and_told() -> None:
    pair = '{"a": "\\ud83d", "b": "\\ud83d\\ude00", "c": "\\\\ud83d"}'
    subject = make_subject(
        user_message("half \ud83d"),
        target_reply("", (ToolCall("c1", "get_order", pair),)),
        tool_result("c1", "r"),
        target_reply("fine"),
    )
    data = write("trl", subject)
    messages = json.loads(data.decode("utf-8"))["messages"]
    assert messages[1]["content"] == "half \ufffd"
    assert messages[2]["tool_calls"][0]["function"]["arguments"] == {
        "a": "\ufffd",
        "b": "😀",
        "c": "\\ud83d",
    }
    notes = report(subject, FORMATS["trl"]).notes
    assert "lone surrogates (step 1, 2) are replaced by U+FFFD" in notes


def test_there_is_no_null_in_a_row() -> None:
    for fmt in ("trl", "trl-prompt-completion"):
        assert b"null" not in write(fmt, called('{"a": 1}'))


def test_what_nobody_can_learn_from_is_refused() -> None:
    assert "there is no reply to learn from" in report(make_subject(ASK), FORMATS["trl"]).render()
    text = report(make_subject(target_reply("Hi.")), FORMATS["trl-prompt-completion"]).render()
    assert "there is no reply that follows a user message and is to be learnt" in text


def test_tools_that_nobody_declared_are_told() -> None:
    subject = called("{}", tools=())
    assert "called, and declared by no tool: 'get_order'" in report(subject, FORMATS["trl"]).notes


def split(subject: Subject) -> list[dict[str, Any]]:
    return [json.loads(row.data) for row in rows_of("trl-prompt-completion", subject)]


def test_each_reply_is_a_row_of_what_came_before_it() -> None:
    rows = split(called("{}"))
    assert [list(row) for row in rows] == [["prompt", "completion", "tools"]] * 2
    assert [[m["role"] for m in row["prompt"]] for row in rows] == [
        ["system", "user"],
        ["system", "user", "assistant", "tool"],
    ]
    assert [[m["role"] for m in row["completion"]] for row in rows] == [["assistant"]] * 2
    assert [row.steps for row in rows_of("trl-prompt-completion", called("{}"))] == [
        (0, 1, 2),
        (0, 1, 2, 3, 4),
    ]


def test_splitting_conversations_gives_the_same_rows() -> None:
    subject = called("{}")
    as_option = write("trl", with_options(subject, split="replies"))
    assert as_option == write("trl-prompt-completion", subject)


def test_a_reply_whose_train_mark_is_off_is_no_row_and_one_without_a_question_neither() -> None:
    subject = make_subject(
        *(target_reply("Welcome!"), ASK, target_reply("a"), ASK, target_reply("b")),
        marks=(Mark("s3", train=False),),
    )
    (row,) = split(subject)
    assert row["completion"] == [{"role": "assistant", "content": "b"}]
    assert "train marks" not in report(subject, FORMATS["trl-prompt-completion"]).render()
    assert "not kept: train marks on replies (step 3)" in report(subject, FORMATS["trl"]).render()


def test_an_open_call_at_the_end_is_still_an_answer() -> None:
    subject = make_subject(ASK, target_reply("", (ToolCall("c1", "get_order", "{}"),)))
    assert len(split(subject)) == 1
    assert "the call 'c1' has no result" in report(subject, FORMATS["trl"]).render()


def test_branches_share_the_rows_of_what_they_have_in_common() -> None:
    tree = Tree()
    for payload in (ASK, target_reply("a"), ASK, target_reply("b")):
        tree.add(payload)
    tree.add(target_reply("c"), "s3")
    assert FORMATS["trl-prompt-completion"].unique
    assert write("trl-prompt-completion", *tree.branches()).count(b"\n") == 3


def test_early_reasoning_is_worth_a_row_for_each_reply() -> None:
    thinks = TargetReply(text_parts("a"), THOUGHT)
    subject = make_subject(ASK, thinks, ASK, target_reply("b"))
    assert any("--split replies" in note for note in report(subject, FORMATS["trl"]).notes)
    assert suggested_split(subject) == "replies"
    late = make_subject(ASK, target_reply("b"), ASK, thinks)
    assert not any("--split replies" in note for note in report(late, FORMATS["trl"]).notes)
    assert suggested_split(make_subject(ASK, target_reply("b"))) == ""


def test_preferences_are_prompt_chosen_and_rejected() -> None:
    tree = Tree()
    tree.add(ASK)
    tree.edit(tree.add(target_reply("No.")), TargetReply(text_parts("Yes."), THOUGHT))
    (row,) = rows_of("trl-preference", tree.subject())
    value = json.loads(row.data)
    assert list(value) == ["prompt", "chosen", "rejected"]
    assert [message["role"] for message in value["prompt"]] == ["system", "user"]
    assert value["chosen"][0]["reasoning_content"] == "The user wants money."
    assert value["rejected"] == [{"role": "assistant", "content": "No."}]
    assert row.steps == (0, 1, 2, 0)


def test_sides_that_differ_in_reasoning_alone_are_a_preference_here() -> None:
    tree = Tree()
    tree.add(ASK)
    tree.edit(tree.add(target_reply("Yes.")), TargetReply(text_parts("Yes."), THOUGHT))
    assert len(rows_of("trl-preference", tree.subject())) == 1
    text = report(tree.subject(), FORMATS["openai-preference"]).render()
    assert "step 2: no pair: both sides say the same." in text


def test_a_pair_with_arguments_that_are_no_object_is_refused() -> None:
    tree = Tree()
    tree.add(ASK)
    tree.edit(tree.add(target_reply("No.")), target_reply("", (ToolCall("c", "get", "[]"),)))
    text = report(tree.subject(), FORMATS["trl-preference"]).render()
    assert "no pair: messages[2].tool_calls[0].function.arguments: the arguments are no" in text


@pytest.mark.parametrize(
    ("columns", "left_out"),
    [
        (("id", "source", "model", "system_prompt"), "id"),
        (("type", "payload"), "payload"),
        (("id", "source", "model"), ""),
    ],
)
def test_columns_that_together_mean_another_format_are_never_written(
    columns: tuple[str, ...], left_out: str
) -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    line = json.dumps({"messages": messages, **dict.fromkeys(columns, "x")})
    subject = subject_from("trl", read_line("trl", line))
    written = json.loads(write("trl", subject))
    assert set(columns) - written.keys() == ({left_out} if left_out else set())
    notes = "\n".join(report(subject, FORMATS["trl"]).notes)
    assert (f"the column {left_out!r} of the source is left out" in notes) == bool(left_out)


def test_the_report_says_what_is_not_kept() -> None:
    text = report(everything(), FORMATS["trl"]).render()
    assert "not kept: reasoning of the evaluator (step 1)" in text
    assert "not kept: reasoning of the target" not in text
    assert "not kept: the stop and its reason" not in text
    assert "not kept: verdicts, ratings, tags and notes (step 6, 9)" in text
    rated = make_subject(
        ASK,
        target_reply("a"),
        Stop("goal_reached", "evaluator"),
        marks=(Mark("s3", verdict="accept", rating=3),),
    )
    assert "verdicts" not in report(rated, FORMATS["trl"]).render()


def test_system_notes_stay_where_they_stood() -> None:
    note = SystemNote(text_parts("Policy changed."))
    written = messages_of(make_subject(ASK, target_reply("a"), note, ASK, target_reply("b")))
    assert [message["role"] for message in written] == [
        *("system", "user", "assistant", "system", "user", "assistant"),
    ]


def test_what_only_the_evaluator_saw_is_in_no_prompt() -> None:
    asks = UserMessage(ASK.parts, (), (ToolCall("u1", "toggle", "{}"),))
    subject = make_subject(asks, tool_result("u1", "on"), target_reply("Thanks."))
    (row,) = split(subject)
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]


def test_options_are_given_by_name() -> None:
    subject = msgspec.structs.replace(called("{}"), options=WriteOptions(split="replies"))
    assert len(rows_of("trl", subject)) == 2
