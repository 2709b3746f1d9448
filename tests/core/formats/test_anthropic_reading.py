"""Reading rows of Anthropic's shape, and writing them again."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import FormatError
from rollstep.core.formats.reading.record import Record
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    TargetReply,
    ToolCall,
    ToolResult,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.steps import Step, role_of

from .anthropic_rows import NAME, OTHER, SIGNED, line, payloads, row, with_tools
from .conftest import make_project, make_subject
from .round_trip import again, read_all, rollout_of, subjects_of, written


def test_a_row_is_read_as_it_was_written() -> None:
    subject = with_tools(user_message("Thanks."), target_reply("Bye."))
    (imported,) = read_all(written(subject, NAME), NAME)
    (found,) = subjects_of([imported], NAME)
    call = ToolCall("c1", "get_order", '{"order_id": "4471", "n": 1.10}')  # as an object
    expected = payloads(subject)
    expected[1] = msgspec.structs.replace(expected[1], tool_calls=(call, OTHER))
    assert payloads(found) == expected
    assert found.project.tools == subject.project.tools
    assert found.project.target.system == "Be kind."
    assert imported.notes == ()
    assert again(written(found, NAME), NAME) == written(found, NAME)


FOREIGN = {
    "model": "claude-x",
    "max_tokens": 1024,
    "temperature": 0.10,
    "system": [
        {"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Be short."},
    ],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi."}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "s1"},
                {"type": "text", "text": "I look."},
                {"type": "thinking", "thinking": "More.", "signature": "s2"},
                {"type": "tool_use", "id": "t1", "name": "ls", "input": {"a": 1.0}, "caller": {}},
                {"type": "server_tool_use", "id": "s", "name": "web", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [
                        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}},
                        {"type": "image", "source": {"type": "url", "url": "https://x.invalid"}},
                    ],
                    "is_error": False,
                },
                {"type": "text", "text": "And?", "cache_control": {"type": "ephemeral"}},
            ],
        },
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]},
        {"role": "user", "content": "Go on."},
    ],
    "tools": [
        {"name": "ls", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 5},
    ],
}


def test_a_stored_request_body_is_read_and_comes_back_to_the_byte() -> None:
    (imported,) = read_all(line(FOREIGN), NAME)
    assert imported.project.target.system == "Be kind.\n\nBe short."
    reply = imported.steps[1].payload
    assert isinstance(reply, TargetReply)
    assert [block.text for block in reply.reasoning] == ["Hm.", "More."]
    assert reply.tool_calls == (ToolCall("t1", "ls", '{"a": 1.0}'),)
    assert [type(step.payload).__name__ for step in imported.steps[2:4]] == [
        "ToolResult",
        "UserMessage",
    ]
    assert again(line(FOREIGN), NAME) == line(FOREIGN)


def test_an_edited_reply_loses_the_shape_it_had_and_the_rest_keeps_it() -> None:
    (imported,) = read_all(line(FOREIGN), NAME)
    rollout = rollout_of(imported, NAME)
    edit = target_reply("Better.")
    rollout.add(Step("e1", imported.steps[3].id, role_of(edit), edit, "human", author="ana"))
    (first, *_) = [s for s in subjects_of([imported], NAME)]
    subject = Subject(
        rollout.trajectory("e1"), first.projects, format=NAME, extra=imported.extra, rollout=rollout
    )
    found = row(subject)
    assert found["messages"][:3] == FOREIGN["messages"][:3]  # type: ignore[index]
    assert found["messages"][3:] == [{"role": "assistant", "content": "Better."}]


def test_two_users_in_a_row_are_two_steps() -> None:
    value = {
        "system": "S",
        "messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}],
    }
    (imported,) = read_all(line(value), NAME)
    assert [step.payload for step in imported.steps] == [user_message("a"), user_message("b")]


def test_odd_messages_are_read_and_noted() -> None:
    value = {
        "messages": [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "no"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "input": ["x"]}]},
            {"role": "user", "content": []},
            {"role": "assistant", "content": []},
            "loose",
            {"role": "user", "content": {"a": 1}},
            {"role": "user", "content": [{"type": "text", "text": 5}, "bare"]},
        ]
    }
    (imported,) = read_all(line(value), NAME)
    said = "\n".join(note.render() for note in imported.notes)
    assert "messages[0].content[0].tool_use_id: no open call has the id 'no'" in said
    assert "messages[1].content[0].id: the tool call has no id" in said
    assert "messages[1].content[0].name: the tool call has no name" in said
    assert "the input is no object" in said
    assert "messages[2].content: the message is empty" in said
    assert len(imported.steps) == 7
    result = imported.steps[0].payload
    assert isinstance(result, ToolResult)


def test_a_row_without_messages_cannot_be_used() -> None:
    reader = FORMATS[NAME].reader
    assert reader is not None
    with pytest.raises(FormatError, match="line 4: messages"):
        list(reader.read(Record(4, {"messages": []}, "d")))


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        (FOREIGN, 90, 100),
        ({"messages": [{"role": "user", "content": "x"}], "system": "S"}, 90, 100),
        ({"messages": [{"role": "user", "content": "x"}]}, 0, 0),
        ({"messages": [{"role": "system", "content": "x"}], "tools": [{"type": "function"}]}, 0, 0),
        ({"messages": [{"role": "assistant", "content": [], "tool_calls": []}]}, 0, 0),
        (
            {"messages": [{"role": "tool"}, {"role": "user", "content": [{"type": "thinking"}]}]},
            0,
            0,
        ),
        ({"messages": 3}, 0, 0),
        ([], 0, 0),
        (None, 0, 0),
    ],
)
def test_rows_are_recognised_by_what_only_they_have(value: Any, least: int, most: int) -> None:
    reader = FORMATS[NAME].reader
    assert reader is not None
    assert least <= reader.recognise(value) <= most


TEXTS = st.text(min_size=1, max_size=12).filter(str.strip) | st.sampled_from(["\u2028x", '"\\'])
ARGUMENTS = st.sampled_from(["{}", '{"a": 1.0}', '{"b": [1e5, -0], "c": "é"}'])


@given(
    st.lists(
        st.tuples(TEXTS, st.none() | ARGUMENTS, TEXTS, st.booleans(), st.booleans()),
        min_size=1,
        max_size=4,
    ),
    st.none() | TEXTS,
)
def test_written_rows_read_back_and_written_again_are_the_same_bytes(
    turns: list[tuple[str, str | None, str, bool, bool]], system: str | None
) -> None:
    made: list[Payload] = []
    for number, (said, arguments, answer, thinks, fails) in enumerate(turns):
        thought = (Reasoning("Hm.", "c2ln", SIGNED),) if thinks else ()
        made.append(user_message(said))
        if arguments is not None:
            made.append(TargetReply((), thought, (ToolCall(f"c{number}", "f", arguments),)))
            made.append(tool_result(f"c{number}", answer, is_error=fails))
        made.append(TargetReply(text_parts(answer), thought))
    subject = make_subject(*made, project=make_project(target=HumanTarget(system=system)))
    data = written(subject, NAME)
    value = json.loads(data)
    if "system" not in value and "thinking" not in str(value) and "tool_use" not in str(value):
        return  # such a row could be anybody's
    (imported,) = read_all(data, NAME)
    (found,) = subjects_of([imported], NAME)
    assert payloads(found) == made
    assert found.project.target.system == system
    assert imported.notes == ()
    assert written(found, NAME) == data
