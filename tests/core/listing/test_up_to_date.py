"""Rollouts that a run or an import wrote: their steps are indexed later, and found at once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from rollstep.core.listing.rollout_list import list_rollouts
from rollstep.core.listing.up_to_date import bring_up_to_date
from rollstep.core.model.messages import target_reply
from rollstep.core.rules.query.nodes import QueryError
from rollstep.core.session import Session
from rollstep.core.store.beside import LibraryBeside
from rollstep.core.store.library import Library

from tests.core.store.making import conversation, first, step

WORDS = ("text:lantern", '"lantern"', "text:LANT", 'text:"old lantern"', "text:ol", '-"blender"')


def written_quickly(path: Path) -> Library:
    library = Library.open(path)
    for name, words in (("a", "My old lantern."), ("b", 'A "blender".')):
        steps = (step(f"{name}0", None, words), *conversation(2, f"{name}_", stop="goal_reached"))
        library.commit_many([first(f"r{name}", steps)])
    return library


@pytest.mark.parametrize("query", WORDS)
def test_words_are_found_before_anything_is_indexed_and_after(tmp_path: Path, query: str) -> None:
    with written_quickly(tmp_path / "library.sqlite") as library:
        assert list_rollouts(library, query).ids() == ["ra"]
        with closing(LibraryBeside.of(library)) as cannot_write:
            bring_up_to_date(cannot_write, query)
            assert list_rollouts(cannot_write, query).ids() == ["ra"]
        bring_up_to_date(library, query)
        assert library.index_pending() == 0
        assert list_rollouts(library, query).ids() == ["ra"]


@pytest.mark.parametrize("query", ['"zebra answers"', "text:ze", "text ~ /zebra/"])
async def test_words_that_undo_took_out_of_sight_are_not_found(tmp_path: Path, query: str) -> None:
    with written_quickly(tmp_path / "library.sqlite") as library:
        session = Session.reopen(library.load("ra"), library)
        await session.override("a_1", target_reply("The zebra answers."), "stay")
        bring_up_to_date(library, query)
        assert list_rollouts(library, query).ids() == ["ra"]
        await session.undo()
        assert list_rollouts(library, query).ids() == []
        bring_up_to_date(library, query)
        assert list_rollouts(library, f"{query} or text:lantern").ids() == ["ra"]
        assert list_rollouts(library, query).ids() == []
        await session.close()


def test_of_a_rollout_that_is_indexed_in_part_all_is_found(tmp_path: Path) -> None:
    with written_quickly(tmp_path / "library.sqlite") as library:
        assert library.index_pending(3) == 3
        assert list_rollouts(library, "text:goal_reached").ids() == ["rb", "ra"]
        assert list_rollouts(library, 'text:"a \\"blender\\""').ids() == ["rb"]


def test_what_asks_for_no_words_waits_for_no_index(tmp_path: Path) -> None:
    with written_quickly(tmp_path / "library.sqlite") as library:
        bring_up_to_date(library, "turns>1")
        assert library.index_pending(1) == 1
        assert library.count_undescribed() == 0


def test_a_query_that_is_none_is_refused_before_any_work(tmp_path: Path) -> None:
    with written_quickly(tmp_path / "library.sqlite") as library:
        with pytest.raises(QueryError):
            bring_up_to_date(library, "turns>>1")
        assert library.count_undescribed() == 2
