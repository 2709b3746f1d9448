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
    ],
)
def test_of_what_is_cut_off_it_tells_what_is_there(body: str, said: str) -> None:
    spoken = Spoken("message", lambda text: None)
    spoken.add(body)
    assert spoken.text == said
