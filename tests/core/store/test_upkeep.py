"""Looking after a library: damage is found and named, copies are whole, room is given back."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from rollstep.core.errors import ExportError, InputError, LibraryLockedError
from rollstep.core.store import upkeep
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library
from rollstep.core.store.upkeep import back_up, check, compact

from .making import conversation, first, step


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for name in ("one", "two"):
            library.commit(first(name, conversation(3)))
    return path


def test_a_good_library_is_well(path: Path) -> None:
    told: list[tuple[int, int]] = []
    found = check(path, lambda done, of: told.append((done, of)))
    assert found.well
    assert (found.rollouts, found.steps) == (2, 12)
    assert told == [(0, 2), (1, 2)]


def test_a_rollout_that_cannot_be_read_is_named_and_the_others_are_read(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE steps SET body = x'7b' WHERE key = (SELECT min(key) FROM steps)")
    found = check(path)
    assert not found.well
    assert [name for name, _ in found.unreadable] == ["one"]
    assert found.steps == 6


def test_a_damaged_file_is_said_to_be(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    for page in range(8, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(data)
    assert check(path).damage


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(InputError, match="it is empty"):
        check(tmp_path / "empty")
    with pytest.raises(InputError, match="it is empty"):
        Library.open(tmp_path / "empty", create=False)
    assert (tmp_path / "empty").stat().st_size == 0
    (tmp_path / "x").write_bytes(b"nothing of ours" * 100)
    for work in (check, compact):
        with pytest.raises(InputError):
            work(tmp_path / "x")
        with pytest.raises(InputError, match="There is no library"):
            work(tmp_path / "nowhere")


def test_a_copy_is_made_while_another_writes(path: Path, tmp_path: Path) -> None:
    with Library.open(path) as other:
        other.commit(Change("one", steps=(step("x1", None, "meanwhile"),)))
        size = back_up(path, tmp_path / "copy.sqlite")
        other.commit(Change("one", steps=(step("x2", "x1", "later"),)))
    assert size == (tmp_path / "copy.sqlite").stat().st_size
    with Library.open(tmp_path / "copy.sqlite") as copy:
        assert [s.id for s in copy.load("one").steps][-1] == "x1"
        assert copy.load("two").steps
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []
    assert os.stat(tmp_path / "copy.sqlite").st_mode & 0o077 == 0


def test_a_copy_replaces_nothing_unless_told(path: Path, tmp_path: Path) -> None:
    there = tmp_path / "copy.sqlite"
    there.write_bytes(b"mine")
    with pytest.raises(ExportError, match="there already"):
        back_up(path, there)
    assert there.read_bytes() == b"mine"
    back_up(path, there, force=True)
    assert check(there).well
    with pytest.raises(ExportError, match="the library itself"):
        back_up(path, path, force=True)
    with pytest.raises(ExportError, match="does not exist"):
        back_up(path, tmp_path / "nowhere" / "copy")


def test_a_damaged_copy_does_not_get_its_name(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_integrity", lambda connection: ("page 7 is gone",))
    with pytest.raises(ExportError, match="page 7 is gone"):
        back_up(path, tmp_path / "copy.sqlite")
    assert [p.name for p in tmp_path.iterdir() if "copy" in p.name or p.name[0] == "."] == []


def test_compacting_gives_room_back_and_loses_nothing(path: Path) -> None:
    with Library.open(path) as library:
        library.keep("filter", "large", b"x" * 1_000_000)
        before = library.load("one")
        library.drop("filter", "large")
    found = compact(path)
    assert found.after < found.before
    with Library.open(path) as library:
        assert library.load("one") == before
        assert len(library.search("question 1")) == 2
    assert check(path).well


def test_compacting_waits_for_nobody_forever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "WAIT", 0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LibraryLockedError):
            compact(path)
