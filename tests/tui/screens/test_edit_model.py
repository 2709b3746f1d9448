"""The edit model: what is not touched comes back as it was."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.tui.screens.edit_model import SHOWN, SHOWN_LINES, EditModel
from rollstep.tui.screens.edit_types import EditRequest, Shape

ODD = "a\u2028b\r\nc\rd\x85\x0b\x00\ud83d  \n\n"
SIGNED = Reasoning("think", signature="sig", raw="{}")
IMAGE = OtherPart("image", "image/png", 12_345, "{}")
REPLY = TargetReply(
    (Text("one"), IMAGE, Text("two")),
    (SIGNED, Reasoning("more")),
    (ToolCall("c1", "get_order", '{"id":  1}'), ToolCall("c2", "list", "[1")),
    "tool_calls",
)

CASES: list[tuple[Shape, Payload]] = [
    ("message", user_message(ODD)),
    ("message", user_message("")),
    ("message", UserMessage((), (Reasoning("own"),))),
    ("reply", REPLY),
    ("reply", TargetReply((Text(""),), refusal="no")),
    ("result", tool_result("c1", ODD, is_error=True)),
    ("result", ToolResult("c1", (IMAGE,))),
    ("stop", Stop("goal_reached", "evaluator", "note")),
]


def model(shape: Shape, payload: Payload | None, **more: object) -> EditModel:
    request = EditRequest("x", shape, payload, **more)  # type: ignore[arg-type]
    return EditModel(request, new_id=lambda: "call_new")


@pytest.mark.parametrize(("shape", "payload"), CASES)
def test_nothing_typed_is_no_edit(shape: Shape, payload: Payload) -> None:
    edited = model(shape, payload)
    for field in list(edited.fields()):
        edited.set(field.key, field.text)
    assert not edited.changed
    assert edited.payload() is payload


@given(st.sampled_from(CASES), st.data(), st.text(min_size=1, max_size=9))
def test_one_edit_changes_one_text_and_survives_a_draft(
    case: tuple[Shape, Payload], data: st.DataObject, new: str
) -> None:
    shape, payload = case
    edited = model(shape, payload)
    field = data.draw(st.sampled_from(list(edited.fields())))
    edited.set(field.key, field.text + new)
    again = EditModel(
        EditRequest("x", shape, payload, draft=edited.dump()), new_id=lambda: "call_new"
    )
    assert again.draft_loaded
    assert again.payload() == edited.payload() != payload
    for other in edited.fields():
        if other.key != field.key:
            assert edited.get(other.key) == other.original


def test_a_reply_keeps_its_other_parts_calls_and_unedited_reasoning() -> None:
    edited = model("reply", REPLY)
    edited.set("text.1", "TWO")
    assert edited.payload() == msgspec.structs.replace(
        REPLY, parts=(Text("one"), IMAGE, Text("TWO"))
    )
    assert edited.others() == ["image image/png, 12,345 bytes, kept"]


def test_edited_reasoning_loses_its_signature_and_says_so() -> None:
    edited = model("reply", REPLY)
    edited.set("reasoning.0", "think again")
    reply = edited.payload()
    assert isinstance(reply, TargetReply)
    assert reply.reasoning == (Reasoning("think again"), Reasoning("more"))
    assert "signature" in edited.notes()[0]


def test_a_simulator_s_state_is_edited_beside_its_result() -> None:
    edited = model("result", tool_result("c1", "ok"), state='{"n": 1}')
    assert edited.simulator_state() is None
    edited.set("state", '{"n": 2}')
    assert edited.changed
    assert edited.payload() == tool_result("c1", "ok")
    assert edited.simulator_state() == '{"n": 2}'
    again = model("result", tool_result("c1", "ok"), state='{"n": 1}', draft=edited.dump())
    assert again.simulator_state() == '{"n": 2}'
    edited.set("state", "[]")
    assert edited.problems() == ["The simulator's state is not a JSON object."]


def test_a_draft_from_before_there_was_a_state_leaves_it_as_it_is() -> None:
    edited = model("result", tool_result("c1", "ok"), state='{"n": 1}')
    edited.set("text.0", "lost")
    old = {key: value for key, value in json.loads(edited.dump()).items() if key != "state"}
    again = model("result", tool_result("c1", "ok"), state='{"n": 1}', draft=json.dumps(old))
    assert again.draft_loaded
    assert (again.get("text.0"), again.simulator_state()) == ("lost", None)


def test_calls_are_edited_added_and_removed_and_keep_their_ids() -> None:
    edited = model("reply", REPLY)
    edited.set("call.0.arguments", '{"id": 2}')
    edited.remove_call(1)
    uid = edited.add_call()
    edited.set(f"call.{uid}.name", "refund")
    reply = edited.payload()
    assert isinstance(reply, TargetReply)
    assert reply.tool_calls == (
        ToolCall("c1", "get_order", '{"id": 2}'),
        ToolCall("call_new", "refund", "{}", made_id=True),
    )


def test_a_reply_whose_last_call_goes_ends_its_turn() -> None:
    edited = model("reply", REPLY)
    edited.remove_call(0)
    edited.remove_call(1)
    reply = edited.payload()
    assert isinstance(reply, TargetReply)
    assert (reply.tool_calls, reply.finish_reason) == ((), "stop")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("null", "call 1 lookup_order: arguments: line 1, column 1: null, not an object"),
        ('["A-100"]', "call 1 lookup_order: arguments: line 1, column 1: a list, not an object"),
        ('"A-100"', "call 1 lookup_order: arguments: line 1, column 1: a string, not an object"),
        ("", "call 1 lookup_order: arguments: empty: not JSON"),
        ('{"order_id": A-100}', "line 1, column 14: Expecting value"),
        ('{"n": NaN}', "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_arguments_that_are_no_object_are_named_with_place_and_cause_and_kept(
    arguments: str, words: str
) -> None:
    edited = model("reply", target_reply("", (ToolCall("c", "lookup_order", "{}"),)))
    edited.set("call.0.arguments", arguments)
    assert words in edited.problems()[0]
    reply = edited.payload()
    assert isinstance(reply, TargetReply)
    assert reply.tool_calls[0].arguments == arguments


def test_a_fault_that_was_there_before_is_not_held_against_another_edit() -> None:
    edited = model("reply", REPLY)
    edited.set("text.0", "new")
    assert edited.problems() == []


def test_a_stop_becomes_a_message_and_a_message_a_stop() -> None:
    edited = model("stop", Stop("max_turns", "rule", "held back"))
    edited.switch()
    assert edited.payload() == user_message("held back")
    edited = model("message", user_message("hi"))
    edited.switch()
    edited.set("stop.note", "enough")
    assert edited.payload() == Stop("goal_reached", "human", "enough")
    edited.switch()
    assert edited.get("text.0") == "hi"


def test_a_written_result_answers_its_call_and_a_prefilled_one_counts_as_typed() -> None:
    call = ToolCall("c7", "get_order", "{}")
    written = model("result", None, call=call, prefill='{"ok": false}')
    assert written.changed
    assert written.payload() == tool_result("c7", '{"ok": false}')


def test_a_huge_text_is_shown_in_part_and_kept_whole() -> None:
    for huge, tail in (("x" * (SHOWN + 10), 10), ("a\n" * (SHOWN_LINES + 2), 4)):
        edited = model("result", tool_result("c", huge))
        field = next(edited.fields())
        assert field.hidden_tail == tail
        assert not edited.changed
        edited.set("text.0", "Y" + field.text)
        assert edited.payload() == tool_result("c", "Y" + huge)


@pytest.mark.parametrize("draft", ["{", "[]", "null", '{"v": 1, "shape": "message"}', '{"x": 2}'])
def test_a_draft_that_cannot_be_read_changes_nothing(draft: str) -> None:
    edited = model("message", user_message("hi"), draft=draft)
    assert not edited.draft_loaded
    assert edited.payload() == user_message("hi")


def test_an_empty_message_is_sent_only_knowingly() -> None:
    edited = model("message", user_message("hi"))
    edited.set("text.0", "")
    assert edited.problems() == ["The text is empty, and will be sent so."]
    assert edited.payload() == user_message("")
