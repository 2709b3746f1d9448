"""Many rollouts save at once: what came meanwhile shares a transaction, and nothing is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable

import pytest
from rollstep.core.errors import NotSavedError
from rollstep.core.group_commits import GroupCommits
from rollstep.core.model.messages import user_message
from rollstep.core.model.steps import Step
from rollstep.core.store.change import Change


class Slow:
    """A library that saves when it is let."""

    def __init__(self, fail: bool = False) -> None:
        self.commits: list[list[Change]] = []
        self.let = threading.Event()
        self._fail = fail

    def commit_many(self, changes: Iterable[Change]) -> list[dict[str, int]]:
        self.let.wait(20)
        if self._fail:
            raise NotSavedError("disk full")
        self.commits.append(list(changes))
        return []


def step(name: str) -> Step:
    return Step(name, None, "evaluator", user_message("x"), "human")


async def test_what_comes_while_one_is_saved_is_saved_together() -> None:
    library = Slow()
    saver = GroupCommits(library)
    first = saver.save(Change("a", status="open"))
    await asyncio.sleep(0)
    rest = [saver.save(Change(name, status="open")) for name in "bcd"]
    library.let.set()
    await first
    for each in rest:
        await each
    assert [[change.rollout_id for change in some] for some in library.commits] == [
        ["a"],
        ["b", "c", "d"],
    ]


async def test_what_one_rollout_saves_is_one_change() -> None:
    library = Slow()
    saver = GroupCommits(library)
    saver.save(Change("a", steps=(step("1"),), requests=(("r", "x"),), head="1"))
    saver.save(Change("b", steps=(step("1"),)))
    saver.save(Change("a", steps=(step("2"),), head="2"))
    last = saver.save(Change("a", status="parked", status_note="why"))
    library.let.set()
    await last
    ((a, b),) = library.commits
    assert [each.id for each in a.steps] == ["1", "2"]
    assert (a.head, a.status, a.status_note, a.requests) == ("2", "parked", "why", (("r", "x"),))
    assert (b.rollout_id, b.head, b.status) == ("b", None, None)


async def test_who_waits_is_told_that_it_was_not_saved() -> None:
    library = Slow(fail=True)
    library.let.set()
    saver = GroupCommits(library)
    saver.save(Change("unheard"))
    with pytest.raises(NotSavedError, match="disk full"):
        await saver.save(Change("a"))


async def test_a_waiter_that_is_cancelled_takes_nothing_with_it() -> None:
    library = Slow()
    saver = GroupCommits(library)
    waiter = asyncio.ensure_future(_wait(saver, Change("a")))
    await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    library.let.set()
    await saver.close()
    assert len(library.commits) == 1


async def _wait(saver: GroupCommits, change: Change) -> None:
    await saver.save(change)
