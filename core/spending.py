"""What calls have cost. What there may be, and whether it does, is in ``budget.py``."""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from .estimating import USUAL_REPLY
from .model.steps import Attempt, Call, Role, Step, Usage

_REMEMBERED = 10
"""Replies of a role from which their usual length is taken."""


class Spent(NamedTuple):
    """What was paid for by some moment."""

    dollars: float = 0.0
    tokens: int = 0
    unknown: int = 0
    estimated: int = 0
    calls: int = 0


class Spending:
    """What was paid for so far. ``calls`` counts those that took something, ``unknown`` those whose
    price nobody knows, ``estimated`` those whose tokens the provider did not count.
    """

    def __init__(self) -> None:
        self.dollars = 0.0
        self.tokens = 0
        self.unknown = 0
        self.estimated = 0
        self.calls = 0
        self._replies: dict[tuple[Role, str], list[int]] = {}

    def add_step(self, step: Step) -> None:
        """A step; one that is a copy was paid for before, and one from a file by somebody else."""
        if step.call is None or step.copied_from is not None:
            return
        if step.origin != "import":
            self.add_call(step.call)
        replies = self._replies.setdefault((step.role, step.call.model), [])
        replies.append(step.call.usage.completion_tokens)
        del replies[:-_REMEMBERED]

    def add_call(self, call: Call) -> None:
        """A call that was answered."""
        self.add(call.usage, call.cost)

    def add_attempt(self, attempt: Attempt) -> None:
        """A failure: what had arrived by then was paid for, too."""
        self.add(attempt.usage or Usage(), attempt.cost)

    def add(self, usage: Usage, cost: float | None) -> None:
        """So much was used, and cost that; None is a price that nobody knows."""
        self.tokens += usage.tokens
        self.dollars += cost or 0.0
        self.unknown += cost is None and usage.tokens > 0
        self.estimated += usage.estimated
        self.calls += usage.tokens > 0

    @property
    def now(self) -> Spent:
        """All of it."""
        return Spent(self.dollars, self.tokens, self.unknown, self.estimated, self.calls)

    def since(self, before: Spent) -> Spent:
        """What has come since then."""
        return Spent(
            self.dollars - before.dollars,
            self.tokens - before.tokens,
            self.unknown - before.unknown,
            self.estimated - before.estimated,
            self.calls - before.calls,
        )

    def usual_reply(self, role: Role, model: str) -> int:
        """Tokens of a reply of this role by this model."""
        replies = self._replies.get((role, model))
        return round(median(replies)) if replies else USUAL_REPLY
