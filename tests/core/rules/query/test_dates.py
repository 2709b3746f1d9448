"""A date in a query is one, or the beginning of one: another would never hold."""

from __future__ import annotations

import pytest
from rollstep.core.rules.query.completion import completions
from rollstep.core.rules.query.nodes import Compare, QueryError
from rollstep.core.rules.query.parsing import parse
from rollstep.core.rules.query.rollout_fields import ROLLOUTS


@pytest.mark.parametrize("value", ["22:01", '"22:01"', "yesterday", "30", "2026-1-2", "true"])
def test_what_is_no_date_is_refused(value: str) -> None:
    with pytest.raises(QueryError, match="updated is a date: 2026-11-29 or"):
        parse(f"updated > {value}", ROLLOUTS)


@pytest.mark.parametrize("value", ["2026", "2026-11-29", "2026-11-29T22:01", '"2026-11-29 22:01"'])
def test_dates_and_their_beginnings_are_texts(value: str) -> None:
    node = parse(f"updated > {value}", ROLLOUTS)
    assert isinstance(node, Compare)
    assert node.value == value.strip('"')
    parse("updated:22:01", ROLLOUTS)


def test_what_is_completed_occurs_in_the_library() -> None:
    (offered,) = completions("tag = re", 8, ROLLOUTS, {"tag": ("refund",)})
    assert offered.words == "in this library"
