"""What was typed before is walked with the arrows, and what is typed now comes back in the end."""

from __future__ import annotations

from rollstep.tui.widgets.earlier import Earlier


def test_there_and_back_with_what_was_typed() -> None:
    earlier = Earlier(("c", "b", "a"))
    earlier.begin("new")
    walked = [earlier.walk(by, text) for by, text in ((-1, "new"), (-1, "c"), (-1, "b"))]
    assert walked == ["c", "b", "a"]
    assert earlier.walk(-1, "a") is None
    assert [earlier.walk(1, text) for text in ("a", "b", "c")] == ["b", "c", "new"]
    assert earlier.walk(1, "new") is None


def test_one_that_was_changed_is_what_is_typed_now() -> None:
    earlier = Earlier(("b", "a"))
    earlier.begin("")
    assert earlier.walk(-1, "") == "b"
    assert earlier.walk(-1, "b and more") == "b"
    assert earlier.walk(1, "b") == "b and more"


def test_what_stands_there_already_is_passed_over() -> None:
    earlier = Earlier(("b", "a"))
    earlier.begin("b")
    assert earlier.walk(-1, "b") == "a"


def test_arrows_are_for_completions_where_these_are_chosen_or_more_is_typed() -> None:
    earlier = Earlier(("a",))
    earlier.begin("")
    assert earlier.takes(-1, "", choosing=False, offers=True)
    assert not earlier.takes(1, "", choosing=False, offers=True)
    assert not earlier.takes(-1, "", choosing=True, offers=True)
    assert not earlier.takes(-1, "t", choosing=False, offers=True)
    assert earlier.takes(-1, "t", choosing=False, offers=False)
    earlier.walk(-1, "")
    assert earlier.takes(1, "a", choosing=False, offers=True)
    assert not Earlier().takes(-1, "", choosing=False, offers=False)
