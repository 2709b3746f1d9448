"""What a library holds, in lists: the part of it that finds rollouts without opening them."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..errors import InputError
from ..model.project import Project
from ..model.rollout import RolloutHeader
from . import facts
from .change import Summary
from .codec import HEADER, PROJECT, from_bytes, to_bytes
from .facts import ListedRollout, RolloutFacts
from .kept import Kept
from .summaries import CANDIDATES, ambiguous, summary

_AT_ONCE = 500
"""Values that one statement is given."""


class Catalogue(Kept):
    """Lists of the rollouts of one library."""

    path: Path

    def recent(self, limit: int = 50) -> list[Summary]:
        """The rollouts last written to, the newest first; hidden ones are left out."""
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT header, steps - hidden, turns, edits, {facts.STATUS}, stop_reason,"
                " updated_at, status_note FROM rollouts"
                " LEFT JOIN facts ON facts.rollout = rollouts.key"
                f" WHERE NOT {facts.HIDDEN_ROW}"
                " ORDER BY updated_at DESC, key DESC LIMIT ?",
                (limit,),
            )
            return [summary(*row) for row in rows]

    def find(self, prefix: str) -> str:
        """The id of the one rollout whose id begins so. Raises InputError when there is none, or
        more than one, and names them.
        """
        start = to_bytes(prefix)
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT header FROM rollouts WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
                (start, start + b"\xff", CANDIDATES + 1),
            )
            found = [HEADER.decode(row[0]) for row in rows]
        if len(found) == 1 or (found and found[0].id == prefix):
            return found[0].id
        if not found:
            raise self._unknown(prefix)
        raise InputError(ambiguous(prefix, found))

    def where(self, wanted: Callable[[RolloutHeader, Project], bool]) -> list[RolloutHeader]:
        """The rollouts of which this holds, told with the project that each began with; the last
        written to first. Looks at each of them.
        """
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT header, projects.body FROM rollouts"
                " JOIN revisions ON revisions.rollout = rollouts.key AND n = 0"
                " JOIN projects ON digest = project ORDER BY updated_at DESC, key DESC"
            )
            each = ((HEADER.decode(header), PROJECT.decode(project)) for header, project in rows)
            return [header for header, project in each if wanted(header, project)]

    def ids_after(self, key: int, limit: int = 500) -> list[tuple[int, str]]:
        """Keys (above ``key``) and ids of rollouts, in the order in which they came in."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT key, id FROM rollouts WHERE key > ? ORDER BY key LIMIT ?", (key, limit)
            )
            return [(found, from_bytes(name)) for found, name in rows]

    def count(self) -> int:
        """How many rollouts there are."""
        with self._reading() as connection:
            number: int = connection.execute("SELECT count(*) FROM rollouts").fetchone()[0]
            return number

    # Facts for lists

    def undescribed(self, limit: int) -> list[tuple[int, str]]:
        """Keys and ids of rollouts whose facts are missing or old, the newest first."""
        with self._reading() as connection:
            return facts.undescribed(connection, limit)

    def undescribed_parked(self, limit: int) -> frozenset[str]:
        """Ids of those that were parked, among the ``limit`` rollouts in sight written to last,
        whose facts are missing or old.
        """
        with self._reading() as connection:
            return facts.undescribed_parked(connection, limit)

    def count_undescribed(self) -> int:
        """How many rollouts have no facts, or old ones."""
        with self._reading() as connection:
            number: int = connection.execute(
                "SELECT count(*) FROM rollouts WHERE described = 0"
            ).fetchone()[0]
            return number

    def updated_at(self, key: int) -> float:
        """When the rollout of this key was last written to; 0 where it is gone."""
        with self._reading() as connection:
            return facts.updated_at(connection, key)

    def put_facts(self, found: Iterable[tuple[int, float, RolloutFacts]]) -> int:
        """Keep what was worked out of rollouts, each with its key and its ``updated_at`` from
        before that; how many were not overtaken. Raises NotSavedError, LibraryLockedError.
        """
        with self._writing() as connection:
            return facts.put_facts(connection, found)

    def newest_keys(self, limit: int) -> list[int]:
        """Keys of the rollouts last written to, the newest first; hidden ones are left out."""
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT key FROM rollouts WHERE NOT {facts.HIDDEN_ROW}"
                " ORDER BY updated_at DESC, key DESC LIMIT ?",
                (limit,),
            )
            return [key for (key,) in rows]

    def keys_where(
        self,
        where: str,
        values: Sequence[object],
        order: str,
        prepare: Callable[[sqlite3.Connection], None],
    ) -> array[int]:
        """Keys of the rollouts for which a condition of SQL holds, in this order. ``prepare`` gives
        the connection the functions that the condition calls.
        """
        with self._reading() as connection:
            prepare(connection)
            return facts.keys_where(connection, where, values, order)

    def listed(self, keys: Sequence[int]) -> dict[int, ListedRollout]:
        """The rows of these rollouts in a list; those that are gone are left out."""
        found: dict[int, ListedRollout] = {}
        with self._reading() as connection:
            for start in range(0, len(keys), _AT_ONCE):
                found |= facts.rows_of(connection, keys[start : start + _AT_ONCE])
        return found

    def ids_of(self, keys: Sequence[int]) -> list[str]:
        """The ids of the rollouts of these keys, in their order."""
        found: dict[int, str] = {}
        with self._reading() as connection:
            for start in range(0, len(keys), _AT_ONCE):
                some = tuple(keys[start : start + _AT_ONCE])
                marks = ", ".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT key, id FROM rollouts WHERE key IN ({marks})", some
                )
                found.update((key, from_bytes(name)) for key, name in rows)
        return [found[key] for key in keys if key in found]

    def _unknown(self, rollout_id: str) -> InputError:
        return InputError(f"No rollout {rollout_id} in the library {self.path}.")
