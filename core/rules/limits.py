"""How many dollars and tokens there may be, and whether they are used up."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from ..model.project import StopRules

T = TypeVar("T", int, float)

OF_THE_RUN = "the run's budget: "
"""How the words begin that say that the run, and no rollout of its own, was out of money."""


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

    def within(self, rules: StopRules) -> StopRules:
        """These rules, with the tighter of each limit."""
        return replace(
            rules,
            max_cost_usd=_tighter(self.dollars, rules.max_cost_usd),
            max_tokens=_tighter(self.tokens, rules.max_tokens),
        )

    def reached(self, dollars: float, tokens: int) -> str:
        """Which of them has been reached, in words; empty for none."""
        if self.dollars is not None and dollars >= self.dollars:
            return f"{in_dollars(dollars)} of {in_dollars(self.dollars)} spent"
        if self.tokens is not None and tokens >= self.tokens:
            return f"{tokens:,} of {self.tokens:,} tokens used"
        return ""


def _tighter(one: T | None, other: T | None) -> T | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def in_dollars(amount: float) -> str:
    """An amount to read: cents where that says it all, more digits for little."""
    if amount >= 1 or abs(amount - round(amount, 2)) < 1e-9:
        return f"${amount:.2f}"
    if abs(amount) < 0.000001:
        return f"${amount:.9f}".rstrip("0")  # never a zero that is none
    return f"${amount:.4f}" if amount >= 0.0001 else f"${amount:.6f}"
