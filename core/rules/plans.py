"""How breakpoints are asked of every step of a run, in as little time as can be.

For each shape of step a plan keeps what is left of the breakpoints there, sorted by what asking
takes: a text or a pattern looked for in the step's text is asked without a function in between, and
what cannot hold before some turn, step, cost or count of tokens sleeps until then (``wakes``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import NamedTuple

from .query.compiling import search_for, simplify
from .query.nodes import And, Compare, Node, Or
from .query.step_facts import Facts
from .query.step_fields import STEPS, source_for
from .query.step_query import compiled_for
from .searching import Search

Test = Callable[[Facts], bool]
Bounds = dict[str, float]
"""Least values, by field: one of them at least must be reached."""

_MEASURES = ("turn", "step", "cost", "tokens")
"""Fields that are at hand without reading anything of the step."""


class Plan(NamedTuple):
    """What is asked of steps of one shape. Each entry begins with the breakpoint's place; a test
    that is None holds.
    """

    contains: tuple[tuple[int, str], ...]
    matches: tuple[tuple[int, Search], ...]
    awake: tuple[tuple[int, Test | None], ...]
    all: tuple[tuple[int, Test | None], ...]
    """Those that are awake, and those that wake from here on:"""
    from_depth: float
    """Neither of the next two is reached before so many steps."""
    from_turn: float
    from_step: float
    from_cost: float
    from_tokens: float
    on_repeat: bool
    """Some of them may hold only where a reply says again what the one before said."""


def plan_for(shape: str, queries: Iterable[tuple[int, Node | None]]) -> Plan | None:
    """The plan for these queries, by their places; None where none of them can hold. A query that
    is None holds always.
    """
    contains: list[tuple[int, str]] = []
    matches: list[tuple[int, Search]] = []
    awake: list[tuple[int, Test | None]] = []
    asleep: list[tuple[int, Test | None]] = []
    wake = dict.fromkeys((*_MEASURES, "repeated"), inf)
    before = shape.startswith("before")
    for place, query in queries:
        node = True if query is None else simplify(query, source_for(shape), STEPS)
        if isinstance(node, bool):
            if node:
                awake.append((place, None))
        elif not before and isinstance(node, Compare) and _of_text(node, ":"):
            contains.append((place, str(node.value).casefold()))
        elif not before and isinstance(node, Compare) and _of_text(node, "~"):
            matches.append((place, search_for(str(node.value))))
        elif not before and (bounds := wakes(node)):
            asleep.append((place, _test(node, shape)))
            for field, least in bounds.items():
                wake[field] = min(wake[field], least)
        else:
            awake.append((place, _test(node, shape)))
    if not (contains or matches or awake or asleep):
        return None
    # A step before the first message is in turn 1, too.
    turn = wake["turn"] if wake["turn"] > 1 else 0
    return Plan(
        tuple(contains),
        tuple(matches),
        tuple(awake),
        (*awake, *asleep),
        min(turn, wake["step"]),
        turn,
        wake["step"],
        wake["cost"],
        wake["tokens"],
        wake["repeated"] < inf,
    )


def _test(node: Node, shape: str) -> Test:
    test = compiled_for(node, shape)
    return test if not isinstance(test, bool) else lambda facts: test


def _of_text(node: Compare, op: str) -> bool:
    return node.ref.name == "text" and node.op == op


def wakes(node: Node) -> Bounds | None:
    """What must be reached before the node can hold; None where it may hold at once."""
    if isinstance(node, Compare):
        field, value = node.ref.name, node.value
        if node.op not in ("=", ">", ">=") or not isinstance(value, int | float):
            return None
        if field == "repeated":
            once = value < 1 if node.op == ">" else value <= 1
            return None if once else {field: value}
        return {field: value} if field in _MEASURES else None
    if isinstance(node, And):
        return next((found for part in node.parts if (found := wakes(part))), None)
    if isinstance(node, Or):
        either: Bounds = {}
        for part in node.parts:
            found = wakes(part)
            if not found:
                return None
            for field, least in found.items():
                either[field] = min(either.get(field, inf), least)
        return either
    return None
