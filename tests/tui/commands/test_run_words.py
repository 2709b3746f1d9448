"""How a run goes and how it went, in words."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable
from pathlib import Path

import pytest
from rollstep.core.budget import RunBudget
from rollstep.core.formats.turn_records import Records
from rollstep.core.jobs import Done, Job
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.rules.limits import Limits
from rollstep.core.runs import Run, RunRecord
from rollstep.tui.commands.run_output import RunOutput
from rollstep.tui.commands.run_words import (
    Tally,
    clock,
    progress_words,
    summary_lines,
    summary_of,
)


class Kept:
    """A library that keeps nothing."""

    def keep(self, kind: str, name: str, body: bytes) -> None:
        pass

    def kept(self, kind: str) -> dict[str, bytes]:
        return {}

    def held(self, rollout_ids: Iterable[str]) -> set[str]:
        return set()


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
LIBRARY = Path("l.sqlite")
INTERRUPTED = "interrupted"


def said_of(
    folder: Path, *outcomes: tuple[str, str], library: Path | None = LIBRARY, live: bool = False
) -> str:
    """What the end of a run says; of one that is interrupted, where it is ``INTERRUPTED``."""
    errors = io.StringIO()
    run = None if library is None else Run(Kept(), "key", RunRecord("salt"), again=False)
    output = RunOutput(folder, len(outcomes), library, run)
    output.budget = RunBudget(Limits(None, None)) if live else None
    ended = contextlib.suppress(KeyboardInterrupt)
    with contextlib.redirect_stderr(errors), ended, output:
        for status, reason in outcomes:
            if status == INTERRUPTED:
                raise KeyboardInterrupt
            whole, parked = status == "ended", status == "parked"
            records = Records(b"", 0, 0)
            output.done(
                Done(JOB, "r1", records, whole, "why", parked, status=status, reason=reason)
            )
        output.tell()
        output.tell_kept()
    return errors.getvalue()


@pytest.mark.parametrize(
    ("outcome", "with_a_library", "without"),
    [
        (ENDED, "names the rollouts; to open the first", None),
        (("failed", "rate"), "--retry-failed tries them again", None),
        (("parked", "breakpoint"), "open the first and go on with c", "was not kept"),
        (("parked", "limit"), "open the first and go on with c", "was not kept"),
        (("parked", "flags"), "open the first and look at its flag", "was not kept"),
        (("parked", "your move"), "and write its next step with w", "was not kept"),
        (("left", "played elsewhere"), "1 rollout left to others; --resume", None),
    ],
)
def test_what_can_be_done_about_it_is_said_where_it_can_be_done(
    tmp_path: Path, outcome: tuple[str, str], with_a_library: str, without: str | None
) -> None:
    said = said_of(tmp_path, outcome, live=True)
    assert with_a_library in said
    assert "not started" not in said
    said = said_of(tmp_path, outcome, library=None)
    assert with_a_library not in said or outcome[0] == "left"
    assert "--retry-failed" not in said
    assert without is None or without in said


def test_an_interrupted_run_says_how_far_it_came_and_how_it_goes_on_if_it_can(
    tmp_path: Path,
) -> None:
    said = said_of(tmp_path, ENDED, (INTERRUPTED, ""))
    assert said.startswith("interrupted: 1 of 2 rollouts came out\n")
    assert "the same command with --resume goes on" in said
    said = said_of(tmp_path, ENDED, (INTERRUPTED, ""), library=None)
    assert "--resume" not in said
    assert "what had not come out was not kept; with --library FILE" in said


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
