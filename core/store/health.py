"""How a library is, found by looking only: nothing is made, migrated or repaired."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from pathlib import Path

import msgspec

from ..errors import InputError, RollstepError
from ..files import expanded
from . import failures, opening, schema
from .migrations import version_of

_FAULTS = 5
"""Faults of a damaged file that are listed."""

_OPCODES = 1000
"""SQLite's own steps between two looks at the clock."""


class Health(msgspec.Struct, frozen=True):
    """What is known of a library. ``trouble`` are words on why it cannot be used; ``damage`` is
    what SQLite's quick check found. It is not ``checked`` where that took too long.
    """

    path: Path
    exists: bool = False
    bytes: int = 0
    free_bytes: int | None = None
    writable: bool = False
    open_to_others: bool = False
    version: int = 0
    rollouts: int = 0
    steps: int = 0
    damage: tuple[str, ...] = ()
    checked: bool = False
    locked_by: str = ""
    trouble: str = ""


def look_at(path: Path, *, patience: float = 5.0, wait: float = 0.5) -> Health:
    """Look at the library at ``path``: its check may take ``patience`` seconds, and another
    program's lock is waited for ``wait`` seconds.
    """
    path = expanded(path).absolute()
    try:
        found = _outside(path)
    except OSError as error:
        words = f"The library {path} cannot be looked at: {error.strerror}."
        return Health(path, trouble=words)
    if not found.exists:
        return found
    try:
        return _inside(found, patience, wait)
    except sqlite3.Error as error:
        return _troubled(found, failures.of_looking(error, path, wait))
    except RollstepError as error:
        return _troubled(found, error)


def _outside(path: Path) -> Health:
    """What the file system tells."""
    folder = _nearest_folder(path)
    free = shutil.disk_usage(folder).free
    if not path.exists():
        return Health(path, free_bytes=free, writable=os.access(folder, os.W_OK | os.X_OK))
    size = path.stat().st_size
    log = Path(f"{path}-wal")
    size += log.stat().st_size if log.exists() else 0
    # Beside the file SQLite keeps two others, so the folder has to be writable too.
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return Health(path, True, size, free, writable, bool(path.stat().st_mode & 0o077))


def _nearest_folder(path: Path) -> Path:
    """The folder of the file, or the first one above that is there already."""
    return next(parent for parent in path.parents if parent.is_dir())


def _inside(found: Health, patience: float, wait: float) -> Health:
    opening.check_file(found.path, create=False)
    connection = _connection(found, wait)
    try:
        opening.check_content(connection, found.path)
        version = version_of(connection)
        if version == 0:
            return msgspec.structs.replace(found, checked=True)
        damage, checked = _quick_check(connection, patience)
        rollouts, steps = (0, 0) if damage else _counts(connection)
        return msgspec.structs.replace(
            found,
            version=version,
            rollouts=rollouts,
            steps=steps,
            damage=damage,
            checked=checked,
            locked_by="" if damage else _holder(connection, found),
        )
    finally:
        connection.close()


def _connection(found: Health, wait: float) -> sqlite3.Connection:
    if not found.writable:
        return opening.connection_to(found.path, True, wait)
    # Not read-only: a log that a crash left can only be looked into by who may write.
    connection = sqlite3.connect(
        found.path.as_uri() + "?mode=rw", timeout=wait, isolation_level=None, uri=True
    )
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _quick_check(connection: sqlite3.Connection, patience: float) -> tuple[tuple[str, ...], bool]:
    """What is damaged, and whether all was looked at."""
    deadline = time.monotonic() + patience
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _OPCODES)
    try:
        rows = connection.execute(f"PRAGMA quick_check({_FAULTS})").fetchall()
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            raise
        return (), False
    finally:
        connection.set_progress_handler(None, 0)
    return tuple(row[0] for row in rows if row[0] != "ok"), True


def _counts(connection: sqlite3.Connection) -> tuple[int, int]:
    rollouts, steps = connection.execute(
        "SELECT count(*), coalesce(sum(steps), 0) FROM rollouts"
    ).fetchone()
    return rollouts, steps


def _holder(connection: sqlite3.Connection, found: Health) -> str:
    """Who has been writing for as long as we waited; empty when anybody may write."""
    if not found.writable:
        return ""
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return failures.lock_holder(found.path) or "another program"
    return ""


def _troubled(found: Health, error: RollstepError) -> Health:
    words = str(error)
    if isinstance(error, InputError) and not words:
        words = f"{found.path} is not a rollstep library."
    return msgspec.structs.replace(found, trouble=words)


NEWEST = schema.VERSION
"""The version that this program writes."""
