"""What lists go by, brought up to date: rollouts are written quickly, and looked through later."""

from __future__ import annotations

from ..rules.query.nodes import And, Compare, Has, Node, Not, Or
from ..store.library import Library
from .facts import describe_some
from .rollout_list import parse_query

_TEXT_FIELD = "text"


def bring_up_to_date(library: Library, query: str = "") -> None:
    """Work out the facts of all rollouts that have changed, and index their steps where the query
    looks for words in these. Nothing in a library that cannot be written to: a list of it then goes
    by what is known, and reads the steps that are not in the index.

    Raises QueryError, StoreError.
    """
    node = parse_query(query)
    if library.read_only:
        return
    while describe_some(library):
        pass
    if looks_into_steps(node):
        library.index_pending()


def looks_into_steps(node: Node | None) -> bool:
    """Whether a query asks for words that are said in steps."""
    if isinstance(node, Compare | Has):
        return node.ref.name == _TEXT_FIELD
    if isinstance(node, Not):
        return looks_into_steps(node.part)
    parts = node.parts if isinstance(node, And | Or) else ()
    return any(map(looks_into_steps, parts))
