"""Anthropic rows against the types of Anthropic's own client, and the rules of its API."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types import MessageParam, TextBlockParam, ToolParam
from pydantic import TypeAdapter

from .writing import PLAIN, rows, rows_with, taken

_MESSAGE = TypeAdapter(MessageParam)
_TOOL = TypeAdapter(ToolParam)
_SYSTEM = TypeAdapter(str | list[TextBlockParam])


def check_messages(messages: list[dict[str, Any]]) -> None:
    """Types, turns, results first and for every call, no empty text."""
    waiting: set[str] = set()
    for index, message in enumerate(messages):
        checked = _MESSAGE.validate_python(message)
        if not isinstance(checked["content"], str):
            list(checked["content"])
        assert message["role"] == ("assistant" if index % 2 else "user")
        blocks = message["content"]
        if isinstance(blocks, str):
            assert blocks
            assert not waiting
            continue
        kinds = [block["type"] for block in blocks]
        results = {b["tool_use_id"] for b in blocks if b["type"] == "tool_result"}
        assert results == waiting
        assert kinds[: len(results)] == ["tool_result"] * len(results)
        assert all(block["text"] for block in blocks if block["type"] == "text")
        assert all(block["signature"] for block in blocks if block["type"] == "thinking")
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}
    assert not waiting


@pytest.mark.parametrize("name", taken("anthropic"))
def test_rows_are_what_the_client_types_say(name: str) -> None:
    for row in rows("anthropic", name):
        check_messages(row["messages"])
        if "system" in row:
            _SYSTEM.validate_python(row["system"])
        for tool in row.get("tools", ()):
            _TOOL.validate_python(tool)


@pytest.mark.parametrize("greeting", ["drop", "system"])
def test_the_user_begins_where_the_person_says_what_becomes_of_a_greeting(greeting: str) -> None:
    (row,) = rows_with("anthropic", "target_begins", greeting=greeting)
    check_messages(row["messages"])
    _SYSTEM.validate_python(row["system"])
    assert ("Welcome!" in str(row["system"])) == (greeting == "system")


def test_what_it_takes() -> None:
    assert {*PLAIN, "tools", "parallel", "error_result", "signed_reasoning"} <= set(
        taken("anthropic")
    )
    assert {"empty", "open_call", "orphan_result"}.isdisjoint(taken("anthropic"))


def test_an_edit_takes_the_signed_thinking_out() -> None:
    (row,) = rows("anthropic", "edited_reasoning")
    assert "thinking" not in str(row)
    (row,) = rows("anthropic", "signed_reasoning")
    assert "c2ln" in str(row)
