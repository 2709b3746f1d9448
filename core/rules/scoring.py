"""What scores say: whether a trajectory failed, by whose word, and why. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ..model.marks import Score

Standing = Literal["failed", "passed", ""]

_BAD = frozenset({"i", "incorrect", "fail", "failed", "failure", "false", "no", "error", "wrong"})
_GOOD = frozenset({"c", "correct", "pass", "passed", "success", "true", "yes", "ok"})


def standing(score: Score) -> Standing:
    """Whether a score means that something failed or passed; empty where its scale does not say:
    between 0 and 1, and for words that are no verdict.
    """
    value = score.value
    if isinstance(value, str):
        word = value.strip().lower()
        return "failed" if word in _BAD else "passed" if word in _GOOD else ""
    if value is None or 0 < value < 1:
        return ""
    return "passed" if value >= 1 else "failed"


def failing(scores: Iterable[Score]) -> Score | None:
    """The score by which the trajectory failed. Of each judge the first one that is a verdict
    counts: what the same judge, or a judge of its name, says after that are the parts of it.
    """
    heard: list[str] = []
    for score in scores:
        found = standing(score)
        if not found or any(score.judge.startswith(name) for name in heard):
            continue
        if found == "failed":
            return score
        heard.append(score.judge)
    return None


def score_words(score: Score) -> str:
    """Whose score it is and its value: ``tau2 reward 0.0``."""
    name = score.name
    if score.judge and not name.startswith(score.judge):
        name = f"{score.judge} {name}".rstrip()
    return f"{name} {'without a value' if score.value is None else score.value}".strip()
