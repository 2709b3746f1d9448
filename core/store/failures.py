"""What SQLite reports, in words that a person can act on."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from ..errors import (
    InputError,
    LibraryLockedError,
    NotSavedError,
    RollstepError,
    StoreError,
    UnreadableError,
)

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT}
_FULL = "disk full"
_NEARLY_FULL = 64 * 1024
"""Bytes; with less room than this an input/output error is a full disk."""


def in_words(error: sqlite3.Error, path: Path, *, saving: bool, waited: float) -> StoreError:
    """The error to raise in place of SQLite's own. ``saving`` when a commit failed; ``waited`` is
    how long a lock was waited for, in seconds.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _BUSY:
        return LibraryLockedError(_locked(path, waited))
    if code in _DAMAGED:
        return StoreError(
            f"The library {path} is damaged ({error}). Keep a copy of it and of its -wal file, "
            "and choose another with --library."
        )
    if not saving and _cause(error, code, path) == _FULL:
        return StoreError(
            f"The library {path} cannot be used: the disk is full, and SQLite needs some room "
            "beside it even to read. Make room, or copy it to another disk."
        )
    if not saving and code == sqlite3.SQLITE_ERROR and "too large" in str(error):
        return StoreError(f"The query has too many parts for SQLite ({error}). Make it shorter.")
    if not saving:
        return StoreError(f"The library {path} cannot be read: {error}.")
    return NotSavedError(f"Not saved: {_cause(error, code, path)}.")


def of_looking(error: sqlite3.Error, path: Path, waited: float) -> RollstepError:
    """The error of one who only looked, at whatever file that is."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
        return not_a_library(path, "it is no SQLite file")
    return in_words(error, path, saving=False, waited=waited)


def unreadable(path: Path, rollout_id: str, why: str) -> UnreadableError:
    """One rollout's part of the library is no longer what was written."""
    return UnreadableError(
        f"The library {path} holds something that cannot be read: the rollout {rollout_id} "
        f"({why}). `rollstep library check` names all that cannot be read; the others can.",
        why,
    )


def not_a_library(path: Path, why: str) -> InputError:
    """The file is something else."""
    return InputError(
        f"{path} is not a rollstep library: {why}. Choose another file with --library."
    )


def lock_holder(path: Path) -> str:
    """Who holds the library's write lock, as far as the system tells; or the empty string.

    Read from Linux's own list: to open the file and ask would drop the locks that this process
    holds on it.
    """
    try:
        inode = os.stat(f"{path}-shm").st_ino
        locks = Path("/proc/locks").read_text()
    except OSError:
        return ""
    for line in locks.splitlines():
        fields = line.split()
        if len(fields) >= 6 and fields[3] == "WRITE" and fields[5].endswith(f":{inode}"):
            return _process(fields[4])
    return ""


def _process(pid: str) -> str:
    if pid == str(os.getpid()):
        return "this program itself"
    try:
        name = ascii(Path(f"/proc/{pid}/comm").read_text().strip())[1:-1]
    except OSError:
        return f"process {pid}"
    return f"process {pid} ({name})"


def _locked(path: Path, waited: float) -> str:
    who = lock_holder(path) or "another program"
    return (
        f"The library {path} is locked by {who}; waited {waited:g} s. Let it finish or end it, "
        "then try again."
    )


def _cause(error: sqlite3.Error, code: int, path: Path) -> str:
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(path)):
        return _FULL
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return f"the library {path} is read-only"
    if code == sqlite3.SQLITE_CANTOPEN:
        return f"the library {path} cannot be opened for writing"
    if code == sqlite3.SQLITE_IOERR:
        return f"the disk that holds {path} failed ({error})"
    return f"the library {path} refused it ({error})"


def _is_full(path: Path) -> bool:
    try:
        room = os.statvfs(path.parent)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < _NEARLY_FULL
