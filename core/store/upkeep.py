"""Looking after a library: every rollout read, a copy made while others work on it, room given
back.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from ..errors import ExportError, PlaceError, RollstepError, StoreError, UnreadableError
from ..files import expanded, must_be_free, put_in_place, sync_folder, write_error
from ..temporaries import clear_stale, temporary_file
from . import failures, opening
from .library import WAIT, Library

Progress = Callable[[int, int], None]
"""Told how much of how much is done."""

_FAULTS = 100
"""Faults of a damaged file that are listed."""
_PAGES = 2_000
"""Pages that one piece of a copy has, so that others get at the library meanwhile."""


class Checked(msgspec.Struct, frozen=True):
    """What a check has found: ``damage`` of the file in SQLite's words, and ``unreadable`` rollouts
    with the reason of each.
    """

    rollouts: int
    steps: int
    damage: tuple[str, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()

    @property
    def well(self) -> bool:
        """Nothing is wrong."""
        return not self.damage and not self.unreadable


class Compacted(msgspec.Struct, frozen=True):
    """Bytes of the file before and after."""

    before: int
    after: int


def check(path: Path, progress: Progress | None = None) -> Checked:
    """Have SQLite check the whole file, and read every rollout with all that belongs to it.

    Changes nothing. Raises InputError for no library, StoreError, LibraryLockedError.
    """
    with _connected(path) as connection:
        damage = _integrity(connection)
    steps, unreadable, rollouts = 0, [], 0
    try:
        with Library.open(path, create=False) as library:
            whole = library.count()
            for rollout_id in _ids(library):
                if progress is not None:
                    progress(rollouts, whole)
                rollouts += 1
                try:
                    steps += len(library.load_tree(rollout_id)[1])
                except RollstepError as error:
                    words = error.why if isinstance(error, UnreadableError) else str(error)
                    unreadable.append((rollout_id, words))
    except StoreError as error:
        if not damage:
            raise
        damage = (*damage, f"the list of rollouts: {error}")
    return Checked(rollouts, steps, damage, tuple(unreadable))


def back_up(path: Path, to: Path, *, force: bool = False, progress: Progress | None = None) -> int:
    """Copy the library as it is at one moment, also while others write to it; the copy's bytes.

    The copy is whole or not there, and is checked before it stands under its name. Raises
    ExportError when it cannot be written or would replace a file (without ``force``), InputError,
    StoreError.
    """
    to = expanded(to).absolute()
    if not force:
        must_be_free(to)
    if os.path.exists(to) and os.path.samefile(expanded(path), to):
        raise PlaceError(f"{to} is the library itself. Name another file.")
    try:
        clear_stale(to.parent)
        handle, name = temporary_file(to.parent)
        os.close(handle)
    except OSError as error:
        raise write_error(to, error) from error
    try:
        with _connected(path) as source, closing(sqlite3.connect(name)) as copy:
            source.backup(copy, pages=_PAGES, progress=_told(progress))
            damage = _integrity(copy)
        if damage:
            raise ExportError(f"The copy is damaged ({damage[0]}). Nothing was written to {to}.")
        size = os.path.getsize(name)
        put_in_place(name, to, force)
        sync_folder(to.parent)
        return size
    except FileExistsError as error:
        raise ExportError(f"{to} was made by another program meanwhile.") from error
    except OSError as error:
        raise write_error(to, error) from error
    except sqlite3.Error as error:
        raise ExportError(f"{to} cannot be written: {error}.") from error
    finally:
        for left in (name, f"{name}-journal", f"{name}-wal", f"{name}-shm"):
            with suppress(FileNotFoundError):
                os.unlink(left)


def compact(path: Path) -> Compacted:
    """Bring the search index up to date, put it in order, and give unused room back to the disk.

    Nothing that is kept is lost. Raises InputError, StoreError, LibraryLockedError.
    """
    with Library.open(path, create=False) as library:
        library.index_pending()
    before = _bytes(path)
    with _connected(path) as connection:
        connection.execute("INSERT INTO step_text (step_text) VALUES ('optimize')")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Compacted(before, _bytes(path))


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    path = expanded(path).absolute()
    opening.check_file(path, create=False)
    connection: sqlite3.Connection | None = None
    try:
        connection = opening.connection_to(path, False, WAIT)
        opening.check_content(connection, path)
        yield connection
    except sqlite3.Error as error:
        raise failures.of_looking(error, path, WAIT) from error
    finally:
        if connection is not None:
            connection.close()


def _integrity(connection: sqlite3.Connection) -> tuple[str, ...]:
    try:
        rows = connection.execute(f"PRAGMA integrity_check({_FAULTS})").fetchall()
    except sqlite3.DatabaseError as error:
        return (str(error),)
    return tuple(str(row[0]) for row in rows if row[0] != "ok")


def _ids(library: Library) -> Iterator[str]:
    key = 0
    while some := library.ids_after(key):
        key = some[-1][0]
        yield from (rollout_id for _, rollout_id in some)


def _told(progress: Progress | None) -> Callable[[int, int, int], None] | None:
    if progress is None:
        return None
    return lambda status, left, whole: progress(whole - left, whole)


def _bytes(path: Path) -> int:
    path = expanded(path)
    log = Path(f"{path}-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)
