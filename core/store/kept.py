"""What belongs to a whole library and to none of its rollouts alone: filters, queues, runs. Small
bodies under a kind and a name.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from .codec import from_bytes, to_bytes

PLAYER = "player"
"""The kind under which it is kept who plays a rollout, by the rollout's id."""


class KeptRow(NamedTuple):
    """One thing that is kept. Of a kind, what was put there later has a greater ``place``."""

    place: int
    name: str
    body: bytes


class Shelf:
    """All that is kept, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, kind: str, name: str) -> bytes | None:
        """What is kept under this name; None for nothing."""
        row = self._connection.execute(
            "SELECT body FROM kept WHERE kind = ? AND name = ?", (kind, to_bytes(name))
        ).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, kind: str, name: str, body: bytes) -> None:
        """Keep something, in place of what had that name."""
        self._connection.execute(
            "INSERT INTO kept VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
            (kind, to_bytes(name), body),
        )

    def append(self, kind: str, name: str, body: bytes) -> None:
        """Put it behind all others of its kind; what has that name already stays as it is."""
        self._connection.execute(
            "INSERT OR IGNORE INTO kept VALUES (?, ?, ?)", (kind, to_bytes(name), body)
        )

    def drop(self, kind: str, name: str) -> None:
        """Forget what is kept under this name; nothing is no error."""
        self._connection.execute(
            "DELETE FROM kept WHERE kind = ? AND name = ?", (kind, to_bytes(name))
        )

    def rows(self, kind: str, after: int = 0) -> list[KeptRow]:
        """All of this kind, in order; only those behind a place."""
        # The plus keeps SQLite from going through the whole kind for the few that are new.
        which = "+kind = ? AND rowid > ?" if after else "kind = ? AND rowid > ?"
        rows = self._connection.execute(
            f"SELECT rowid, name, body FROM kept WHERE {which} ORDER BY rowid", (kind, after)
        )
        return [KeptRow(place, from_bytes(name), body) for place, name, body in rows]

    def joined(self, kind: str) -> bytes:
        """All bodies of this kind in order, where they are JSON, as one JSON array: thousands of
        them come sooner so than one by one.
        """
        row = self._connection.execute(
            "SELECT CAST('[' || coalesce(group_concat(body, ','), '') || ']' AS BLOB)"
            " FROM (SELECT body FROM kept WHERE kind = ? ORDER BY rowid)",
            (kind,),
        ).fetchone()
        return bytes(row[0])

    def last(self, kind: str) -> tuple[int, str] | None:
        """Place and name of the last of this kind."""
        row = self._connection.execute(
            "SELECT rowid, name FROM kept WHERE kind = ? ORDER BY rowid DESC LIMIT 1", (kind,)
        ).fetchone()
        return None if row is None else (row[0], from_bytes(row[1]))

    def place(self, kind: str, name: str) -> int:
        """Where it stands; 0 for nowhere."""
        row = self._connection.execute(
            "SELECT rowid FROM kept WHERE kind = ? AND name = ?", (kind, to_bytes(name))
        ).fetchone()
        return 0 if row is None else int(row[0])

    def count(self, kind: str) -> int:
        """How many there are of this kind."""
        number: int = self._connection.execute(
            "SELECT count(*) FROM kept WHERE kind = ?", (kind,)
        ).fetchone()[0]
        return number

    def data_version(self) -> int:
        """A number that changes when another program has written to the library."""
        version: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return version


def put_player(shelf: Shelf, rollout_id: str, player: bytes) -> None:
    """Keep who plays a rollout; empty for nobody."""
    if player:
        shelf.put(PLAYER, rollout_id, player)
    else:
        shelf.drop(PLAYER, rollout_id)


class Kept(ABC):
    """The part of a library that keeps such things."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A transaction that reads."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """A transaction that writes."""

    @contextmanager
    def shelf(self, *, writing: bool = False) -> Iterator[Shelf]:
        """All that is kept, as of one moment. ``writing`` lets nobody else write meanwhile, and
        saves what was changed at its end, all of it or nothing. Raises StoreError.
        """
        with self._writing() if writing else self._reading() as connection:
            yield Shelf(connection)

    def keep(self, kind: str, name: str, body: bytes) -> None:
        """Keep something under a name, in place of what had that name."""
        with self.shelf(writing=True) as shelf:
            shelf.put(kind, name, body)

    def kept(self, kind: str) -> dict[str, bytes]:
        """All that is kept of this kind, by name."""
        with self.shelf() as shelf:
            return {row.name: row.body for row in shelf.rows(kind)}

    def drop(self, kind: str, name: str) -> None:
        """Forget what is kept under this name; nothing is no error."""
        with self.shelf(writing=True) as shelf:
            shelf.drop(kind, name)
