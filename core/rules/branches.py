"""Branches by what they are called: a name, or a number among the leaves."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import InputError
from ..model.rollout import Branch, Rollout

MAIN = "main"
"""What the only branch of a rollout is called, where it has no name."""

_NUMBER = re.compile(r"(?:branch )?(\d+)(?: of \d+)?")


def opened_leaf(rollout: Rollout, head: str | None) -> str | None:
    """The end of the branch that is opened where ``head`` is where the rollout stands: that of the
    newest steps behind it, or of all, where it is nowhere to be seen.
    """
    seen = head is not None and head in rollout.steps and head not in rollout.hidden
    return rollout.newest_leaf(head if seen else None)


def branch_name(rollout: Rollout, leaf: str | None, branches: Iterable[Branch]) -> str:
    """The name of the branch that ends here, or its number: ``branch 2 of 5``."""
    named = {branch.leaf_id: branch.name for branch in branches if branch.name}
    if leaf in named:
        return named[leaf]
    leaves = rollout.leaves()
    if len(leaves) < 2:
        return MAIN
    place = leaves.index(leaf) + 1 if leaf in leaves else 0
    return f"branch {place} of {len(leaves)}"


def branch_label(rollout: Rollout, leaf: str | None, branches: Iterable[Branch]) -> str:
    """What tells this branch from the others in names and titles of files: its name, or its number
    as in ``branch 2``; empty for the only one that has no name.
    """
    name = branch_name(rollout, leaf, branches)
    if name == MAIN and len(rollout.leaves()) < 2:
        return ""
    number = _NUMBER.fullmatch(name)
    return f"branch {number[1]}" if number is not None else name


def find_leaf(rollout: Rollout, branches: Iterable[Branch], name: str) -> str | None:
    """The leaf of the branch that is called so: by its name, or as one without a name is shown
    (``main``, ``branch 2 of 5``, ``2``). None where there is none.
    """
    named = _named(branches)
    if name in named:
        return named[name]
    leaves = rollout.leaves()
    if name == MAIN and len(leaves) == 1:
        return leaves[0]
    number = _NUMBER.fullmatch(name)
    if number is not None and 1 <= int(number[1]) <= len(leaves):
        return leaves[int(number[1]) - 1]
    return None


def leaf_named(rollout: Rollout, branches: Iterable[Branch], name: str) -> str:
    """The leaf of the branch that is called so. Raises InputError, which lists those there are."""
    branches = tuple(branches)
    leaf = find_leaf(rollout, branches, name)
    if leaf is not None:
        return leaf
    count = len(rollout.leaves())
    known = [*_named(branches)] or [MAIN] * (count == 1)
    listed = ", ".join(known) or "none has a name"
    numbers = f"; or by number, 1 to {count}" if count > 1 else ""
    raise InputError(
        f"{rollout.header.id}: no branch is named {name!r}; branches: {listed}{numbers}."
    )


def _named(branches: Iterable[Branch]) -> dict[str, str]:
    return {branch.name: branch.leaf_id for branch in branches if branch.name}
