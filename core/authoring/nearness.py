"""Whether two projects are nearly the same: they share most of their shingles.

The goal and the opening are taken together, without case, punctuation and spaces and with every
number alike, and cut into all their pieces of five characters, which works for every script. Two
are near when six tenths of the pieces that either has are in both: the same task with another name
or number in it is near, the same kind of task told otherwise is not.
"""

from __future__ import annotations

import re
import unicodedata

NEAR = 0.6
"""Share of common shingles from which on two projects are near-duplicates."""

_LENGTH = 5


class Seen:
    """The projects so far."""

    def __init__(self) -> None:
        self._shingles: list[tuple[str, frozenset[str]]] = []

    def near(self, goal: str, opening: str) -> str:
        """The name of a project that is nearly the same; "" where there is none."""
        new = _shingles(goal, opening)
        return next((name for name, old in self._shingles if _shared(new, old) >= NEAR), "")

    def add(self, name: str, goal: str, opening: str) -> None:
        """One more project."""
        self._shingles.append((name, _shingles(goal, opening)))


def _shingles(goal: str, opening: str) -> frozenset[str]:
    folded = unicodedata.normalize("NFKC", f"{goal} {opening}").casefold()
    text = re.sub(r"\d+", "0", "".join(char for char in folded if char.isalnum()))
    return frozenset(text[at : at + _LENGTH] for at in range(max(len(text) - _LENGTH + 1, 1)))


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)
