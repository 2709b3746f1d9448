"""Rollouts that were put out of sight: lists leave them out, unless their query speaks of these."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rollstep.core.exporting.items import where
from rollstep.core.listing.hidden import count_hidden, hide_rollouts, show_rollouts
from rollstep.core.listing.rollout_list import list_rollouts
from rollstep.core.listing.stats import count_rollouts
from rollstep.core.store.library import Library

from tests.core.store.making import conversation, first


@pytest.fixture
def four() -> Iterator[Library]:
    """Four rollouts, of which two are hidden."""
    with Library.throwaway() as library:
        for number in range(4):
            library.commit(first(f"r{number}", conversation(1 + number % 2, f"s{number}-")))
        assert hide_rollouts(library, ["r1", "r2"], "mira", 5.0) == ("r1", "r2")
        yield library


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "r0 r3"),
        ("turns = 1", "r0"),
        ("hidden:yes", "r1 r2"),
        ("hidden", "r1 r2"),
        ("hidden:true", "r1 r2"),
        ("hidden:no", "r0 r3"),
        ("not hidden:yes", "r0 r3"),
        ("hidden != yes", "r0 r3"),
        ("hidden:any", "r0 r1 r2 r3"),
        ("hidden:any turns = 1", "r0 r2"),
        ("turns = 1 or hidden = yes", "r0 r1 r2"),
    ],
)
def test_lists_leave_them_out_unless_they_are_asked_for(
    four: Library, query: str, expected: str
) -> None:
    assert sorted(list_rollouts(four, query).ids()) == expected.split()


def test_what_counts_exports_and_reviews_agrees_with_lists(four: Library) -> None:
    assert count_rollouts(four).rollouts == 2
    assert count_rollouts(four, "hidden:any").rollouts == 4
    assert where(four, "turns > 0")[0] == 2
    assert sorted(each.id for each in four.recent()) == ["r0", "r3"]
    assert sorted(four.ids_of(four.newest_keys(10))) == ["r0", "r3"]
    assert len(four.newest_keys(1)) == 1


def test_they_come_back_as_they_were(four: Library) -> None:
    before = four.load("r1")
    rows = list_rollouts(four, "hidden:any").rows(0, 9)
    assert [row.summary.id for row in rows if row and row.hidden] == ["r2", "r1"]
    assert hide_rollouts(four, ["r1", "r0"], "jo", 6.0) == ("r0",)
    assert count_hidden(four) == 3
    assert show_rollouts(four, ["r3", "r1", "r0", "r2"]) == ("r1", "r0", "r2")
    assert count_hidden(four) == 0
    assert len(list_rollouts(four)) == 4
    assert four.load("r1") == before
