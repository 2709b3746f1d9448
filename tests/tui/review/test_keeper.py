"""What the queue's screen knows follows the library, whatever others do at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import pytest
from rollstep.core.engine import Engine
from rollstep.core.errors import RollstepError
from rollstep.core.marking import mark_rollouts
from rollstep.core.review.keeping import begin_queue, open_queue
from rollstep.core.review.queue import Entry
from rollstep.core.rules.marking import MarkChange
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.tui.review.keeper import Keeper
from rollstep.tui.review.model import ReviewModel

from tests.core.store.making import conversation, first

_IDS = ("one", "two", "three")
ACCEPT = MarkChange(verdict="accept")


class AtOnce:
    """An engine that does what it is asked before it says so."""

    session = None

    def __init__(self, library: Library) -> None:
        self.library = library

    def submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(asyncio.run(work))
        except RollstepError as error:
            future.set_exception(error)
        return future


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "library.sqlite") as library:
        for name in _IDS:
            library.commit(first(name, conversation(2, name, stop="done")))
    return tmp_path / "library.sqlite"


def keeper(library: Library, model: ReviewModel) -> Keeper:
    return Keeper(cast(Engine, AtOnce(library)), model.kept)


def undo(library: Library, rollout_id: str) -> None:
    async def undoing() -> None:
        session = Session.reopen(library.load(rollout_id), library, author="ana")
        await session.undo()
        await session.close()

    asyncio.run(undoing())


def test_what_others_said_is_seen_also_where_a_mark_was_gone_already(path: Path) -> None:
    with Library.open(path) as library, Library.open(path) as other:
        model = ReviewModel(begin_queue(library, "", "ana", 1.0))
        keep = keeper(library, model)
        theirs = ReviewModel(open_queue(other, model.queue.name))
        for name in _IDS:
            model.take(name, *keep.load(name).result())
        entry = model.say("one4", ACCEPT, 2.0)
        assert entry is not None
        saved = keep.give(entry, ACCEPT, 0).result()
        model.said(entry, saved.marks, saved.news)
        change = MarkChange(verdict="reject")
        keeper(other, theirs).give(Entry("two", "two4", "reject", True), change, 1).result()
        undo(other, "one")
        assert model.take_back() is not None
        back = keep.take_back(entry, 0).result()
        assert "taken back already" in back.words
        model.was_back_already(entry, back.news)
        model.noted(keep.stay_at(0).result())
        assert model.queue.verdicts() == {"two": "reject"}
        assert open_queue(library, model.queue.name).queue.verdicts() == {"two": "reject"}


def test_a_rollout_that_was_loaded_while_a_mark_was_being_saved_is_believed_too(
    path: Path,
) -> None:
    with Library.open(path) as library:
        model = ReviewModel(begin_queue(library, "", "ana", 3.0))
        keep = keeper(library, model)
        model.take("one", *keep.load("one").result())
        entry = model.say("one4", ACCEPT, 9e9)
        assert entry is not None
        asyncio.run(mark_rollouts(library, ("three",), MarkChange(verdict="reject"), "ana"))
        assert model.take("three", *keep.load("three").result()) is None
        assert model.adjustments() == [], "something is being saved"
        saved = keep.give(entry, ACCEPT, 0).result()
        model.said(entry, saved.marks, saved.news)
        found = [(each.rollout_id, each.verdict, each.command) for each in model.adjustments()]
        assert found == [("three", "reject", 1)]
        assert model.queue.verdicts() == {"one": "accept", "three": "reject"}
        assert model.adjustments() == []


def test_the_mark_of_a_rollout_is_seen_while_that_of_another_is_being_saved(path: Path) -> None:
    with Library.open(path) as library:
        model = ReviewModel(begin_queue(library, "", "ana", 1.0))
        keep = keeper(library, model)
        for name in _IDS:
            model.take(name, *keep.load(name).result())
        one = model.say("one4", ACCEPT, 2.0)
        model.go_to(1)
        two = model.say("two4", ACCEPT, 3.0)
        assert one is not None
        assert two is not None
        asyncio.run(mark_rollouts(library, ("one",), MarkChange(tag="x"), "jo"))
        saved = keep.give(one, ACCEPT, 1).result()
        model.said(one, saved.marks, saved.news)
        model.go_to(0)
        assert model.shown is not None
        assert {mark.by for mark in model.shown.model.marks} == {"ana", "jo"}
