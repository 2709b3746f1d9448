"""Why a run stopped: said until the next thing happens."""

from __future__ import annotations

import pytest
from rollstep.core.events import HeadMoved, Paused
from rollstep.tui.bars import hint_words
from rollstep.tui.presenter import DebuggerModel

from .synthetic import refund

WHY = 'breakpoint 1 "policy" at step 8: tool = check_policy'


def test_what_stopped_a_run_is_said_wherever_the_cursor_goes_until_the_head_moves_on() -> None:
    model = DebuggerModel(refund(head="s7"))
    model.apply_all([HeadMoved("s8"), Paused(WHY)])
    assert model.step_id == "s8"
    assert hint_words(model) == (WHY + "; c goes on", "warn")
    model.move(-3)
    assert hint_words(model) == (WHY + "; c goes on", "warn")
    model.apply(HeadMoved("s9"))
    assert WHY not in hint_words(model)[0]


def test_a_rollout_that_waits_opens_with_its_reason() -> None:
    model = DebuggerModel(refund()._replace(notice="parked: " + WHY))
    assert hint_words(model) == ("parked: " + WHY + "; c goes on", "warn")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (
            "the same exchange 3 times",
            "Paused: the same exchange 3 times; s or c goes on all the same",
        ),
        ("$5.00 of $5.00 spent", "Paused: $5.00 of $5.00 spent; s or c goes on all the same"),
        (
            "the next step may cost $0.02 and $0.01 is left",
            "Paused: the next step may cost $0.02 and $0.01 is left; s or c makes it all the same",
        ),
        ("paused by you", "paused by you"),
    ],
)
def test_a_limit_says_how_to_go_on(words: str, hint: str) -> None:
    model = DebuggerModel(refund(head="s7"))
    model.apply_all([HeadMoved("s8"), Paused(words)])
    assert hint_words(model)[0] == hint
