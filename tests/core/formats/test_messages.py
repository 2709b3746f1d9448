from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from rollstep.core.errors import FormatError
from rollstep.core.formats import messages
from rollstep.core.formats.reading.files import read_records
from rollstep.core.model.project import HumanTarget

from .foreign import mangled, read_all, spoken, survives

OPENAI: list[Any] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Where?", "timestamp": "2026-03-01T10:00:00Z"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "here"},
    {"role": "assistant", "content": "Here."},
]
ANTHROPIC: list[Any] = [
    {"role": "user", "content": "Where?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "tool_use", "id": "t1", "name": "look", "input": {"a": 1}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "here", "is_error": True},
            {"type": "text", "text": "Well?"},
        ],
    },
    {"role": "assistant", "content": "Here."},
]


def test_one_message_per_line_is_one_conversation() -> None:
    (imported,) = read_all(messages.READER, OPENAI)
    assert spoken(imported) == [
        "evaluator: Where?",
        'target:  [look {"a":1} c1]',
        "tool: here <c1>",
        "target: Here.",
    ]
    assert isinstance(imported.project.target, HumanTarget)
    assert imported.project.target.system == "Be kind."
    assert imported.title == "Where?"
    assert imported.created_at == 1772359200.0


def test_anthropics_dialect_is_understood() -> None:
    (imported,) = read_all(messages.READER, ANTHROPIC)
    assert spoken(imported) == [
        "evaluator: Where?",
        'target:  [look {"a": 1} t1]',
        "tool: here <t1 error>",
        "evaluator: Well?",
        "target: Here.",
    ]


def test_lines_that_name_their_conversation_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text(
        '{"conversation_id": "a", "role": "user", "content": "1"}\n'
        '{"conversation_id": "a", "role": "assistant", "content": "2"}\n'
        '{"conversation_id": "b", "role": "user", "content": "3"}\n'
    )
    found = [read for read in read_records(path) if read.imported]
    assert [read.format for read in found] == ["messages", "messages"]
    assert [len(read.imported[0].steps) for read in found] == [2, 1]
    assert [read.imported[0].title for read in found] == ["a", "b"]


def test_a_file_of_messages_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"role": "user", "content": "1"}\n{"role": "assistant", "content": "2"}\n')
    (read,) = read_records(path)
    assert (read.format, len(read.imported[0].steps)) == ("messages", 2)


def test_how_surely_a_line_is_a_message() -> None:
    assert messages.recognise(OPENAI[0]) == 85
    assert messages.recognise({"role": "narrator", "content": "x"}) == 40
    assert messages.recognise({"role": "user", "messages": []}) == 0
    assert messages.recognise({"content": "x"}) == 0


def test_a_system_text_alone_is_no_conversation() -> None:
    with pytest.raises(FormatError):
        read_all(messages.READER, OPENAI[:1])


@given(mangled(OPENAI) | mangled(ANTHROPIC))
def test_wrong_types_give_notes_or_a_refusal(value: Any) -> None:
    survives(messages.READER, value)
