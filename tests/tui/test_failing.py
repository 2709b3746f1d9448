"""Each kind of failure says which keys help."""

from __future__ import annotations

import pytest
from rollstep.core.model.failures import REMEDIES
from rollstep.core.model.steps import Attempt
from rollstep.tui.failing import in_a_line, what_now
from rollstep.tui.tail import failed_lines


def words(kind: str, partial: str = "") -> str:
    return what_now(Attempt("a", None, "target", kind, "It failed.", partial=partial))


@pytest.mark.parametrize("kind", [*REMEDIES, "one of somebody's own"])
def test_whatever_the_kind_it_can_be_written_by_hand_or_stopped(kind: str) -> None:
    assert words(kind).endswith("w writes it by hand; 0 stops")
    assert words(kind, "Half").endswith("w goes on from what had arrived; 0 stops")


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        ("network", "s retries; r asks another model;"),
        ("rate", "s retries, after a while; r asks another model;"),
        ("quota", "s retries; r asks another model;"),
        ("context", "e edits what it is sent; r asks another model;"),
        ("raised", "s retries; e edits what it is sent;"),
    ],
)
def test_the_likeliest_comes_first(kind: str, first: str) -> None:
    assert words(kind).startswith(first)


@pytest.mark.parametrize(("kind", "head"), [("cancelled", "cancelled"), ("network", "failed")])
def test_what_a_human_cancelled_is_not_said_to_have_failed(kind: str, head: str) -> None:
    lines = failed_lines(Attempt("a", None, "target", kind, "Words.", partial="Half"), 60)
    assert [line.text for line in lines[:3]] == [head, "Words.", "Half"]


def test_where_no_pane_shows_it_the_line_says_which_key_asks_again() -> None:
    words = "Your account is out of credit. Nothing was lost."
    assert in_a_line(words, "quota", "retake") == f"{words} r asks again."
    assert in_a_line(words, "rate", "retake") == f"{words} r asks again."
    assert in_a_line(words, "context", "retake") == words
    assert in_a_line(words, "quota", "step") == words, "the pane has the keys"
