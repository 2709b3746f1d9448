"""Search in the branch that is shown: all lanes, tool-call arguments and reasoning.

The work is cut into slices of time, nearest steps first, so that the screen's loop is never held.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from rollstep.core.model.messages import (
    Payload,
    Stop,
    TargetReply,
    UserMessage,
    payload_text,
)
from rollstep.core.model.steps import Step

SLICE = 0.008
"""Seconds that one slice of a search takes at most."""


def texts(payload: Payload) -> Iterator[str]:
    """Every text of a step that a search looks into."""
    yield payload_text(payload)
    if isinstance(payload, TargetReply | UserMessage):
        for call in payload.tool_calls:
            yield call.name
            yield call.arguments
        for block in payload.reasoning:
            yield block.text
    if isinstance(payload, TargetReply) and payload.refusal:
        yield payload.refusal
    if isinstance(payload, Stop):
        yield payload.reason


def matches(payload: Payload, query: str) -> bool:
    """Whether the query (in lower case) occurs in the step, in any letter case."""
    return any(query in text.lower() for text in texts(payload))


class Find:
    """One query over one path."""

    def __init__(
        self, steps: list[Step], query: str, start: int, before: Find | None = None
    ) -> None:
        """From ``start`` on and round. ``before`` is the search of the shorter query that was typed
        before this one: where that found nothing, this need not look.
        """
        self.query = query
        self.hits: list[int] = []
        self.found: set[int] = set()
        self.done = not query
        self.path_of = steps
        """The list that is searched: the path as it was when the search began."""
        self._needle = query.lower()
        size = len(steps)
        start = min(max(start, 0), max(size - 1, 0))
        order: Iterable[int] = chain(range(start, size), range(start))
        if before is not None and before.done and self._needle.startswith(before._needle):
            found = before.found
            order = (index for index in order if index in found)
        self._order = iter(order)

    def work(self, clock: Callable[[], float] = time.perf_counter) -> bool:
        """Search for one slice of time; True when there is more to do."""
        end = clock() + SLICE
        for index in self._order:
            if matches(self.path_of[index].payload, self._needle):
                insort(self.hits, index)
                self.found.add(index)
            if clock() > end:
                return True
        self.done = True
        return False

    def next(self, index: int, delta: int = 1) -> int | None:
        """The hit after (or before) a step, round the ends; None when there is none."""
        if not self.hits:
            return None
        if delta > 0:
            place = bisect_right(self.hits, index)
            return self.hits[place % len(self.hits)]
        return self.hits[bisect_left(self.hits, index) - 1]

    def words(self, index: int) -> str:
        """Where in the hits the cursor is, in words."""
        if not self.hits:
            return "no hit" if self.done else "searching …"
        place = bisect_left(self.hits, index)
        more = "" if self.done else " so far"
        if index in self.found:
            return f"hit {place + 1} of {len(self.hits):,}{more}"
        return f"{len(self.hits):,} hits{more}" if len(self.hits) > 1 else f"1 hit{more}"
