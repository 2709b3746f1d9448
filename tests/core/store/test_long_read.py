"""Reads that may take long: taken back at any moment, and nothing else is ended with them."""

from __future__ import annotations

import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rollstep.core.errors import NotSavedError, StoppedError, StoreError
from rollstep.core.store.facts import RolloutFacts
from rollstep.core.store.library import Library
from rollstep.core.store.long_read import LongRead

from .making import conversation, first

_PATIENCE = 20
_FOR_EVER = (
    "(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n) > ?"
)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "a library #1?.sqlite") as library:
        for name in ("one", "two"):
            library.commit(first(name, conversation(1, f"{name}-")))
        yield library


def nothing(connection: sqlite3.Connection) -> None:
    """No functions are added."""


def keys(
    library: Library, where: str = "1 = ?", prepare: Callable[[sqlite3.Connection], None] = nothing
) -> array[int]:
    return library.keys_where(where, [1], "rollouts.key", prepare)


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "long read"]


def ended() -> bool:
    """Whether every thread that reads has come to its end, soon."""
    for each in threads():
        each.join(_PATIENCE)
    return not threads()


def test_it_answers_with_what_was_committed_before(library: Library) -> None:
    read = LongRead(keys)
    read.start(library)
    assert list(read.future.result(_PATIENCE)) == [1, 2]
    assert ended()


def test_one_that_would_take_for_ever_is_stopped_by_sqlite_itself(library: Library) -> None:
    under_way = threading.Event()

    def ask(beside: Library) -> array[int]:
        under_way.set()
        return keys(beside, _FOR_EVER)

    read = LongRead(ask)
    read.start(library)
    assert under_way.wait(_PATIENCE)
    read.stop()
    with pytest.raises(StoppedError):
        read.future.result(0)
    assert ended()


def test_what_a_slow_function_still_finds_out_nobody_learns(library: Library) -> None:
    """A function that SQLite calls cannot be interrupted: whoever waits is let go at once, and the
    rows behind it are not looked at.
    """
    inside, go_on, rows = threading.Event(), threading.Event(), []

    def slow(key: int) -> int:
        rows.append(key)
        inside.set()
        go_on.wait(_PATIENCE)
        return 1

    read = LongRead(
        lambda beside: keys(
            beside,
            "slow(rollouts.key) = ?",
            lambda connection: connection.create_function("slow", 1, slow),
        )
    )
    read.start(library)
    assert inside.wait(_PATIENCE)
    read.stop()
    with pytest.raises(StoppedError):
        read.future.result(0)
    go_on.set()
    assert ended()
    assert len(rows) == 1
    assert isinstance(read.future.exception(), StoppedError)


def test_one_that_was_stopped_before_it_began_never_asks(library: Library) -> None:
    asked: list[Library] = []
    read = LongRead(asked.append)
    read.stop()
    read.start(library)
    assert ended()
    assert asked == []
    assert isinstance(read.future.exception(), StoppedError)


def test_a_write_that_is_going_on_is_not_interrupted(library: Library) -> None:
    read = LongRead(lambda beside: keys(beside, _FOR_EVER))
    read.start(library)
    facts, updated_at = RolloutFacts(title="written meanwhile"), library.updated_at(1)

    def while_it_is_written() -> Iterator[tuple[int, float, RolloutFacts]]:
        read.stop()
        assert ended()
        yield 1, updated_at, facts

    assert library.put_facts(while_it_is_written()) == 1
    assert library.listed([1])[1].facts == facts


def test_others_read_and_write_while_it_goes_on(library: Library) -> None:
    read = LongRead(lambda beside: keys(beside, _FOR_EVER))
    read.start(library)
    library.commit(first("three", conversation(1, "three-")))
    assert list(keys(library)) == [1, 2, 3]
    assert not read.future.done()
    read.stop()
    assert ended()


def test_it_cannot_write(library: Library) -> None:
    read = LongRead(lambda beside: beside.commit(first("four", conversation(1, "four-"))))
    read.start(library)
    with pytest.raises(NotSavedError):
        read.future.result(_PATIENCE)


def test_a_file_that_was_moved_away_is_neither_read_nor_made_anew(library: Library) -> None:
    library.path.rename(library.path.with_name("elsewhere.sqlite"))
    read = LongRead(keys)
    read.start(library)
    with pytest.raises(StoreError, match="deleted, moved or replaced"):
        read.future.result(_PATIENCE)
    assert not library.path.exists()
