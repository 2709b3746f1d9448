"""A role has failed: what can be done now, and with which key. Imports no Textual."""

from __future__ import annotations

from rollstep.core.model.failures import Remedy, remedies
from rollstep.core.model.steps import Attempt

_KEYS: dict[Remedy, str] = {
    "retry": "s retries",
    "wait": "s retries, after a while",
    "change_model": "r asks another model",
    "edit": "e edits what it is sent",
    "write": "w writes it by hand",
    "stop": "0 stops",
}


def what_now(attempt: Attempt) -> str:
    """What can be done about a failure, the likeliest first, with the keys that do it."""
    return "; ".join(_words(remedy, attempt) for remedy in remedies(attempt.kind))


def in_a_line(words: str, kind: str, label: str) -> str:
    """A failure for the hint line. Where a take of a recorded step was asked for, no pane shows the
    failure with its keys, so the line says which asks again.
    """
    again = label == "retake" and not {"retry", "wait"}.isdisjoint(remedies(kind))
    return f"{words} r asks again." if again else words


def _words(remedy: Remedy, attempt: Attempt) -> str:
    if remedy == "write" and attempt.partial:
        return "w goes on from what had arrived"
    return _KEYS[remedy]
