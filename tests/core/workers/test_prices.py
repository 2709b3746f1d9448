"""Prices are read from the table that litellm ships, one entry at a time."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.model.steps import Usage
from rollstep.core.workers import prices
from rollstep.core.workers.prices import price_of, takes_schemas


def table() -> dict[str, dict[str, Any]]:
    found = find_spec("litellm")
    assert found is not None
    assert found.origin is not None
    read: dict[str, dict[str, Any]] = json.loads(
        Path(found.origin).with_name(prices._TABLE).read_text("utf-8")
    )
    return read


def test_an_entry_that_is_found_in_the_text_is_the_entry_of_the_table() -> None:
    whole = table()
    names = [*list(whole)[::40], "gpt-4.1-mini"]
    assert [name for name in names if prices._entry(name) != whole[name]] == []
    assert prices._entry("max_tokens") is None, "a field of a model is no model"


def test_a_price_is_found_with_the_provider_and_without_and_is_unknown_else() -> None:
    price = price_of("openai/gpt-4.1-mini")
    entry = table()["gpt-4.1-mini"]
    assert price is not None
    assert (price.prompt, price.completion) == (
        entry["input_cost_per_token"],
        entry["output_cost_per_token"],
    )
    assert price.most_completion_tokens == entry["max_output_tokens"]
    assert price.cost(Usage(10, 5, 0, 4)) == pytest.approx(
        6 * price.prompt + 4 * price.cached + 5 * price.completion
    )
    assert price_of("openai/nobody-knows-this") is None
    assert price_of("") is None


def test_a_table_without_blanks_is_read_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec = find_spec("litellm")
    assert spec is not None
    (tmp_path / prices._TABLE).write_text(
        json.dumps(
            {"m": {"input_cost_per_token": 1.0, "output_cost_per_token": 2.0}},
            separators=(",", ":"),
        ),
        "utf-8",
    )
    spec.origin = str(tmp_path / "__init__.py")
    monkeypatch.setattr(prices, "find_spec", lambda name: spec)
    prices._table.cache_clear()
    price_of.cache_clear()
    try:
        price = price_of("openai/m")
        assert price is not None
        assert (price.prompt, price.completion) == (1.0, 2.0)
    finally:
        prices._table.cache_clear()
        price_of.cache_clear()


def test_which_models_can_be_held_to_a_schema() -> None:
    assert takes_schemas("openai/gpt-4.1-mini")
    assert not takes_schemas("openai/gpt-3.5-turbo")
    assert not takes_schemas("openai/of-my-own")
