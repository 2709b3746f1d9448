"""A regular expression's search ends, whoever wrote it and whatever it looks at."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.events import Paused
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.messages import target_reply
from rollstep.core.model.project import Tool
from rollstep.core.rules import searching
from rollstep.core.rules.schemas import args_problem
from rollstep.core.rules.searching import is_too_slow, searcher
from rollstep.core.session import Session

from ..projects_for_tests import refund

ENDLESS = ("(a+)+$", "(a|aa)*$", "(?:a|aa)+$", "((a*)*)*$", "(?=(a+)+$)a", "(a{1,9})+$")


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "PATIENCE", 0.2)
    searching._too_slow.clear()
    searcher.cache_clear()


@pytest.mark.parametrize("regex", ENDLESS)
def test_repeats_in_repeats_are_given_up(regex: str) -> None:
    text = "a" * 60 + "!"
    assert searcher(regex, True)(text) is True
    assert is_too_slow(regex)
    assert searcher(regex, False)(text) is False
    assert searcher(regex, True)("a" * 9)


@pytest.mark.parametrize("regex", [".*[xy]", r" +$", r"\w+[@#]\w+", "a*a*a*[bc]"])
def test_what_is_quick_in_short_texts_is_given_up_in_long_ones(regex: str) -> None:
    one = " " if " " in regex else "a"
    assert not searcher(regex, True)(one * 30 + "!")
    assert searcher(regex, True)(one * 1_000_000 + "!") is True
    assert is_too_slow(regex)


def test_what_cannot_be_there_or_is_surely_quick_asks_no_child(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching._beside, "search", None)
    long = "a" * 999_999
    for regex in (
        "refund",
        "as an AI (language )?model",
        "^a",
        "[ab]c",
        r"order \d+ is",
        "a(b|c)d",
    ):
        assert not searcher(regex, True)("b" + long)


@given(
    st.sampled_from([r"a+b", r"(a|b)+c", r"\d+", ".*b$", "(?i)A+", "(ab?)+", "^a|b", r"(a)\1+"]),
    st.text("ab1c\ud800\n", max_size=60),
)
def test_it_finds_what_python_finds(regex: str, text: str) -> None:
    assert bool(searcher(regex, True)(text)) == bool(re.search(regex, text)) or is_too_slow(regex)


async def test_a_run_stops_at_what_takes_too_long_and_says_so() -> None:
    session = Session.start(refund())
    said: list[str] = []
    session.subscribe(lambda event: said.append(event.words) if type(event) is Paused else None)
    await session.set_breakpoints([Breakpoint(regex="(a+)+$")])
    await session.step()
    await session.write(target_reply("a" * 60 + "!"))
    await session.go_to(None)
    began = time.monotonic()
    async for _ in session.run():
        pass
    assert "takes too long for this text" in said[-1]
    assert session.position().depth == 2
    assert time.monotonic() - began < 15


def test_a_pattern_of_a_schema_is_given_up_too() -> None:
    schema = json.dumps({"properties": {"id": {"type": "string", "pattern": "^(a+)+$"}}})
    tool = Tool("get_order", parameters=schema)
    assert args_problem(tool, '{"id": "aaa"}') == ""
    assert "does not match" in args_problem(tool, '{"id": "b"}')
    assert args_problem(tool, json.dumps({"id": "a" * 60 + "!"})) == ""
