import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.rules.json_layout import lay_out

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_it_lays_out_as_the_standard_writer_does(value: object) -> None:
    compact = json.dumps(value, separators=(",", ":"))
    assert lay_out(compact) == json.dumps(value, indent=2)
    assert lay_out(lay_out(compact)) == lay_out(compact)


@pytest.mark.parametrize(
    ("text", "laid_out"),
    [
        ('{"a":1.50e3,"a":1}', '{\n  "a": 1.50e3,\n  "a": 1\n}'),
        ('{"u":"\\u00e9 {[,:"}', '{\n  "u": "\\u00e9 {[,:"\n}'),
        ("[ { } , [ ] ]", "[\n  {},\n  []\n]"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
    ],
)
def test_every_token_stays_as_it_was_written(text: str, laid_out: str) -> None:
    assert lay_out(text) == laid_out
