"""OpenAI rows of other people: read, what is refused of them, and written again."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import FormatError
from rollstep.core.formats.reading.record import Record
from rollstep.core.formats.table import FORMATS, few_rows, report
from rollstep.core.model.messages import (
    OtherPart,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import Tool

from .conftest import make_project, make_subject
from .reading_back import (
    lines_of,
    meaning,
    read_line,
    rows_of,
    subject_from,
    with_options,
    write,
    written_again,
)
from .samples import everything

TOOLS = [
    {
        "type": "function",
        "function": {"name": "get_order", "parameters": {"type": "object", "properties": {}}},
    }
]


def report_of(line: str, *, as_it_is: bool = False) -> str:
    subject = subject_from("openai", read_line("openai", line))
    subject = msgspec.structs.replace(subject, as_it_is=as_it_is)
    return report(subject, FORMATS["openai"]).render()


def row(*messages: dict[str, Any], **more: Any) -> str:
    return json.dumps({"messages": list(messages), **more})


USER = {"role": "user", "content": "Hi."}
SAYS = {"role": "assistant", "content": "Hello."}

CALLED = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}

REFUSED = {
    1: "messages[2].role: it is user (step 3); rule: the last is the assistant's",
    2: "messages[2].role: it is tool (step 3); rule: the last is the assistant's",
    3: "messages[1].tool_calls[0].id: the call 'call_1' has no result (step 3)",
    4: "messages[1].tool_calls[0].function.name: the project declares no 'lookup_order' (step 2)",
    7: "messages: there is no user message",
    8: "messages[1].content: it is empty (step 2)",
    11: "messages[1].tool_calls[0].function.name: 'orders.lookup' is refused (step 2)",
    12: "messages[1].tool_calls[0].function.name: 'Order Lookup!' is refused (step 2)",
    13: "messages[1].tool_calls[0].function.name: '查询' is refused (step 2)",
    14: "is refused (step 2); rule: names are 1 to 64 of A-Z a-z 0-9 _ -",
}
SAID = {
    5: "note: the field 'weight' of the source (step 2, step 3) is not written",
    6: "note: the field 'weight' of the source (step 2) is not written",
    9: "not kept: reasoning of the target (step 2)",
    10: "note: the field 'timestamp' of the source (step 1) is not written",
    15: "are changed: 'call:1/é' as call_id_1",
}


@pytest.mark.parametrize("number", range(1, 16))
def test_what_trainers_refuse_is_refused_or_left_out_in_words(number: int) -> None:
    line = lines_of("rows_that_trainers_refuse.jsonl")[number - 1]
    text = report_of(line, as_it_is=True)
    expected = REFUSED.get(number) or SAID[number]
    assert expected in text
    assert ("cannot be written" in text) == (number in REFUSED or number == 15)


def test_what_comes_after_the_last_reply_is_left_out_with_a_note() -> None:
    line = lines_of("rows_that_trainers_refuse.jsonl")[0]
    assert "note: what comes after the last reply (step 3) is not written" in report_of(line)
    written = json.loads(write("openai", subject_from("openai", read_line("openai", line))))
    assert [each["content"] for each in written["messages"]] == ["ends with user", "a"]
    open_call = row(USER, SAYS | {"tool_calls": [CALLED]}, USER, tools=TOOLS)
    assert "has no result" in report_of(open_call)


def test_tools_are_declared_from_their_calls_only_where_the_source_declares_none() -> None:
    answered = {"role": "tool", "tool_call_id": "c", "content": "r"}
    messages = (USER, SAYS | {"tool_calls": [CALLED]}, answered, SAYS)
    assert "no tools are declared; from the calls these are: 'look'" in report_of(row(*messages))
    subject = subject_from("openai", read_line("openai", row(*messages)))
    declared = {"name": "look", "parameters": {"type": "object"}}
    written = json.loads(write("openai", subject))
    assert written["tools"] == [{"type": "function", "function": declared}]
    assert "the project declares no 'look'" in report_of(row(*messages, tools=TOOLS))


def test_a_weight_is_written_as_an_integer_and_only_where_it_was_one() -> None:
    line = lines_of("rows_that_trainers_refuse.jsonl")[4]
    imported = read_line("openai", line)
    assert [note.where for note in imported.notes] == ["messages[1].weight", "messages[2].weight"]
    written = json.loads(write("openai", subject_from("openai", imported)))
    assert [message.get("weight") for message in written["messages"]] == [None, None, None, 1]
    assert b'"weight": 1}' in write("openai", subject_from("openai", imported))


def test_the_developer_role_stays_and_keys_that_openai_has_stay() -> None:
    written = json.loads(
        write(
            "openai",
            subject_from(
                "openai", read_line("openai", lines_of("rows_that_trainers_refuse.jsonl")[9])
            ),
        )
    )
    assert written["messages"] == [
        {"role": "developer", "content": "dev"},
        {"role": "user", "content": "extra keys"},
        {"role": "assistant", "content": "x", "refusal": None, "audio": None},
    ]


def test_another_format_is_written_with_the_system_role() -> None:
    imported = read_line("openai", lines_of("rows_that_trainers_refuse.jsonl")[9])
    elsewhere = subject_from("trl", imported)
    assert json.loads(write("openai", elsewhere))["messages"][0]["role"] == "system"


def test_pairs_that_a_branch_or_a_deletion_broke_are_refused_by_id() -> None:
    lines = lines_of("calls_without_results_and_the_reverse.jsonl")
    declared = [
        json.dumps({**json.loads(line), "tools": [{"name": "lookup_order"}]}) for line in lines
    ]
    texts = [report_of(line) for line in declared]
    assert "cannot be written" not in texts[0]
    assert "the call 'call_b' has no result" in texts[1]
    assert "the call 'call_a' has no result" in texts[2]
    assert "no call just before has the id 'call_a' (step 4)" in texts[2]
    assert "no call just before has the id 'call_9' (step 2)" in texts[3]
    assert "no call just before has the id 'call_1' (step 1)" in texts[4]
    assert "no call just before has the id 'call_1' (step 3)" in texts[5]


@pytest.mark.parametrize("index", range(5))
def test_arguments_that_are_no_objects_come_back_to_the_byte(index: int) -> None:
    line = lines_of("arguments_that_are_no_objects.jsonl")[index]
    assert written_again("openai", line.encode()) == line.encode() + b"\n"


def test_arguments_in_every_shape_are_read_alike_and_written_as_text() -> None:
    lines = lines_of("arguments_in_five_shapes.jsonl")
    calls, written = [], []
    for line in lines:
        whole = json.dumps({**json.loads(line), "tools": [{"name": "lookup_order"}]})
        imported = read_line("openai", whole)
        reply = imported.steps[1].payload
        result = imported.steps[2].payload
        assert isinstance(reply, TargetReply)
        assert isinstance(result, ToolResult)
        assert result.call_id == reply.tool_calls[0].id
        calls.append(reply.tool_calls[0])
        (text,) = json.loads(write("openai", subject_from("openai", imported)))["messages"][1][
            "tool_calls"
        ]
        written.append(text["function"]["arguments"])
    assert [json.loads(call.arguments) for call in calls] == [
        *({"order_id": "A-1"}, {"order_id": 1690876800}, {"order_id": "A-1"}, {}, {}),
    ]
    assert [call.made_id for call in calls] == [False, False, False, True, True]
    assert all(isinstance(text, str) for text in written)


def test_columns_that_a_table_filled_with_nulls_are_absent() -> None:
    (line,) = lines_of("null_filled_columns.jsonl")
    whole = json.dumps({**json.loads(line), "tools": [{"name": "lookup_order"}]})
    imported = read_line("openai", whole)
    assert imported.notes == ()
    subject = subject_from("openai", imported)
    data = write("openai", subject)
    written = json.loads(data)
    assert [list(message) for message in written["messages"]] == [
        *(["role", "content"], ["role", "content"], ["role", "content", "tool_calls"]),
        *(["role", "content", "tool_call_id"], ["role", "content"]),
    ]
    assert written["tools"][0]["type"] == "function"
    (call,) = written["messages"][2]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {
        "order_id": "A-1",
        "zip": None,
        "city": None,
    }
    pruned = write("openai", with_options(subject, prune_nulls=True))
    (call,) = json.loads(pruned)["messages"][2]["tool_calls"]
    assert call["function"]["arguments"] == '{"order_id": "A-1"}'


def test_parts_are_read_and_those_that_openai_has_come_back_to_the_byte() -> None:
    lines = lines_of("contents_in_parts.jsonl")
    for index in (0, 3):
        assert written_again("openai", lines[index].encode()) == lines[index].encode() + b"\n"
    image = read_line("openai", lines[0]).steps[0].payload
    assert isinstance(image, UserMessage)
    part = image.parts[1]
    assert isinstance(part, OtherPart)
    assert (part.kind, part.media_type, part.size) == ("image", "image/png", 70)
    assert "messages[1].content: it is empty" in report_of(lines[2])
    assert "the field 'images' of the source's record is not written" in report_of(lines[4])


def test_a_message_that_would_be_empty_without_its_parts_is_refused() -> None:
    video = UserMessage((OtherPart("video", "video/mp4", 3, '{"type": "video"}'),))
    text = report(make_subject(video, target_reply("x")), FORMATS["openai"]).render()
    assert "messages[1].content: all that it holds is no text (part 0) (step 1)" in text


@pytest.mark.parametrize(
    "line",
    [
        row(USER, SAYS),
        row({"content": "keys in another order", "role": "user"}, SAYS),
        row({"role": "system", "content": "s", "name": "shop"}, USER, {**SAYS, "weight": 0}),
        row({"content": "s", "role": "developer"}, {**USER, "name": "bob"}, SAYS),
        row({"role": "system", "content": [{"type": "text", "text": "s"}]}, USER, SAYS),
        row(USER, {"role": "assistant", "content": [{"type": "text", "text": "a"}]}),
        row(USER, {"role": "assistant", "refusal": "no", "content": None}),
        row(USER, {"role": "assistant", "content": "x", "refusal": None}),
        row(USER, SAYS, tools=TOOLS, parallel_tool_calls=False),
        json.dumps({"tools": TOOLS, "messages": [USER, SAYS]}),
        row(USER, SAYS, tools=[{"type": "function", "function": {"strict": True, "name": "a"}}]),
        row(SAYS, {"role": "system", "content": "mid"}, USER, SAYS),
        row(
            USER,
            {
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "get_order", "arguments": '{"a":  1.10}'},
                    }
                ],
            },
            {"role": "tool", "content": "", "tool_call_id": "c1"},
            SAYS,
            tools=TOOLS,
        ),
    ],
)
def test_what_is_legal_comes_back_to_the_byte(line: str) -> None:
    assert written_again("openai", line.encode()) == line.encode() + b"\n"


def test_an_edited_message_is_written_without_what_its_source_said_besides() -> None:
    imported = read_line("openai", row({"content": "x", "role": "user", "name": "bob"}, SAYS))
    subject = subject_from("openai", imported)
    first, last = subject.trajectory.steps
    replace = msgspec.structs.replace
    edited = replace(first, payload=user_message("y"), origin="human", extra=first.extra)
    changed = replace(subject, trajectory=replace(subject.trajectory, steps=(edited, last)))
    assert json.loads(write("openai", changed))["messages"][0] == {"role": "user", "content": "y"}


def test_rows_say_which_step_each_message_is() -> None:
    (found,) = rows_of("openai", everything())
    assert found.steps == (0, 1, 2, 3, 4, 5, 6, 7, 8)


def test_tools_are_renamed_where_somebody_consented_and_the_map_is_told() -> None:
    subject = make_subject(
        user_message("Hi."),
        target_reply("", (ToolCall("c1", "orders.get", "{}"),)),
        tool_result("c1", "r"),
        target_reply("b"),
        project=make_project(tools=(Tool("orders.get"),)),
    )
    assert "Rename the tool" in report(subject, FORMATS["openai"]).render()
    consented = with_options(subject, renames=(("orders.get", "orders_get"),))
    found = report(consented, FORMATS["openai"])
    assert found.refused == ()
    assert "the tool 'orders.get' is written as 'orders_get'" in found.notes
    written = json.loads(write("openai", consented))
    assert written["tools"][0]["function"]["name"] == "orders_get"
    assert written["messages"][2]["tool_calls"][0]["function"]["name"] == "orders_get"


def test_two_tools_that_would_get_one_name_are_refused() -> None:
    subject = make_subject(
        user_message("Hi."),
        target_reply("b"),
        project=make_project(tools=(Tool("a.b"), Tool("a_b"))),
    )
    consented = with_options(subject, renames=(("a.b", "a_b"),))
    text = report(consented, FORMATS["openai"]).render()
    assert "tools[1].function.name: 'a_b' is declared twice" in text


def test_what_only_the_evaluator_saw_is_not_in_the_row() -> None:
    asks = UserMessage(user_message("Wait.").parts, (), (ToolCall("u1", "toggle", "{}"),))
    subject = make_subject(asks, tool_result("u1", "on"), target_reply("Thanks."))
    assert [m["role"] for m in json.loads(write("openai", subject))["messages"]] == [
        *("system", "user", "assistant"),
    ]
    assert "tool calls of the evaluator (step 1)" in report(subject, FORMATS["openai"]).render()


@pytest.mark.parametrize("value", [{"messages": []}, {"messages": "x"}, {}, [], "x", {"a": 1}])
def test_what_holds_no_messages_is_refused_in_words(value: Any) -> None:
    reader = FORMATS["openai"].reader
    assert reader is not None
    assert reader.recognise(value) < 50
    with pytest.raises(FormatError) as caught:
        list(reader.read(Record(7, value, "d")))
    assert len(caught.value.faults[0].render()) > 20


def test_too_few_rows_is_said_of_a_file_and_not_of_a_row() -> None:
    assert "at least 10" not in report(everything(), FORMATS["openai"]).render()
    assert few_rows(FORMATS["openai"], 1) == (
        "this is 1 row; at least 10 are asked for to train on"
    )
    assert few_rows(FORMATS["openai"], 10) == ""
    assert few_rows(FORMATS["markdown"], 0) == ""


def test_reading_gives_back_what_was_meant() -> None:
    data = write("openai", everything())
    again = written_again("openai", data)
    assert meaning(again) == meaning(data)
    assert again == data


def test_other_fields_of_parts_are_left_out_in_words() -> None:
    part = {"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}
    subject = subject_from("openai", read_line("openai", row({**USER, "content": [part]}, SAYS)))
    assert json.loads(write("openai", subject))["messages"][0]["content"] == [
        {"type": "text", "text": "q"}
    ]
    assert "the field 'content[].cache_control' of the source (step 1) is not written" in (
        report(subject, FORMATS["openai"]).notes
    )


def test_a_call_that_stands_in_a_part_as_text_is_a_call() -> None:
    line = lines_of("contents_in_parts.jsonl")[1]
    reply = read_line("openai", line).steps[1].payload
    assert isinstance(reply, TargetReply)
    assert reply.tool_calls == (ToolCall("call_1", "lookup_order", "{}", made_id=True),)
    assert [block.text for block in reply.reasoning] == ["hmm"]


def test_declarations_of_the_old_shape_are_tools() -> None:
    line = row(USER, SAYS, functions=[{"name": "get_order", "parameters": {}}])
    imported = read_line("openai", line)
    assert imported.project.tools == (Tool("get_order", parameters="{}"),)
    written = json.loads(write("openai", subject_from("openai", imported)))
    assert list(written) == ["messages", "tools"]
    assert written["tools"][0]["type"] == "function"
