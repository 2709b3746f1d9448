"""The short way for plain rows gives what the long way gives, or leaves the row to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.formats.openai_chat import READER
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.pieces import digest_of
from rollstep.core.formats.reading.quick_chat import QuickChat, QuickRow
from rollstep.core.formats.reading.record import Imported, Record
from rollstep.core.formats.trl import READER as TRL_READER
from rollstep.core.model.messages import TargetReply

TEXT = st.text(max_size=8)
TOOLS = [
    {
        "type": "function",
        "function": {"name": "look", "parameters": {"type": "object", "default": 1.50}},
    }
]


ARGUMENTS = [
    *('{"a": 1}', "", "[]", '"{}"', "no JSON", None, [], ["x"]),
    *({}, {"a": 1}, {"é": [1.5, {"b": None}], "c": -0.0, "d": True}),
]


def _call(number: int, arguments: Any = '{"a": 1.0, "a": 2}') -> dict[str, Any]:
    function = {"name": "look", "arguments": arguments}
    return {"id": f"call_{number}", "type": "function", "function": function}


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """Rows as most are, and rows in which something is otherwise."""
    messages: list[dict[str, Any]] = []
    if draw(st.booleans()):
        messages.append({"role": "system", "content": draw(TEXT)})
    for number in range(draw(st.integers(0, 3))):
        messages.append({"role": "user", "content": draw(TEXT)})
        if draw(st.booleans()):
            content = draw(st.none() | TEXT)
            arguments = draw(st.sampled_from(ARGUMENTS))
            reply = {"role": "assistant", "content": content}
            if draw(st.booleans()):
                reply["reasoning_content"] = draw(TEXT)
            messages.append({**reply, "tool_calls": [_call(number, arguments)]})
            answered = draw(st.sampled_from([f"call_{number}", "call_0", ""]))
            messages.append({"role": "tool", "tool_call_id": answered, "content": draw(TEXT)})
        messages.append({"role": "assistant", "content": draw(TEXT)})
        if draw(st.booleans()):
            messages[-1]["reasoning_content"] = draw(TEXT)
    row: dict[str, Any] = {"messages": messages}
    if draw(st.booleans()):
        row["tools"] = TOOLS
    if messages and draw(st.booleans()):
        draw(st.sampled_from(messages)).update(draw(st.sampled_from(ODD)))
    return row


ODD: list[dict[str, Any]] = [
    *({"name": "x"}, {"content": None}, {"content": 5}, {"content": []}, {"tool_calls": []}),
    *({"role": "developer"}, {"role": None}, {"weight": 1}, {"tool_call_id": "call_0"}),
    *({"tool_calls": None}, {"refusal": ""}, {"reasoning_content": "r"}),
]


def _by_both(data: bytes) -> tuple[Imported | None, Imported | None]:
    """What the short way and the long way make of a line."""
    digest = digest_of(data)
    value, twice = JsonReader().parse(data.decode())
    long = None
    if not twice and value.get("messages"):
        (long,) = READER.read(Record(1, value, digest))
        assert [long] == list(TRL_READER.read(Record(1, value, digest)))
    return QuickChat()(data, digest), long


@given(rows(), st.booleans(), st.sampled_from([None, (",", ":")]))
def test_the_short_way_gives_what_the_long_way_gives(
    row: dict[str, Any], ascii_only: bool, separators: tuple[str, str] | None
) -> None:
    text = json.dumps(row, ensure_ascii=ascii_only, separators=separators)
    quick, long = _by_both(text.encode("utf-8", "replace"))
    assert quick is None or quick == long


@given(st.lists(rows(), max_size=6), st.sampled_from(["", ', "tools": [{}]}', '", "tools": []']))
def test_rows_one_after_the_other_are_read_each_for_itself(
    many: list[dict[str, Any]], text: str
) -> None:
    quick = QuickChat()
    for row in many:
        row["messages"].insert(0, {"role": "user", "content": text})
        data = json.dumps(row).encode()
        found = quick(data, digest_of(data))
        assert found is None or found == _by_both(data)[1]


OTHERS = st.dictionaries(
    st.sampled_from(["id", "source", "tools", "functions", "parallel_tool_calls", "$x"]),
    st.none() | st.booleans() | st.integers() | TEXT | st.just(1.50) | st.just([]),
    max_size=3,
)


@given(st.lists(st.tuples(OTHERS, st.booleans(), OTHERS), max_size=5))
def test_rows_with_other_fields_are_read_with_them(
    many: list[tuple[dict[str, Any], bool, dict[str, Any]]],
) -> None:
    quick = QuickRow()
    for before, with_tools, after in many:
        tools = {"tools": TOOLS} if with_tools else {}
        messages = {"messages": [{"role": "user", "content": "a"}]}
        data = json.dumps({**before, **messages, **tools, **after}).encode()
        found = quick(data, digest_of(data))
        (long,) = READER.read(Record(1, JsonReader().parse(data.decode())[0], digest_of(data)))
        assert found is None or found == long


def test_rows_with_a_name_of_their_own_go_the_short_way_too() -> None:
    quick = QuickRow()
    for number in range(3):
        messages = [{"role": "user", "content": "a"}]
        row = {"id": number, "messages": messages, "source": "s", "tools": TOOLS}
        data = json.dumps(row).encode()
        found = quick(data, digest_of(data))
        assert found is not None
        assert json.loads(found.extra) == {"id": number, "source": "s"}
    assert QuickChat()(data, "d") is None


def test_rows_that_end_with_the_same_tools_are_read_with_them() -> None:
    quick = QuickChat()
    for text in ("one", ', "tools": [', "two"):
        row = {"messages": [{"role": "user", "content": text}], "tools": TOOLS}
        data = json.dumps(row).encode()
        found = quick(data, digest_of(data))
        assert found is not None
        assert found == _by_both(data)[1]
    twice = data.replace(b'{"messages"', b'{"tools": [], "messages"', 1)
    assert quick(twice, "d") is None


def test_arguments_that_are_objects_and_reasoning_go_the_short_way() -> None:
    arguments = '{"n": 1.10, "z": -0, "big": 12345678901234567890123, "é": "\\u2028"}'
    data = (
        b'{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", '
        b'"reasoning_content": "r", "tool_calls": [{"id": "c", "type": "function", "function": '
        b'{"name": "look", "arguments": %s}}]}]}' % arguments.encode()
    )
    quick, long = _by_both(data)
    assert quick is not None
    assert quick == long
    reply = quick.steps[1].payload
    assert isinstance(reply, TargetReply)
    assert reply.tool_calls[0].arguments.startswith('{"n": 1.10, "z": -0, "big": 123456789012345')
    assert QuickChat()(data.replace(b'"z"', b'"n"'), "d") is None


def test_rows_as_most_are_go_the_short_way() -> None:
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "caf\u00e9 \U0001f600\u2028"},
        {"role": "assistant", "content": None, "tool_calls": [_call(1), _call(2)]},
        {"role": "tool", "tool_call_id": "call_2", "content": "two"},
        {"role": "tool", "tool_call_id": "call_1", "content": "one"},
        {"role": "assistant", "content": "done"},
    ]
    data = json.dumps({"messages": messages, "tools": TOOLS}).encode()
    quick, long = _by_both(data)
    assert quick is not None
    assert quick == long
    assert quick.project.tools[0].parameters.endswith("1.5}")


@pytest.mark.parametrize(
    "line",
    [
        b'{"messages": [{"role": "user", "role": "system", "content": "a"}]}',
        b'{"messages": [{"role": "user", "content": "a", "content": "b"}]}',
        b'{"messages": [{"role": "user", "content": "a"}], "messages": []}',
        b'{"messages": [{"content": "a", "role": "user"}]}',
        b'{"messages": [{"role": "user", "content": "a"}]} x',
        b'{"messages": [{"role": "user", "content": "\xff"}]}',
        b'{"messages": [[["role", "user"], ["content", "a"]]]}',
        b'{"messages": [{"role": "assistant", "content": "a", "tool_calls": [[["id", "c"], '
        b'["type", "function"], ["function", {"name": "n", "arguments": "{}"}]]]}]}',
        b'{"messages": ["ab", "cd"]}',
        b'{"messages": [{"role": "user", "content": "a"}], "tools": [{"a": 1, "a": 2}]}',
        b'{"messages": [{"role": "user", "content": "a"}], "id": 3}',
        b'{"messages": [{"role": "user", "content": ["a", "b"]}]}',
    ],
)
def test_what_is_odd_is_left_to_the_long_way(line: bytes) -> None:
    assert QuickChat()(line, "d") is None


def test_after_many_rows_of_another_shape_only_a_few_are_tried() -> None:
    quick = QuickChat()
    good = b'{"messages": [{"role": "user", "content": "a"}]}'
    for _ in range(40):
        assert quick(b'{"messages": 1}', "d") is None
    answers = [quick(good, "d") is not None for _ in range(16)]
    assert any(answers)
    assert quick(good, "d") is not None
