"""The queue: whatever is decided, taken back and gone on with, ids, counts and places hold."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.marks import Verdict
from rollstep.core.review.queue import (
    LONGEST,
    Entry,
    Queue,
    Watch,
    added,
    adjusted,
    go_to,
    progress,
    undecided,
    withdrawn,
)

IDS = tuple(f"r{n}" for n in range(5))
VERDICTS: tuple[Verdict | None, ...] = ("accept", "reject", "unsure", None)


def queue(count: int = 5) -> Queue:
    return Queue("verdict:none", "mira", 100.0, IDS[:count])


def decided(at: Queue, place: int, verdict: Verdict | None, seconds: float = 1.0) -> Queue:
    rollout_id = at.ids[place]
    return added(at, Entry(rollout_id, f"{rollout_id}-leaf", verdict, True, seconds))


moves = st.one_of(
    st.tuples(st.just("decide"), st.integers(0, 4), st.sampled_from(VERDICTS)),
    st.tuples(st.just("rate"), st.integers(0, 4), st.none()),
    st.tuples(st.just("go"), st.integers(-3, 9), st.none()),
    st.tuples(st.just("undo"), st.just(0), st.none()),
    st.tuples(st.just("restart"), st.just(0), st.none()),
)


@given(st.lists(moves, max_size=40))
def test_any_course_of_a_review_keeps_ids_and_counts(
    course: list[tuple[str, int, Verdict | None]],
) -> None:
    now = queue()
    log: list[tuple[str, Verdict | None, bool]] = []
    for what, place, verdict in course:
        if what == "decide":
            now = decided(now, place, verdict)
            log.append((IDS[place], verdict, True))
        elif what == "rate":
            now = added(now, Entry(IDS[place], "s"))
            log.append((IDS[place], None, False))
        elif what == "go":
            now = go_to(now, place)
        elif what == "undo" and now.entries:
            last = now.entries[-1]
            now = withdrawn(now, last)
            assert now.current == log.pop()[0] == last.rollout_id
        elif what == "restart":
            now = msgspec.json.decode(msgspec.json.encode(now), type=Queue)
        expected: dict[str, Verdict] = {}
        for rollout_id, given_, decides in log:
            if decides and given_ is None:
                expected.pop(rollout_id, None)
            elif decides and given_ is not None:
                expected[rollout_id] = given_
        done = progress(now)
        assert now.ids == IDS
        assert 0 <= now.at < len(IDS)
        assert now.verdicts() == expected
        assert done.accepted + done.rejected + done.unsure + done.left == done.total == len(IDS)
        place_next = undecided(now)
        assert (place_next is None) == now.finished == (len(expected) == len(IDS))
        assert place_next is None or IDS[place_next] not in expected


def test_the_next_and_the_previous_undecided_go_round_the_ends() -> None:
    now = decided(decided(go_to(queue(), 3), 4, "accept"), 0, "reject")
    assert undecided(now) == 1
    assert undecided(now, -1) == 2
    for place in (1, 2):
        now = decided(now, place, "unsure")
    assert undecided(now) == 3, "the one at hand is left"
    assert undecided(decided(now, 3, "accept")) is None


def test_the_pace_is_the_mean_of_what_verdicts_took() -> None:
    now = decided(decided(queue(), 0, "accept", 30.0), 1, "reject", 90.0)
    now = added(now, Entry("r2", "s"))
    done = progress(now)
    assert (done.each, done.seconds) == (60.0, 180.0)
    assert progress(decided(queue(), 0, "accept", 1e9)).each == LONGEST
    assert progress(queue()).each == 0.0


def test_a_rollout_is_believed_about_its_own_verdict() -> None:
    now = queue()
    assert adjusted(now, "r1", "s", "accept", 99.0) is now, "given before this queue: a second look"
    now = adjusted(now, "r1", "s", "accept", 101.0)
    assert now.verdicts() == {"r1": "accept"}
    assert adjusted(now, "r1", "s", "accept", 101.0) is now
    now = adjusted(now, "r1", "s", None, 0.0)
    assert now.verdicts() == {}, "edited since: it is to be decided again"


def test_the_watch_stops_while_something_else_is_looked_at() -> None:
    now = 0.0
    watch = Watch(lambda: now)
    watch.begin()
    now = 5.0
    watch.rest()
    now = 50.0
    assert watch.seconds == 5.0
    watch.go_on()
    now = 52.0
    assert watch.seconds == 7.0


def test_an_unknown_entry_is_not_taken_back() -> None:
    now = decided(queue(), 0, "accept")
    assert withdrawn(now, Entry("r3", "s")) is now
    with pytest.raises(AttributeError):
        now.at = 3  # type: ignore[misc]
