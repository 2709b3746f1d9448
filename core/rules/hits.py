"""What breakpoints did to a run: hits are counted, and who stopped it is said. Light, because every
session has it; the breakpoints themselves (``breakpoints.py``) are loaded where there are any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from ..model.debugging import Breakpoint

HOLDS = "breakpoint "
"""How the words begin that say which breakpoint stops a run."""

_BEFORE = re.compile(rf'{HOLDS}\d+(?: "(?:\\.|[^"\\])*")? before ')


class Hits:
    """How often each breakpoint was hit while this rollout has been played. Switching one off and
    on, or changing how many hits it ignores, leaves its count alone.
    """

    def __init__(self) -> None:
        self._counts: dict[Breakpoint, int] = {}
        self.total = 0
        """All hits of all breakpoints."""

    def add(self, breakpoint: Breakpoint) -> int:
        """One more hit; how many there are now."""
        key = _plain(breakpoint)
        self.total += 1
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key]

    def counts(self, breakpoints: Iterable[Breakpoint]) -> tuple[int, ...]:
        """The hits of each of these."""
        return tuple(self._counts.get(_plain(each), 0) for each in breakpoints)


def _plain(breakpoint: Breakpoint) -> Breakpoint:
    return msgspec.structs.replace(breakpoint, enabled=True, ignore=0)


class Fired(msgspec.Struct, frozen=True):
    """A breakpoint that stops a run, and how to say so."""

    breakpoint: Breakpoint
    words: str


def is_before(note: str) -> bool:
    """Whether words of ``Fired`` say that a run stopped before a role was asked."""
    return _BEFORE.match(note) is not None
