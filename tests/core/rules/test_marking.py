"""A mark changes in what is said of it, and in nothing else."""

from __future__ import annotations

import pytest
from rollstep.core.model.marks import Mark
from rollstep.core.rules.marking import MarkChange, changed, mark_of

OLD = Mark("s1", verdict="accept", rating=4, tags=("a",), note="fine", by="ana", at=1.0)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (MarkChange(verdict="reject"), Mark("s1", "reject", 4, ("a",), "fine", None, "ana", 9.0)),
        (MarkChange(verdict=None), Mark("s1", None, 4, ("a",), "fine", None, "ana", 9.0)),
        (MarkChange(rating=5), Mark("s1", "accept", 5, ("a",), "fine", None, "ana", 9.0)),
        (MarkChange(tag="b"), Mark("s1", "accept", 4, ("a", "b"), "fine", None, "ana", 9.0)),
        (MarkChange(toggle_tag="a"), Mark("s1", "accept", 4, (), "fine", None, "ana", 9.0)),
        (MarkChange(note=""), Mark("s1", "accept", 4, ("a",), "", None, "ana", 9.0)),
        (MarkChange(train=False), Mark("s1", "accept", 4, ("a",), "fine", False, "ana", 9.0)),
    ],
)
def test_what_is_changed(change: MarkChange, expected: Mark) -> None:
    assert changed(OLD, change, 9.0) == expected


def test_what_is_said_again_changes_nothing_but_a_verdict_is_given_anew() -> None:
    """A verdict stands for what is seen when it is given."""
    assert changed(OLD, MarkChange(rating=4, tag="a"), 9.0) is OLD
    assert changed(OLD, MarkChange(verdict="accept"), 9.0).at == 9.0


def test_each_person_has_a_mark_of_their_own() -> None:
    assert mark_of((OLD,), "s1", "ana") == OLD
    assert mark_of((OLD,), "s1", "mira") == Mark("s1", by="mira")
    assert mark_of((OLD,), "s2", "ana") == Mark("s2", by="ana")


def test_the_words() -> None:
    assert MarkChange(verdict="reject", note="x", tag="b").words == "rejected, note, tag b"
    assert MarkChange(rating=None, train=False).words == "no rating, not trained on"
