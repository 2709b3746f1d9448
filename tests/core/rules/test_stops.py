"""Stop words and the message after the last turn."""

import pytest
from rollstep.core.model.messages import Payload, Stop, user_message
from rollstep.core.model.project import ScriptedEvaluator
from rollstep.core.rules.stepper import Ask
from rollstep.core.rules.stops import settle

from ..projects_for_tests import refund

ASK = Ask("evaluator", 1)


def with_words(match: str) -> object:
    return refund(evaluator=ScriptedEvaluator(stop_words=("###STOP###",), stop_match=match))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("match", "text", "stops"),
    [
        ("exact", "###STOP###", True),
        ("exact", "Thanks!\n ###STOP### ", True),
        ("exact", "Do not say ###STOP### yet", False),
        ("exact", "###stop###", False),
        ("contains", "ok ###STOP###.", True),
        ("contains", "ok", False),
    ],
)
def test_a_stop_word_counts_by_the_projects_rule(match: str, text: str, stops: bool) -> None:
    message = user_message(text)
    expected: Payload = Stop("goal_reached", "evaluator", text) if stops else message
    assert settle(message, ASK, with_words(match)) == expected  # type: ignore[arg-type]


def test_the_text_of_a_stop_message_is_kept_as_its_note() -> None:
    stop = settle(user_message("bye ###STOP###"), ASK, with_words("contains"))  # type: ignore[arg-type]
    assert isinstance(stop, Stop)
    assert stop.note == "bye ###STOP###"


def test_a_message_at_the_last_chance_is_not_sent() -> None:
    last = Ask("evaluator", 8, last_chance=True)
    assert settle(user_message("and?"), last, refund()) == Stop("max_turns", "rule", "and?")
    stop = Stop("goal_reached", "evaluator")
    assert settle(stop, last, refund()) == stop
