"""The page that is presented where there is room: the turn in three lanes side by side, each a page
of its own that stays at its end; the lane of the step at hand is the one that types and scrolls.

Imports no Textual.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rollstep.core.model.steps import ROLES, Role

from .present_page import Page
from .present_steps import Shown
from .rows import Row, row
from .who import LANES

SIDE_BY_SIDE = 120
"""Cells of a screen that has room for three lanes."""
_SHARES = {"evaluator": 9, "target": 11, "tool": 10}
_WIDEST = 72
"""Cells of a lane at most: longer lines are hard to read from afar."""
_GAP = 3
_HEAD = 2
"""Lines that a lane's name takes, with the blank one below it."""


class Lane(NamedTuple):
    """Where a lane stands, and what it shows."""

    x: int
    width: int
    rows: list[Row]


class LanesPage:
    """What ``Page`` is, with a lane for each role."""

    def __init__(self, roles: Sequence[Role]) -> None:
        self._pages = {role: Page(stagger=0) for role in roles}
        self.role: Role = roles[0]
        """Whose lane it is that the step at hand stands in."""
        self.width = SIDE_BY_SIDE
        self.height = 1

    @property
    def whole(self) -> bool:
        """Whether nothing is left to be typed."""
        return all(page.whole for page in self._pages.values())

    @property
    def follow(self) -> bool:
        """Whether the view stays at what is being typed."""
        return self._pages[self.role].follow

    @follow.setter
    def follow(self, follow: bool) -> None:
        for page in self._pages.values():
            page.follow = follow

    def begin(self, blocks: Iterable[Shown]) -> None:
        """A step comes next, in the lane of its role; what is no role's stands in every lane."""
        self.finish()
        coming = list(blocks)
        role = next((shown.role for shown in coming if shown.role is not None), None)
        if role is None:
            for page in self._pages.values():
                page.begin(coming)
        else:
            self.role = role
            page = self._pages[role]
            page.begin(coming if page.blocks else coming[1:])

    def finish(self) -> None:
        """All of it is there."""
        for page in self._pages.values():
            page.finish()

    def type(self, count: float) -> None:
        """Type so many characters of a message in the lane at hand."""
        self._pages[self.role].type(count)

    def resize(self, width: int, height: int) -> None:
        """The size that it is shown in; what was typed stays typed."""
        self.width, self.height = width, max(height - _HEAD, 1)
        for (_, wide), page in zip(self._places(), self._pages.values(), strict=True):
            page.resize(wide, self.height)

    def scroll(self, lines: int) -> bool:
        """Scroll the lane at hand."""
        return self._pages[self.role].scroll(lines)

    def to_end(self, end: bool) -> None:
        """The lane at hand to its last screenful, or to its top."""
        self._pages[self.role].to_end(end)

    def more_below(self) -> bool:
        """Whether there is something under what is seen in the lane at hand."""
        return self._pages[self.role].more_below()

    def lanes(self) -> list[Lane]:
        """What is seen, the name of each lane on top."""
        shown = []
        for (x, width), (role, page) in zip(self._places(), self._pages.items(), strict=True):
            style = f"cursor:{role}" if role == self.role else f"bar:{role}:strong"
            name = f" {LANES[ROLES.index(role)]}".ljust(width)
            shown.append(Lane(x, width, [row((name, style)), Row(), *page.rows()]))
        return shown

    def _places(self) -> list[tuple[int, int]]:
        """Where each lane begins, and its width."""
        room = self.width - 2 * _GAP - _GAP * (len(self._pages) - 1)
        total = sum(_SHARES[role] for role in self._pages)
        widths = [min(room * _SHARES[role] // total, _WIDEST) for role in self._pages]
        x = (self.width - sum(widths) - _GAP * (len(widths) - 1)) // 2
        places = []
        for width in widths:
            places.append((x, width))
            x += width + _GAP
        return places
