"""How fast may be asked: whatever comes, no minute holds more than is allowed, and nobody waits
longer than needed.
"""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.config.keys import Limit
from rollstep.core.workers.gates import MINUTE, Begun, Gate

WAITS = st.floats(0, 90, allow_nan=False)
CALLS = st.lists(st.tuples(WAITS, st.integers(0, 500)), max_size=60)
A_MOMENT = 1e-6


def begin_when_allowed(gate: Gate, tokens: int, now: float) -> tuple[Begun, float]:
    """The call, and when it began: as soon as the gate says."""
    while wait := gate.wait(tokens, now):
        assert wait < inf
        now += wait
    return gate.begin(tokens, now), now


def most_in_a_minute(begun: list[tuple[float, int]]) -> tuple[int, int]:
    """The most calls, and tokens, that any minute holds."""
    calls = tokens = 0
    for at, _ in begun:
        inside = [n for other, n in begun if at <= other < at + MINUTE - A_MOMENT]
        calls, tokens = max(calls, len(inside)), max(tokens, sum(inside))
    return calls, tokens


@given(CALLS, st.integers(1, 8))
def test_no_minute_holds_more_calls_than_allowed(calls: list[tuple[float, int]], most: int) -> None:
    gate, now = Gate(Limit(requests_per_minute=most)), 0.0
    begun = []
    for wait, _ in calls:
        call, now = begin_when_allowed(gate, 0, now + wait)
        begun.append((now, 0))
        gate.end(call)
    assert most_in_a_minute(begun)[0] <= most


@given(CALLS, st.integers(500, 2000))
def test_no_minute_holds_more_tokens_than_allowed(
    calls: list[tuple[float, int]], most: int
) -> None:
    gate, now = Gate(Limit(tokens_per_minute=most)), 0.0
    begun = []
    for wait, tokens in calls:
        call, now = begin_when_allowed(gate, tokens, now + wait)
        begun.append((now, tokens))
        gate.end(call, tokens)
    assert most_in_a_minute(begun)[1] <= most


@given(CALLS, st.integers(1, 8), st.integers(500, 2000))
def test_nobody_waits_while_there_is_room(
    calls: list[tuple[float, int]], requests: int, tokens: int
) -> None:
    """A moment before a call begins, it would have been one too many."""
    gate, now = Gate(Limit(0, requests, tokens)), 0.0
    begun: list[tuple[float, int]] = []
    for wait, size in calls:
        asked = now + wait
        call, now = begin_when_allowed(gate, size, asked)
        if now > asked + 2 * A_MOMENT:
            late = [n for at, n in begun if at > now - A_MOMENT - MINUTE]
            assert len(late) >= requests or sum(late) + size > tokens
        begun.append((now, size))
        gate.end(call, size)


def test_one_that_is_larger_than_all_that_is_allowed_begins_alone() -> None:
    gate = Gate(Limit(tokens_per_minute=100))
    assert gate.wait(500, 0.0) == 0
    call = gate.begin(500, 0.0)
    gate.end(call, 500)
    assert gate.wait(500, 1.0) == 59


def test_what_a_call_really_took_counts_when_it_is_known() -> None:
    gate = Gate(Limit(tokens_per_minute=100))
    call = gate.begin(90, 0.0)
    assert gate.wait(50, 1.0) == 59
    gate.end(call, 10)
    assert gate.wait(50, 1.0) == 0


def test_what_ends_after_its_minute_counts_nowhere() -> None:
    gate = Gate(Limit(tokens_per_minute=100))
    call = gate.begin(10, 0.0)
    assert gate.wait(100, 61.0) == 0
    gate.end(call, 1000)
    assert gate.wait(100, 61.0) == 0


def test_calls_at_once() -> None:
    gate = Gate(Limit(at_once=2))
    first = gate.begin(0, 0.0)
    gate.begin(0, 0.0)
    assert gate.wait(0, 1000.0) == inf
    gate.end(first)
    assert gate.wait(0, 1000.0) == 0


def calls_in(gate: Gate, start: float, seconds: float) -> int:
    """How many begin in so many seconds, one after the other."""
    now, count = start, 0
    while True:
        call, now = begin_when_allowed(gate, 0, now)
        if now >= start + seconds:
            return count
        gate.end(call)
        count += 1
        now += 0.05


def test_a_provider_that_is_asked_too_often_is_asked_half_as_often_and_then_more_again() -> None:
    gate = Gate()
    for number in range(200):
        call = gate.begin(0, number * 0.05)
        gate.end(call)
    assert gate.wait(0, 10.0) == 0
    assert gate.refused(gate.begin(0, 10.0), 10.0)
    halved = calls_in(gate, 10.0, 5.0)
    assert 0.45 * 100 < halved < 0.6 * 100
    assert 0.9 * 100 < calls_in(gate, 70.0, 5.0) < 1.1 * 100, "a minute later it is what it was"
    begun = gate.begin(0, 200.0)
    assert gate.wait(0, 200.0) == 0, "and in the end nothing holds it"
    gate.end(begun)


def test_calls_begun_before_it_was_slowed_down_say_nothing_new() -> None:
    gate = Gate()
    calls = [gate.begin(0, 0.1 * number) for number in range(10)]
    assert gate.refused(calls[0], 1.0)
    assert not any(gate.refused(call, 1.1) for call in calls)
    assert gate.refused(gate.begin(0, 2.0), 2.1)


@given(st.lists(st.tuples(WAITS, st.booleans()), max_size=60))
def test_however_often_it_refuses_a_call_begins_every_minute(
    calls: list[tuple[float, bool]],
) -> None:
    gate, now = Gate(), 0.0
    for wait, refused in calls:
        now += wait
        assert gate.wait(0, now) <= MINUTE + A_MOMENT
        call, now = begin_when_allowed(gate, 0, now)
        if refused:
            gate.refused(call, now)
        gate.end(call)


@pytest.mark.parametrize("name", ["at_once", "requests_per_minute", "tokens_per_minute"])
def test_zero_is_no_limit(name: str) -> None:
    gate = Gate(Limit(**{name: 0}))
    for _ in range(100):
        gate.begin(1000, 0.0)
    assert gate.wait(1000, 0.0) == 0
