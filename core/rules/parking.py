"""Rollouts that came to their stop and wait for a human all the same, for something odd on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model.marks import Mark, Silence
from ..model.messages import Stop
from ..model.rollout import Rollout
from ..model.steps import Step
from .branches import opened_leaf
from .verdicts import newest_verdict

FLAG = "flag "
"""How the words begin that say so."""


def waits_for_flags(status: str, note: str) -> bool:
    """Whether a rollout was parked for something odd on its path."""
    return status == "parked" and note.startswith(FLAG)


def flagged(
    tree: Rollout, path: Sequence[Step], marks: Iterable[Mark], silences: Iterable[Silence]
) -> str:
    """What is odd on the path, in words; empty where nothing is that a human has not let stand, by
    silencing it or by accepting the branch.
    """
    from .lint.linter import findings_with_silences

    leaf = path[-1].id
    verdict = newest_verdict(marks, leaf)
    if verdict is not None and verdict.verdict == "accept":
        return ""
    found = [
        flag.finding
        for flag in findings_with_silences(tree, leaf, silences)
        if flag.silence is None
    ]
    if not found:
        return ""
    places = {step.id: place for place, step in enumerate(path, 1)}
    first = found[0]
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    where = f"at step {places.get(first.step_id, len(path))}"
    return f"{FLAG}{first.rule} {where}: {first.words}{more}"


def why_parked(
    status: tuple[str, str],
    tree: Rollout,
    head: str | None,
    marks: Iterable[Mark],
    silences: Iterable[Silence],
) -> str:
    """Why a rollout waits for a human now; empty where it does not, or not any more."""
    if status[0] != "parked":
        return ""
    path = tree.path(opened_leaf(tree, head))
    if not waits_for_flags(*status) or not path or not isinstance(path[-1].payload, Stop):
        return status[1]
    return flagged(tree, path, marks, silences)


def is_settled(
    status: tuple[str, str],
    tree: Rollout,
    head: str | None,
    marks: Iterable[Mark],
    silences: Iterable[Silence],
) -> bool:
    """Whether a rollout was parked, for something odd, and waits for nobody any more."""
    return waits_for_flags(*status) and not why_parked(status, tree, head, marks, silences)
