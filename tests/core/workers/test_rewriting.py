"""What would be changed on its way to a model is found, and named."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.workers.model_request import ModelRequest
from rollstep.core.workers.rewriting import Guard, refuse_broken, without_thoughts

CHAT = ModelRequest(
    "openai/m",
    json.dumps(
        [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "tool_calls": [{"function": {"arguments": '{"n": 1}'}}]},
        ]
    ),
    '[{"type": "function"}]',
    "{}",
    None,
    1.0,
)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"temperature": 1}, ""),
        ({"messages": []}, "2 messages would be sent as 0"),
        ({"messages": None}, "2 messages would be sent as no"),
        ({"tools": []}, ""),
    ],
)
def test_a_chat_request_that_leaves_is_compared_field_by_field(
    change: dict[str, Any], words: str
) -> None:
    body = {"messages": json.loads(CHAT.messages), "tools": json.loads(CHAT.tools)}
    assert Guard(CHAT)("https://a.example/v1/chat/completions", {**body, **change}) == words


def test_the_field_that_would_be_changed_is_named() -> None:
    body = {"messages": json.loads(CHAT.messages), "tools": json.loads(CHAT.tools)}
    body["messages"][0]["content"] = "Hi there"
    guard = Guard(CHAT)
    said = guard("https://a.example/v1/chat/completions", body)
    assert said == "the content of message 1 (of the user) would be changed"
    del body["messages"][0]["content"]
    said = guard("https://a.example/v1/chat/completions", body)
    assert said == "the content of message 1 (of the user) would be dropped"


def test_a_request_of_another_shape_holds_every_text_and_argument() -> None:
    guard = Guard(CHAT)
    whole = {"contents": [{"parts": [{"text": "Hi"}]}, {"call": {"args": {"n": 1}}}]}
    assert guard("https://b.example/generate", whole) == ""
    assert "a text of message 1" in guard("https://b.example/generate", {"contents": []})
    changed = {"contents": [{"parts": [{"text": "Hi"}]}, {"call": {"args": {"n": 2}}}]}
    assert "the arguments of a call in message 2" in guard("https://b.example/generate", changed)


SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
USER = {"role": "user", "content": "Hi"}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "user", "content": " "}], "message 1 (of the user) is empty"),
        ([{"role": "assistant"}], "message 1 (of the assistant) is empty"),
        ([USER, USER], "messages 1 and 2 (both of the user) would be merged"),
        ([USER, {"role": "system", "content": "x"}], "message 2 (of the system) would be moved"),
        (
            [{"role": "assistant", "content": "x", "thinking_blocks": [{"type": "thinking"}]}],
            "message 1 (of the assistant) holds thinking without a signature",
        ),
        (
            [{"role": "assistant", "content": "Hi", "thinking_blocks": [SIGNED]}],
            "a text of message 1 (of the assistant) would be changed",
        ),
        ([{"role": "tool", "content": "", "tool_call_id": "c1"}], ""),
        ([USER], ""),
    ],
)
def test_what_another_shape_cannot_hold_is_held_back(
    messages: list[dict[str, Any]], words: str
) -> None:
    request = msgspec.structs.replace(CHAT, messages=json.dumps(messages))
    said = Guard(request)("https://b.example/generate", {"contents": ["Hi", "x", " "]})
    assert said.startswith(words) if words else said == ""


def test_half_a_surrogate_pair_cannot_be_sent_and_a_whole_one_can() -> None:
    for ascii_only in (False, True):
        text = json.dumps([{"role": "user", "content": "\ud83d"}], ensure_ascii=ascii_only)
        with pytest.raises(RoleError, match="half of a surrogate pair"):
            refuse_broken(msgspec.structs.replace(CHAT, messages=text))
        text = json.dumps([{"role": "user", "content": "\U0001f600"}], ensure_ascii=ascii_only)
        refuse_broken(msgspec.structs.replace(CHAT, messages=text))


def test_thoughts_that_a_model_does_not_take_back_are_not_in_the_request() -> None:
    messages = [USER, {"role": "assistant", "content": "x", "thinking_blocks": [SIGNED]}]
    assert without_thoughts("gemini/x", messages) == [USER, {"role": "assistant", "content": "x"}]
    assert without_thoughts("vertex_ai/gemini-x", messages)[1].keys() == {"role", "content"}
    for model in ("anthropic/claude-x", "vertex_ai/claude-x", "openai/m"):
        assert without_thoughts(model, messages) == messages
