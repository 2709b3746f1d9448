"""What the next step would cost, in words. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.model.project import Project
from rollstep.core.rules.limits import Limits, in_dollars

if TYPE_CHECKING:
    from rollstep.core.budget import Forecast


def step_cost(forecast: Forecast) -> str:
    """``about $0.0009, at most $0.0123``; that nobody knows, where nobody does."""
    estimate = forecast.estimate
    if estimate.cost is None:
        return "price unknown" + (" (a server of your own)" if estimate.own_server else "")
    about, most = in_dollars(estimate.cost), estimate.most_cost
    if most is None:
        return f"about {about}"
    at_most = in_dollars(most)
    return f"at most {at_most}" if at_most == about else f"about {about}, at most {at_most}"


def reckoned(forecast: Forecast) -> str:
    """How that comes about, and that it is a guess."""
    estimate = forecast.estimate
    words = f"by estimate ~{estimate.prompt_tokens:,} tokens to read, ~{estimate.reply_tokens:,}"
    words += " to write"
    if estimate.most_reply_tokens:
        words += f" (at most {estimate.most_reply_tokens:,})"
    if estimate.calls > 1:
        words += "; an answer that cannot be used is asked for once more"
    return words


def spent(forecast: Forecast, project: Project) -> str:
    """What was paid for so far, on all branches, and of how much; empty for nothing at all."""
    so_far, limits = forecast.spent, Limits.of(project.stop)
    if not (so_far.tokens or so_far.dollars or limits.any):
        return ""
    of_dollars = f" of {in_dollars(limits.dollars)}" if limits.dollars is not None else ""
    of_tokens = f" of {limits.tokens:,}" if limits.tokens is not None else ""
    about = "~" if so_far.estimated else ""
    words = f"spent so far, all branches: {about}{in_dollars(so_far.dollars)}{of_dollars}"
    words += f", {about}{so_far.tokens:,}{of_tokens} tokens"
    if so_far.unknown:
        calls = "1 call" if so_far.unknown == 1 else f"{so_far.unknown:,} calls"
        words += f"; without the price of {calls}, which is unknown"
    return words
