"""The queue: whatever is decided, taken back and merged, ids, counts and places hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.marks import Verdict
from rollstep.core.review.queue import LONGEST, Entry, News, Queue, Watch

IDS = tuple(f"r{n}" for n in range(5))
VERDICTS: tuple[Verdict | None, ...] = ("accept", "reject", "unsure", None)


def queue(count: int = 5, at: int = 0) -> Queue:
    return Queue("verdict:none", "mira", 100.0, IDS[:count], at)


def decide(at: Queue, place: int, verdict: Verdict | None, seconds: float = 1.0) -> Entry:
    rollout_id = at.ids[place]
    return at.add(Entry(rollout_id, f"{rollout_id}-leaf", verdict, True, seconds))


def standing(entries: list[Entry]) -> dict[str, Verdict]:
    """The slow way to say what stands."""
    found: dict[str, Verdict] = {}
    for entry in entries:
        if entry.decides:
            found.pop(entry.rollout_id, None)
            if entry.verdict is not None:
                found[entry.rollout_id] = entry.verdict
    return found


moves = st.one_of(
    st.tuples(st.just("decide"), st.integers(0, 4), st.sampled_from(VERDICTS)),
    st.tuples(st.just("rate"), st.integers(0, 4), st.none()),
    st.tuples(st.just("go"), st.integers(-3, 9), st.none()),
    st.tuples(st.just("undo"), st.integers(0, 3), st.none()),
    st.tuples(st.just("restart"), st.just(0), st.none()),
)


@given(st.lists(moves, max_size=40))
def test_any_course_of_a_review_keeps_ids_and_counts(
    course: list[tuple[str, int, Verdict | None]],
) -> None:
    now = queue()
    log: list[Entry] = []
    for what, place, verdict in course:
        if what == "decide":
            log.append(decide(now, place, verdict))
        elif what == "rate":
            log.append(now.add(Entry(IDS[place], "s")))
        elif what == "go":
            now.go_to(place)
        elif what == "undo" and log:
            entry = log.pop(-1 - place % len(log))
            assert now.withdraw(entry.id) is entry
            assert now.current == entry.rollout_id
        elif what == "restart":
            now = now.copy()
        expected = standing(log)
        done = now.progress
        assert now.ids == IDS
        assert list(now.entries) == log
        assert 0 <= now.at < len(IDS)
        assert now.verdicts() == expected
        assert done.accepted + done.rejected + done.unsure + done.left == done.total == len(IDS)
        assert done.accepted == list(expected.values()).count("accept")
        for by in (1, -1):
            around = [(now.at + by * distance) % len(IDS) for distance in range(1, len(IDS) + 1)]
            assert now.undecided(by) == next((p for p in around if IDS[p] not in expected), None)
        assert now.finished == (len(expected) == len(IDS))


def test_the_next_and_the_previous_undecided_go_round_the_ends() -> None:
    now = queue(at=3)
    decide(now, 4, "accept")
    decide(now, 0, "reject")
    assert now.undecided() == 1
    assert now.undecided(-1) == 2
    for place in (1, 2):
        decide(now, place, "unsure")
    assert now.undecided() == 3, "the one at hand is left"
    decide(now, 3, "accept")
    assert now.undecided() is None


def test_the_pace_is_the_mean_of_what_verdicts_took() -> None:
    now = queue()
    decide(now, 0, "accept", 30.0)
    decide(now, 1, "reject", 90.0)
    now.add(Entry("r2", "s"))
    assert (now.progress.each, now.progress.seconds) == (60.0, 180.0)
    again = decide(now, 1, "accept", 50.0)
    assert now.progress.each == 40.0
    now.withdraw(again.id)
    assert now.progress.each == 60.0
    long = queue()
    decide(long, 0, "accept", 1e9)
    assert long.progress.each == LONGEST
    assert queue().progress.each == 0.0


def test_a_rollout_is_believed_about_its_own_verdict() -> None:
    now = queue()
    assert now.adjustment("r1", "s", "accept", 99.0) is None, "given before: a second look"
    entry = now.adjustment("r1", "s", "accept", 101.0)
    assert entry is not None
    now.add(entry)
    assert now.verdicts() == {"r1": "accept"}
    assert now.adjustment("r1", "s", "accept", 101.0) is None
    entry = now.adjustment("r1", "s", None, 0.0)
    assert entry is not None
    now.add(entry)
    assert now.verdicts() == {}, "edited since: it is to be decided again"


def test_what_is_being_saved_comes_after_what_is_saved() -> None:
    now = queue()
    mine = decide(now, 0, "accept")
    theirs = Entry("r0", "s", "reject", True, id="theirs")
    now.merge(News((theirs,)), [mine.id])
    assert now.verdicts() == {"r0": "accept"}
    now.merge(News((mine,)))
    assert now.entries == (theirs, mine)
    now.merge(News((), (mine.id,)))
    assert now.verdicts() == {"r0": "reject"}


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
    now = queue()
    decide(now, 0, "accept")
    now.go_to(3)
    assert now.withdraw("unheard of") is None
    assert now.at == 3
