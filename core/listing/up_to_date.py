"""What lists go by, brought up to date: rollouts are written quickly, and looked through later."""

from __future__ import annotations

from collections.abc import Iterator

from ..rules.query.nodes import And, Compare, Has, Node, Not, Or
from ..store.library import Library
from .facts import describe_some
from .rollout_list import parse_query

AT_ONCE = 32
_TEXT_FIELD = "text"


def bring_up_to_date(library: Library, query: str = "") -> None:
    """Work out the facts of all rollouts that have changed, and index their steps where the query
    looks for words in these. Nothing in a library that cannot be written to: a list of it then goes
    by what is known, and reads the steps that are not in the index.

    Raises QueryError, StoreError.
    """
    node = parse_query(query)
    for _ in looking_through(library):
        pass
    if looks_into_steps(node) and not library.read_only:
        library.index_pending()


def looking_through(library: Library, at_once: int = AT_ONCE) -> Iterator[int]:
    """Work out the facts of all rollouts that have changed, ``at_once`` between two numbers: how
    many are left, first before any was looked at. They are counted anew only when none is thought
    to be left, for that takes longer than looking at some. None in a library that cannot be written
    to. Raises StoreError.
    """
    while not library.read_only and (left := library.count_undescribed()):
        while left > 0:
            yield left
            left -= describe_some(library, at_once) or left


def looks_into_steps(node: Node | None) -> bool:
    """Whether a query asks for words that are said in steps."""
    if isinstance(node, Compare | Has):
        return node.ref.name == _TEXT_FIELD
    if isinstance(node, Not):
        return looks_into_steps(node.part)
    parts = node.parts if isinstance(node, And | Or) else ()
    return any(map(looks_into_steps, parts))
