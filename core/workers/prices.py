"""What models cost: the price table that litellm ships, read without loading litellm."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from ..model.steps import Usage

_TABLE = "model_prices_and_context_window_backup.json"


class Price(msgspec.Struct, frozen=True):
    """Dollars a token, and the tokens that the model takes (0 where that is not known)."""

    prompt: float
    completion: float
    cached: float
    most_prompt_tokens: int = 0
    most_completion_tokens: int = 0

    def cost(self, usage: Usage) -> float:
        """Dollars for this usage."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        return (
            self.prompt * (usage.prompt_tokens - cached)
            + self.cached * cached
            + self.completion * usage.completion_tokens
        )


def price_of(model: str) -> Price | None:
    """The price of a model by its name, as litellm writes it; None where the table has none.

    Reads the table when first asked (a tenth of a second).
    """
    table = _table()
    known = table.get(model) or table.get(model.partition("/")[2])
    if known is None:
        return None
    prompt, completion = known.get("input_cost_per_token"), known.get("output_cost_per_token")
    if prompt is None or completion is None:
        return None
    cached = known.get("cache_read_input_token_cost")
    most = (known.get("max_input_tokens"), known.get("max_output_tokens"))
    return Price(
        float(prompt),
        float(completion),
        float(prompt if cached is None else cached),
        *(int(each) if isinstance(each, int | float) else 0 for each in most),
    )


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, Any]]:
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return {}
    table = Path(found.origin).with_name(_TABLE)
    try:
        read: dict[str, dict[str, Any]] = json.loads(table.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a release that keeps it elsewhere: prices are unknown
        return {}
    return read
