"""Where each part of the debugger stands, for any size of screen."""

from __future__ import annotations

from typing import NamedTuple

from textual.geometry import Region

from ..panes import NARROW
from ..settings import PLACES

TOP_LINES = 3
"""Title, status, timeline."""
BOTTOM_LINES = 3
"""Hint and two lines of keys."""
_RIGHT_FROM = 132
"""From this width on the inspector stands at the right unless told otherwise."""
_THREE_LANES = 90
"""Cells that three lanes need beside an inspector."""
_BELOW_FROM = 34
"""From this height on it may stand below."""


class Arrangement(NamedTuple):
    """The regions; the inspector's is empty when it is hidden."""

    top: Region
    panes: Region
    inspector: Region
    bottom: Region
    narrow: bool
    below: bool


def arrange(width: int, height: int, place: str) -> Arrangement:
    """Share the screen out. ``place`` is a setting of ``settings.PLACES``."""
    width, height = max(width, 10), max(height, 8)
    room = height - TOP_LINES - BOTTOM_LINES
    where = chosen_place(width, height, place)
    panes = Region(0, TOP_LINES, width, room)
    inspector = Region()
    if where == "right":
        wide = min(max(width * 29 // 100, 34), 84)
        panes = Region(0, TOP_LINES, width - wide, room)
        inspector = Region(width - wide, TOP_LINES, wide, room)
    elif where == "below":
        tall = max(room * 38 // 100, 5)
        panes = Region(0, TOP_LINES, width, room - tall)
        inspector = Region(0, TOP_LINES + room - tall, width, tall)
    return Arrangement(
        Region(0, 0, width, TOP_LINES),
        panes,
        inspector,
        Region(0, height - BOTTOM_LINES, width, BOTTOM_LINES),
        width < NARROW or panes.width < _THREE_LANES,
        where == "below",
    )


def chosen_place(width: int, height: int, place: str) -> str:
    """Where the inspector really stands."""
    if place == "auto":
        if width >= _RIGHT_FROM:
            return "right"
        return "below" if height >= _BELOW_FROM else "hidden"
    if place == "right" and width < 76:
        return "below"
    return place


def next_place(width: int, height: int, place: str) -> str:
    """The place after this one, for the key that walks them; what is shown always changes."""
    order = [name for name in PLACES if name != "auto"]
    now = chosen_place(width, height, place)
    for step in (1, 2):
        candidate = order[(order.index(now) + step) % len(order)]
        if chosen_place(width, height, candidate) != now:
            return candidate
    return "hidden"
