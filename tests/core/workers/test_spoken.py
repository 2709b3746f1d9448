"""The text of a member of an object that arrives in pieces."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.workers.spoken import Spoken

texts = st.text(st.sampled_from('ab"\\\n\u2028é😀\ud83d{}:message'))


@given(texts, texts, st.integers(1, 9), st.booleans())
def test_it_is_told_whole_and_alone_however_it_is_cut(
    message: str, reasoning: str, size: int, ascii_only: bool
) -> None:
    whole = json.dumps(
        {"reasoning": reasoning, "message": message, "stop": reasoning}, ensure_ascii=ascii_only
    )
    told: list[str] = []
    spoken = Spoken("message", told.append)
    for at in range(0, len(whole), size):
        spoken.add(whole[at : at + size])
    # A high surrogate and a low one after it are one character, in JSON as elsewhere.
    assert spoken.text == "".join(told) == json.loads(whole)["message"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"message": "Half of i', "Half of i"),
        ('{"message": "a\\u00', "a"),
        ('{"message": "a\\ud83d', "a"),
        ('{"message": null, "stop": "x"}', ""),
        ('{"reasoning": "the \\"message\\": \\"b\\""}', ""),
        ("no object", ""),
        ('{"reasoning": {"message": "b"}, "message": "c"}', "c"),
        ('```json\n{"message": "in a fence"}\n```', "in a fence"),
    ],
)
def test_of_what_is_cut_off_it_tells_what_is_there(body: str, said: str) -> None:
    spoken = Spoken("message", lambda text: None)
    spoken.add(body)
    assert spoken.text == said


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(values, values, st.integers(1, 9), st.booleans(), st.sampled_from([None, 1]))
def test_a_value_of_any_kind_is_told_as_it_is_written(
    value: object, state: object, size: int, first: bool, indent: int | None
) -> None:
    members = {"result": value, "state": {"result": state}}
    ordered = members if first else dict(reversed(members.items()))
    whole = json.dumps(ordered, indent=indent)
    told: list[str] = []
    spoken = Spoken("result", told.append)
    for at in range(0, len(whole), size):
        spoken.add(whole[at : at + size])
    said = "".join(told)
    if isinstance(value, str):
        assert said == json.loads(json.dumps(value))
    elif value is None:
        assert said == ""
    else:
        assert json.loads(said) == value
        assert said == said.strip()
        assert said in whole
