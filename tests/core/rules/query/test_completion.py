"""What is offered while a query is typed. ``|`` stands for the cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.rules.query.completion import completions
from rollstep.core.rules.query.parsing import QueryError, parse
from rollstep.core.rules.query.step_fields import STEPS

from tests.strategies import texts

from .test_language import _words

VALUES: dict[str, list[str | int | float | bool | None]] = {
    "tool": ["issue_refund", "get order"],
    "args/amount": [49.5, "4471", "true"],
    "model": ["gpt"],
}


def offered(text: str) -> list[str]:
    """What the text would be with each completion, the likeliest first."""
    cursor = text.index("|")
    text = text.replace("|", "")
    found = completions(text, cursor, STEPS, VALUES)
    return [text[: each.start] + each.replacement + text[each.end :] for each in found]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("|", ["role", "kind", "tool"]),
        ("to|", ["tool", "tokens", "stop"]),
        ("tu|rn = 2", []),
        ("am|", ["args/amount"]),
        ("args/am|", ["args/amount"]),
        ("tool |", ["tool =", "tool !=", "tool :", "tool ~"]),
        ("turn <|", ["turn <="]),
        ("failure |", ["failure =", "failure !=", "failure and", "failure or"]),
        ("tool = |", ["tool = issue_refund", 'tool = "get order"']),
        ("tool = is|", ["tool = issue_refund"]),
        ("tool =ref|", ["tool =issue_refund"]),
        ('tool = "get|', ['tool = "get order"']),
        ("role != t|", ["role != target", "role != tool"]),
        ("kind = reply and role = ev|", ["kind = reply and role = evaluator"]),
        ("failure = |", ["failure = true", "failure = false"]),
        ("args/amount > |", ["args/amount > 49.5", 'args/amount > "4471"']),
        ("stop = max|", ["stop = max_turns", "stop = max_steps"]),
        ("late |", ["late =", "late !=", "late and", "late or"]),
        ("turn = 2 |", ["turn = 2 and", "turn = 2 or", "turn = 2 role"]),
        ("turn = 2 o|", ["turn = 2 or", "turn = 2 origin"]),
        ("(late) a|", ["(late) and", "(late) args"]),
        ("not l|", ["not late"]),
        ('"some text|', []),
        ("tol = x an|d late", []),
    ],
)
def test_what_is_offered(text: str, first: list[str]) -> None:
    found = offered(text)
    if first:
        assert found[: len(first)] == first
    assert text.replace("|", "") not in found


def test_every_completion_says_what_it_is() -> None:
    for text in ("", "tool ", "failure = 1 "):
        assert all(each.words for each in completions(text, len(text), STEPS))


@given(texts | st.lists(_words, max_size=8).map(" ".join), st.integers(-1, 40))
def test_completing_never_fails_and_stays_in_the_text(text: str, cursor: int) -> None:
    for each in completions(text, cursor, STEPS, VALUES):
        assert 0 <= each.start <= each.end <= len(text)


@pytest.mark.parametrize("start", ["", "late ", "not ", "(", "late or "])
def test_what_is_offered_can_be_typed_on_to_a_query(start: str) -> None:
    for field in completions(start, len(start), STEPS, VALUES):
        text = start + field.replacement
        if field.replacement not in (*STEPS.names(), *VALUES):
            continue
        for op in completions(f"{text} ", len(text) + 1, STEPS, VALUES)[:1]:
            text = f"{text} {op.replacement} "
            for value in completions(text, len(text), STEPS, VALUES)[:3]:
                whole = text + value.replacement + (")" if start == "(" else "")
                try:
                    parse(whole, STEPS)
                except QueryError as error:
                    pytest.fail(f"{whole}: {error}")
