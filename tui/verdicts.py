"""Verdicts as they are shown: a letter, and ``!`` where the branch was edited since. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.rules.verdicts import Standing, standing_verdict

from .rows import Span
from .sanitize import one_line

if TYPE_CHECKING:
    from .presenter import DebuggerModel

LETTERS = {"accept": "A", "reject": "R", "unsure": "M"}
WORDS = {"accept": "accepted", "reject": "rejected", "unsure": "unsure"}
STYLES = {"accept": "ok", "reject": "error", "unsure": "warn"}


def sign(standing: Standing) -> str:
    """``A``, or ``A!`` where it does not stand any more."""
    letter = LETTERS[standing.mark.verdict or "unsure"]
    return letter + ("!" if standing.outdated else "")


def verdict_span(standing: Standing, *, brief: bool = False) -> Span:
    """The verdict in words (``brief``: its sign alone), with its style."""
    verdict = standing.mark.verdict or "unsure"
    style = "warn" if standing.outdated else STYLES[verdict]
    if brief:
        return sign(standing), style
    by = f" by {one_line(standing.mark.by)}" if standing.mark.by else ""
    since = ", edited since" if standing.outdated else ""
    return f"{sign(standing)} {WORDS[verdict]}{by}{since}", style


class ShownVerdict:
    """The verdict on the branch that a model shows, worked out when something of it has changed."""

    def __init__(self) -> None:
        self._key: object = None
        self._found: Standing | None = None

    def of(self, model: DebuggerModel) -> Standing | None:
        """The verdict; None for none."""
        if not model.marks:
            return None
        key = (model.leaf, model.marks, model.last_command, len(model.rollout))
        if key != self._key:
            self._key = key
            commands = model.commands.values()
            self._found = standing_verdict(model.rollout, model.marks, model.leaf, commands)
        return self._found
