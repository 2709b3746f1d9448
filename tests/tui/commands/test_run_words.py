"""How a run goes and how it went, in words."""

from __future__ import annotations

import pytest
from rollstep.core.formats.turn_records import Records
from rollstep.core.jobs import Done, Job
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.tui.commands.run_words import (
    Tally,
    clock,
    progress_words,
    summary_lines,
    summary_of,
)

JOB = Job(Project("t", EchoTarget(), HeuristicEvaluator()))


def tally(*outcomes: tuple[str, str], before: int = 0, dollars: float = 0.0) -> Tally:
    found = Tally()
    for number, (status, reason) in enumerate(outcomes):
        records = Records(b"", 3, 3)
        earlier = number < before
        found.add(
            Done(
                *(JOB, "r", records, status == "ended"),
                status=status,
                reason=reason,
                before=earlier,
                dollars=dollars,
                tokens=100 if dollars else 0,
            )
        )
    return found


ENDED = ("ended", "goal_reached")


def test_a_line_says_how_far_how_fast_what_went_wrong_what_it_cost_and_what_is_left() -> None:
    found = tally(*[ENDED] * 7, ("parked", "breakpoint"), ("failed", "rate"), ENDED, dollars=0.01)
    assert progress_words(found, 40, 5.0, bar=True) == (
        "rollouts [#####---------------] 10/40  2.0/s  1 parked  1 failed  $0.10  0:15 left"
    )
    assert progress_words(found, 40, 5.0, bar=False) == (
        "10 of 40 rollouts, 30 records, 2.0/s, 1 parked, 1 failed, $0.10, 0:15 left"
    )


def test_what_an_earlier_run_had_finished_makes_this_one_no_faster() -> None:
    found = tally(*[ENDED] * 10, before=8)
    assert "2.0/min" in progress_words(found, 20, 60.0, bar=True)
    assert "5:00 left" in progress_words(found, 20, 60.0, bar=True)
    assert "left" not in progress_words(tally(*[ENDED] * 3, before=3), 20, 60.0, bar=True)


def test_the_table_counts_by_outcome_the_most_first() -> None:
    outcomes = [("failed", "rate"), ENDED, ("ended", "max_turns"), ENDED, ("parked", "your move")]
    found = tally(*outcomes, before=2)
    found.add(Done(JOB, "", Records(b"", 0, 0), False, "no money", started=False))
    assert summary_lines(found, 61.0) == [
        "  ended   2  goal_reached",
        "  ended   1  max_turns",
        "  parked  1  your move",
        "  failed  1  rate",
        "  left    1  budget",
        "  all     6  15 turns, in 1:01, 2 of them finished before",
    ]


def test_what_a_model_says_in_a_reason_stays_on_its_line() -> None:
    (line, _) = summary_lines(tally(("ended", "a\x1b[31m\nb")), 1.0)
    assert "\n" not in line
    assert "\x1b" not in line


def test_a_run_without_rollouts_has_a_table() -> None:
    assert summary_lines(Tally(), 0.0) == ["  all     0  0 turns, in 0:00"]
    assert summary_of(Tally(), 0.0)["outcomes"] == []


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0:00"), (59.6, "1:00"), (754, "12:34"), (11045, "3:04:05")]
)
def test_times(seconds: float, words: str) -> None:
    assert clock(seconds) == words
