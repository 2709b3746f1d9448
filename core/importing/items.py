"""What was read from files as the items of an export, so that it is written without a library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..errors import BundleError
from ..exporting.items import Item, from_bundle
from ..store.change import Saved
from .saved import rollouts_of
from .walking import Walk, is_bundle


def items_of(walk: Walk, *, forced: bool = False) -> Iterator[Item]:
    """Every trajectory of the files; what cannot be read is told to the walk's tally."""
    for path in walk.each():
        if is_bundle(path):
            yield from _of_bundle(path, walk)
            continue
        for read in walk.records(path):
            for saved, imported in rollouts_of(read, str(path), forced=forced):
                yield Item(numbered(saved), dict(imported.requests).get)


def _of_bundle(path: Path, walk: Walk) -> Iterator[Item]:
    try:
        for item in from_bundle(path, []):
            walk.tally.read += 1
            walk.tally.formats["bundle"] += 1
            yield item
    except BundleError as error:
        walk.tally.fail(path, error)


def numbered(saved: Saved) -> Saved:
    """The rollout with its steps numbered as a library would number them."""
    steps = tuple(
        msgspec.structs.replace(step, seq=number) for number, step in enumerate(saved.steps, 1)
    )
    return msgspec.structs.replace(saved, steps=steps)
