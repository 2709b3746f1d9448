from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.formats.jsonl import RawJson, json_text, line_bytes

TEXTS = st.text(st.characters(codec=None), max_size=30) | st.sampled_from(
    ["\u0085", "\u2028x\u2029", "\ud83d", "\x00\x1f\x7f", '"\\/']
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_line_reads_back_equal_is_utf8_and_is_one_line(value: object) -> None:
    data = line_bytes(json_text(value))
    # A high and a low surrogate side by side, each alone in Python, are one character in JSON.
    assert json.loads(data) == json.loads(json.dumps(value))
    assert len(data.decode("utf-8").splitlines()) == 1


@given(VALUES)
def test_text_is_as_json_dumps_writes_it(value: object) -> None:
    assert json_text(value) == json.dumps(value, ensure_ascii=False)


def test_a_raw_document_keeps_numbers_order_and_duplicates_on_one_line() -> None:
    raw = RawJson('{"b": 1.10,\n  "a": 1E5, "a": [1,\r\n2]}')
    assert json_text({"x": raw}) == '{"x": {"b": 1.10,   "a": 1E5, "a": [1,  2]}}'


def test_a_float_has_no_place() -> None:
    with pytest.raises(TypeError):
        json_text({"x": 1.5})
