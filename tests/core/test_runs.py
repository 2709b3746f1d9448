"""A run is found again by what it plays, its rollouts by their place in it, and its records where
they stand.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.errors import InputError, StoreError
from rollstep.core.runs import KIND, alone_in, begin, go_on, run_key
from rollstep.core.store.library import Library

from .store.making import first


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library.sqlite")


def test_what_is_played_names_a_run_and_nothing_runs_together() -> None:
    names = {run_key(parts) for parts in ([b"ab", b"c"], [b"a", b"bc"], [b"abc"], [b"c", b"ab"])}
    assert len(names) == 4
    assert run_key([b"ab", b"c"]) == run_key([b"ab", b"c"])


def test_the_same_run_has_the_same_ids_and_one_begun_anew_has_others(library: Library) -> None:
    run = begin(library, "key", ())
    ids = [run.rollout_id(place) for place in range(1000)]
    assert len(set(ids)) == 1000
    again = go_on(library, "key")
    assert again is not None
    assert [again.rollout_id(place) for place in range(1000)] == ids
    anew = begin(library, "key", ())
    assert not {anew.rollout_id(place) for place in range(1000)} & set(ids)
    assert go_on(library, "another") is None


def test_it_knows_which_of_its_rollouts_were_begun(library: Library) -> None:
    run = begin(library, "key", ())
    begun = {0, 3, 299, 300, 700}
    for place in begun:
        library.commit(first(run.rollout_id(place)))
    assert not any(run.holds(place) for place in range(800)), "it has just begun"
    again = go_on(library, "key")
    assert again is not None
    found = {place: name for place in range(800) if (name := again.holds(place))}
    assert found == {place: run.rollout_id(place) for place in begun}


def starts(library: Library, key: str = "key") -> list[int]:
    run = go_on(library, key)
    assert run is not None
    return [each.start for each in run.record.files]


def test_records_stand_behind_what_was_there(library: Library, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.write_bytes(b"1\n")
    cut.write_bytes(b"1")
    begin(library, "key", (whole, cut, tmp_path / "none"))
    assert starts(library) == [2, 2, 0]
    for path in (whole, cut):
        with path.open("ab") as file:
            file.write(b"\nmore")
    assert starts(library) == [2, 2, 0]


def test_a_file_that_was_taken_away_or_cut_is_written_from_its_end(
    library: Library, tmp_path: Path
) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"1\n2\n3\n")
    begin(library, "key", (path,))
    path.write_bytes(b"1\n")
    assert starts(library) == [2]
    path.unlink()
    assert starts(library) == [0]


def test_what_others_append_behind_a_run_stops_it_from_going_on(
    library: Library, tmp_path: Path
) -> None:
    path = tmp_path / "rows"
    run = begin(library, "key", (path,))
    path.write_bytes(b"mine\n")
    run.ends_at()
    assert starts(library) == [0]
    run.ends_at()
    path.write_bytes(b"mine\ntheirs\n")
    with pytest.raises(InputError, match="Move the file away"):
        go_on(library, "key")


def test_another_run_into_the_same_file_ends_a_run_that_was_killed(
    library: Library, tmp_path: Path
) -> None:
    path = tmp_path / "rows"
    begin(library, "killed", (path,))
    path.write_bytes(b"mine\n")
    begin(library, "another", (path,))
    assert starts(library, "killed") == [0]
    begin(library, "killed", (path,))
    begin(library, "another", (path,))
    path.write_bytes(b"mine\ntheirs\n")
    with pytest.raises(InputError, match="something was appended"):
        go_on(library, "killed")


def test_a_run_is_alone_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "out"
    with (
        alone_in(folder),
        pytest.raises(InputError, match="another run writes to"),
        alone_in(folder),
    ):
        pass
    assert not folder.exists(), "nothing was written there"
    with alone_in(folder):
        (folder / "rows").touch()
    assert folder.exists()


def test_a_run_that_cannot_be_read_is_said_and_stands_in_no_other_s_way(
    library: Library, tmp_path: Path
) -> None:
    library.keep(KIND, "key", b"\xff")
    with pytest.raises(StoreError, match="Without --resume the command begins a new one"):
        go_on(library, "key")
    begin(library, "another", (tmp_path / "records",))
    assert go_on(library, "another") is not None
    begin(library, "key", (tmp_path / "records",))
    assert go_on(library, "key") is not None
