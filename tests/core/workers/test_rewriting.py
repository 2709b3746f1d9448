"""What would be changed on its way to a model is found, and named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.errors import RoleError
from rollstep.core.workers.model_request import ModelRequest
from rollstep.core.workers.rewriting import Guard, foreseen

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
        ({"tools": []}, "the descriptions of the tools would be changed"),
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


def test_providers_that_take_the_chat_shape_take_anything() -> None:
    twice = json.dumps([{"role": "user", "content": ""}] * 2)
    foreseen(ModelRequest("openai/m", twice, "[]", "{}", None, 1.0))
    foreseen(ModelRequest("gpt-5", twice, "[]", "{}", None, 1.0))
    for model in ("anthropic/m", "claude-x", "gemini/m", "never-heard-of/m"):
        with pytest.raises(RoleError):
            foreseen(ModelRequest(model, twice, "[]", "{}", None, 1.0))
