"""A second way into a library that is open: for reads that may take long and can be ended."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from ..errors import StoppedError, StoreError
from . import failures
from .library import Library
from .opening import connection_beside

_STEPS = 20_000
"""Steps of SQLite's machine, some tenths of a millisecond, between two looks at whether to stop."""


class LibraryBeside(Library):
    """Reads the file of a library that is open, through a connection of its own: nobody who writes
    there, or reads, waits for it. ``stop`` ends what this reads and nothing else.
    """

    _stopped = False

    @classmethod
    def of(cls, library: Library) -> Self:
        """For reading beside this one. Raises StoreError where the file is another one now."""
        path, wait = library.path, library._wait
        if library.is_elsewhere():
            raise StoreError(
                f"The library {path} was deleted, moved or replaced while it was open: it cannot "
                "be searched. Put it back."
            )
        try:
            connection = connection_beside(path, library.read_only, wait)
        except sqlite3.Error as error:
            raise failures.in_words(error, path, saving=False, waited=wait) from error
        beside = cls(connection, path, read_only=True, wait=wait, clock=library._clock)
        connection.set_progress_handler(beside._is_stopped, _STEPS)
        return beside

    def stop(self) -> None:
        """End what is being read, and refuse all that would be. From any thread."""
        self._stopped = True
        # Between two rows, where a row takes long: functions of ours can be slow.
        self._connection.interrupt()

    def _is_stopped(self) -> bool:
        return self._stopped

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if self._stopped:
            raise StoppedError("Nobody wants to know any more.")
        try:
            with super()._reading() as connection:
                yield connection
        except (StoreError, sqlite3.Error) as error:
            if self._stopped:
                raise StoppedError("Nobody wants to know any more.") from error
            raise
