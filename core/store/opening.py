"""Finding, making and checking a library's file, and the connection to it."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError, NotSavedError, StoreError
from . import failures, migrations, schema

_SMALLEST = 512
"""Bytes; SQLite's smallest page."""

_LONG_LOG = 8_000
"""Pages (32 MB) of the log before it is worked into the file, where a run writes much and nobody
waits for one commit: pages that are written often are then worked in once."""

_KEPT = -4096
"""kB of pages (SQLite counts them so, below zero) that are kept: what a search of a million steps
goes through. SQLite's own 2 MB are too few for it, and half of it would be read twice.
"""

_PASSING = -128
"""The same for a read from end to end."""


def connect(
    path: Path, *, create: bool, durable: bool, wait: float
) -> tuple[sqlite3.Connection, bool]:
    """A connection to a library of the newest version, and whether it can only be read."""
    check_file(path, create)
    read_only = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    connection = None
    try:
        connection = connection_to(path, read_only, wait)
        check_content(connection, path)
        if not read_only:
            _prepare(connection, durable, wait)
        elif migrations.version_of(connection) < schema.VERSION:
            raise StoreError(
                f"The library {path} is of an older version and read-only, so it cannot be "
                "brought up to date. Copy it to where it can be written."
            )
    except sqlite3.Error as error:
        _close(connection)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
            raise failures.not_a_library(path, "it is no SQLite file") from error
        raise failures.in_words(error, path, saving=False, waited=wait) from error
    except BaseException:
        _close(connection)
        raise
    return connection, read_only


def check_file(path: Path, create: bool) -> None:
    """Refuse what is no library as seen from outside; with ``create`` make an empty private file
    where none is. Raises InputError, StoreError.
    """
    try:
        if path.is_dir():
            raise failures.not_a_library(path, "it is a folder")
        if path.exists():
            if not os.access(path, os.R_OK):
                raise StoreError(f"The library {path} cannot be read: permission denied.")
            if path.stat().st_size == 0 and not create and not Path(f"{path}-wal").exists():
                raise failures.not_a_library(path, "it is empty")
            if 0 < path.stat().st_size < _SMALLEST:
                # SQLite would take a file of a few bytes for an empty one, and overwrite it.
                raise failures.not_a_library(path, "it is no SQLite file")
            return
        if not create:
            raise InputError(f"There is no library at {path}.")
        _make_folder(path.parent)
        # Made by hand so that it is private from its first moment; -wal and -shm follow it.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise _not_made(path, error) from error


def _make_folder(folder: Path) -> None:
    """Make the folder and those above it that are missing, each private."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def _not_made(path: Path, error: OSError) -> StoreError:
    if error.errno == errno.ENOSPC:
        return NotSavedError("Not saved: disk full.")
    reason = (error.strerror or str(error)).lower()
    return StoreError(
        f"The library {path} cannot be opened: {reason}. Choose another place with --library."
    )


def connection_to(path: Path, read_only: bool, wait: float) -> sqlite3.Connection:
    """A connection, whatever the file holds."""
    target = str(path)
    if read_only:
        # Without a log to look at, no other file needs to be made beside the library.
        log = Path(f"{path}-wal")
        unlogged = not log.exists() or log.stat().st_size == 0
        target = path.as_uri() + ("?immutable=1" if unlogged else "?mode=ro")
    return _connected(target, read_only, wait)


def connection_beside(path: Path, read_only: bool, wait: float) -> sqlite3.Connection:
    """One more connection to a library that is open, for reading; it makes no file."""
    if read_only:
        return connection_to(path, True, wait)
    return _connected(f"{path.as_uri()}?mode=ro", True, wait)


def _connected(target: str, is_uri: bool, wait: float) -> sqlite3.Connection:
    # The library takes a lock of its own around each use, so any thread may come in.
    connection = sqlite3.connect(
        target, timeout=wait, isolation_level=None, check_same_thread=False, uri=is_uri
    )
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(f"PRAGMA cache_size = {_KEPT}")
    except UnicodeDecodeError as error:  # in the words of SQLite on a schema that is damaged
        connection.close()
        damaged = sqlite3.DatabaseError("malformed database schema")
        damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damaged from error
    except BaseException:
        connection.close()
        raise
    return connection


def check_content(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse another program's database, and a newer version. Raises InputError, StoreError."""
    version = migrations.version_of(connection)
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
    empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if not ours and not empty:
        raise failures.not_a_library(path, "it is the database of another program")
    if version > schema.VERSION:
        raise StoreError(
            f"The library {path} was made by a newer rollstep (version {version} of the library; "
            f"this program knows up to {schema.VERSION}). Upgrade rollstep, or choose another "
            "file with --library."
        )


def _prepare(connection: sqlite3.Connection, durable: bool, wait: float) -> None:
    _use_log(connection, time.monotonic() + wait)
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    if not durable:
        connection.execute(f"PRAGMA wal_autocheckpoint = {_LONG_LOG}")
    if migrations.version_of(connection) < schema.VERSION:
        migrations.migrate(connection)


def _use_log(connection: sqlite3.Connection, deadline: float) -> None:
    """Turn the write-ahead log on. SQLite does not wait for a lock here, so we do."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextmanager
def passing_through(connection: sqlite3.Connection) -> Iterator[None]:
    """For reading much, once: pages that nobody will look at again are not kept, which would take
    4 MB of memory for as long as the library is open.
    """
    (usual,) = connection.execute("PRAGMA cache_size").fetchone()
    connection.execute(f"PRAGMA cache_size = {_PASSING}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {usual}")


def _close(connection: sqlite3.Connection | None) -> None:
    if connection is not None:
        connection.close()
