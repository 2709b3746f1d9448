from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import ExportError, FormatError
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.reading.record import Record
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    Payload,
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
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.steps import Step, role_of

from .conftest import make_project, make_subject
from .round_trip import again, read_all, rollout_of, subjects_of, written
from .samples import GET_ORDER

NAME = "eliza-native"
CALL = ToolCall("c1", "get_order", '{"order_id":  "4471", "n": 1.10}')


def rows(subject: Subject) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written(subject, NAME).splitlines()]


def lines(*values: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def payloads(subject: Subject) -> list[Payload]:
    return [step.payload for step in subject.trajectory.steps]


def with_tools(**fields: Any) -> Subject:
    return make_subject(
        user_message("Where is it?"),
        TargetReply((), (), (CALL,)),
        tool_result("c1", "lost"),
        target_reply("It is lost."),
        user_message("Oh."),
        target_reply("Sorry."),
        Stop("goal_reached", "evaluator"),
        project=make_project(
            id="proj-1",
            tools=(GET_ORDER,),
            target=HumanTarget(system="Be kind."),
            metadata='{"seed_task_id": "reply:1", "seed_context": {}}',
        ),
        **fields,
    )


def test_one_row_for_each_call_with_the_keys_of_the_canonical_record() -> None:
    first, second, third = rows(with_tools())
    assert list(first) == [
        *("format", "boundary", "request", "response"),
        *("trajectoryId", "stepId", "callId", "stepIndex", "scenarioId"),
    ]
    assert first["format"] == "eliza_native_v1"
    assert first["boundary"] == "vercel_ai_sdk.generateText"
    assert list(first["request"]) == ["system", "messages", "tools"]
    assert first["request"]["messages"] == [{"role": "user", "content": "Where is it?"}]
    assert first["response"] == {
        "text": "",
        "toolCalls": [
            {
                "toolCallId": "c1",
                "toolName": "get_order",
                "input": {"order_id": "4471", "n": 1.1},
            }
        ],
    }
    assert second["request"]["messages"][1]["tool_calls"] == [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "get_order", "arguments": CALL.arguments},
        }
    ]
    assert second["request"]["messages"][2] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "lost",
    }
    assert [row["stepIndex"] for row in (first, second, third)] == [0, 1, 2]
    assert {row["trajectoryId"] for row in (first, second, third)} == {"proj-1"}
    assert first["scenarioId"] == "reply:1"
    assert b'"input": {"order_id":  "4471", "n": 1.10}' in written(with_tools(), NAME)


def test_branches_share_the_rows_of_what_they_share() -> None:
    other = make_subject(*payloads(with_tools())[:5], target_reply("Hm."), project=project_of())
    ours, theirs = written(with_tools(), NAME).splitlines(), written(other, NAME).splitlines()
    assert ours[:2] == theirs[:2]
    assert ours[2] != theirs[2]
    assert json.loads(ours[2])["stepId"] != json.loads(theirs[2])["stepId"]


def project_of() -> Any:
    return with_tools().projects[0]


def test_what_makes_two_rows_the_same_is_request_and_response() -> None:
    fmt = FORMATS[NAME]
    assert fmt.rows is not None
    assert fmt.unique
    project = msgspec.structs.replace(project_of(), id="proj-2")
    twin = make_subject(*payloads(with_tools()), project=project)
    ours, theirs = list(fmt.rows(with_tools())), list(fmt.rows(twin))
    assert [row.same for row in ours] == [row.same for row in theirs]
    assert len({row.same for row in ours}) == 3
    assert ours[0].data != theirs[0].data
    assert [row.steps for row in ours] == [(0, 1, 2), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5, 6)]


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((), "no call to write"),
        ((user_message("Hi."),), "no call to write"),
        ((target_reply("Hi."),), "request.messages holds a user message"),
        ((user_message("Hi."), target_reply(" \n")), "a response has a text or calls a tool"),
        (
            (user_message("Hi."), target_reply("", (ToolCall("c", "f", '["x"]'),))),
            "input is an object",
        ),
        (
            (user_message("Hi."), target_reply("", (ToolCall("c", "f", '{"x": NaN}'),))),
            "input is an object",
        ),
    ],
)
def test_what_the_readers_of_these_rows_refuse_is_refused(steps: Any, words: str) -> None:
    subject = make_subject(*steps)
    faults = report(subject, FORMATS[NAME]).refused
    assert any(words in fault.render() for fault in faults)
    with pytest.raises(ExportError):
        written(subject, NAME)


def test_empty_arguments_are_an_empty_object_and_the_report_says_so() -> None:
    subject = make_subject(user_message("Hi."), target_reply("", (ToolCall("c", "f", ""),)))
    assert rows(subject)[0]["response"]["toolCalls"][0]["input"] == {}
    assert "empty arguments (step 2)" in report(subject, FORMATS[NAME]).render()


def test_replies_not_to_be_trained_on_make_no_row_but_stay_in_the_history() -> None:
    subject = with_tools(marks=(Mark("s4", train=False), Mark("s6", train=True)))
    first, last = rows(subject)
    assert last["request"]["messages"][3]["content"] == "It is lost."
    assert [first["stepIndex"], last["stepIndex"]] == [0, 2]
    assert "(step 4) stand in the history" in report(subject, FORMATS[NAME]).render()


def test_renamed_tools_are_renamed_everywhere() -> None:
    options = WriteOptions(renames=(("get_order", "GET_ORDER"),))
    data = written(with_tools(options=options), NAME).decode()
    assert "get_order" not in data
    assert data.count("GET_ORDER") == 1 + 2 + 3


def test_null_arguments_are_left_out_everywhere_where_asked() -> None:
    call = ToolCall("c1", "f", '{"a": 1.10, "b": null}')
    subject = make_subject(
        user_message("Look."),
        target_reply("", (call,)),
        tool_result("c1", "x"),
        target_reply("Done."),
        options=WriteOptions(prune_nulls=True),
    )
    assert "null}" not in written(subject, NAME).decode()
    assert "arguments are objects in responses" in report(subject, FORMATS[NAME]).render()


def test_rows_read_back_as_one_tree_with_arguments_as_they_were() -> None:
    subject = with_tools()
    (imported,) = read_all(written(subject, NAME), NAME)
    (found,) = subjects_of([imported], NAME)
    assert payloads(found) == payloads(subject)[:-1]  # the stop has no place
    assert found.project.tools == subject.project.tools
    assert found.project.target.system == "Be kind."
    assert (imported.key, imported.project.id) == ("proj-1", "proj-1")
    assert imported.notes == ()
    assert again(written(subject, NAME), NAME) == written(subject, NAME)


def test_branches_are_read_as_one_tree() -> None:
    other = make_subject(*payloads(with_tools())[:5], target_reply("Hm."), project=project_of())
    data = b"".join(dict.fromkeys(with_lines(with_tools()) + with_lines(other)))
    (imported,) = read_all(data, NAME)
    rollout = rollout_of(imported, NAME)
    assert len(rollout) == 7
    assert len(rollout.leaves()) == 2
    assert again(data, NAME) == data


def with_lines(subject: Subject) -> list[bytes]:
    return written(subject, NAME).splitlines(keepends=True)


def test_rows_in_any_order_make_the_same_tree() -> None:
    ours = with_lines(with_tools())
    (imported,) = read_all(b"".join(reversed(ours)), NAME)
    assert len(imported.steps) == 6
    assert sorted(again(b"".join(reversed(ours)), NAME).splitlines()) == sorted(
        line.rstrip(b"\n") for line in ours
    )


def foreign(**more: Any) -> dict[str, Any]:
    return {
        "format": "eliza_native_v1",
        "schemaVersion": 1,
        "boundary": "vercel_ai_sdk.streamText",
        "request": {
            "prompt": "Say hi.",
            "settings": {"temperature": 0.10, "maxOutputTokens": 5},
            "toolChoice": "auto",
        },
        "response": {
            "text": "Hi.",
            "finishReason": "length",
            "usage": {"promptTokens": 12, "completionTokens": 3, "totalTokens": 15},
        },
        "trajectoryId": "t-1",
        "agentId": "nova",
        "scenarioId": None,
        "stepId": "st-9",
        "callId": "ca-9",
        "stepIndex": 4,
        "callIndex": 0,
        "timestamp": 1750000000123,
        "model": "gpt-oss-120b",
        "judgeScore": 0.5,
        "metadata": {"task_type": "should_respond"},
        **more,
    }


def test_rows_of_other_programs_come_back_as_they_were() -> None:
    data = lines(foreign())
    (imported,) = read_all(data, NAME)
    user, reply = imported.steps
    assert user.payload == user_message("Say hi.")
    assert isinstance(reply.payload, TargetReply)
    assert reply.payload.finish_reason == "length"
    assert reply.call is not None
    assert (reply.call.model, reply.call.usage.prompt_tokens) == ("gpt-oss-120b", 12)
    assert reply.created_at == 1750000000.123
    assert [(score.name, score.value) for score in imported.scores] == [("judgeScore", 0.5)]
    assert again(data, NAME) == data


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "u"}]},
        {"system": "S", "messages": [{"role": "user", "content": "u", "name": "ana"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "u"}]}]},
        {
            "messages": [
                {"role": "user", "content": "u"},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [
                        {"id": "c", "type": "function", "function": {"name": "f", "arguments": {}}}
                    ],
                },
                {"role": "tool", "tool_call_id": "c", "name": "f", "content": "r"},
            ],
            "tools": {"f": {"description": "d", "inputSchema": {"type": "object"}}},
        },
        {"messages": [{"role": "user", "content": "u"}], "tools": [{"name": "f", "strict": True}]},
    ],
)
def test_requests_of_many_shapes_are_read_and_come_back(request_: dict[str, Any]) -> None:
    data = lines(foreign(request=request_))
    (imported,) = read_all(data, NAME)
    assert any(isinstance(step.payload, UserMessage) for step in imported.steps)
    assert json.loads(again(data, NAME)) == json.loads(data)
    assert again(data, NAME) == data


def test_calls_and_results_that_stand_as_parts_are_read_as_such() -> None:
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "ls", "input": {"a": 1}}
    other = {"type": "tool-call", "toolCallId": "c2", "toolName": "ls", "input": {}}
    good = {"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": "x"}}
    bad = {
        "type": "tool-result",
        "toolCallId": "c2",
        "output": {"type": "error-json", "value": {"e": 1}},
    }
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [{"type": "text", "text": "Well."}, call, other]},
        {"role": "tool", "content": [good, bad]},
    ]
    data = lines(foreign(request={"messages": messages}))
    (imported,) = read_all(data, NAME)
    calls = (ToolCall("c1", "ls", '{"a": 1}'), ToolCall("c2", "ls", "{}"))
    assert [step.payload for step in imported.steps[:-1]] == [
        user_message("Look."),
        TargetReply(text_parts("Well."), (), calls),
        tool_result("c1", "x"),
        tool_result("c2", '{"e": 1}', is_error=True),
    ]
    assert imported.notes == ()
    assert again(data, NAME) == data


def test_calls_of_one_trajectory_with_other_prompts_are_branches_of_one_tree() -> None:
    data = lines(
        foreign(request={"system": "A", "messages": [{"role": "user", "content": "u"}]}),
        foreign(
            request={"system": "B", "messages": [{"role": "user", "content": "u"}]}, stepId="2"
        ),
    )
    (imported,) = read_all(data, NAME)
    rollout = rollout_of(imported, NAME)
    assert len(rollout.leaves()) == 2
    assert isinstance(imported.steps[2].payload, SystemNote)
    assert "another system text" in imported.notes[0].render()
    assert again(data, NAME) == data


def test_a_row_that_stands_twice_is_read_once_and_noted() -> None:
    (imported,) = read_all(lines(foreign(), foreign(stepId="x")), NAME)
    assert len(imported.steps) == 2
    assert "read once" in imported.notes[0].render()
    assert imported.notes[0].line == 2


def test_a_row_without_response_is_left_out_and_named() -> None:
    broken = foreign()
    del broken["response"]
    (imported,) = read_all(lines(foreign(), broken), NAME)
    assert (imported.notes[0].line, imported.notes[0].where) == (2, "response")
    reader = FORMATS[NAME].reader
    assert reader is not None
    with pytest.raises(FormatError, match="line 7: response"):
        list(reader.read(Record(7, [broken], "d", lines=(7,))))


@pytest.mark.parametrize(
    "odd",
    [
        {"request": {"system": {"a": 1}, "messages": [{"role": "user", "content": "u"}]}},
        {"request": {"messages": [None, {"role": 5, "content": {}}], "tools": "x"}},
        {"request": {"messages": [{"role": "tool", "tool_call_id": "", "content": "r"}]}},
        {"response": {"text": None, "toolCalls": [{"toolName": {}, "input": "x"}, 3]}},
        {"response": {"text": 5, "toolCalls": "none"}, "timestamp": "x", "trajectoryId": 3},
        {"scenarioId": float("nan"), "format": 4},
    ],
)
def test_odd_rows_are_read_and_come_back(odd: dict[str, Any]) -> None:
    data = lines(foreign(**odd))
    found = read_all(data, NAME)
    for subject in subjects_of(found, NAME):
        if not report(subject, FORMATS[NAME]).refused:
            assert json.loads(again(data, NAME)) == json.loads(data.replace(b"NaN", b"null"))


def test_rows_without_a_trajectory_are_grouped_by_how_they_begin() -> None:
    reader = FORMATS[NAME].reader
    assert reader is not None
    assert reader.group is not None
    one, two = foreign(trajectoryId=None), foreign(trajectoryId=None, request={"prompt": "Other."})
    assert reader.group(one) == reader.group(foreign(trajectoryId=""))
    assert reader.group(one) != reader.group(two)
    for odd in (None, [], 3, {"request": 5}, {"request": {"messages": {}}}):
        assert reader.group(odd)
        assert reader.recognise(odd) == 0


def test_an_edit_after_an_import_makes_rows_of_its_own_from_there() -> None:
    data = written(with_tools(), NAME)
    (imported,) = read_all(data, NAME)
    rollout = rollout_of(imported, NAME)
    edit = user_message("Really?")
    steps = [step.id for step in imported.steps]
    rollout.add(Step("e1", steps[3], role_of(edit), edit, "human", author="ana"))
    kept = msgspec.structs.replace(imported.steps[5], id="e2", parent_id="e1", copied_from=steps[5])
    rollout.add(kept)
    subject = msgspec.structs.replace(
        subjects_of([imported], NAME)[0], trajectory=rollout.trajectory("e2"), rollout=rollout
    )
    ours, found = with_lines(with_tools()), with_lines(subject)
    assert found[:2] == ours[:2]
    assert json.loads(found[2])["stepId"] != json.loads(ours[2])["stepId"]


TEXTS = st.text(min_size=1, max_size=12).filter(str.strip) | st.sampled_from(["\u2028x", '"\\'])
ARGUMENTS = st.sampled_from(["{}", '{"a":  1.0}', '{"b": [1e5, -0], "c": "é"}'])


@given(st.lists(st.tuples(TEXTS, st.none() | ARGUMENTS, TEXTS), min_size=1, max_size=4), TEXTS)
def test_written_rows_read_back_and_written_again_are_the_same_bytes(
    turns: list[tuple[str, str | None, str]], system: str
) -> None:
    made: list[Payload] = []
    for number, (said, arguments, answer) in enumerate(turns):
        made.append(user_message(said))
        if arguments is not None:
            made.append(TargetReply((), (), (ToolCall(f"c{number}", "f", arguments),)))
            made.append(tool_result(f"c{number}", answer))
        made.append(TargetReply(text_parts(answer)))
    project = make_project(target=HumanTarget(system=system), id="proj-9")
    subject = make_subject(*made, project=project)
    data = written(subject, NAME)
    (imported,) = read_all(data, NAME)
    (found,) = subjects_of([imported], NAME)
    assert payloads(found) == made
    assert imported.notes == ()
    assert written(found, NAME) == data
