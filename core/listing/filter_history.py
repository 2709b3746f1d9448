"""The filters that were used last in a library, by whichever program."""

from __future__ import annotations

from ..store.library import Library

MOST = 50
"""So many are kept."""

_KIND = "filter history"


def remember_filter(library: Library, query: str) -> None:
    """Keep one that is used now. Nothing happens in a library that cannot be written. Raises
    StoreError.
    """
    if library.read_only or not query.strip():
        return
    with library.shelf(writing=True) as shelf:
        shelf.drop(_KIND, query)
        shelf.append(_KIND, query, b"")
        for row in shelf.rows(_KIND)[:-MOST]:
            shelf.drop(_KIND, row.name)


def earlier_filters(library: Library) -> tuple[str, ...]:
    """Those that were used, the last one first. Raises StoreError."""
    with library.shelf() as shelf:
        return tuple(row.name for row in reversed(shelf.rows(_KIND)))
