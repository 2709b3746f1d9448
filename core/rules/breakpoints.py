"""Breakpoints: at which steps a run pauses, and how often each was hit."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ..model.debugging import Breakpoint


class Hits:
    """How often each breakpoint was hit while this rollout has been played. Switching one off and
    on, or changing how many hits it ignores, leaves its count alone.
    """

    def __init__(self) -> None:
        self._counts: dict[Breakpoint, int] = {}

    def add(self, breakpoint: Breakpoint) -> int:
        """One more hit; how many there are now."""
        key = _plain(breakpoint)
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key]

    def counts(self, breakpoints: Iterable[Breakpoint]) -> tuple[int, ...]:
        """The hits of each of these."""
        return tuple(self._counts.get(_plain(each), 0) for each in breakpoints)


def _plain(breakpoint: Breakpoint) -> Breakpoint:
    return msgspec.structs.replace(breakpoint, enabled=True, ignore=0)
