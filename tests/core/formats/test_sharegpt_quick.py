"""The short way for plain ShareGPT rows gives what the long way gives, or leaves the row to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import FormatError
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.record import Imported, Record
from rollstep.core.formats.sharegpt_in import READER
from rollstep.core.formats.sharegpt_quick import QuickConversations

TEXT = st.one_of(st.text(max_size=8), st.sampled_from(["<think>\nx\n</think>\n\ny", "<think>", ""]))
ENTRIES = st.fixed_dictionaries(
    {"from": st.sampled_from(["human", "gpt", "gpt", "user", "observation", "system"])},
    optional={"value": st.one_of(TEXT, st.none(), st.integers()), "weight": st.just(1)},
)
ROWS = st.fixed_dictionaries(
    {"conversations": st.lists(ENTRIES, max_size=4)},
    optional={
        "system": st.one_of(TEXT, st.none(), st.just(5)),
        "tools": st.sampled_from(["", None, "[]", '[{"name": "a", "parameters": {}}]']),
        "id": st.just(1),
    },
)


def by_both(data: bytes) -> tuple[Imported | None, Imported | None]:
    value, _ = JsonReader().parse(data.decode())
    try:
        (long,) = READER.read(Record(1, value, "d"))
    except FormatError:
        long = None
    return QuickConversations()(data, "d"), long


@given(ROWS, st.booleans())
def test_the_short_way_gives_what_the_long_way_gives(row: dict[str, Any], ascii_only: bool) -> None:
    data = json.dumps(row, ensure_ascii=ascii_only).encode("utf-8", "replace")
    quick, long = by_both(data)
    assert quick is None or quick == long


@pytest.mark.parametrize("more", [{}, {"system": "s"}, {"system": "", "tools": ""}])
def test_rows_as_most_are_go_the_short_way(more: dict[str, Any]) -> None:
    entries = [{"from": "human", "value": "caf\u00e9\u2028"}, {"from": "gpt", "value": "a"}]
    for row in ({"conversations": entries, **more}, {**more, "conversations": entries}):
        quick, long = by_both(json.dumps(row).encode())
        assert quick is not None
        assert quick == long


@pytest.mark.parametrize(
    "line",
    [
        b'{"conversations": [{"from": "human", "from": "gpt", "value": "a"}]}',
        b'{"conversations": [{"from": "human", "value": "a"}], "conversations": []}',
        b'{"conversations": [{"from": "human", "value": "a"}]} x',
        b'{"conversations": [{"from": "human", "value": "\xff"}]}',
        b'{"conversations": [[["from", "human"], ["value", "a"]]]}',
        b'{"conversations": []}',
        b'[["conversations", []]]',
        b"{",
    ],
)
def test_what_is_odd_is_left_to_the_long_way(line: bytes) -> None:
    assert QuickConversations()(line, "d") is None


def test_files_of_other_rows_are_not_tried_row_by_row() -> None:
    quick = QuickConversations()
    plain = b'{"conversations": [{"from": "human", "value": "a"}]}'
    for _ in range(40):
        quick(b"{}", "d")
    found = [quick(plain, "d") is not None for _ in range(32)]
    assert any(found)
    assert not all(found)
