"""TRL rows read, and written again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.errors import FormatError
from rollstep.core.formats.reading.record import Record
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import Stop, TargetReply, UserMessage, payload_text

from ..reading_back import (
    branches_of,
    meaning,
    read_line,
    read_lines,
    subject_from,
    write,
    written_again,
)
from ..samples import everything

USER = {"role": "user", "content": "q"}
SAYS = {"role": "assistant", "content": "a"}
CALLS = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "get", "arguments": {"n": 1}}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "r"}


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    "row",
    [
        {"messages": [USER, SAYS]},
        {"messages": [USER, {**SAYS, "reasoning_content": "r"}]},
        {"messages": [USER, {**SAYS, "thinking": "r"}]},
        {
            "messages": [
                USER,
                {
                    **SAYS,
                    "thinking_blocks": [{"type": "thinking", "thinking": "t", "signature": "s"}],
                    "reasoning_content": "r",
                },
            ]
        },
        {"messages": [USER, CALLS, RESULT, SAYS], "tools": []},
        {"messages": [USER, CALLS, RESULT, SAYS], "chat_template_kwargs": {"thinking": True}},
        {"source_id": 17, "messages": [USER, SAYS], "score": 0.50},
        {"messages": [{"role": "developer", "content": "s"}, {**USER, "name": "bob"}, SAYS]},
        {"messages": [USER, {"role": "assistant", "content": [{"type": "text", "text": "a"}]}]},
        {"messages": [{"role": "user", "content": [{"type": "image"}]}, SAYS], "images": ["a.png"]},
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "q", "cache_control": {}}]},
                SAYS,
            ]
        },
        {"messages": [USER, {**CALLS, "content": None}, {**RESULT, "name": "get"}, SAYS]},
    ],
)
def test_conversations_come_back_to_the_byte(row: dict[str, Any]) -> None:
    data = lines(row)
    expected = lines({key: value for key, value in row.items() if value != []})
    assert written_again("trl", data) == expected


def test_numbers_in_other_columns_stand_as_they_stood() -> None:
    line = b'{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]'
    line += b', "score": 1.10, "big": 12345678901234567890123}\n'
    assert written_again("trl", line) == line


def test_our_columns_are_a_stop_and_a_mark() -> None:
    data = write("trl", everything())
    imported = read_line("trl", data)
    assert imported.steps[-1].payload == Stop("goal_reached", "evaluator")
    assert [(m.verdict, m.rating) for m in imported.marks] == [("accept", 4)]
    assert meaning(written_again("trl", data)) == meaning(data)


def test_tools_that_stand_as_text_are_written_as_a_list() -> None:
    tools = [{"type": "function", "function": {"name": "get", "parameters": {}}}]
    written = written_again("trl", lines({"messages": [USER, SAYS], "tools": json.dumps(tools)}))
    assert json.loads(written)["tools"] == tools


def recognised(row: dict[str, Any]) -> str:
    readers = {name: fmt.reader for name, fmt in FORMATS.items() if fmt.reader is not None}
    return max(readers, key=lambda name: readers[name].recognise(row))


def test_what_only_trl_has_tells_its_rows_from_openais() -> None:
    assert recognised({"messages": [USER, SAYS]}) == "openai"
    assert recognised({"messages": [USER, CALLS, RESULT, SAYS]}) == "trl"
    assert recognised({"messages": [USER, SAYS], "chat_template_kwargs": {}}) == "trl"
    assert recognised({"messages": [USER, {**SAYS, "reasoning_content": "r"}]}) == "trl"
    assert recognised({"prompt": [USER], "completion": [SAYS]}) == "trl-prompt-completion"
    assert recognised({"prompt": "q", "completion": "a"}) == "trl-prompt-completion"
    assert recognised({"prompt": [USER], "chosen": [SAYS], "rejected": [SAYS]}) == "trl-preference"
    assert recognised({"chosen": [USER, SAYS], "rejected": [USER, SAYS]}) == "trl-preference"


COMPLETIONS = "trl-prompt-completion"
OTHER = {"role": "assistant", "content": "b"}
SPLIT = (
    {"prompt": [USER], "completion": [CALLS]},
    {"prompt": [USER, CALLS, RESULT], "completion": [SAYS]},
    {"prompt": [USER, CALLS, RESULT], "completion": [OTHER]},
)


def test_rows_that_begin_alike_are_one_tree() -> None:
    (imported,) = read_lines(COMPLETIONS, lines(*SPLIT).splitlines())
    assert [type(step.payload).__name__ for step in imported.steps] == [
        *("UserMessage", "TargetReply", "ToolResult", "TargetReply", "TargetReply"),
    ]
    assert imported.steps[3].parent_id == imported.steps[4].parent_id
    assert len(branches_of(COMPLETIONS, imported)) == 2
    assert written_again(COMPLETIONS, lines(*SPLIT)) == lines(*SPLIT)


def test_the_pipeline_puts_only_rows_together_that_begin_alike() -> None:
    reader = FORMATS[COMPLETIONS].reader
    assert reader is not None
    assert reader.group is not None
    keys = [reader.group(row) for row in SPLIT]
    assert len(set(keys)) == 1
    system = {"role": "system", "content": "s"}
    others = [
        {"prompt": [SAYS], "completion": [SAYS]},
        {"prompt": [system, USER], "completion": [SAYS]},
        {"prompt": [system, SAYS], "completion": [SAYS]},
        {"prompt": [USER], "completion": [SAYS], "tools": [{"name": "get"}]},
        {"prompt": "q", "completion": "a"},
        {"completion": []},
    ]
    assert len({*keys, *map(reader.group, others)}) == 1 + len(others)


def test_a_reply_that_no_row_teaches_is_marked_and_never_becomes_one() -> None:
    rows = lines(SPLIT[1])
    (imported,) = read_lines(COMPLETIONS, rows.splitlines())
    (mark,) = imported.marks
    assert (mark.step_id, mark.train) == (imported.steps[1].id, False)
    assert written_again(COMPLETIONS, rows) == rows


def test_completions_of_several_messages_come_back_as_they_were() -> None:
    rows = lines({"prompt": [USER], "completion": [CALLS, RESULT, SAYS]})
    (imported,) = read_lines(COMPLETIONS, rows.splitlines())
    assert imported.marks == ()
    assert written_again(COMPLETIONS, rows) == rows


def test_what_rows_hold_besides_stays_with_each_of_them() -> None:
    rows = lines(
        {**SPLIT[0], "source_id": 1, "split": "a", "chat_template_kwargs": {"x": 1}},
        {**SPLIT[1], "source_id": 2, "split": "a", "chat_template_kwargs": {"x": 1}},
    )
    (imported,) = read_lines(COMPLETIONS, rows.splitlines())
    assert json.loads(imported.extra)["split"] == "a"
    assert [json.loads(row) for row in written_again(COMPLETIONS, rows).splitlines()] == [
        json.loads(row) for row in rows.splitlines()
    ]


def test_rows_of_strings_are_a_message_and_a_reply() -> None:
    rows = lines({"prompt": "q", "completion": "a"}, {"prompt": "q", "completion": "b"})
    (imported,) = read_lines(COMPLETIONS, rows.splitlines())
    assert [type(step.payload) for step in imported.steps] == [
        *(UserMessage, TargetReply, TargetReply),
    ]
    assert written_again(COMPLETIONS, rows) == rows


def test_what_is_odd_in_a_row_is_noted_once_with_its_line() -> None:
    odd = {"role": "tool", "content": "from nowhere"}
    rows = lines(
        {"prompt": [USER, odd], "completion": [SAYS]},
        {"prompt": [USER, odd], "completion": [OTHER]},
    )
    (imported,) = read_lines(COMPLETIONS, rows.splitlines(), number=5)
    assert [(note.line, note.where) for note in imported.notes] == [(5, "prompt[1].tool_call_id")]


PREFERENCE = "trl-preference"


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": [USER], "chosen": [SAYS], "rejected": [OTHER]},
        {"prompt": [USER], "chosen": [CALLS], "rejected": [OTHER], "tools": []},
        {"prompt": [USER], "chosen": [CALLS, RESULT, SAYS], "rejected": [OTHER]},
        {"chosen": [USER, SAYS], "rejected": [USER, OTHER]},
        {"chosen": [USER, SAYS, USER, SAYS], "rejected": [USER, SAYS, USER, OTHER]},
        {"prompt": "q", "chosen": "a", "rejected": "b"},
        {"prompt": [USER], "chosen": [SAYS], "rejected": [OTHER], "margin": 0.5},
        {"chosen": [SAYS], "rejected": [OTHER], "prompt": [USER]},
    ],
)
def test_preferences_come_back_to_the_byte(row: dict[str, Any]) -> None:
    expected = lines({key: value for key, value in row.items() if value != []})
    assert written_again(PREFERENCE, lines(row)) == expected


def test_a_preference_is_two_takes_with_verdicts() -> None:
    imported = read_line(
        PREFERENCE, lines({"prompt": [USER], "chosen": [SAYS], "rejected": [OTHER]})
    )
    said = [payload_text(step.payload) for step in imported.steps]
    assert said == ["q", "a", "b"]
    assert [(mark.step_id, mark.verdict) for mark in imported.marks] == [
        *((imported.steps[1].id, "accept"), (imported.steps[2].id, "reject")),
    ]
    assert imported.head == imported.steps[1].id


def test_answers_that_are_the_same_are_noted() -> None:
    imported = read_line(
        PREFERENCE, lines({"prompt": [USER], "chosen": [SAYS], "rejected": [SAYS]})
    )
    assert any("the same answer" in note.message for note in imported.notes)
    assert len(imported.steps) == 2


@pytest.mark.parametrize(
    ("fmt", "value"),
    [
        ("trl", {"messages": []}),
        ("trl", []),
        (COMPLETIONS, [{"prompt": [USER], "completion": []}]),
        (COMPLETIONS, [{"prompt": 4, "completion": [SAYS]}]),
        (COMPLETIONS, ["x"]),
        (PREFERENCE, {"prompt": [USER], "chosen": [SAYS]}),
        (PREFERENCE, "x"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(fmt: str, value: Any) -> None:
    reader = FORMATS[fmt].reader
    assert reader is not None
    with pytest.raises(FormatError) as caught:
        list(reader.read(Record(7, value, "d")))
    assert len(caught.value.faults[0].render()) > 20


@pytest.mark.parametrize("value", [None, 4, "x", [], {}, {"messages": 4}, {"prompt": {}}, [[]]])
def test_recognising_never_fails(value: Any) -> None:
    for fmt in ("openai", "openai-preference", "trl", COMPLETIONS, PREFERENCE, "sharegpt"):
        reader = FORMATS[fmt].reader
        assert reader is not None
        assert reader.recognise(value) < 50


@pytest.mark.parametrize("fmt", ["trl", "openai", "sharegpt"])
def test_what_is_no_json_in_a_source_is_null_in_a_row_and_told(fmt: str) -> None:
    said = '"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"'
    line = f'{{{said}, "name": NaN}}], "score": [1.10, NaN, "NaN"]}}'
    if fmt == "sharegpt":
        said = '"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]'
        line = f'{{{said}, "score": [1.10, NaN, "NaN"]}}'
    subject = subject_from(fmt, read_line(fmt, line))
    data = write(fmt, subject)
    value = json.loads(data, parse_constant=lambda text: pytest.fail(text))
    if fmt != "openai":
        assert b'"score": [1.10, null, "NaN"]' in data
    else:
        assert value["messages"][1]["name"] is None
    notes = report(subject, FORMATS[fmt]).notes
    assert "NaN and infinities of the source, which are no JSON, are written as null" in notes


def test_the_row_of_a_group_that_cannot_be_used_is_named_by_its_line() -> None:
    reader = FORMATS[COMPLETIONS].reader
    assert reader is not None
    rows = [{"prompt": [USER], "completion": [SAYS]}, {"prompt": [USER], "completion": []}]
    with pytest.raises(FormatError) as caught:
        list(reader.read(Record(3, rows, "d", lines=(3, 5))))
    assert str(caught.value) == "line 5: completion: there is no answer in it."


def test_a_history_that_is_read_only_once_keeps_its_open_calls() -> None:
    two = [
        {**CALLS["tool_calls"][0], "id": name}
        for name in ("c1", "c2")  # type: ignore[index]
    ]
    calls = {"role": "assistant", "content": "", "tool_calls": two}
    first, second = RESULT, {**RESULT, "tool_call_id": "c2"}
    rows = lines(
        {"prompt": [USER], "completion": [calls]},
        {"prompt": [USER, calls, first, second], "completion": [SAYS]},
        {"prompt": [USER, calls, second, first], "completion": [OTHER]},
    )
    (imported,) = read_lines(COMPLETIONS, rows.splitlines())
    assert imported.notes == ()
    assert written_again(COMPLETIONS, rows) == rows
