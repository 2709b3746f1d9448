"""A library as it is found, without anything being changed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from rollstep.core.store import schema
from rollstep.core.store.health import look_at
from rollstep.core.store.library import Library

from .making import conversation, first


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.sqlite"


def test_a_healthy_one_is_counted_and_left_as_it_is(path: Path) -> None:
    with Library.open(path) as library:
        library.commit(first("r1", conversation(3)))
        library.commit(first("r2", conversation(2)))
        while_open = look_at(path)
    found = look_at(path)
    assert (found.rollouts, found.steps) == (2, while_open.steps)
    assert found.steps > 4
    assert found.version == schema.VERSION
    assert found.checked
    assert found.writable
    assert not found.open_to_others
    assert (found.trouble, found.damage, found.locked_by) == ("", (), "")
    assert found.bytes == path.stat().st_size
    path.chmod(0o644)
    assert look_at(path).open_to_others


def test_none_is_made_where_none_is(path: Path) -> None:
    found = look_at(path.parent / "not" / "there" / "library.sqlite")
    assert not found.exists
    assert found.writable
    assert list(path.parent.iterdir()) == []


def test_what_is_damaged_is_told_by_the_check(path: Path) -> None:
    with Library.open(path) as library:
        library.commit(first("r1", conversation(200)))
    data = bytearray(path.read_bytes())
    data[20_000:24_000] = b"\xff" * 4_000
    path.write_bytes(data)
    found = look_at(path)
    assert found.damage or "is damaged" in found.trouble


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"x" * 20, "is no SQLite file"), (b"x" * 4096, "is no SQLite file")],
)
def test_what_is_no_library_is_said(path: Path, content: bytes, words: str) -> None:
    path.write_bytes(content)
    assert words in look_at(path).trouble
    assert path.read_bytes() == content


def test_a_newer_version_is_not_touched(path: Path) -> None:
    Library.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    assert "made by a newer rollstep" in look_at(path).trouble


def test_an_older_version_is_not_brought_up_to_date(path: Path) -> None:
    Library.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION - 1}")
    connection.close()
    assert look_at(path).version == look_at(path).version == schema.VERSION - 1


def test_one_that_cannot_be_written_is_still_looked_into(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library.open(path) as library:
        library.commit(first("r1", conversation(1)))
    usual = os.access
    monkeypatch.setattr(os, "access", lambda at, mode: mode != os.W_OK and usual(at, mode))
    found = look_at(path)
    assert not found.writable
    assert (found.rollouts, found.trouble) == (1, "")
    assert sorted(each.name for each in path.parent.iterdir()) == ["library.sqlite"]


def test_a_check_that_would_take_long_ends(path: Path) -> None:
    with Library.open(path) as library:
        library.commit(first("r1", conversation(300)))
    found = look_at(path, patience=-1.0)
    assert not found.checked
    assert (found.damage, found.rollouts) == ((), 1)


def test_who_holds_the_lock_is_named(path: Path) -> None:
    Library.open(path).close()
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN IMMEDIATE'); print('holding', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        found = look_at(path, wait=0.01)
        other.communicate()
    assert found.locked_by in (f"process {other.pid} (python3)", "another program") or (
        f"process {other.pid}" in found.locked_by
    )
    assert look_at(path).locked_by == ""
