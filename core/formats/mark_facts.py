"""What a human decided about a step or a branch, in words."""

from __future__ import annotations

from collections.abc import Callable

from ..model.marks import Mark


def mark_facts(mark: Mark, quoted: Callable[[str], str] = str) -> list[str]:
    """Verdict, rating, tags, train mark and note; ``quoted`` is how a human's own words stand."""
    facts: list[str] = [mark.verdict] if mark.verdict else []
    if mark.rating:
        facts.append(f"{mark.rating} of 5")
    facts += map(quoted, mark.tags)
    if mark.train is not None:
        facts.append("train on it" if mark.train else "not to be trained on")
    if mark.note:
        facts.append(quoted(mark.note))
    return facts
