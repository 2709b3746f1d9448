"""What a branch is called: its name, or its number among the leaves."""

from __future__ import annotations

from collections.abc import Iterable

from rollstep.core.model.rollout import Branch, Rollout


def branch_name(rollout: Rollout, leaf: str | None, branches: Iterable[Branch]) -> str:
    """The name of the branch that ends here, or its number."""
    named = {branch.leaf_id: branch.name for branch in branches if branch.name}
    if leaf in named:
        return named[leaf]
    leaves = rollout.leaves()
    if len(leaves) < 2:
        return "main"
    place = leaves.index(leaf) + 1 if leaf in leaves else 0
    return f"branch {place} of {len(leaves)}"
