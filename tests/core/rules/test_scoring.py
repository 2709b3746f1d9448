from __future__ import annotations

import pytest
from rollstep.core.model.marks import Score
from rollstep.core.rules.scoring import failing, score_words, standing


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        *((0.0, "failed"), (0, "failed"), (-1.0, "failed"), ("I", "failed"), (" Fail ", "failed")),
        *((1.0, "passed"), (87.5, "passed"), ("C", "passed"), ("true", "passed")),
        *((0.4, ""), ("P", ""), (None, ""), ("critical", ""), ("NaN", "")),
    ],
)
def test_a_value_that_is_a_verdict(value: float | str | None, meant: str) -> None:
    assert standing(Score("s", value)) == meant


def test_the_first_verdict_of_each_judge_counts_and_not_its_parts() -> None:
    passed = Score("reward", 1.0, judge="tau2")
    part = Score("action: refund", 0.0, judge="tau2")
    helper = Score("nl assertion", 0.0, judge="tau2 judge")
    other = Score("tone", "fail", judge="style")
    assert failing([passed, part, helper]) is None
    assert failing([passed, part, other]) is other
    assert failing([part, passed]) is part


def test_a_score_that_says_nothing_is_passed_over() -> None:
    failed = Score("match", 0.0)
    assert failing([Score("length", 0.5), failed]) is failed
    assert failing([]) is None


def test_a_score_in_words_names_its_judge_once() -> None:
    assert score_words(Score("reward", 0.0, judge="tau2")) == "tau2 reward 0.0"
    assert score_words(Score("tau2 reward", 0.0, judge="tau2")) == "tau2 reward 0.0"
    assert score_words(Score("includes", "I")) == "includes I"
    assert score_words(Score("review", None, judge="tau2")) == "tau2 review without a value"
