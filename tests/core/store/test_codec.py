import math

import pytest
from hypothesis import given
from rollstep.core.model.marks import Score
from rollstep.core.model.messages import user_message
from rollstep.core.model.project import Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Step
from rollstep.core.store.codec import STEP, Codec, encode

from tests import strategies as some


@given(some.steps())
def test_a_step_comes_back_exactly(step: Step) -> None:
    assert STEP.decode(encode(step)) == step


@given(some.projects)
def test_a_project_comes_back_exactly(project: Project) -> None:
    assert Codec(Project).decode(encode(project)) == project


@pytest.mark.parametrize("text", ["\ud83d\ude00", "a\ud800b", "😀\ud83d\ude00😀"])
def test_surrogates_are_neither_lost_nor_merged(text: str) -> None:
    step = Step("s", None, "evaluator", user_message(text), "human")
    again = STEP.decode(encode(step))
    assert [*again.payload.parts[0].text] == [*text]


def test_integers_of_any_size_are_kept() -> None:
    header = RolloutHeader("r", "\ud800", seed=2**200)
    assert Codec(RolloutHeader).decode(encode(header)) == header


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_score_that_is_no_number_is_not_turned_into_none(value: float) -> None:
    again = Codec(Score).decode(encode(Score("reward", value)))
    assert repr(again.value) == repr(value)


@pytest.mark.parametrize("data", [b"", b"{", b'{"id":1}', b"\xff"])
def test_what_is_no_step_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        STEP.decode(data)
