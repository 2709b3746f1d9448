"""The kinds of failure of a role, and what can be done about each now.

An attempt stores the kind alone, so what can be done is told of one made long ago too.
"""

from __future__ import annotations

from typing import Literal

Remedy = Literal["retry", "wait", "change_model", "edit", "write", "stop"]
"""Ask again; wait, then ask again; ask another model; change what it is sent (an earlier step, the
project, the environment); write the step by hand; stop the rollout."""

CUT_OFF = {
    "length": "cut off by length",
    "max_tokens": "cut off by length",
    "content_filter": "blocked by the content filter",
}
"""By a reply's finish reason: that it did not end by itself."""

_ANYTHING: tuple[Remedy, ...] = ("retry", "change_model", "write", "stop")
_NOT_THE_SAME: tuple[Remedy, ...] = ("edit", "change_model", "write", "stop")

REMEDIES: dict[str, tuple[Remedy, ...]] = {
    "rate": ("wait", "change_model", "write", "stop"),
    "quota": ("retry", "change_model", "write", "stop"),
    "auth": _NOT_THE_SAME,
    "network": _ANYTHING,
    "timeout": _ANYTHING,
    "bad_reply": _ANYTHING,
    "empty": _ANYTHING,
    "stopped": _ANYTHING,
    "overflow": _ANYTHING,
    "server": _ANYTHING,
    "context": _NOT_THE_SAME,
    "policy": _NOT_THE_SAME,
    "not_found": _NOT_THE_SAME,
    "too_large": _NOT_THE_SAME,
    "refused": _NOT_THE_SAME,
    "would_rewrite": _NOT_THE_SAME,
    "cancelled": _ANYTHING,
    "not_ready": ("write", "stop"),
    "not_recorded": ("write", "stop"),
    "raised": ("retry", "edit", "write", "stop"),
    "died": ("retry", "edit", "write", "stop"),
}
"""By kind, the likeliest first. The kinds of the model gateway are told in docs/models.md."""


def remedies(kind: str) -> tuple[Remedy, ...]:
    """What can be done now; for a kind that a user's own role made up, whatever always can."""
    return REMEDIES.get(kind, ("retry", "write", "stop"))


def kept(arrived: int) -> str:
    """What is said behind a failure of so many characters of a reply that had come."""
    if not arrived:
        return ""
    return f" {arrived:,} character{'' if arrived == 1 else 's'} arrived; kept as partial."
