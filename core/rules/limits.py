"""How many dollars and tokens there may be, and whether they are used up."""

from __future__ import annotations

from typing import NamedTuple

from ..model.project import StopRules


class Limits(NamedTuple):
    """What may be spent; None for any."""

    dollars: float | None = None
    tokens: int | None = None

    @classmethod
    def of(cls, rules: StopRules) -> Limits:
        """A project's own."""
        return cls(rules.max_cost_usd, rules.max_tokens)

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return self.dollars is not None or self.tokens is not None

    def reached(self, dollars: float, tokens: int) -> str:
        """Which of them has been reached, in words; empty for none."""
        if self.dollars is not None and dollars >= self.dollars:
            return f"{in_dollars(dollars)} of {in_dollars(self.dollars)} spent"
        if self.tokens is not None and tokens >= self.tokens:
            return f"{tokens:,} of {self.tokens:,} tokens used"
        return ""


def in_dollars(amount: float) -> str:
    """An amount to read: cents where that says it all, more digits for little."""
    if amount >= 1 or abs(amount - round(amount, 2)) < 1e-9:
        return f"${amount:.2f}"
    if abs(amount) < 0.000001:
        return f"${amount:.9f}".rstrip("0")  # never a zero that is none
    return f"${amount:.4f}" if amount >= 0.0001 else f"${amount:.6f}"
