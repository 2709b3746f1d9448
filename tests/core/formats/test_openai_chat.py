from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.errors import ExportError
from rollstep.core.formats.openai_chat import check, render
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import (
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import EchoTarget, Tool

from .conftest import make_project, make_subject
from .samples import DATA, GET_ORDER, everything, from_openai_rows


def test_everything_is_written_as_in_the_golden_file() -> None:
    assert render(everything()) == (DATA / "everything.openai.jsonl").read_bytes()


def test_the_report_names_what_is_lost_with_its_steps() -> None:
    text = report(everything(), FORMATS["openai"]).render()
    assert "not kept: reasoning of the target (step 2)" in text
    assert "not kept: reasoning of the evaluator (step 1)" in text
    assert "not kept: the sign that a tool result is an error (step 4)" in text
    assert "note: step 1 is written without its parts that are no text: parts[1]" in text
    assert "not kept: the stop and its reason (step 9)" in text
    assert "not kept: who made a step, what it replaced, and why (step 4, 6)" in text
    assert "not kept: other branches of the rollout" in text
    assert "not kept: later steps of this branch (2)" in text


def test_a_row_has_messages_and_tools_and_nothing_else() -> None:
    row = json.loads(render(everything()))
    assert list(row) == ["messages", "tools"]
    subject = make_subject(
        user_message("Hi."),
        target_reply("Hello."),
        project=make_project(target=EchoTarget()),
    )
    assert json.loads(render(subject)) == {
        "messages": [
            {"role": "user", "content": "Hi."},
            {"role": "assistant", "content": "Hello."},
        ]
    }


@pytest.mark.parametrize("index", range(5))
def test_arguments_that_are_no_objects_are_written_as_they_are(index: int) -> None:
    subject = from_openai_rows("arguments_that_are_no_objects.jsonl")[index]
    line = (DATA / "arguments_that_are_no_objects.jsonl").read_text().split("\n")[index]
    theirs = json.loads(line)["messages"][1]["tool_calls"][0]["function"]["arguments"]
    ours = json.loads(render(subject))["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert ours == theirs


def test_lone_surrogates_are_escaped_and_read_back_equal() -> None:
    (subject,) = from_openai_rows("lone_surrogates.jsonl")
    data = render(subject)
    data.decode("utf-8")
    theirs = json.loads((DATA / "lone_surrogates.jsonl").read_text())["messages"]
    ours = json.loads(data)["messages"][1:]
    assert [m["content"] for m in ours] == [m["content"] for m in theirs]
    assert "lone surrogates (step 1, 3, 4)" in report(subject, FORMATS["openai"]).render()


CALL = ToolCall("c1", "get_order", "{}")
ASK = user_message("Hi.")


def refusals(*payloads: Any, **project: Any) -> str:
    subject = make_subject(*payloads, project=make_project(**{"tools": (GET_ORDER,), **project}))
    faults = check(subject)
    if faults:
        with pytest.raises(ExportError):
            render(subject)
    return "\n".join(fault.render() for fault in faults)


def test_a_call_without_its_result_is_refused_with_message_field_step_and_rule() -> None:
    text = refusals(ASK, target_reply("", (CALL,)), target_reply("So."))
    assert text == (
        "messages[2].tool_calls[0].id: the call 'c1' has no result (step 3); "
        "rule: every call is answered before messages[3]."
    )


def test_a_result_without_its_call_is_refused() -> None:
    assert "messages[2].tool_call_id: no call just before has the id 'c9' (step 2)" in refusals(
        ASK, tool_result("c9", "x"), target_reply("So.")
    )


def test_results_pair_by_id_in_any_order() -> None:
    second = ToolCall("c2", "get_order", "{}")
    assert not refusals(
        ASK,
        target_reply("", (CALL, second)),
        tool_result("c2", "b"),
        tool_result("c1", "a"),
        target_reply("So."),
    )


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        (
            (target_reply("", (CALL,)), tool_result("c1", "r"), user_message("b")),
            "it is user (step 5); rule: the last is the assistant's",
        ),
        (
            (user_message("b"), target_reply("", (CALL,)), tool_result("c1", "r")),
            "it is tool (step 5)",
        ),
    ],
)
def test_the_last_message_is_the_assistants(tail: Any, words: str) -> None:
    assert words in refusals(ASK, target_reply("a"), *tail)


def test_a_row_without_a_user_message_is_refused() -> None:
    assert "there is no user message" in refusals(target_reply("a"))
    assert "there is no user message" in refusals()


def test_an_empty_reply_is_refused() -> None:
    assert "messages[2].content: it is empty (step 2)" in refusals(ASK, target_reply(""))


@pytest.mark.parametrize("name", ["orders.lookup", "Order Lookup!", "查询", "n" * 65, ""])
def test_tool_names_that_trainers_refuse_are_refused(name: str) -> None:
    call = ToolCall("c1", name, "{}")
    text = refusals(
        ASK,
        target_reply("", (call,)),
        tool_result("c1", "r"),
        target_reply("b"),
        tools=(Tool(name),),
    )
    assert "messages[2].tool_calls[0].function.name" in text
    assert "tools[0].function.name" in text


def test_a_tool_that_nobody_declared_is_refused() -> None:
    text = refusals(
        ASK,
        target_reply("", (ToolCall("c1", "delete", "{}"),)),
        tool_result("c1", "r"),
        target_reply("b"),
    )
    assert "the project declares no 'delete' (step 2)" in text


def test_empty_and_repeated_call_ids_are_refused() -> None:
    empty = ToolCall("", "get_order", "{}")
    assert "the id is empty" in refusals(ASK, target_reply("", (empty,)))
    assert "'c1' stands twice" in refusals(ASK, target_reply("", (CALL, CALL)))
