"""Marks of a queue are taken back by the commands that gave them, and nothing else with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from rollstep.core.errors import StoreError, UsageError
from rollstep.core.marking import mark_rollouts, put_mark
from rollstep.core.model.marks import Mark
from rollstep.core.review.giving import give_mark, take_mark_back
from rollstep.core.rules.marking import MarkChange
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from ..store.making import conversation, first

LEAF = "one4"


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.throwaway() as library:
        library.commit(first("one", conversation(2, "one", stop="goal_reached")))
        yield library


async def give(library: Library, by: str = "ana", **change: Any) -> int:
    return (await give_mark(library, "one", LEAF, MarkChange(**change), by)).command


async def back(library: Library, command: int | None, by: str = "ana") -> Mark:
    marks = await take_mark_back(library, "one", LEAF, by, command=command)
    return next(mark for mark in marks if mark.by == by)


async def elsewhere(library: Library, by: str = "ana", **change: Any) -> None:
    session = Session.reopen(library.load("one"), library, author=by)
    await put_mark(session, LEAF, MarkChange(**change), by)
    await session.close()


async def test_one_after_the_other_is_taken_back_where_others_said_something_since(
    library: Library,
) -> None:
    rated, accepted = await give(library, rating=3), await give(library, verdict="accept")
    await mark_rollouts(library, ("one",), MarkChange(tag="x"), "mira")
    mark = await back(library, accepted)
    assert (mark.verdict, mark.rating) == (None, 3)
    mark = await back(library, rated)
    assert (mark.verdict, mark.rating) == (None, None)
    assert {mark.by: mark.tags for mark in library.load("one").marks}["mira"] == ("x",)


async def test_so_it_is_where_the_commands_are_not_known(library: Library) -> None:
    """Queues from before the commands were kept, and verdicts that were given elsewhere."""
    await give(library, rating=3)
    await give(library, verdict="accept")
    await mark_rollouts(library, ("one",), MarkChange(tag="x"), "mira")
    assert (await back(library, None)).verdict is None
    mark = await back(library, None)
    assert (mark.verdict, mark.rating) == (None, None)
    with pytest.raises(UsageError, match="taken back already"):
        await back(library, None)


async def test_the_verdict_goes_and_what_was_said_since_stays(library: Library) -> None:
    accepted = await give(library, verdict="accept")
    await elsewhere(library, tag="dbg", rating=4)
    mark = await back(library, accepted)
    assert (mark.verdict, mark.tags, mark.rating) == (None, ("dbg",), 4)
    assert library.load("one").commands[-1].label == "mark taken back"


async def test_a_tag_goes_and_the_others_stay(library: Library) -> None:
    tagged = await give(library, tag="b")
    await elsewhere(library, tag="c")
    gone = await give(library, toggle_tag="b")
    assert (await back(library, gone)).tags == ("b", "c")
    assert (await back(library, tagged)).tags == ("c",)


async def test_the_verdict_before_stands_as_it_stood(library: Library) -> None:
    await elsewhere(library, verdict="reject", note="no")
    before = library.load("one").marks[0]
    accepted = await give(library, verdict="accept")
    await mark_rollouts(library, ("one",), MarkChange(tag="x"), "mira")
    assert await back(library, accepted) == before


async def test_what_was_changed_or_undone_since_is_left_and_said(library: Library) -> None:
    accepted = await give(library, verdict="accept")
    await elsewhere(library, verdict="reject")
    with pytest.raises(UsageError, match="changed since"):
        await back(library, accepted)
    session = Session.reopen(library.load("one"), library, author="ana")
    await session.undo()
    await session.undo()
    await session.close()
    with pytest.raises(UsageError, match="taken back already"):
        await back(library, accepted)


async def test_a_mark_that_says_so_already_takes_nothing_back(library: Library) -> None:
    await give(library, rating=3)
    same = await give(library, rating=3)
    assert same == 0
    with pytest.raises(UsageError, match="taken back already"):
        await back(library, same)
    assert library.load("one").marks[0].rating == 3


async def test_an_open_rollout_that_does_not_know_the_mark_yet(library: Library) -> None:
    session = Session.reopen(library.load("one"), library, author="ana")
    accepted = await give(library, verdict="accept")
    await take_mark_back(library, "one", LEAF, "ana", session, command=accepted)
    assert library.load("one").marks[0].verdict is None
    await session.close()


async def test_what_is_not_saved_is_not_taken_back(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = await give(library, verdict="accept")

    def full(*_: object) -> None:
        raise StoreError("Not saved: disk full.")

    with monkeypatch.context() as patch:
        patch.setattr(Library, "commit", full)
        with pytest.raises(StoreError, match="disk full"):
            await back(library, accepted)
    assert library.load("one").marks[0].verdict == "accept"
