"""Queues in a library: frozen, gone on with by query and person, marks given and taken back."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rollstep.core.errors import InputError, StoreError, UsageError
from rollstep.core.review.giving import give_mark, take_mark_back
from rollstep.core.review.keeping import (
    KIND,
    KeptQueue,
    begin_queue,
    listed_queues,
    open_queue,
    parked_among,
    unfinished_queue,
)
from rollstep.core.review.queue import Entry, Queue, queue_name
from rollstep.core.review.reading import keep_steps_read, steps_read, turns_read
from rollstep.core.rules.marking import MarkChange
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library
from rollstep.core.store.upkeep import compact

from ..store.making import conversation, first


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library.sqlite") as library:
        for number in range(4):
            steps = conversation(1, f"r{number}-", stop="goal_reached")
            library.commit(first(f"r{number}", steps, head=steps[-1].id))
        yield library


def said(rollout_id: str, verdict: str | None = "accept", id: str = "") -> Entry:
    return Entry(rollout_id, "s", verdict, decides=True, id=id or f"{rollout_id} {verdict}")  # type: ignore[arg-type]


async def test_the_list_is_frozen(library: Library) -> None:
    queue = begin_queue(library, "verdict:none", "mira", 100.0).queue
    assert queue.ids == ("r0", "r1", "r2", "r3")
    await give_mark(library, "r1", "r1-2", MarkChange(verdict="accept"), "mira")
    assert begin_queue(library, "turns>0", "jo", 150.0).queue.ids == queue.ids, "the same for each"
    found = unfinished_queue(library, "verdict:none", "mira")
    assert found is not None
    assert found.queue.ids == queue.ids
    later = begin_queue(library, "verdict:none", "mira", 200.0)
    assert later.queue.ids == ("r0", "r2", "r3")


def test_it_is_gone_on_with_by_the_same_query_and_person(library: Library) -> None:
    kept = begin_queue(library, "verdict:none", "mira", 100.0)
    found = unfinished_queue(library, "verdict:none", "mira")
    assert found is not None
    assert (found.queue.name, found.queue.ids) == (kept.queue.name, kept.queue.ids)
    assert unfinished_queue(library, "verdict:none", "jo") is None
    assert unfinished_queue(library, "", "mira") is None
    for place, rollout_id in enumerate(kept.queue.ids):
        kept.say(library, said(rollout_id), place)
    assert unfinished_queue(library, "verdict:none", "mira") is None
    (listed,) = listed_queues(library)
    assert (listed.progress.left, listed.progress.accepted) == (0, 4)
    assert open_queue(library, kept.queue.name).queue.at == 3


def test_what_is_said_is_a_small_row_of_its_own(library: Library) -> None:
    many = tuple(f"r{n}" for n in range(1000))
    kept = KeptQueue(Queue("", "mira", 1.0, many))
    kept.stay_at(library, 0)
    connection = library._connection
    before = connection.total_changes, _bytes(library)
    kept.say(library, said("r7"), 8)
    assert connection.total_changes - before[0] == 2, "the entry, and the place"
    assert _bytes(library) - before[1] < 200


def _bytes(library: Library) -> int:
    found: int = library._connection.execute("SELECT sum(length(body)) FROM kept").fetchone()[0]
    return found


def test_nothing_to_review_and_queues_of_other_versions_are_said(library: Library) -> None:
    with pytest.raises(InputError, match="nothing to review"):
        begin_queue(library, "turns>99", "mira", 1.0)
    with pytest.raises(InputError, match="No queue 'x'"):
        open_queue(library, "x")
    library.keep(KIND, "odd", b'{"version": 3}')
    with pytest.raises(StoreError, match="another version"):
        open_queue(library, "odd")


@pytest.mark.parametrize("body", [b'{"version": 3}', b"{"])
def test_a_queue_of_another_version_stands_in_no_others_way(library: Library, body: bytes) -> None:
    begin_queue(library, "turns>0", "mira", 100.0)
    name = queue_name("verdict:none", "ann", 200.0)
    library.keep(KIND, name, body)
    foreign, ours = listed_queues(library)
    assert (foreign.is_foreign, foreign.head.name, foreign.progress.left) == (True, name, 0)
    assert (ours.is_foreign, ours.head.by) == (False, "mira")
    assert unfinished_queue(library, "verdict:none", "ann") is None
    assert unfinished_queue(library, "turns>0", "mira") is not None


_OLD = {
    "query": "verdict:none",
    "by": "mira",
    "frozen_at": 100.0,
    "ids": ["r0", "r1", "r2", "r3"],
    "at": 2,
    "entries": [
        {"rollout_id": "r0", "step_id": "s", "verdict": "accept", "decides": True, "seconds": 9.0},
        {"rollout_id": "r1", "step_id": "s", "verdict": "reject", "decides": True},
        {"rollout_id": "r1", "step_id": "s"},
    ],
}


def test_a_queue_that_was_kept_in_one_piece_opens_and_becomes_rows(library: Library) -> None:
    name = "100.000000 mira verdict:none"
    library.keep(KIND, name, json.dumps(_OLD).encode())
    (listed,) = listed_queues(library)
    assert (listed.progress.left, listed.progress.each) == (2, 9.0)
    first_program = unfinished_queue(library, "verdict:none", "mira")
    second_program = open_queue(library, name)
    assert first_program is not None
    assert first_program.queue.at == 2
    assert first_program.queue.verdicts() == {"r0": "accept", "r1": "reject"}
    first_program.say(library, said("r2"), 3)
    with Library.open(library.path) as other:
        second_program.withdraw(other, second_program.queue.entries[0].id, 0)
        news = second_program.look(other)
    assert news.said == news.gone == ()
    found = open_queue(library, name).queue
    assert found.verdicts() == {"r1": "reject", "r2": "accept"}
    assert (len(found.entries), found.at) == (3, 0)
    assert second_program.queue.entries == found.entries


def test_ids_and_names_that_are_no_text_are_kept(library: Library) -> None:
    kept = KeptQueue(Queue("q\udc80", "m\udcff", 1.0, ("r\udc80",)))
    kept.say(library, said("r\udc80"), 0)
    found = unfinished_queue(library, "q\udc80", "m\udcff")
    assert found is None
    assert open_queue(library, kept.queue.name).queue.verdicts() == {"r\udc80": "accept"}


steps = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(["say", "say", "withdraw", "withdraw last", "look", "restart", "other"]),
        st.integers(0, 5),
        st.sampled_from(["accept", "reject", None]),
    ),
    max_size=25,
)


@given(steps)
@settings(max_examples=60)
def test_two_programs_on_one_queue_lose_nothing(
    course: list[tuple[int, str, int, str | None]],
) -> None:
    """Whatever they do in whatever order, what is kept is all that was said but what was taken
    away, in the order in which it was saved; and who looks, knows it.
    """
    ids = tuple(f"r{n}" for n in range(4))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.sqlite"
        one, two = Library.open(path, durable=False), Library.open(path, durable=False)
        libraries = (one, two)
        begun = KeptQueue(Queue("", "mira", 1.0, ids))
        begun.stay_at(one, 0)
        programs = [open_queue(one, begun.queue.name), open_queue(two, begun.queue.name)]
        screens = [program.queue.copy() for program in programs]
        log: list[Entry] = []
        for number, (who, what, which, verdict) in enumerate(course):
            library, program = libraries[who], programs[who]
            if what == "say":
                entry = said(ids[which % 4], verdict, f"e{number}")
                log.append(entry)
                screens[who].merge(program.say(library, entry, which % 4))
            elif what.startswith("withdraw") and log:
                entry = log.pop(-1 if what.endswith("last") else which % len(log))
                screens[who].merge(program.withdraw(library, entry.id, 0))
            elif what == "look":
                screens[who].merge(program.look(library))
            elif what == "restart":
                programs[who] = open_queue(library, begun.queue.name)
                screens[who] = programs[who].queue.copy()
            elif what == "other":
                library.keep("filter", f"f{which}", b"")
                library.drop("filter", f"f{which - 1}")
            else:
                continue
            if what != "other":
                assert screens[who].entries == tuple(log)
                assert programs[who].queue.entries == tuple(log)
        for who in (0, 1):
            screens[who].merge(programs[who].look(libraries[who]))
            assert screens[who].entries == tuple(log)
            assert screens[who].verdicts() == Queue("", "", 0.0, ids, 0, log).verdicts()
            libraries[who].close()


def test_what_a_rollout_says_itself_is_noted_once_by_two_programs(library: Library) -> None:
    kept = begin_queue(library, "", "mira", 1.0)
    with Library.open(library.path) as other:
        second = open_queue(other, kept.queue.name)
        kept.say(library, said("r1", id="mine"), 0, unless_so=True)
        news = second.say(other, said("r1", id="theirs"), 0, unless_so=True)
    assert [each.id for each in news.said] == ["mine"]
    assert news.gone == ("theirs",)
    assert len(open_queue(library, kept.queue.name).queue.entries) == 1


def test_what_waits_for_a_human_is_counted(library: Library) -> None:
    queue = begin_queue(library, "", "mira", 1.0).queue
    library.commit(Change("r2", status="parked", status_note="a breakpoint"))
    assert parked_among(library, queue) == 1


def test_steps_are_read_by_one_person(library: Library) -> None:
    keep_steps_read(library, "r1", "mira", {"b"})
    with Library.open(library.path) as other:
        keep_steps_read(other, "r1", "mira", {"a"})
    keep_steps_read(library, "r\udc80", "jo", {"x\udc80"})
    assert steps_read(library, "r1", "mira") == {"a", "b"}
    assert steps_read(library, "r1", "jo") == frozenset()
    assert steps_read(library, "r\udc80", "jo") == {"x\udc80"}
    assert turns_read([1, 1, 2], ["a", "b", "c"], {"a", "b"}) == [True, False]


async def test_a_mark_is_taken_back_also_when_somebody_else_did_something_since(
    library: Library,
) -> None:
    await give_mark(library, "r0", "r0-2", MarkChange(verdict="accept"), "mira")
    await give_mark(library, "r0", "r0-2", MarkChange(verdict="reject", note="no"), "jo")
    marks = await take_mark_back(library, "r0", "r0-2", "mira")
    assert {(m.by, m.verdict) for m in marks} == {("mira", None), ("jo", "reject")}
    marks = await take_mark_back(library, "r0", "r0-2", "jo")
    assert {(m.by, m.verdict) for m in library.load("r0").marks} == {("mira", None), ("jo", None)}
    with pytest.raises(UsageError, match="taken back already"):
        await take_mark_back(library, "r0", "r0-2", "nobody")


def test_a_library_that_is_compacted_keeps_what_was_said_in_its_order(library: Library) -> None:
    kept = begin_queue(library, "", "mira", 1.0)
    for number in range(8):
        kept.say(library, said(f"r{number % 4}", id=f"e{number}"), 0)
    for number in (0, 1, 5):
        kept.withdraw(library, f"e{number}", 0)
    library.drop(KIND, "unheard of")
    with Library.open(library.path) as other:
        second = open_queue(other, kept.queue.name)
        compact(library.path)
        kept.say(library, said("r1", "reject", "later"), 0)
        assert [each.id for each in second.look(other).said] == ["later"]
        assert second.queue.entries == kept.queue.entries
    assert open_queue(library, kept.queue.name).queue.entries == kept.queue.entries


def test_two_who_begin_at_the_same_time_have_one_queue(library: Library) -> None:
    one = begin_queue(library, "turns>0", "mira", 100.5, since=100.0)
    other = begin_queue(library, "turns>0", "mira", 100.6, since=100.1)
    assert other.queue.name == one.queue.name
    assert begin_queue(library, "turns>0", "jo", 100.6, since=100.1).queue.by == "jo"
    later = begin_queue(library, "turns>0", "mira", 200.0, since=199.0)
    assert later.queue.name != one.queue.name
    assert len(listed_queues(library)) == 3


def test_what_is_kept_of_a_queue_and_cannot_be_read_is_said(library: Library) -> None:
    name = begin_queue(library, "turns>0", "mira", 100.0).queue.name
    library.keep("queue place", name, b"x")
    assert open_queue(library, name).queue.at == 0
    queue = open_queue(library, name)
    queue.say(library, Entry("r1", "a1", "accept", True, id="e1"), 0)
    with library.shelf(writing=True) as shelf:
        shelf.put(queue._kind, "e1", b"{")
    with pytest.raises(StoreError, match="kept by another version"):
        open_queue(library, name)
