from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.formats.stop_words import without_stop_words
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import Stop, parts_text, target_reply, user_message
from rollstep.core.model.project import HeuristicEvaluator, HumanEvaluator

from .conftest import make_project, make_subject
from .reading_back import with_options, write

WORDS = ("###STOP###", "BYE")


def stopping(**fields: Any) -> Any:
    return make_project(evaluator=HeuristicEvaluator(stop_words=WORDS, **fields))


@pytest.mark.parametrize(
    ("match", "text", "left"),
    [
        ("exact", "###STOP###", ""),
        ("exact", "Thanks!\n###STOP### \n", "Thanks!"),
        ("exact", "a\nBYE\nb", "a\nb"),
        ("exact", "It says ###STOP### there.", "It says ###STOP### there."),
        ("contains", "Thanks! ###STOP###", "Thanks!"),
        ("contains", "a BYE b", "a  b"),
        ("contains", "bye", "bye"),
        ("exact", " spaces stay \n", " spaces stay \n"),
    ],
)
def test_words_go_by_the_projects_own_rule(match: str, text: str, left: str) -> None:
    message = user_message(text)
    found = without_stop_words(message, stopping(stop_match=match))
    assert parts_text(found.parts) == left
    assert (found is message) == (text == left)


def test_a_project_without_stop_words_changes_nothing() -> None:
    message = user_message("###STOP###")
    assert without_stop_words(message, make_project(evaluator=HumanEvaluator())) is message


@pytest.mark.parametrize("fmt", ["openai", "trl", "sharegpt"])
def test_they_are_left_out_where_asked_and_told(fmt: str) -> None:
    subject = make_subject(
        user_message("Hi.\nBYE"),
        target_reply("Hello."),
        user_message("###STOP###"),
        Stop("goal_reached", "evaluator"),
        project=stopping(),
    )
    asked = with_options(subject, strip_stop=True)
    assert "strip_stop" in FORMATS[fmt].heeds
    assert "stop words are left out (step 1, 3)" in report(asked, FORMATS[fmt]).notes
    row = json.loads(write(fmt, asked))
    texts = [m.get("content", m.get("value")) for m in row.get("messages") or row["conversations"]]
    assert texts[-2:] == ["Hi.", "Hello."]
