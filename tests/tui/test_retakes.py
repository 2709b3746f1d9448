"""What r says of a step: who is asked, of what, what it costs."""

from __future__ import annotations

import msgspec
import pytest
from rollstep.core.model.project import (
    HumanEvaluator,
    HumanSimulator,
    LlmTarget,
    Project,
    PythonTarget,
)
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.retakes import Anew, asked_anew, cost_words, settings, title

from .synthetic import project, refund

MODEL = LlmTarget("openai/gpt-4.1-mini", params='{"temperature": 0.30}')


def at(index: int, shown: Project | None = None) -> DebuggerModel:
    """The refund rollout, with the cursor on a step, of a project of one's own."""
    snapshot = refund("s12")
    model = DebuggerModel(snapshot._replace(projects=(shown or project(),)))
    model.jump(index)
    return model


def anew(model: DebuggerModel) -> Anew:
    found = asked_anew(model)
    assert isinstance(found, Anew)
    return found


def test_each_kind_of_step_is_asked_of_who_made_it() -> None:
    assert title(at(1), anew(at(1))) == "Ask the script anew: step 2, target reply"
    result = title(at(7), anew(at(7)))
    assert result.startswith("Ask the rules anew: step 8, result of check_policy(order_id=")
    assert title(at(11), anew(at(11))) == (
        "Ask the script anew: step 12, stop, or a message in its place"
    )


@pytest.mark.parametrize(
    ("index", "changes", "words"),
    [
        (0, {}, "the project's opening message"),
        (5, {"evaluator": HumanEvaluator()}, "You play the evaluator. e writes another."),
        (7, {"tool_simulator": HumanSimulator()}, "You play the tool simulator"),
        (7, {"tool_simulator": None}, "Nobody plays the tool simulator"),
        (6, {"max_steps_per_turn": 1}, ""),
        (8, {"max_steps_per_turn": 1}, "A rule ends it here"),
    ],
)
def test_where_nobody_is_asked_it_says_who_can(
    index: int, changes: dict[str, object], words: str
) -> None:
    found = asked_anew(at(index, msgspec.structs.replace(project(), **changes)))
    assert isinstance(found, Anew) if not words else words in str(found)


def test_what_takes_cost_is_said_before() -> None:
    model = at(1)
    assert cost_words(model, anew(model), 3) == "Offline and free."
    live = at(1, msgspec.structs.replace(project(), target=MODEL))
    assert cost_words(live, anew(live), 3) == (
        "3 calls to gpt-4.1-mini: live, may cost money, about $0.0006 if each costs what this "
        "step did."
    )
    assert "about" not in cost_words(live, anew(live), 1, "openai/large")
    own = at(1, msgspec.structs.replace(project(), target=PythonTarget("mine:reply")))
    assert cost_words(own, anew(own), 1) == "1 call of mine:reply, your own code."


def test_the_fields_hold_what_the_project_says() -> None:
    live = at(1, msgspec.structs.replace(project(), target=MODEL))
    assert settings(live, "target") == ("openai/gpt-4.1-mini", "0.3")
    assert settings(live, "evaluator") == ("", "")
