"""The table of rollouts says by what it is sorted, and shows a rating where there is room."""

from __future__ import annotations

import pytest
from rollstep.core.listing.rollout_list import ORDERS, Order
from rollstep.tui.library.columns import COLUMNS, header, order_words, table


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_the_sign_of_the_order_is_seen_whole(column: object) -> None:
    assert "▲" in header(table(200), column.sort, False).text  # type: ignore[attr-defined]
    assert "turn▼" in header(table(200), "turns", True).text


@pytest.mark.parametrize("width", [60, 120, 200])
def test_an_order_that_no_column_shows_is_named(width: int) -> None:
    made = table(width)
    for by in ORDERS:
        signed = "▲" in header(made, by, False).text
        assert order_words(made, Order(by, False)) == ("" if signed else f"by {by} ▲")
    assert order_words(table(60), Order()) == ""


def test_a_wide_table_has_ratings() -> None:
    assert "rating" in header(table(120), "updated", True).text
