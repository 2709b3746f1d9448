"""The last filters are kept, the newest first, each once."""

from __future__ import annotations

from pathlib import Path

from rollstep.core.listing.filter_history import MOST, earlier_filters, remember_filter
from rollstep.core.store.library import Library


def test_the_newest_come_first_each_once_and_not_too_many(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    with Library.open(path) as one, Library.open(path) as other:
        for number in range(MOST + 5):
            remember_filter(one if number % 2 else other, f"turns>{number}")
        remember_filter(one, "turns>20")
        remember_filter(one, "  ")
        found = earlier_filters(other)
    assert len(found) == MOST
    assert found[:3] == ("turns>20", f"turns>{MOST + 4}", f"turns>{MOST + 3}")
    assert found.count("turns>20") == 1
    assert "turns>4" not in found
