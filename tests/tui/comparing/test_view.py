"""A comparison as lines: what is marked, what is cut, and that only what is seen is made."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.messages import (
    Payload,
    TargetReply,
    Text,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.steps import Step
from rollstep.core.rules.compare import compare
from rollstep.tui.cells import cells
from rollstep.tui.comparing import view as compare_view
from rollstep.tui.comparing.lines import Line, row_lines, stretches
from rollstep.tui.comparing.view import CompareView

from ...strategies import payloads
from ..synthetic import HOSTILE, REFUND, call, chain

_ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def lines(left: Payload, right: Payload, width: int = 60, limit: int = 12) -> list[list[str]]:
    found = compare(chain((left,)), chain((right,)))
    sides = row_lines(found, found.rows[0], width, limit)
    return [[_marked(line) for line in side] for side in sides]


def _marked(line: Line) -> str:
    """The line with what is marked as different in brackets."""
    return "".join(f"[{text}]" if ":new" in style else text for text, style in line)


def test_the_words_that_differ_are_marked_on_their_side() -> None:
    old = tool_result("c", '{"refundable": false, "why": "30 days"}')
    new = tool_result("c", '{"refundable": true, "why": "30 days"}')
    assert lines(old, new) == [
        ["answers no call", '{"refundable": [false], "why": "30 days"}'],
        ["answers no call", '{"refundable": [true], "why": "30 days"}'],
    ]


def test_texts_that_have_little_in_common_are_marked_whole() -> None:
    old, new = user_message("Where is my order?"), user_message("Thanks, is all I say.")
    assert lines(old, new) == [["[Where is my order?]"], ["[Thanks, is all I say.]"]]


def test_a_call_that_only_one_side_makes_is_marked() -> None:
    old = target_reply("I look.", (call(1, "get_order", id=1),))
    new = target_reply("I look.", (call(9, "get_order", id=1), call(2, "stock")))
    assert lines(old, new)[1] == ["I look.", "> get_order(id=1)", "> [stock()]"]
    assert lines(old, new)[0] == ["I look.", "> get_order(id=1)"]


def test_arguments_that_are_only_written_otherwise_are_shown_as_they_came() -> None:
    old = target_reply("", (ToolCall("a", "get", '{"a": 1}'),))
    new = target_reply("", (ToolCall("a", "get", '{"a":1}'),))
    assert lines(old, new) == [['> get({"a":[ ]1})'], ['> get({"a":1})']]


def test_what_no_text_shows_is_said() -> None:
    old = TargetReply((Text("Yes."),), finish_reason="stop")
    new = TargetReply((Text("Yes."),), finish_reason="length")
    assert lines(old, new) == [
        ["Yes.", "finish: [stop]"],
        ["Yes.", "finish: [length]"],
    ]


def test_a_difference_deep_in_a_long_text_is_in_view_and_the_rest_is_counted() -> None:
    long = "Some words of a text. " * 50_000
    left, right = lines(user_message(f"{long} old {long}"), user_message(f"{long} new {long}"))
    assert re.match(r"… 1,0\d\d,\d{3} the same …", left[0])
    assert any("[old]" in line for line in left)
    assert any("[new]" in line for line in right)
    assert len(left) <= 12


@given(st.text(max_size=300), st.text(max_size=300), st.integers(170, 400))
def test_the_stretches_of_a_side_are_its_text_where_nothing_is_cut(
    left: str, right: str, most: int
) -> None:
    if max(len(left), len(right)) <= most:
        found = stretches(left, right, most)
        if not any("the same" in piece.text for piece in found):
            assert "".join(p.text for p in found if p.kind != "added") == left
            assert "".join(p.text for p in found if p.kind != "removed") == right


@given(payloads, payloads, st.integers(8, 40), st.integers(1, 6))
def test_no_line_is_wider_than_its_column_and_no_side_taller(
    left: Payload, right: Payload, width: int, limit: int
) -> None:
    found = compare(chain((left,)), chain((right,)))
    for side in row_lines(found, found.rows[0], width, limit):
        assert len(side) <= limit
        for line in side:
            assert sum(cells(text) for text, _ in line) <= width
            assert "\n" not in "".join(text for text, _ in line)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_part_of_a_comparison_acts_on_the_terminal(text: str) -> None:
    old = target_reply(text, (ToolCall("a", text, text),))
    new = target_reply(text + "!", (ToolCall("a", text, text + "!"),))
    for side in lines(old, new, 80):
        assert not _ACTING.search("".join(side))


# the view


def view_of(left: tuple[Step, ...], right: tuple[Step, ...], width: int = 100) -> CompareView:
    view = CompareView(compare(left, right))
    view.resize(width, 20)
    return view


def other_refund() -> tuple[Step, ...]:
    changed = list(REFUND)
    changed[7] = tool_result("c3", '{"refundable": true}')
    changed[10] = target_reply("You get 49.00 back.")
    return chain(tuple(changed), prefix="t")


def shown(view: CompareView) -> str:
    return "\n".join(row.text for row in view.rows())


def test_it_opens_at_the_first_difference_with_what_came_before_above_it() -> None:
    view = view_of(chain(REFUND), other_refund())
    assert view.cursor == 7
    text = shown(view)
    assert "8 S check_policy" in text
    assert "Sorry! Checking the policy." in text.split("8 S check_policy")[0]


def test_differences_are_walked_forth_and_back() -> None:
    view = view_of(chain(REFUND), other_refund())
    assert view.difference == 1
    assert view.to_difference(1)
    assert (view.cursor, view.difference) == (10, 2)
    assert not view.to_difference(1)
    assert view.to_block(-1)
    assert view.cursor == 7
    view.move(-1)
    assert view.difference == 0


def test_the_side_without_a_step_gives_way_to_the_other() -> None:
    view = view_of(chain(REFUND), chain(REFUND[:9]))
    view.to_side("right")
    view.move(99)
    assert view.place.side == "left"
    assert view.step is not None
    assert view.step.id == "s12"


@pytest.mark.parametrize("width", [40, 59, 60, 81, 160])
def test_a_click_finds_what_is_drawn_there(width: int) -> None:
    view = view_of(chain(REFUND), other_refund(), width)
    view.scroll(-999)
    for y, row in enumerate(view.rows()):
        number = re.match(r".?[ >]+(\d+) [ETS] ", row.text)
        if number:
            place = view.place_at(3, y)
            assert place is not None
            found = view.comparison.rows[place.row]
            assert int(number[1]) - 1 in (found.left, found.right)
    assert view.place_at(3, 999) is None
    for row in view.rows():
        assert cells(row.text) <= width


def test_moving_in_a_long_comparison_makes_the_lines_that_are_seen_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    payloads_ = tuple(user_message(f"message {number}") for number in range(5_000))
    other = tuple(user_message(f"message {number} again") for number in range(5_000))
    made = 0

    def counting(*given: object) -> object:
        nonlocal made
        made += 1
        return row_lines(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(compare_view, "row_lines", counting)
    view = view_of(chain(payloads_), chain(other, prefix="t"))
    view.move(2_500)
    view.rows()
    before = made
    view.move(1)
    view.rows()
    assert made - before <= 3
    assert before < 200
