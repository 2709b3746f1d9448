"""What models cost: the price table that litellm ships, read without loading litellm."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from ..model.steps import Usage

CHARACTERS = 4
"""In a token, as a rule."""

_TABLE = "model_prices_and_context_window_backup.json"
_DECODER = json.JSONDecoder()


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


def about_tokens(characters: int) -> int:
    """How many tokens a text probably is, where nobody has counted them."""
    return characters // CHARACTERS + 1


def takes_schemas(model: str) -> bool:
    """Whether the table says that a model can be held to a JSON Schema (``response_format``)."""
    known = _entry(model) or _entry(model.partition("/")[2])
    return known is not None and known.get("supports_response_schema") is True


@lru_cache(maxsize=64)
def price_of(model: str) -> Price | None:
    """The price of a model by its name, as litellm writes it; None where the table has none.

    One entry of the table is read, not the whole of it, so that a screen may ask: a few
    milliseconds the first time, none after that.
    """
    known = _entry(model) or _entry(model.partition("/")[2])
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


def _entry(name: str) -> dict[str, Any] | None:
    """What the table says of one model."""
    text = _table()
    start = text.rfind(f"{json.dumps(name)}: {{") if name else -1
    if start < 0:
        return None
    try:
        entry, _ = _DECODER.raw_decode(text, text.index("{", start))
    except ValueError:  # a table that was cut short
        return None
    return entry if isinstance(entry, dict) else None


@lru_cache(maxsize=1)
def _table() -> str:
    """The table as text: reading it whole as JSON would hold every other thread up."""
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return ""
    try:
        text = Path(found.origin).with_name(_TABLE).read_text(encoding="utf-8")
    except (OSError, ValueError):  # a release that keeps it elsewhere: prices are unknown
        return ""
    if '": {' in text:
        return text
    try:  # a release that writes it otherwise
        return json.dumps(json.loads(text))
    except ValueError:
        return ""
