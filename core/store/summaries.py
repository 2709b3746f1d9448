"""Rollouts in a list: one line each, and what to say when a name means several."""

from __future__ import annotations

from ..model.rollout import RolloutHeader
from .change import Summary
from .codec import HEADER, from_bytes

CANDIDATES = 8
"""Rollouts that are named where one was meant."""


def summary(
    header: bytes,
    steps: int,
    turns: int,
    edits: int,
    status: str,
    stop_reason: bytes,
    updated_at: float,
    status_note: bytes,
) -> Summary:
    """A rollout in a list, from its row."""
    known = HEADER.decode(header)
    return Summary(
        known.id,
        known.title,
        steps,
        turns,
        edits,
        status,
        from_bytes(stop_reason),
        updated_at,
        known.source,
        from_bytes(status_note),
    )


def ambiguous(prefix: str, found: list[RolloutHeader]) -> str:
    """That a prefix names more than one rollout, in words."""
    lines = [f"More than one rollout begins with {prefix!r}:"]
    lines += [f"  {header.id}  {header.title}" for header in found[:CANDIDATES]]
    if len(found) > CANDIDATES:
        lines.append("  … and more")
    return "\n".join(lines)
