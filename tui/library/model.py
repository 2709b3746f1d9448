"""What the library screen shows and where the human is in it. Pure but for the list itself, whose
rows somebody else reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from rollstep.core.listing.rollout_list import Order, RolloutList
from rollstep.core.store.facts import ListedRollout

MARGIN = 60
"""Rows beyond what is seen that are read at once, so that a held key finds them there."""


class LibraryModel:
    """A list of rollouts with a cursor, a selection and a filter."""

    def __init__(self, query: str = "", order: Order | None = None) -> None:
        self.query = query
        self.order = order or Order()
        self.found: RolloutList | None = None
        self.at = 0
        self.top = 0
        self.chosen: set[int] = set()
        """Keys of the rollouts that are selected."""
        self._rows: dict[int, ListedRollout] = {}

    def __len__(self) -> int:
        return len(self.found) if self.found is not None else 0

    @property
    def key(self) -> int | None:
        """The key of the rollout under the cursor."""
        return self.found.key(self.at) if self.found is not None and self.at < len(self) else None

    @property
    def current(self) -> ListedRollout | None:
        """The rollout under the cursor, if it has been read."""
        return self.row(self.at)

    def show(self, found: RolloutList, key: int | None) -> None:
        """Take another list; the cursor stays on the rollout of this key if it is in it."""
        self.found = found
        self._rows.clear()
        place = found.place(key) if key is not None else None
        self.at = place if place is not None else min(self.at, max(len(found) - 1, 0))
        self.chosen &= {found.key(place) for place in range(len(found))} if self.chosen else set()

    def forget_rows(self) -> None:
        """Rows have changed: they are read again."""
        self._rows.clear()
        if self.found is not None:
            self.found.forget()

    def row(self, place: int) -> ListedRollout | None:
        """A row, if it has been read."""
        key = self.found.key(place) if self.found is not None and place < len(self) else None
        return self._rows.get(key) if key is not None else None

    def missing(self, height: int) -> tuple[int, int] | None:
        """From where to where rows have to be read for a screen of this height; None for none."""
        self.scroll(height)
        if all(self.row(place) for place in range(self.top, min(self.top + height, len(self)))):
            return None
        return max(self.top - MARGIN, 0), min(self.top + height + MARGIN, len(self))

    def take(self, start: int, rows: Iterable[ListedRollout | None]) -> None:
        """Take in rows that were read."""
        if len(self._rows) > 4 * MARGIN:
            self._rows.clear()
        assert self.found is not None
        for place, row in enumerate(rows, start):
            if row is not None and place < len(self):
                self._rows[self.found.key(place)] = row

    def scroll(self, height: int) -> None:
        """Have the cursor in sight."""
        self.top = min(self.top, max(len(self) - height, 0))
        if self.at < self.top:
            self.top = self.at
        elif self.at >= self.top + height:
            self.top = self.at - height + 1

    def move(self, by: int) -> bool:
        """Move the cursor; whether it moved."""
        before = self.at
        self.at = min(max(self.at + by, 0), max(len(self) - 1, 0))
        return self.at != before

    def choose(self) -> None:
        """Select the rollout under the cursor, or no longer."""
        if (key := self.key) is not None:
            self.chosen ^= {key}

    def choose_all(self) -> None:
        """Select all that are listed; none, where all are."""
        assert self.found is not None
        every = {self.found.key(place) for place in range(len(self))}
        self.chosen = set() if self.chosen == every else every

    def meant(self) -> list[int]:
        """Keys of what an action is for: the selection, in the list's order, or the one under the
        cursor.
        """
        if self.found is None or not len(self):
            return []
        if not self.chosen:
            return [self.found.key(self.at)]
        keys = (self.found.key(place) for place in range(len(self)))
        return [key for key in keys if key in self.chosen]
