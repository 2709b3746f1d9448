"""What stands where in a row of Anthropic's shape, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.errors import ExportError
from rollstep.core.formats.chat_notes import AS_OBJECTS
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import (
    OtherPart,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    UserMessage,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import HumanTarget, ScriptedEvaluator

from .anthropic_rows import CALL, NAME, SIGNED, row, with_tools, words
from .conftest import make_project, make_subject
from .round_trip import written
from .samples import GET_ORDER


def test_a_row_has_system_and_tools_on_top_and_results_first_in_the_next_message() -> None:
    found = row(with_tools())
    assert list(found) == ["system", "messages", "tools"]
    assert found["system"] == "Be kind."
    assert found["tools"] == [
        {
            "name": "get_order",
            "description": "Find an order",
            "input_schema": json.loads(GET_ORDER.parameters),
        }
    ]
    assert [m["role"] for m in found["messages"]] == ["user", "assistant", "user", "assistant"]
    assert found["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "Let me look."},
        {
            "type": "tool_use",
            "id": "c1",
            "name": "get_order",
            "input": {"order_id": "4471", "n": 1.1},
        },
        {"type": "tool_use", "id": "c2", "name": "get_order", "input": {}},
    ]
    assert found["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c2"},
        {
            "type": "tool_result",
            "tool_use_id": "c1",
            "content": "no such order",
            "is_error": True,
        },
    ]
    assert b'{"order_id":  "4471", "n": 1.10}' in written(with_tools(), NAME)
    assert report(with_tools(), FORMATS[NAME]).lost[0].what == "project"


def test_two_messages_of_one_role_become_one_and_the_report_says_so() -> None:
    subject = make_subject(
        user_message("Hi."), user_message("There?"), target_reply("Yes."), target_reply("Well?")
    )
    assert [m["content"] for m in row(subject)["messages"]] == [
        [{"type": "text", "text": "Hi."}, {"type": "text", "text": "There?"}],
        [{"type": "text", "text": "Yes."}, {"type": "text", "text": "Well?"}],
    ]
    assert "two messages of the user in a row are written as one (step 2)" in words(subject)
    assert "two replies in a row are written as one message (step 4)" in words(subject)


def test_what_the_user_says_behind_results_stands_behind_them_in_one_message() -> None:
    subject = make_subject(
        user_message("Look."),
        target_reply("", (CALL,)),
        tool_result("c1", "lost"),
        user_message("And?"),
        target_reply("Lost."),
    )
    kinds = [block["type"] for block in row(subject)["messages"][2]["content"]]
    assert kinds == ["tool_result", "text"]
    assert report(subject, FORMATS[NAME]).notes == (AS_OBJECTS,)


@pytest.mark.parametrize(
    ("steps", "rule"),
    [
        ((), "no message to write"),
        ((target_reply("Hi."), user_message("Hi.")), "the first message is the user's"),
        ((user_message(""), target_reply("Hi.")), "no message and no text is empty"),
        ((user_message(" \n"), target_reply("Hi.")), "no message and no text is empty"),
        ((user_message("Hi."), target_reply("")), "no message and no text is empty"),
        ((user_message("Hi."), target_reply("", (CALL,))), "all results of a message's calls"),
        (
            (user_message("Hi."), target_reply("", (CALL,)), target_reply("Hm.")),
            "all results of a message's calls",
        ),
        (
            (user_message("Hi."), target_reply("", (CALL,)), user_message("Well?")),
            "all results of a message's calls",
        ),
        ((user_message("Hi."), tool_result("c9", "x")), "a tool_result answers a tool_use"),
        (
            (user_message("Hi."), target_reply("", (CALL, CALL)), tool_result("c1", "x")),
            "ids differ within one message",
        ),
        (
            (user_message("Hi."), target_reply("", (ToolCall("c1", "f", '["x"]'),))),
            "input is an object",
        ),
        (
            (user_message("Hi."), target_reply("", (ToolCall("c1", "f", '{"x": NaN}'),))),
            "input is an object",
        ),
        (
            (user_message("Hi."), target_reply("", (ToolCall("c1", "a.b", "{}"),))),
            "names are 1 to 128",
        ),
        (
            (user_message("Hi."), target_reply("Hm."), SystemNote(text_parts("New policy."))),
            "a system message in messages follows one of the user",
        ),
        (
            (user_message("Hi."), SystemNote(text_parts("New.")), user_message("Well?")),
            "the assistant answers after a system message",
        ),
        (
            (UserMessage((OtherPart("audio", "audio/wav", 3, '{"type": "input_audio"}'),)),),
            "parts are text, and images and documents of the user",
        ),
    ],
)
def test_what_the_api_refuses_is_refused_with_its_rule(steps: Any, rule: str) -> None:
    subject = make_subject(*steps)
    faults = [fault.render() for fault in report(subject, FORMATS[NAME]).refused]
    assert any(rule in fault for fault in faults), faults
    with pytest.raises(ExportError):
        written(subject, NAME)


def test_edited_or_unsigned_thinking_is_left_out_and_the_report_says_so() -> None:
    for block in (
        Reasoning("Hm, changed.", "c2ln", SIGNED),
        Reasoning("Hm."),
        Reasoning("Hm.", "sig", '{"type": "reasoning", "text": "Hm."}'),
    ):
        subject = make_subject(user_message("Hi."), TargetReply(text_parts("No."), (block,)))
        assert row(subject)["messages"][1]["content"] == "No."
        assert "thinking without a signature that holds is left out (step 2)" in words(subject)
        assert "reasoning" in [loss.what for loss in report(subject, FORMATS[NAME]).lost]
    hidden = Reasoning("", None, '{"type": "redacted_thinking", "data": "x"}')
    subject = make_subject(user_message("Hi."), TargetReply(text_parts("No."), (hidden,)))
    assert row(subject)["messages"][1]["content"][0] == {"type": "redacted_thinking", "data": "x"}


def test_system_messages_stand_where_newer_models_take_them() -> None:
    subject = make_subject(
        SystemNote(text_parts("First.")),
        user_message("Hi."),
        SystemNote(text_parts("Policy changed.")),
        target_reply("Ok."),
        project=make_project(target=HumanTarget(system="Be kind.")),
    )
    found = row(subject)
    assert [block["text"] for block in found["system"]] == ["Be kind.", "First."]
    assert found["messages"][1] == {"role": "system", "content": "Policy changed."}
    assert "newer models only (step 3)" in words(subject)


def test_images_in_openai_s_shape_are_written_in_anthropic_s() -> None:
    raw = '{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}'
    far = '{"type": "image_url", "image_url": {"url": "https://x.invalid/a.png"}}'
    mine = '{"type": "image", "source": {"type": "url", "url": "https://x.invalid/a"}}'
    parts = tuple(OtherPart("image", "", 8, each) for each in (raw, far, mine))
    subject = make_subject(UserMessage((Text("What?"), *parts)), target_reply("A picture."))
    sources = [block["source"] for block in row(subject)["messages"][0]["content"][1:]]
    assert sources[0] == {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    assert sources[1] == {"type": "url", "url": "https://x.invalid/a.png"}
    assert sources[2] == {"type": "url", "url": "https://x.invalid/a"}
    assert "images are written in Anthropic's shape (step 1)" in words(subject)


def test_ids_of_calls_are_made_fit_and_stay_paired() -> None:
    calls = (ToolCall("functions.f:0", "f", ""), ToolCall("", "f", "{}"))
    subject = make_subject(
        user_message("Hi."),
        target_reply("", calls),
        tool_result("functions.f:0", "one"),
        tool_result("", "two"),
        target_reply("", (ToolCall("functions.f:0", "f", "{}"),)),
        tool_result("functions.f:0", "three"),
    )
    messages = row(subject)["messages"]
    asked = [b["id"] for m in messages for b in m["content"] if "id" in b]
    answered = [b["tool_use_id"] for m in messages for b in m["content"] if "tool_use_id" in b]
    assert asked == answered == ["functions_f_0", "call_2", "functions_f_0_2"]
    assert "ids of calls are written otherwise" in words(subject)
    assert "empty arguments are written as {} (step 2)" in words(subject)


def test_calls_of_the_user_are_not_the_target_s() -> None:
    own = UserMessage(text_parts("Wait."), (), (ToolCall("u1", "toggle", "{}"),))
    subject = make_subject(own, tool_result("u1", "on"), target_reply("Thanks."))
    assert [m["content"] for m in row(subject)["messages"]] == ["Wait.", "Thanks."]


def test_tools_are_renamed_by_consent() -> None:
    call = ToolCall("c1", "a.b", "{}")
    options = WriteOptions(renames=(("a.b", "a_b"),))
    subject = make_subject(
        user_message("Hi."), target_reply("", (call,)), tool_result("c1", "x"), options=options
    )
    assert row(subject)["messages"][1]["content"][0]["name"] == "a_b"


def test_stop_words_and_null_arguments_are_left_out_where_asked() -> None:
    call = ToolCall("c1", "f", '{"a": 1.10, "b": null}')
    subject = make_subject(
        user_message("Look. ###STOP###"),
        target_reply("", (call,)),
        tool_result("c1", "x"),
        target_reply("Done."),
        user_message("###STOP###"),
        Stop("goal_reached", "evaluator"),
        project=make_project(
            evaluator=ScriptedEvaluator(stop_words=("###STOP###",), stop_match="contains")
        ),
        options=WriteOptions(strip_stop=True, prune_nulls=True),
    )
    assert [m["content"] for m in row(subject)["messages"]][::3] == ["Look.", "Done."]
    assert b'"input": {"a": 1.10}' in written(subject, NAME)
    assert "stop words are left out (step 1, 5)" in words(subject)
