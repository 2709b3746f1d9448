"""The rollouts that a query means, in an order: their keys only, so that a list of a hundred
thousand is there at once; a row is read when it is looked at.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence, Set

import msgspec

from ..errors import UsageError
from ..rules.query.nodes import Node
from ..rules.query.parsing import parse
from ..rules.query.rollout_fields import ROLLOUTS
from ..store.facts import STATUS, ListedRollout
from ..store.library import Library
from .sql import add_functions, listed

ORDERS = {
    "updated": "rollouts.updated_at",
    "title": "facts.title COLLATE NOCASE",
    "turns": "rollouts.turns",
    "steps": "rollouts.steps - rollouts.hidden",
    "edits": "rollouts.edits",
    "flags": "facts.flags",
    "score": "facts.score",
    "verdict": "facts.verdict",
    "rating": "facts.rating",
    "status": f"({STATUS})",
    "stop": "rollouts.stop_reason",
    "tags": "facts.tags",
    "model": "facts.models",
    "cost": "facts.cost",
    "tokens": "facts.tokens",
    "source": "facts.source",
}
"""What a list can be in the order of, and the SQL for it."""

_NEVER_EMPTY = ("updated", "turns", "steps", "edits", "status")
"""What every rollout has; without a look at what is empty an index can give the order."""

_KEEP = 512
"""Rows that are kept, so that the screen's lines are not read anew at each key."""


class Order(msgspec.Struct, frozen=True):
    """The order of a list; what has no value stands last in both directions."""

    by: str = "updated"
    descending: bool = True

    def sql(self) -> str:
        """The order for SQL; the newest first among equals."""
        column = f"{ORDERS[self.by]} {'DESC' if self.descending else 'ASC'}"
        if self.by in _NEVER_EMPTY:
            return f"{column}, rollouts.key {'DESC' if self.descending else 'ASC'}"
        empty = f"({ORDERS[self.by]}) IS NULL OR ({ORDERS[self.by]}) = ''"
        return f"{empty}, {column}, rollouts.key DESC"


class RolloutList:
    """The rollouts that ``query`` means (all, where it is empty), as they were when it was made."""

    def __init__(self, library: Library, keys: array[int], query: str = "") -> None:
        self.query = query
        self._library = library
        self._keys = keys
        self._rows: dict[int, ListedRollout] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def rows(self, start: int, stop: int) -> list[ListedRollout | None]:
        """The rows from ``start`` up to ``stop``; None for one that is gone."""
        keys = self._keys[start:stop]
        missing = [key for key in keys if key not in self._rows]
        if missing:
            if len(self._rows) + len(missing) > _KEEP:
                self._rows.clear()
                missing = list(keys)
            self._rows.update(self._library.listed(missing))
        return [self._rows.get(key) for key in keys]

    def without(self, keys: Set[int]) -> RolloutList:
        """The same list, less the rollouts of these keys."""
        left = array("q", (key for key in self._keys if key not in keys))
        return RolloutList(self._library, left, self.query)

    def forget(self) -> None:
        """Read rows anew from now on: some have changed."""
        self._rows.clear()

    def key(self, place: int) -> int:
        """The library's key of the rollout at this place."""
        return self._keys[place]

    def all_keys(self) -> Sequence[int]:
        """The library's keys of all of them, in their order; nothing is read."""
        return self._keys

    def place(self, key: int) -> int | None:
        """Where the rollout of this key stands."""
        try:
            return self._keys.index(key)
        except ValueError:
            return None

    def ids(self) -> list[str]:
        """The ids of all of them, in their order."""
        return self._library.ids_of(self._keys)


def parse_query(text: str) -> Node | None:
    """The tree of a query about rollouts, None for an empty one. Raises QueryError."""
    return parse(text, ROLLOUTS) if text.strip() else None


def list_rollouts(library: Library, query: str = "", order: Order | None = None) -> RolloutList:
    """The rollouts that a query means, without hidden ones unless it speaks of these. Raises
    QueryError, UsageError, StoreError.
    """
    return RolloutList(library, keys_of(library, query, order), query)


def keys_of(library: Library, query: str = "", order: Order | None = None) -> array[int]:
    """The library's keys of the same rollouts: all that takes long in listing them."""
    order = order or Order()
    if order.by not in ORDERS:
        raise UsageError(f"Rollouts are not sorted by {order.by!r}: {', '.join(ORDERS)}.")
    where, values = listed(parse_query(query))
    return library.keys_where(where, values, order.sql(), add_functions)


def ids_where(library: Library, query: str) -> Iterable[str]:
    """The ids of the rollouts that a query means, the last changed first."""
    return list_rollouts(library, query).ids()
