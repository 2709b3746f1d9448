"""What holds of every reader of another tool's records."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.formats.reading.files import readers
from rollstep.core.formats.reading.recognise import best

from .foreign import parsed, survives
from .inspect.logs import LOG, SAMPLE
from .test_claude_code import LINES
from .test_messages import ANTHROPIC, OPENAI
from .test_mini_swe_agent import BARE, FIRST, WITH_EXIT
from .test_swe_agent import RUN
from .test_tau2 import AROUND, SIMULATION
from .test_verifiers import ROW, TRACE

NAMES = (
    *("inspect", "tau2", "mini-swe-agent", "swe-agent", "claude-code", "messages", "verifiers"),
)
KEYS = st.sampled_from(
    [
        *("role", "content", "messages", "samples", "eval", "id", "epoch", "nodes", "parent"),
        *("trajectory", "history", "info", "type", "uuid", "message", "prompt", "completion"),
        *("reward", "simulations", "task_id", "tool_calls", "timestamp", "x"),
    ]
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("inspect", LOG),
        ("inspect", {**LOG, "samples": None}),
        ("inspect", SAMPLE),
        ("tau2", SIMULATION),
        ("tau2", {**AROUND, "simulations": [SIMULATION]}),
        ("mini-swe-agent", BARE),
        ("mini-swe-agent", FIRST),
        ("mini-swe-agent", WITH_EXIT),
        ("swe-agent", RUN),
        ("verifiers", ROW),
        ("verifiers", TRACE),
        *[("claude-code", line) for line in LINES],
        *[("messages", message) for message in (*OPENAI, *ANTHROPIC)],
    ],
)
def test_among_all_formats_its_own_is_surest(name: str, value: Any) -> None:
    assert best(readers(), parsed(value))[0] == name


@pytest.mark.parametrize("name", NAMES)
@given(JSON)
def test_whatever_it_is_given_is_read_or_refused_in_words(name: str, value: Any) -> None:
    survives(readers()[name], value)
