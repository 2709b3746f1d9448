"""Rollouts that a human put out of sight: lists leave them out unless their query speaks of it.

That is said of a rollout in one library, and kept beside it, so that nothing of the rollout itself
changes, and no bundle carries it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ..rules.query.nodes import And, Compare, Has, Node, Not, Or
from ..store.facts import HIDDEN_KIND
from ..store.library import Library

HIDDEN_FIELD = "hidden"
"""The field of a query that asks for it."""


class Hid(msgspec.Struct, frozen=True):
    """Who put a rollout out of sight, and when."""

    by: str = ""
    at: float = 0.0


def hide_rollouts(
    library: Library, rollout_ids: Iterable[str], by: str, at: float
) -> tuple[str, ...]:
    """Put them out of sight, all at once; those that were in sight until now. Raises StoreError."""
    body = msgspec.json.encode(Hid(by, at))
    with library.shelf(writing=True) as shelf:
        new = tuple(i for i in dict.fromkeys(rollout_ids) if shelf.get(HIDDEN_KIND, i) is None)
        for rollout_id in new:
            shelf.put(HIDDEN_KIND, rollout_id, body)
    return new


def show_rollouts(library: Library, rollout_ids: Iterable[str]) -> tuple[str, ...]:
    """Bring them back, all at once; those that were out of sight. Raises StoreError."""
    with library.shelf(writing=True) as shelf:
        old = tuple(i for i in dict.fromkeys(rollout_ids) if shelf.get(HIDDEN_KIND, i) is not None)
        for rollout_id in old:
            shelf.drop(HIDDEN_KIND, rollout_id)
    return old


def count_hidden(library: Library) -> int:
    """How many there are."""
    with library.shelf() as shelf:
        return shelf.count(HIDDEN_KIND)


def speaks_of_hidden(node: Node | None) -> bool:
    """Whether a query says itself what is to become of them."""
    if isinstance(node, Compare | Has):
        return node.ref.name == HIDDEN_FIELD
    if isinstance(node, Not):
        return speaks_of_hidden(node.part)
    parts: Sequence[Node] = node.parts if isinstance(node, And | Or) else ()
    return any(map(speaks_of_hidden, parts))
