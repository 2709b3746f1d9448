"""Branches by their names."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import InputError
from ..model.rollout import Branch


def leaf_named(branches: Iterable[Branch], name: str) -> str:
    """The leaf of the branch of this name. Raises InputError, which lists the names there are."""
    leaves = {branch.name: branch.leaf_id for branch in branches if branch.name}
    if name not in leaves:
        known = ", ".join(leaves) or "none has a name"
        raise InputError(f"No branch is named {name!r}; branches: {known}.")
    return leaves[name]
