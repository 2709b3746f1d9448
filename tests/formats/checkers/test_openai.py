"""OpenAI rows against the types of OpenAI's own client, and the rules of its tuning guide."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter

from .writing import PLAIN, rows, taken

_MESSAGE = TypeAdapter(ChatCompletionMessageParam)
_TOOLS = TypeAdapter(list[ChatCompletionToolParam])
_MORE = {"weight"}
"""Keys of tuning rows that are no part of a request."""


def check_message(message: dict[str, Any]) -> None:
    """Lazy fields included: pydantic looks at an ``Iterable`` only when it is walked."""
    plain = {key: value for key, value in message.items() if key not in _MORE}
    checked = _MESSAGE.validate_python(plain, strict=False)
    for key in ("tool_calls", "content"):
        value = checked.get(key)
        if value is not None and not isinstance(value, str):
            list(value)
    if "weight" in message:
        assert message["role"] == "assistant"
        assert message["weight"] in (0, 1)
        assert not isinstance(message["weight"], bool)


@pytest.mark.parametrize("name", taken("openai"))
def test_rows_are_what_the_client_types_say(name: str) -> None:
    for row in rows("openai", name):
        assert row.keys() <= {"messages", "tools", "parallel_tool_calls"}
        for message in row["messages"]:
            check_message(message)
        assert row["messages"][-1]["role"] == "assistant"
        if "tools" in row:
            list(_TOOLS.validate_python(row["tools"]))


def test_what_it_takes() -> None:
    assert set(PLAIN) <= set(taken("openai"))
    refused = {"empty", "only_a_message", "open_call", "orphan_result", "undeclared_tool"}
    assert refused.isdisjoint(taken("openai"))


@pytest.mark.parametrize("name", taken("openai-preference"))
def test_pairs_are_what_the_client_types_say(name: str) -> None:
    for row in rows("openai-preference", name):
        assert row.keys() == {"input", "preferred_output", "non_preferred_output"}
        for message in row["input"]["messages"]:
            check_message(message)
        for side in ("preferred_output", "non_preferred_output"):
            (message,) = row[side]
            check_message(message)
            assert message["role"] == "assistant"
        assert row["preferred_output"] != row["non_preferred_output"]


def test_pairs_that_there_are() -> None:
    assert {"edited_reply", "takes_with_verdicts"} <= set(taken("openai-preference"))
    assert {"plain", "white_space_edit"}.isdisjoint(taken("openai-preference"))
