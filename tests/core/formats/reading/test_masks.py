"""Loss masks and reasoning keys of messages from outside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.formats.reading.building import TreeBuilder
from rollstep.core.formats.reading.chat import ChatReader
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.model.messages import TargetReply


def read(*messages: dict[str, Any]) -> tuple[ChatReader, TreeBuilder]:
    builder = TreeBuilder("key")
    reader = ChatReader(builder)
    reader.read(JsonReader().parse(json.dumps(list(messages)))[0])
    return reader, builder


@pytest.mark.parametrize(
    ("mask", "train"),
    [
        ({"weight": 1}, True),
        ({"weight": 0}, False),
        ({"training": True}, True),
        ({"training": False}, False),
    ],
)
def test_a_mask_on_a_reply_is_its_train_mark(mask: dict[str, Any], train: bool) -> None:
    reader, builder = read({"role": "assistant", "content": "a", **mask})
    assert [mark.train for mark in reader.marks] == [train]
    assert (builder.notes, builder.steps[0].extra) == ([], "")


@pytest.mark.parametrize(
    "mask", [{"weight": 0.5}, {"weight": True}, {"weight": False}, {"training": 1}]
)
def test_a_mask_that_is_none_is_noted_and_kept_aside(mask: dict[str, Any]) -> None:
    reader, builder = read({"role": "assistant", "content": "a", **mask})
    ((key, value),) = mask.items()
    assert reader.marks == []
    assert [note.where for note in builder.notes] == [f"messages[0].{key}"]
    assert json.loads(builder.steps[0].extra) == {key: value}


@pytest.mark.parametrize("role", ["user", "tool"])
def test_a_weight_on_something_else_is_noted_and_kept_aside(role: str) -> None:
    reader, builder = read({"role": role, "content": "a", "tool_call_id": "c", "weight": 1})
    assert reader.marks == []
    assert "only a reply of the target has a weight" in builder.notes[0].message
    assert json.loads(builder.steps[0].extra) == {"weight": 1}


def test_reasoning_under_two_keys_is_not_lost() -> None:
    blocks = [{"type": "thinking", "thinking": "t", "signature": "s"}]
    said = {
        "role": "assistant",
        "content": "x",
        "reasoning_content": "r",
        "thinking_blocks": blocks,
    }
    _, builder = read(said)
    payload = builder.steps[0].payload
    assert isinstance(payload, TargetReply)
    assert [(block.text, block.signature) for block in payload.reasoning] == [("t", "s")]
    extra = json.loads(builder.steps[0].extra)
    assert extra == {"$reasoning": "thinking_blocks", "reasoning_content": "r"}
