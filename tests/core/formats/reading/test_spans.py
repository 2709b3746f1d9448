"""Where values of a document begin and end, whatever they hold and however they are laid out."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.formats.reading import spans
from rollstep.core.formats.reading.spans import Broken, elements, line_of, members, values

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
"""Any JSON value that Python writes, NaN and lone surrogates among them."""

LAYOUTS = st.sampled_from([None, 0, 1, 4])


def _cut(data: bytes, found: Any) -> list[Any]:
    return [json.loads(data[span.start : span.end]) for span in found]


def same(left: Any, right: Any) -> bool:
    """Equality that holds for NaN too."""
    return json.dumps(left) == json.dumps(right)


@given(st.lists(VALUES), LAYOUTS)
def test_elements_of_any_list_are_found(items: list[Any], indent: int | None) -> None:
    data = json.dumps(items, indent=indent).encode() + b"\n"
    assert same(_cut(data, elements(data, 0)), items)


@given(st.dictionaries(st.text(), VALUES), LAYOUTS)
def test_members_of_any_object_are_found_with_their_keys(
    fields: dict[str, Any], indent: int | None
) -> None:
    data = json.dumps(fields, indent=indent).encode()
    found = {span.key: json.loads(data[span.start : span.end]) for span in members(data, 0)}
    assert same(found, json.loads(data))


@given(st.lists(st.lists(VALUES) | st.dictionaries(st.text(), VALUES)), LAYOUTS)
def test_documents_one_after_the_other_are_found(items: list[Any], indent: int | None) -> None:
    data = b"\n".join(json.dumps(item, indent=indent).encode() for item in items)
    assert same(_cut(data, values(data)), items)


def test_what_is_nested_too_deeply_to_parse_is_still_passed_over() -> None:
    data = b'[{"a": ' + b"[" * 5000 + b"]" * 5000 + b'}, "next"]'
    assert json.loads(data[list(elements(data, 0))[1].start : -1]) == "next"


@pytest.mark.parametrize(
    ("data", "found"),
    [(b'[{"a": 1}, {"a": 2', 1), (b'[{"a": 1} {"a": 2}]', 1), (b'[1, "no end]', 1), (b"[1, ]", 1)],
)
def test_what_stands_before_a_break_is_found(data: bytes, found: int) -> None:
    walk = elements(data, 0)
    for _ in range(found):
        next(walk)
    with pytest.raises(Broken):
        next(walk)


def test_lines_are_counted_at_line_feeds() -> None:
    data = "a\u2028b\r\nc\nd".encode()
    assert [line_of(data, data.index(letter)) for letter in (b"b", b"c", b"d")] == [1, 2, 3]


@given(st.lists(VALUES), LAYOUTS)
def test_ends_are_found_too_where_msgspec_does_not_tell_them(
    items: list[Any], indent: int | None
) -> None:
    data = json.dumps({"a": items, "b": 1}, indent=indent).encode() + b" "
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "_TRAILING", re.compile("other words"))
        first, last = members(data, 0)
        assert same(_cut(data, elements(data, first.start)), items)
    assert (last.key, data[last.start : last.end]) == ("b", b"1")
