"""Queues in a library: frozen, gone on with by query and person, marks given and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.errors import InputError, StoreError, UsageError
from rollstep.core.review.giving import give_mark, take_mark_back
from rollstep.core.review.keeping import (
    KIND,
    begin_queue,
    keep_queue,
    kept_queues,
    parked_among,
    unfinished_queue,
)
from rollstep.core.review.queue import Entry, added
from rollstep.core.review.reading import keep_steps_read, steps_read, turns_read
from rollstep.core.rules.marking import MarkChange
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from ..store.making import conversation, first


@pytest.fixture
def library(tmp_path: Path):  # type: ignore[no-untyped-def]
    with Library.open(tmp_path / "library.sqlite") as library:
        for number in range(4):
            steps = conversation(1, f"r{number}-", stop="goal_reached")
            library.commit(first(f"r{number}", steps, head=steps[-1].id))
        yield library


async def test_the_list_is_frozen(library: Library) -> None:
    queue = begin_queue(library, "verdict:none", "mira", 100.0)
    assert queue.ids == ("r0", "r1", "r2", "r3")
    await give_mark(library, "r1", "r1-2", MarkChange(verdict="accept"), "mira")
    assert begin_queue(library, "turns>0", "jo", 150.0).ids == queue.ids, "the same for each"
    found = unfinished_queue(library, "verdict:none", "mira")
    assert found is not None
    assert found.ids == queue.ids
    assert begin_queue(library, "verdict:none", "mira", 200.0).ids == ("r0", "r2", "r3")


def test_it_is_gone_on_with_by_the_same_query_and_person(library: Library) -> None:
    queue = begin_queue(library, "verdict:none", "mira", 100.0)
    assert unfinished_queue(library, "verdict:none", "mira") == queue
    assert unfinished_queue(library, "verdict:none", "jo") is None
    assert unfinished_queue(library, "", "mira") is None
    for rollout_id in queue.ids:
        queue = added(queue, Entry(rollout_id, "s", "accept", decides=True))
    keep_queue(library, queue)
    assert unfinished_queue(library, "verdict:none", "mira") is None
    assert kept_queues(library) == [queue]


def test_nothing_to_review_and_queues_of_other_versions_are_said(library: Library) -> None:
    with pytest.raises(InputError, match="nothing to review"):
        begin_queue(library, "turns>99", "mira", 1.0)
    library.keep(KIND, "odd", b'{"query": 1}')
    with pytest.raises(StoreError, match="another version"):
        kept_queues(library)


def test_what_waits_for_a_human_is_counted(library: Library) -> None:
    queue = begin_queue(library, "", "mira", 1.0)
    library.commit(Change("r2", status="parked", status_note="a breakpoint"))
    assert parked_among(library, queue) == 1


def test_steps_are_read_by_one_person(library: Library) -> None:
    keep_steps_read(library, "r1", "mira", {"b", "a"})
    keep_steps_read(library, "r\udc80", "jo", {"x"})
    assert steps_read(library, "r1", "mira") == {"a", "b"}
    assert steps_read(library, "r1", "jo") == frozenset()
    assert steps_read(library, "r\udc80", "jo") == {"x"}
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
