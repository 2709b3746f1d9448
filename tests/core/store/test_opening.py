from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from rollstep.core.errors import InputError, LibraryLockedError, NotSavedError, StoreError
from rollstep.core.store.library import Library

from tests.core.store.making import conversation, first

_HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.sqlite"


@pytest.mark.parametrize("text", ["x", "no database at all\n" * 100, '{"rollstep_bundle": 1}\n'])
def test_a_file_that_is_no_database(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(InputError, match="is not a rollstep library: it is no SQLite file"):
        Library.open(path)
    assert path.read_text() == text


def test_the_database_of_another_program(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cookies (name)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="it is the database of another program"):
        Library.open(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_library(path: Path) -> None:
    path.touch()
    with Library.open(path) as library:
        assert library.count() == 0


def test_a_newer_version(path: Path) -> None:
    Library.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match=r"made by a newer rollstep \(version 99"):
        Library.open(path)


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder"):
        Library.open(tmp_path)


def test_a_library_that_must_be_there_and_is_not(path: Path) -> None:
    with pytest.raises(InputError, match="There is no library at"):
        Library.open(path, create=False)
    assert not path.exists()


def test_a_place_where_no_folder_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be opened: not a directory"):
        Library.open(tmp_path / "file" / "library.sqlite")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads what nobody may")
def test_a_file_that_may_not_be_read(path: Path) -> None:
    Library.open(path).close()
    path.chmod(0)
    with pytest.raises(StoreError, match="cannot be read: permission denied"):
        Library.open(path)


def test_a_name_of_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "a ?#%20 b" / "ünï.sqlite"
    with Library.open(path) as library:
        library.commit(first("r1"))
    assert path.exists()


def test_a_damaged_library_is_an_error_in_words(path: Path) -> None:
    with Library.open(path) as library:
        library.commit(first("r1", conversation(200)))
    data = bytearray(path.read_bytes())
    data[20_000:] = b"\xff" * (len(data) - 20_000)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="is damaged"), Library.open(path) as library:
        library.load("r1")


def test_something_stored_that_cannot_be_read_is_an_error_in_words(path: Path) -> None:
    with Library.open(path) as library:
        library.commit(first("r1", conversation(1)))
        connection = sqlite3.connect(path)
        connection.execute("UPDATE steps SET body = x'7b7d'")
        connection.commit()
        connection.close()
        with pytest.raises(StoreError, match="holds something that cannot be read"):
            library.load("r1")
        assert library.count() == 1


def test_a_lock_that_another_program_keeps_is_told_with_its_process(path: Path) -> None:
    with Library.open(path, wait=0.01) as library:
        library.commit_many([first("r0", conversation(1))])
        pipe = subprocess.PIPE
        with subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(path)], stdin=pipe, stdout=pipe, text=True
        ) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            with pytest.raises(LibraryLockedError, match=r"waited 0\.01 s") as caught:
                library.commit(first("r1"))
            if sys.platform == "linux":
                assert f"is locked by process {other.pid} (" in str(caught.value)
            assert library.count() == 1
            assert [hit.step_id for hit in library.search("answer")] == ["s1"]
            other.communicate()
        library.commit(first("r1"))
        assert library.count() == 2


def test_what_is_not_durable_is_still_in_the_file(path: Path) -> None:
    with Library.open(path, durable=False) as library:
        library.commit(first("r1", conversation(1)))
        with Library.open(path) as other:
            assert len(other.load("r1").steps) == 2


def test_a_library_that_goes_away_while_it_is_open_acknowledges_nothing(path: Path) -> None:
    """SQLite would go on writing to the file that has no name any more."""
    aside = path.with_name("aside.sqlite")
    with Library.open(path) as library:
        library.commit(first("r1", conversation(1)))
        for other in (False, True):
            path.rename(aside)
            if other:
                path.write_bytes(b"")
            with pytest.raises(NotSavedError, match="was deleted, moved or replaced"):
                library.commit(first("r2"))
            assert len(library.load("r1").steps) == 2
            aside.replace(path)
        library.commit(first("r2"))
        assert library.count() == 2


def test_where_nothing_can_be_written_the_steps_are_searched_all_the_same(path: Path) -> None:
    with Library.open(path) as library:
        library.commit_many([first("r1", conversation(1))])
        path.unlink()
        assert [hit.step_id for hit in library.search("answer")] == ["s1"]


def test_a_schema_that_is_no_text_any_more(path: Path) -> None:
    Library.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        broken = "UPDATE sqlite_master SET sql = CAST(replace(sql, 'CREATE', x'ff') AS TEXT)"
        connection.execute(f"{broken} WHERE name = 'rollouts'")
        connection.commit()
    with pytest.raises(StoreError, match="is damaged"):
        Library.open(path)
