"""Plain schemas judge as the jsonschema package does, and leave the others to it."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.rules.plain_schema import compiled, words

_NAMES = st.sampled_from(["a", "b", "c/d"])
_VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -3, "", "a", "abc", "12"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=6,
)
_TYPES = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"])
_LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.booleans(),
    st.fixed_dictionaries(
        {},
        optional={
            "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=2, unique=True),
            "enum": st.lists(_VALUES, min_size=1, max_size=3),
            "const": _VALUES,
            "minimum": st.integers(-2, 3),
            "exclusiveMaximum": st.integers(-2, 3),
            "minLength": st.integers(0, 3),
            "maxItems": st.integers(0, 2),
            "minProperties": st.integers(0, 2),
            "pattern": st.sampled_from(["^a", "b+$", "[0-9]", r"\d\d"]),
            "description": st.just("words"),
        },
    ),
)
_SCHEMAS = st.recursive(
    _LEAVES,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": _TYPES,
            "properties": st.dictionaries(_NAMES, inner, max_size=3),
            "required": st.lists(_NAMES, max_size=2, unique=True),
            "additionalProperties": inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
        },
    ),
    max_leaves=6,
)


@given(_SCHEMAS, _VALUES)
def test_its_verdict_is_that_of_the_package(schema: Any, value: Any) -> None:
    check = compiled(schema)
    assert check is not None
    assert (check(value) is None) is jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"type": "string"}, 40, "it is 40, not of type string"),
        ({"required": ["id"]}, {}, 'it lacks "id", which is required'),
        (
            {"properties": {"n": {"items": {"maximum": 3}}}},
            {"n": [1, 5]},
            "/n/1 is 5, and must be at most 3",
        ),
        ({"additionalProperties": False}, {"a/b": 1}, "/a~1b is not allowed"),
        ({"enum": ["red", "blue"]}, "Red", 'it is "Red", none of "red", "blue"'),
    ],
)
def test_it_says_where_and_what(schema: Any, value: Any, said: str) -> None:
    check = compiled(schema)
    assert check is not None
    assert words(check(value)) == said


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/x"},
        {"oneOf": [True]},
        {"properties": {"a": {"format": "date"}}},
        {"pattern": "(a+)+$"},
        {"type": "text"},
        [],
    ],
)
def test_a_schema_that_holds_more_is_left_to_the_package(schema: Any) -> None:
    assert compiled(schema) is None
