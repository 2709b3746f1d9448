"""Where the rollouts of an export come from, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from ..errors import InputError, UnreadableError
from ..store.change import Saved
from ..store.library import Library

T = TypeVar("T")

Requests = Callable[[str], str | None]
"""Gives the body of a request by its digest, or None where it is not kept."""


def no_requests(digest: str) -> str | None:
    """For rollouts whose requests are not at hand."""
    return None


class Item(msgspec.Struct, frozen=True):
    """A saved rollout, and the requests of its steps. ``up_to`` is a number of steps where the
    person named a step of this rollout.
    """

    saved: Saved
    requests: Requests = no_requests
    up_to: int | None = None


class Unreadable(msgspec.Struct, frozen=True):
    """A rollout of a library that cannot be read, and why."""

    rollout: str
    why: str


AnyItem: TypeAlias = Item | Unreadable


def from_library(library: Library, ids: Iterable[str]) -> Iterator[AnyItem]:
    """These rollouts of a library. Raises InputError for an id that is not there."""
    return (_read(library, rollout_id) for rollout_id in ids)


def _read(library: Library, rollout_id: str) -> AnyItem:
    try:
        saved, _ = library.load_tree(rollout_id)
    except UnreadableError as error:
        return Unreadable(rollout_id, error.why)
    return Item(saved, library.request)


def where(library: Library, query: str) -> tuple[int, Iterator[AnyItem]]:
    """How many rollouts of a library a query means, and each of them, those that were changed last
    at the end. Raises QueryError.
    """
    from ..listing.rollout_list import Order, list_rollouts
    from ..listing.up_to_date import bring_up_to_date

    bring_up_to_date(library, query)
    found = list_rollouts(library, query, Order(descending=False))

    def each() -> Iterator[AnyItem]:
        for start in range(0, len(found), _ROWS_AT_ONCE):
            for row in found.rows(start, min(start + _ROWS_AT_ONCE, len(found))):
                if row is not None:
                    yield _read(library, row.summary.id)

    return len(found), each()


_ROWS_AT_ONCE = 200


def from_bundle(path: Path, warnings: list[str] | None = None) -> Iterator[Item]:
    """Those of a bundle (see ``read_bundle``). Raises BundleError."""
    from ..store.bundle_reader import read_bundle

    for saved, requests in read_bundle(path, warnings):
        yield Item(saved, requests.get)


def several(items: Iterable[T]) -> tuple[bool, Iterator[T]]:
    """Whether there are more than one, and all of them; looks no further than the second.

    Raises InputError where there is none.
    """
    rest = iter(items)
    first = next(rest, None)
    if first is None:
        raise InputError("There is no rollout to export.")
    second = next(rest, None)

    def again() -> Iterator[T]:
        yield first
        if second is not None:
            yield second
            yield from rest

    return second is not None, again()
