"""Money: before a call, what it may take is set aside; after it, what it took is counted.

A rollout counts all that was paid for in it: every branch, hidden steps, takes, and what failed
attempts had cost by then. A run counts all its rollouts together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import islice
from math import inf
from typing import NamedTuple

from .errors import RoleError
from .estimating import Estimate, estimate_of
from .model.players import may_cost
from .model.project import Project
from .model.steps import Attempt, Step, Usage
from .roles.llm import load_templates
from .roles.llm_requests import model_of
from .rules.limits import OF_THE_RUN, Limits, in_dollars
from .rules.stepper import Ask
from .rules.views import PathState
from .spending import Spending, Spent

_MOST_TOKENS = 2**60
"""More than any call takes."""


class SetAside(NamedTuple):
    """What is set aside for calls that are being made; or why they may not be made (``refused``,
    in words), and whether the rollout's ``own`` budget says so.
    """

    dollars: float = 0.0
    tokens: int = 0
    refused: str = ""
    own: bool = False


class Forecast(NamedTuple):
    """What the next step may take, and what the rollout has spent before it."""

    estimate: Estimate
    spent: Spent


class RunBudget:
    """What all rollouts of a run may spend together. Lives on one event loop.

    A call that does not fit waits while others are under way, because they take less than was set
    aside for them as a rule; where none is, it is refused.
    """

    def __init__(self, limits: Limits, what: str = "step") -> None:
        """``what`` a call is made for, in a word."""
        self.limits = limits
        self._what = what
        self.calls = 0
        """Those that took something."""
        self.dollars = 0.0
        self.tokens = 0
        self.unknown = 0
        """Calls whose price nobody knows."""
        self.estimated = 0
        """Calls whose tokens the provider did not count."""
        self.closed = ""
        """Why no further rollout begins, in words: not even the least call fits any more."""
        self._least = SetAside(inf, _MOST_TOKENS)
        self._aside = SetAside(0.0, 0)
        self._under_way = 0
        self._settled = asyncio.Event()

    async def reserve(self, asked: Sequence[Estimate], *, paid: bool = True) -> SetAside:
        """Set aside what these calls may take; or why they may not be made. Those that are not
        ``paid`` for always may.
        """
        aside = SetAside(
            sum(each.reserved_cost or 0.0 for each in asked),
            sum(each.reserved_tokens for each in asked),
        )
        if asked:
            least = self._least
            self._least = SetAside(
                min(least.dollars, aside.dollars), min(least.tokens, aside.tokens)
            )
        while paid and (words := self._refusal(asked)):
            if not self._under_way:
                return SetAside(refused=self._refuse(words))
            self._settled.clear()
            await self._settled.wait()
        self._change(aside, 1)
        return aside

    def _refusal(self, asked: Sequence[Estimate]) -> str:
        dollars, tokens = self.dollars + self._aside.dollars, self.tokens + self._aside.tokens
        return refusal(self.limits, Spent(dollars, tokens), asked, self._what)

    def _refuse(self, words: str) -> str:
        words = f"{OF_THE_RUN}{words}"
        limits, least = self.limits, self._least
        if (limits.dollars is not None and limits.dollars - self.dollars < least.dollars) or (
            limits.tokens is not None and limits.tokens - self.tokens < least.tokens
        ):
            self.closed = words
        return words

    def settle(self, aside: SetAside, spent: Spent) -> None:
        """These calls are over, and took so much."""
        self._change(SetAside(-aside.dollars, -aside.tokens), -1)
        self.count(spent)
        self._settled.set()

    def count(self, spent: Spent) -> None:
        """So much was spent in this run before it goes on."""
        self.dollars += spent.dollars
        self.tokens += spent.tokens
        self.unknown += spent.unknown
        self.estimated += spent.estimated
        self.calls += spent.calls

    def _change(self, aside: SetAside, calls: int) -> None:
        self._under_way += calls
        dollars = self._aside.dollars + aside.dollars if self._under_way else 0.0
        self._aside = SetAside(dollars, self._aside.tokens + aside.tokens)


class RolloutBudget:
    """What one rollout has spent, and the limits of its project and of its run."""

    def __init__(self, run: RunBudget | None = None) -> None:
        self.spending = Spending()
        self._run = run
        self._steps = 0
        self._attempts = 0
        self._before = Spent()
        self._told: tuple[str | None, int] | None = None

    def count(self, steps: Iterable[Step], attempts: Sequence[Attempt]) -> None:
        """Count what has come since the last time; ``steps`` are all of the rollout."""
        for step in islice(steps, self._steps, None):
            self._steps += 1
            self.spending.add_step(step)
        for attempt in attempts[self._attempts :]:
            self.spending.add_attempt(attempt)
        self._attempts = len(attempts)

    def reached(self, project: Project) -> str:
        """Which of the project's limits has been reached, in words; empty for none."""
        limits = Limits.of(project.stop)
        return limits.reached(self.spending.dollars, self.spending.tokens)

    async def refusal(self, asks: Sequence[Ask], state: PathState, project: Project) -> str:
        """Why the project's limits forbid these calls, in words; empty where they do not."""
        limits = Limits.of(project.stop)
        if not limits.any:
            return ""
        asked = await self.estimates(asks, state, project)
        return refusal(limits, self.spending.now, asked) if asked else ""

    async def refusal_once(
        self, asks: Sequence[Ask], state: PathState, project: Project, parent: str | None
    ) -> str:
        """The same, but who is told and asks again at the same place goes on."""
        if self._told is not None and self._told[0] == parent and len(asks) <= self._told[1]:
            self._told = None
            return ""
        words = await self.refusal(asks, state, project)
        self._told = (parent, len(asks)) if words else None
        return words

    def has_told(self, parent: str | None) -> None:
        """A human knows that a limit was reached with this step."""
        self._told = (parent, 1)

    async def reserve(self, asks: Sequence[Ask], state: PathState, project: Project) -> SetAside:
        """Set aside what these calls may take; or why they may not be made."""
        self._before = before = self.spending.now
        if not Limits.of(project.stop).any and (self._run is None or not self._run.limits.any):
            return SetAside() if self._run is None else await self._run.reserve(())
        asked = await self.estimates(asks, state, project)
        if asked and (words := refusal(Limits.of(project.stop), before, asked)):
            return SetAside(refused=words, own=True)
        if self._run is None:
            return SetAside()
        paid = any(may_cost(project, ask.role) for ask in asks)
        return await self._run.reserve(asked, paid=paid)

    def settle(self, aside: SetAside, failed: Iterable[tuple[RoleError, Ask]]) -> None:
        """The calls are over: what those took that failed is counted too."""
        for error, _ in failed:
            self.spending.add(error.usage or Usage(), error.cost)
        if self._run is not None:
            self._run.settle(aside, self.spending.since(self._before))

    async def estimates(
        self, asks: Sequence[Ask], state: PathState, project: Project
    ) -> list[Estimate]:
        """What these calls may take; nothing for roles that no model plays."""
        found = []
        for ask in asks:
            spec = model_of(project, ask.role)
            if spec is not None:
                await load_templates(spec)
                usual = self.spending.usual_reply(ask.role, spec.model)
                found.append(estimate_of(spec, state.view(ask, project), usual))
        return found


def refusal(limits: Limits, spent: Spent, asked: Sequence[Estimate], each: str = "step") -> str:
    """Why these calls may not be made, in words; empty where they may. An unknown price counts as
    none: only its tokens are counted.
    """
    dollars, tokens = spent.dollars, spent.tokens
    if words := limits.reached(dollars, tokens):
        return words
    what = f"the next {each}" if len(asked) == 1 else f"the next {len(asked)} calls"
    cost = sum(each.reserved_cost or 0.0 for each in asked)
    if limits.dollars is not None and cost > (left := limits.dollars - dollars):
        return f"{what} may cost {in_dollars(cost)} and {in_dollars(left)} is left"
    take = sum(each.reserved_tokens for each in asked)
    if limits.tokens is not None and take > (rest := limits.tokens - tokens):
        return f"{what} may take {take:,} tokens and {rest:,} are left"
    return ""
