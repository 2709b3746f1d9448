"""Words are found in JSON as its strings read, and nothing but their place is written anew."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.rules.json_finding import find_in_json


def replaced(text: str, find: str, put: str) -> str:
    for start, end, new in reversed(find_in_json(text, re.compile(find), lambda _: put)):
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize(
    ("text", "find", "put", "expected"),
    [
        (r'{"a": "x\ny"}', "n", "N", r'{"a": "x\ny"}'),  # the letter of an escape is none
        (r'{"a": "x\ny"}', r"x\ny", "z", '{"a": "z"}'),
        (r'{"a": "say \"no\""}', 'say "no"', 'say "yes"', r'{"a": "say \"yes\""}'),
        (r'{"a": "\u00e9t\u00e9"}', "é", "e", '{"a": "ete"}'),
        (r'{"a": "\ud83d\ude00!"}', "😀", "🙃", '{"a": "🙃!"}'),
        ('{"a" :1,  "b":[ 1.50 ]}', r"1\.50", "2", '{"a" :1,  "b":[ 2 ]}'),
        ('{"order": "order"}', "order", "job", '{"order": "job"}'),  # names stay
        ('{"order": "order"}', '"order":', '"job":', '{"job": "order"}'),
        ('{"a": "x", "b": "x"}', 'x", "b": "x', "y", '{"a": "y"}'),
        ("{'a': x", "x", 'a "y"', "{'a': a \"y\""),
        ("", "x", "y", ""),
    ],
)
def test_what_is_found_and_what_is_written(text: str, find: str, put: str, expected: str) -> None:
    assert replaced(text, find, put) == expected


_strings = st.text('ab"\\/é😀\n\t ', max_size=8)
_values = st.recursive(
    _strings,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_strings, inner, max_size=3)
    ),
    max_leaves=6,
)


def in_values(value: Any, find: str, put: str) -> Any:
    if isinstance(value, str):
        return value.replace(find, put)
    if isinstance(value, list):
        return [in_values(each, find, put) for each in value]
    return {name: in_values(each, find, put) for name, each in value.items()}


@given(_values, st.text("abé😀", min_size=1, max_size=2), st.text(max_size=4), st.booleans())
def test_values_are_replaced_as_they_read(value: Any, find: str, put: str, plain: bool) -> None:
    text = json.dumps(value, ensure_ascii=plain, indent=2 if plain else None)
    assert json.loads(replaced(text, re.escape(find), put)) == in_values(value, find, put)
