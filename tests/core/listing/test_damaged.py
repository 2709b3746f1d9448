"""A library in which one rollout cannot be read: the others are listed, counted and rescued."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from rollstep.core.errors import UnreadableError
from rollstep.core.listing.rollout_list import list_rollouts
from rollstep.core.listing.stats import count_rollouts
from rollstep.core.listing.up_to_date import bring_up_to_date
from rollstep.core.review.keeping import begin_queue
from rollstep.core.store.library import Library

from tests.core.store.making import conversation, first

NO_STEP = "UPDATE steps SET body = x'7b' WHERE key = (SELECT min(key) FROM steps)"
NO_TREE = "DELETE FROM steps WHERE key = (SELECT min(key) FROM steps)"


@pytest.fixture(params=[NO_STEP, NO_TREE])
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for name in ("broken", "b", "c"):
            library.commit(first(name, conversation(2, f"{name}-", stop="done")))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(request.param)
    return path


def test_the_others_are_listed_counted_and_queued(damaged: Path) -> None:
    with Library.open(damaged) as library:
        bring_up_to_date(library, "turns > 0")
        assert list_rollouts(library, 'why:"cannot be read"').ids() == ["broken"]
        assert list_rollouts(library, "branches > 0").ids() == ["c", "b"]
        assert library.count_undescribed() == 0
        stats = count_rollouts(library, "turns > 0")
        assert (stats.rollouts, [*stats.unreadable]) == (2, ["broken"])
        assert begin_queue(library, "branches > 0", "ann", 1.0).queue.ids == ("b", "c")


def test_words_are_found_in_the_others(damaged: Path) -> None:
    with Library.open(damaged) as library:
        for query in ('"question 1"', "text:qu", "text ~ question"):
            bring_up_to_date(library, query)
            assert list_rollouts(library, f"{query} branches > 0").ids() == ["c", "b"]
        assert {hit.rollout_id for hit in library.search("qu")} >= {"b", "c"}


def test_what_is_said_names_the_rollout(damaged: Path) -> None:
    with (
        Library.open(damaged) as library,
        pytest.raises(UnreadableError, match="the rollout broken"),
    ):
        library.load_tree("broken")
