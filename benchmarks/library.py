"""Budgets of the library: search over a million steps against a bare full-text query."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from rollstep.core.store.library import Library

from .report import Line, ratio
from .rollouts import NEEDLE, make

_PER_ROLLOUT = 10_000
_TEXT_BYTES = 200
_LIMIT = 100


def lines(folder: Path, *, steps: int, rounds: int) -> list[Line]:
    """Measure."""
    path = folder / "library.sqlite"
    with Library.open(path, durable=False) as library:
        for number in range(steps // _PER_ROLLOUT):
            make(library, f"r{number}", _PER_ROLLOUT, _TEXT_BYTES)
        at = time.perf_counter()
        library.index_pending()
        indexing = steps / (time.perf_counter() - at)
        bare = sqlite3.connect(path)
        query = "SELECT rowid FROM step_text WHERE step_text MATCH ? ORDER BY rowid DESC LIMIT ?"

        def search() -> int:
            return len(library.search(NEEDLE, _LIMIT))

        def query_barely() -> int:
            return len(bare.execute(query, (f'"{NEEDLE}"', _LIMIT)).fetchall())

        assert search() == query_barely() == min(_LIMIT, steps // _PER_ROLLOUT)
        ours, theirs = [], []
        for _ in range(rounds * 5):
            ours.append(_timed(search))
            theirs.append(_timed(query_barely))
        bare.close()
    return [
        Line(
            f"search over {steps:,} steps, against a bare full-text query",
            ratio(ours, theirs),
            2,
            detail=f"{median(ours):.2f} against {median(theirs):.2f} ms; "
            f"indexed {indexing:,.0f} steps/s",
        )
    ]


def _timed(what: Callable[[], object]) -> float:
    at = time.perf_counter()
    what()
    return (time.perf_counter() - at) * 1000
