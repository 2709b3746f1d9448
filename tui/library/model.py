"""What the library screen shows and where the human is in it. Pure but for the list itself, whose
rows somebody else reads.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import islice

from rollstep.core.listing.rollout_list import Order, RolloutList
from rollstep.core.store.facts import ListedRollout

MARGIN = 120
"""Rows beyond what is seen that are read at once, so that a held key finds them there."""
_KEPT = 2 * MARGIN
"""Rows beyond those that were read last that are kept."""


class LibraryModel:
    """A list of rollouts with a cursor, a selection and a filter."""

    def __init__(self, query: str = "", order: Order | None = None) -> None:
        self.query = query
        self.order = order or Order()
        self.found: RolloutList | None = None
        self.at = 0
        self.top = 0
        self.hidden = 0
        """How many rollouts of the library are hidden."""
        self.chosen: set[int] = set()
        """Keys of the rollouts that are selected; all of them are listed."""
        self._rows: dict[int, ListedRollout] = {}
        """What has been read, by place."""

    def __len__(self) -> int:
        return len(self.found) if self.found is not None else 0

    @property
    def listed_query(self) -> str:
        """The filter of what is listed, while another one is looked for too."""
        return self.found.query if self.found is not None else self.query

    @property
    def key(self) -> int | None:
        """The key of the rollout under the cursor."""
        return self.found.key(self.at) if self.found is not None and self.at < len(self) else None

    @property
    def current(self) -> ListedRollout | None:
        """The rollout under the cursor, if it has been read."""
        return self.row(self.at)

    def show(self, found: RolloutList, place: int | None, unlisted: Set[int] = frozenset()) -> None:
        """Take another list, with the cursor at this place if it is one; what is ``unlisted`` now
        is selected no longer.
        """
        self.found = found
        self._rows.clear()
        self.at = place if place is not None else min(self.at, max(len(found) - 1, 0))
        self.chosen -= unlisted

    def leave_out(self, keys: Set[int]) -> None:
        """These rollouts are listed no longer; the cursor is on what stood behind them."""
        if self.found is None:
            return
        above = sum(self.found.key(place) in keys for place in range(self.at))
        found, top = self.found.without(keys), self.top
        self.show(found, min(self.at - above, max(len(found) - 1, 0)), keys)
        self.top = max(top - above, 0)

    def forget_rows(self) -> None:
        """Rows have changed: they are read again."""
        self._rows.clear()
        if self.found is not None:
            self.found.forget()

    def row(self, place: int) -> ListedRollout | None:
        """A row, if it has been read."""
        return self._rows.get(place)

    def missing(self, height: int) -> tuple[int, int] | None:
        """From where to where rows have to be read for a screen of this height, and for the next
        key that moves it by a whole screen; None for none.
        """
        self.scroll(height)
        start, stop = max(self.top - height, 0), min(self.top + 2 * height, len(self))
        if all(place in self._rows for place in range(start, stop)):
            return None
        wide = range(max(self.top - MARGIN, 0), min(self.top + height + MARGIN, len(self)))
        unread = [place for place in wide if place not in self._rows]
        return unread[0], unread[-1] + 1

    def take(self, start: int, rows: Sequence[ListedRollout | None]) -> None:
        """Take in rows that were read."""
        if len(self._rows) > 2 * _KEPT:
            near = range(start - _KEPT, start + len(rows) + _KEPT)
            self._rows = {place: row for place, row in self._rows.items() if place in near}
        for place, row in enumerate(rows, start):
            if row is not None:
                self._rows[place] = row

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
        everything = len(self.chosen) == len(self.found)
        self.chosen = set() if everything else set(self.found.all_keys())

    @property
    def meant_count(self) -> int:
        """How many rollouts an action is for."""
        return len(self.chosen) or min(len(self), 1)

    def place_meant(self) -> int:
        """Where what an action is for stands first."""
        meant = self.meant()
        if self.found is None or not meant:
            return 0
        return self.at if len(meant) > 1 else self.found.place(meant[0]) or 0

    def meant(self) -> list[int]:
        """Keys of what an action is for: the selection, in the list's order, or the one under the
        cursor.
        """
        if self.found is None or not len(self):
            return []
        if not self.chosen:
            return [self.found.key(self.at)]
        if len(self.chosen) == 1:
            return [*self.chosen]
        # A walk through a hundred thousand takes 8 ms: no further than to the last of them.
        meant = (key for key in self.found.all_keys() if key in self.chosen)
        return [*islice(meant, len(self.chosen))]
