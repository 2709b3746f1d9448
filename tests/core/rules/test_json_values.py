"""JSON values compared without coercion, and JSON pointers."""

from __future__ import annotations

import json

import pytest
from rollstep.core.rules.json_values import (
    MISSING,
    at,
    includes,
    parse,
    pointer_tokens,
    same_value,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1),
        (False, 0),
        ("1", 1),
        ("true", True),
        (None, False),
        (None, "null"),
        ([], {}),
        ([1, 2], [2, 1]),
        ([1], [True]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": {"b": 0}}, {"a": {"b": False}}),
    ],
)
def test_values_that_differ_are_never_coerced(one: object, other: object) -> None:
    assert not same_value(one, other)
    assert not same_value(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        ({"a": 1, "b": [None]}, {"b": [None], "a": 1}),
        ("é", "\u00e9"),
        (10**30, 10**30),
    ],
)
def test_values_that_are_the_same(one: object, other: object) -> None:
    assert same_value(one, other)


@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}")])
def test_values_as_deep_as_can_be_read_are_compared(opens: str, closes: str) -> None:
    one, other = (parse(f"{opens * 900}{leaf}{closes * 900}") for leaf in "12")
    assert MISSING not in (one, other)
    assert same_value(one, one)
    assert not same_value(one, other)


def test_a_null_argument_is_not_a_missing_one() -> None:
    assert includes({"a": None}, {"a": None})
    assert not includes({}, {"a": None})
    assert not includes([1], {})


RFC_6901 = json.loads(
    '{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\\\j": 5,'
    ' "k\\"l": 6, " ": 7, "m~n": 8}'
)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", RFC_6901),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_the_examples_of_rfc_6901(pointer: str, value: object) -> None:
    assert at(RFC_6901, pointer_tokens(pointer)) == value


@pytest.mark.parametrize("pointer", ["/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/0/x", "/bar"])
def test_a_pointer_to_nothing_finds_nothing(pointer: str) -> None:
    assert at(RFC_6901, pointer_tokens(pointer)) is MISSING


def test_a_tilde_is_unescaped_once() -> None:
    assert pointer_tokens("/~01") == ("~1",)


@pytest.mark.parametrize("pointer", ["foo", "#/foo", "/a~2", "/a~"])
def test_what_is_no_pointer_is_refused(pointer: str) -> None:
    with pytest.raises(ValueError, match="JSON pointer"):
        pointer_tokens(pointer)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "9" * 5000, "order 4471"])
def test_text_that_is_no_readable_json_has_no_value(text: str) -> None:
    assert parse(text) is MISSING
