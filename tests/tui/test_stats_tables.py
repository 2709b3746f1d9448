"""Tables of numbers: everything is named, and outside text acts on nothing."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rollstep.core.listing.stats import ModelStats, Spread, Stats, ToolStats
from rollstep.tui.stats_tables import stats_tables


def printed(stats: Stats, what: str = "") -> str:
    console = Console(file=StringIO(), width=100, highlight=False, markup=False, emoji=False)
    console.print(stats_tables(stats, what))
    file = console.file
    assert isinstance(file, StringIO)
    return file.getvalue()


def test_of_nothing_there_is_one_line() -> None:
    assert printed(Stats(), "turns>3").splitlines() == [
        "0 rollouts of turns>3: 0 steps, 0 edited, 0 tokens, $0.0000"
    ]


def test_all_tables() -> None:
    stats = Stats(
        rollouts=4,
        verdicts={"accept": 3, "none": 1},
        outdated=1,
        stops={"goal_reached": 4},
        turns=Spread(4, 10.0, 1.0, 2.5, 4.0),
        turns_by_count={1: 1, 4: 3},
        tools={"get_order": ToolStats(8, 2, 1), "\x1b[31m[red]": ToolStats(1)},
        edits={"target": 2},
        models={"openai/m": ModelStats(3, 1200, 0.25, 1, 6.0)},
        unknown_prices=1,
        failures={"rate": 2},
        scores={"reward": Spread(2, 1.5, 0.5, 0.75, 1.0)},
    )
    text = printed(stats)
    assert "\x1b" not in text
    assert "[red]" in text
    for words in (
        *("accept", "75%", "1 of them edited since", "goal_reached", "least 1, median 2.5"),
        *("get_order", "openai/m", "$0.2500 + 1 unknown", "2.0 s", "rate", "reward", "0.75"),
    ):
        assert words in text


def test_many_rows_are_cut_and_counted() -> None:
    stats = Stats(rollouts=50, stops={f"reason {n}": 1 for n in range(50)})
    text = printed(stats)
    assert "30 more" in text
    assert "reason 20" not in text
