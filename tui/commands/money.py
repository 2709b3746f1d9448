"""What a command may spend on models, and what it has spent, in words."""

from __future__ import annotations

from collections.abc import Iterable

from rollstep.core.budget import RunBudget
from rollstep.core.estimating import unpriced
from rollstep.core.rules.limits import in_dollars
from rollstep.tui.sanitize import one_line

from .progress import counted, say


def tell_unpriced(models: Iterable[str], max_cost: float | None) -> None:
    """Say which models a limit in dollars does not hold."""
    if max_cost is not None:
        for model in unpriced(models):
            say(f"the price of {one_line(model)} is unknown: --max-cost does not count its calls")


def took(budget: RunBudget) -> str:
    """What the calls took, and what the sum does not say."""
    tokens = counted(budget.tokens, "token")
    if not budget.dollars and budget.unknown == budget.calls:
        pieces = ["no price is known"]
    else:
        tokens += f" and {in_dollars(budget.dollars)}"
        unknown = counted(budget.unknown, "call")
        pieces = [f"without {unknown} whose price is unknown"] if budget.unknown else []
    if budget.estimated:
        pieces.append(f"the tokens of {counted(budget.estimated, 'call')} are estimates")
    return tokens + (f" ({'; '.join(pieces)})" if pieces else "")
