"""ShareGPT rows: what LLaMA-Factory would skip is refused, and every dialect is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.errors import ExportError, FormatError
from rollstep.core.formats.reading.record import Record
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    payload_text,
    reasoning_text,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import EchoTarget, Tool

from .conftest import make_project, make_subject
from .reading_back import branches_of, read_line, rows_of, with_options, write, written_again
from .samples import GET_ORDER, LIST_ORDERS

FMT = "sharegpt"
ASK, SAYS = user_message("Hi."), target_reply("Hello.")
CALL = ToolCall("c1", "get_order", '{"order_id":  "4471", "n": 1.10}')
OTHER = ToolCall("c2", "list_orders", "{}")


def made(*payloads: Payload, **project: Any) -> Subject:
    tools = (GET_ORDER, LIST_ORDERS)
    return make_subject(*payloads, project=make_project(**{"tools": tools, **project}))


def row_of(subject: Subject) -> dict[str, Any]:
    (row,) = rows_of(FMT, subject)
    found: dict[str, Any] = json.loads(row.data)
    return found


def said(subject: Subject) -> list[tuple[str, str]]:
    return [(each["from"], each["value"]) for each in row_of(subject)["conversations"]]


def refusal(*payloads: Payload, **options: Any) -> str:
    subject = with_options(made(*payloads), **options)
    found = report(subject, FORMATS[FMT])
    if found.refused:
        with pytest.raises(ExportError):
            write(FMT, subject)
    return "\n".join(fault.render() for fault in found.refused)


def test_a_row_has_its_conversation_and_system_and_tools_as_strings() -> None:
    row = row_of(made(ASK, SAYS))
    assert list(row) == ["conversations", "system", "tools"]
    assert row["system"] == "Be kind."
    tools = json.loads(row["tools"])
    assert [list(tool) for tool in tools] == [["name", "description", "parameters"]] * 2
    assert '"x-limit": 1.10' in row["tools"]
    bare = row_of(make_subject(ASK, SAYS, project=make_project(target=EchoTarget())))
    assert (bare["system"], bare["tools"]) == ("", "")


def test_a_call_is_a_function_call_and_its_result_an_observation() -> None:
    subject = made(ASK, target_reply("", (CALL,)), tool_result("c1", "lost"), SAYS)
    assert said(subject) == [
        ("human", "Hi."),
        (
            "function_call",
            '{"name": "get_order", "arguments": {"order_id":  "4471", "n": 1.10}}',
        ),
        ("observation", "lost"),
        ("gpt", "Hello."),
    ]
    assert rows_of(FMT, subject)[0].steps == (1, 2, 3, 4)


def test_several_calls_are_one_list_and_their_results_one_observation_in_their_order() -> None:
    subject = made(
        ASK, target_reply("", (CALL, OTHER)), tool_result("c2", "[]"), tool_result("c1", "x"), SAYS
    )
    conversation = said(subject)
    assert [call["name"] for call in json.loads(conversation[1][1])] == ["get_order", "list_orders"]
    assert conversation[2] == ("observation", '["x", "[]"]')
    assert rows_of(FMT, subject)[0].steps == (1, 2, 4, 3, 5)
    text = report(subject, FORMATS[FMT]).render()
    assert "the results of several calls (step 2) are one observation" in text
    data = write(FMT, subject)
    results = [
        step.payload for step in read_line(FMT, data).steps if isinstance(step.payload, ToolResult)
    ]
    assert [payload_text(result) for result in results] == ["x", "[]"]
    assert [result.call_id for result in results] == ["call_1", "call_2"]


def test_reasoning_stands_before_the_answer_as_llamafactory_has_it() -> None:
    thought = (Reasoning("Hm."), Reasoning("Well."))
    subject = made(
        ASK,
        TargetReply((), thought, (OTHER,)),
        tool_result("c2", "r"),
        TargetReply(text_parts("a"), thought),
    )
    assert said(subject)[1][1] == (
        '<think>\nHm.\n\nWell.\n</think>\n\n{"name": "list_orders", "arguments": {}}'
    )
    assert said(subject)[3] == ("gpt", "<think>\nHm.\n\nWell.\n</think>\n\na")
    again = [s.payload for s in read_line(FMT, write(FMT, subject)).steps]
    assert [reasoning_text(p.reasoning) for p in again if isinstance(p, TargetReply)] == [
        "Hm.\n\nWell."
    ] * 2


def test_text_beside_a_call_is_refused_or_becomes_reasoning() -> None:
    payloads = (ASK, target_reply("Let me see.", (OTHER,)), tool_result("c2", "r"), SAYS)
    assert (
        "messages[2].content: text stands beside a call (step 2); rule: a function_call has no "
        "place for text. Have it written as reasoning (--beside-call think)." in refusal(*payloads)
    )
    subject = with_options(made(*payloads), beside_call="think")
    assert said(subject)[1][1].startswith("<think>\nLet me see.\n</think>\n\n{")
    notes = report(subject, FORMATS[FMT]).notes
    assert "text beside a call (step 2) is written as reasoning" in notes


ALTERNATE = "rule: a human or observation comes first, then a gpt or function_call, and so on."


@pytest.mark.parametrize(
    ("payloads", "words"),
    [
        ((), "conversations: there is nothing to learn from."),
        ((ASK,), "conversations[0].from: it is human (step 1); rule: the last is a gpt."),
        ((SAYS, ASK, SAYS), f"conversations[0].from: it is gpt (step 1); {ALTERNATE}"),
        ((ASK, ASK, SAYS), f"conversations[1].from: it is human (step 2); {ALTERNATE}"),
        ((ASK, SAYS, SAYS), f"conversations[2].from: it is gpt (step 3); {ALTERNATE}"),
        (
            (ASK, SAYS, SystemNote(text_parts("s")), ASK, SAYS),
            "messages[3].role: it is a system message (step 3); rule: a system text stands at the",
        ),
        (
            (ASK, target_reply("", (OTHER,)), tool_result("c2", "r")),
            "conversations[2].from: it is observation (step 3); rule: the last is a gpt.",
        ),
        ((ASK, target_reply("", (OTHER,))), "the call 'c2' has no result (step 2)"),
        (
            (ASK, target_reply("", (CALL, OTHER)), tool_result("c1", "r"), SAYS),
            "'c2' has no result",
        ),
        ((ASK, tool_result("c9", "r"), SAYS), "no call just before has the id 'c9' (step 2)"),
        ((ASK, target_reply("")), "messages[2].content: it is empty (step 2)"),
        (
            (ASK, target_reply("", (ToolCall("c1", "get", "[1]"),)), tool_result("c1", "r"), SAYS),
            "messages[2].tool_calls[0].function.arguments: the arguments are no JSON object",
        ),
        (
            (ASK, TargetReply(text_parts("a"), (Reasoning("x\n</think>\n\ny"),))),
            "the reasoning holds </think> (step 2); rule: it ends at the first </think>.",
        ),
        (
            (UserMessage((OtherPart("image", "", 1, "{}"),)), SAYS),
            "all that it holds is no text (part 0) (step 1)",
        ),
    ],
)
def test_what_llamafactory_would_skip_or_fail_on_is_refused(
    payloads: tuple[Payload, ...], words: str
) -> None:
    assert words in refusal(*payloads)


def test_lone_surrogates_are_replaced_inside_strings_of_json_too() -> None:
    call = ToolCall("c1", "get_order", '{"a": "\\ud83d"}')
    subject = made(
        user_message("half \ud83d"), target_reply("", (call,)), tool_result("c1", "r"), SAYS
    )
    row = row_of(subject)
    assert row["conversations"][0]["value"] == "half \ufffd"
    assert json.loads(row["conversations"][1]["value"])["arguments"] == {"a": "\ufffd"}
    assert (
        "lone surrogates (step 1, 2) are replaced by U+FFFD" in report(subject, FORMATS[FMT]).notes
    )


def test_an_answer_that_looks_like_reasoning_is_told() -> None:
    subject = made(ASK, target_reply("<think>\nx\n</think>\n\ny"))
    notes = report(subject, FORMATS[FMT]).notes
    assert "text that begins with <think> (step 2) is taken for reasoning" in notes


def test_tools_are_renamed_in_calls_and_declarations() -> None:
    subject = made(ASK, target_reply("", (OTHER,)), tool_result("c2", "r"), SAYS)
    row = row_of(with_options(subject, renames=(("list_orders", "orders"),)))
    assert json.loads(row["conversations"][1]["value"])["name"] == "orders"
    assert [tool["name"] for tool in json.loads(row["tools"])] == ["get_order", "orders"]


def test_the_report_says_what_is_not_kept() -> None:
    subject = made(ASK, SAYS, Stop("goal_reached", "evaluator"))
    assert "not kept: the stop and its reason (step 3)" in report(subject, FORMATS[FMT]).render()


def line(**row: Any) -> bytes:
    return json.dumps(row).encode() + b"\n"


def entry(tag: str, value: Any) -> dict[str, Any]:
    return {"from": tag, "value": value}


TOOLS = json.dumps([{"name": "get", "description": "d", "parameters": {}}])
CALLED = entry("function_call", '{"name": "get", "arguments": {"n": 1}}')


@pytest.mark.parametrize(
    "data",
    [
        line(conversations=[entry("human", "q"), entry("gpt", "a")]),
        line(conversations=[entry("human", "q"), entry("gpt", "a")], system="s", tools=TOOLS),
        line(system="", tools="", conversations=[entry("human", "q"), entry("gpt", "a")]),
        line(
            tools=TOOLS,
            conversations=[
                entry("human", "q"),
                CALLED,
                entry("observation", "r"),
                entry("gpt", "a"),
            ],
        ),
        line(conversations=[entry("human", "q"), entry("gpt", "<think>\nt\n</think>\n\na")]),
        line(
            conversations=[
                entry("human", "q"),
                entry(
                    "function_call",
                    '[{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]',
                ),
                entry("observation", '["x", "y"]'),
                entry("gpt", "a"),
            ],
            id="row-17",
            score=0.5,
        ),
        line(
            conversations=[entry("human", "q")],
            chosen=entry("gpt", "a"),
            rejected=entry("gpt", "b"),
        ),
        line(
            system="s",
            conversations=[entry("human", "q"), entry("gpt", "a"), entry("human", "r")],
            rejected=entry("gpt", "b"),
            chosen=CALLED,
            tools=TOOLS,
        ),
    ],
)
def test_rows_come_back_to_the_byte(data: bytes) -> None:
    assert written_again(FMT, data) == data


@pytest.mark.parametrize(
    ("user", "target"),
    [("user", "assistant"), ("human", "gpt"), ("user", "model"), ("human", "bot")],
)
@pytest.mark.parametrize(("role", "content"), [("from", "value"), ("role", "content")])
def test_aliases_are_read_and_written_as_llamafactory_has_them(
    user: str, target: str, role: str, content: str
) -> None:
    entries = [{role: user, content: "q"}, {role: target, content: "a"}]
    data = line(conversations=[{role: "system", content: "s"}, *entries])
    imported = read_line(FMT, data)
    assert [type(step.payload) for step in imported.steps] == [UserMessage, TargetReply]
    assert imported.project.target.system == "s"
    written = json.loads(written_again(FMT, data))
    assert written["conversations"] == [entry("human", "q"), entry("gpt", "a")]
    assert written["system"] == "s"


def test_role_messages_with_calls_under_conversations_are_read() -> None:
    calls = [{"id": "c1", "type": "function", "function": {"name": "get", "arguments": "{}"}}]
    imported = read_line(
        FMT,
        line(
            conversations=[
                {"role": "user", "content": "q"},
                {"role": "assistant", "content": "", "tool_calls": calls},
                {"role": "tool", "tool_call_id": "c1", "content": "r"},
                {"role": "assistant", "content": "a"},
            ]
        ),
    )
    result = imported.steps[2].payload
    assert isinstance(result, ToolResult)
    assert result.call_id == "c1"
    assert imported.notes == ()


def test_ids_of_calls_are_made_without_a_word_since_rows_have_none() -> None:
    imported = read_line(FMT, line(conversations=[entry("human", "q"), CALLED, entry("tool", "r")]))
    reply = imported.steps[1].payload
    assert isinstance(reply, TargetReply)
    assert reply.tool_calls == (ToolCall("call_1", "get", '{"n": 1}', made_id=True),)
    assert imported.notes == ()


def test_one_result_for_several_calls_is_noted() -> None:
    calls = entry("function_call", '[{"name": "a"}, {"name": "b"}]')
    imported = read_line(
        FMT, line(conversations=[entry("human", "q"), calls, entry("observation", "one")])
    )
    assert [note.message for note in imported.notes] == [
        "2 calls were made, and this is one result; it answers the first"
    ]


def test_a_function_call_that_is_no_json_is_shown_as_a_text() -> None:
    broken = entry("function_call", "get(n=1)")
    imported = read_line(FMT, line(conversations=[entry("human", "q"), broken]))
    assert payload_text(imported.steps[1].payload) == "get(n=1)"
    assert "no JSON" in imported.notes[0].message


def test_a_row_of_two_answers_is_a_tree_opened_at_the_chosen_one() -> None:
    data = line(
        conversations=[entry("human", "q")], chosen=entry("gpt", "a"), rejected=entry("gpt", "b")
    )
    imported = read_line(FMT, data)
    assert [payload_text(step.payload) for step in imported.steps] == ["q", "a", "b"]
    assert [mark.verdict for mark in imported.marks] == ["accept", "reject"]
    assert imported.head == imported.steps[1].id
    chosen, rejected = branches_of(FMT, imported)
    assert write(FMT, chosen) == data
    assert write(FMT, rejected) == b""
    assert json.loads(write("trl-preference", chosen))["chosen"][0]["content"] == "a"


def test_axolotls_masks_are_train_marks_and_its_details_are_kept() -> None:
    detail = [{"begin_offset": 0, "end_offset": 1, "train": False}]
    row = {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "a", "training": False},
            {"role": "user", "content": "r"},
            {"role": "assistant", "content": "b", "training_detail": detail},
        ]
    }
    imported = read_line("openai", json.dumps(row))
    assert [(mark.step_id, mark.train) for mark in imported.marks] == [
        (imported.steps[1].id, False)
    ]
    assert json.loads(imported.steps[3].extra) == {"training_detail": detail}
    assert [note.where for note in imported.notes] == ["messages[3].training_detail"]


@pytest.mark.parametrize(
    "value",
    [{}, [], "x", {"conversations": []}, {"conversations": "x"}, {"chosen": 1, "rejected": 2}],
)
def test_what_holds_no_conversation_is_refused_in_words(value: Any) -> None:
    reader = FORMATS[FMT].reader
    assert reader is not None
    with pytest.raises(FormatError) as caught:
        list(reader.read(Record(7, value, "d")))
    assert len(caught.value.faults[0].render()) > 20


def test_declared_tools_come_back_although_nobody_called_them() -> None:
    imported = read_line(FMT, line(conversations=[entry("human", "q")], tools=TOOLS))
    assert imported.project.tools == (Tool("get", "d", "{}"),)


def test_reasoning_under_a_key_of_its_own_stands_before_the_answer() -> None:
    entries = [entry("human", "q"), {**entry("gpt", "a"), "reasoning": "r"}]
    written = json.loads(written_again(FMT, line(conversations=entries)))
    assert written["conversations"][1] == entry("gpt", "<think>\nr\n</think>\n\na")
