"""The path of a branch by index, and where each line of it stands."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.messages import target_reply, tool_result, user_message
from rollstep.core.rules.stepper import fold
from rollstep.tui.layout import TOP, Anchor
from rollstep.tui.panes import PaneView
from rollstep.tui.path import BAND_STEPS, Path
from rollstep.tui.presenter import DebuggerModel

from .synthetic import REFUND, big, call, chain, refund


def test_turns_bands_and_the_calls_that_results_answer() -> None:
    path = Path(chain(REFUND))
    assert path.turn == [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3]
    assert [band.kind for band in path.bands] == ["turn", "turn", "turn", "stop"]
    assert path.call[2].name == "get_order"
    assert path.call[7].name == "check_policy"
    assert path.tokens[-1] == 5 * 230
    assert path.stop is not None


@pytest.mark.parametrize("index", range(-1, len(REFUND)))
def test_the_position_at_any_step_is_that_of_the_steppers_fold(index: int) -> None:
    steps = chain(REFUND)
    assert Path(steps).position(index) == fold(steps[: index + 1])


def test_positions_asked_in_any_order_agree() -> None:
    steps = chain(REFUND)
    path = Path(steps)
    for index in (7, 3, 11, 0, -1, 8):
        assert path.position(index) == fold(steps[: index + 1])


def test_a_turn_of_many_steps_is_cut_into_bands() -> None:
    calls = tuple(call(i, "get_order") for i in range(100))
    steps = chain(
        (user_message("hi"), target_reply("", calls), *(tool_result(c.id, "x") for c in calls))
    )
    path = Path(steps)
    assert all(band.end - band.first <= BAND_STEPS for band in path.bands)
    assert [band.kind for band in path.bands][:2] == ["turn", "more"]
    assert path.turns == 1


def _view(model: DebuggerModel, width: int = 120, height: int = 20) -> PaneView:
    view = PaneView(model)
    view.resize(width, height, narrow=width < 100)
    view.show_cursor()
    return view


def test_turns_line_up_and_lanes_stack_their_own_steps() -> None:
    model = DebuggerModel(refund())
    _view(model)
    box = model.layout.box(0)
    tops = {item: top for item, (top, _) in box.spans.items()}
    assert tops[0] == tops[1] == tops[2] == 1
    assert tops[3] > tops[2]
    assert box.height == 1 + max(len(lane) for lane in box.lanes)


def test_the_end_of_ten_thousand_steps_measures_one_screenful() -> None:
    model = DebuggerModel(big(10_000))
    view = PaneView(model)
    view.resize(120, 45, narrow=False)
    model.jump(len(model.path) - 1)
    view.show_cursor()
    assert len(model.layout._boxes) < 30
    places = model.layout.rows(view.anchor, view.height)
    assert len(places) == view.height
    assert places[-1].band == len(model.bands()) - 1


@given(
    st.lists(st.integers(-40, 40), max_size=30),
    st.sampled_from((30, 80, 120, 200)),
    st.integers(4, 60),
)
def test_wherever_one_scrolls_the_view_is_full_and_the_cursor_can_be_shown(
    moves: list[int], width: int, height: int
) -> None:
    model = DebuggerModel(big(120))
    view = _view(model, width, height)
    for move in moves:
        view.scroll(move)
        assert len(model.layout.rows(view.anchor, view.height)) == view.height
        model.move(move)
        view.show_cursor()
        places = model.layout.rows(view.anchor, view.height)
        band = model.band_of(model.cursor)
        top = model.layout.box(band).spans[model.cursor][0]
        assert Anchor(band, top) in places


def test_scrolling_down_and_back_up_is_the_same_place() -> None:
    model = DebuggerModel(big(400))
    view = _view(model)
    view.anchor = TOP
    view.scroll(100)
    there = view.anchor
    view.scroll(37)
    view.scroll(-37)
    assert view.anchor == there


def test_every_line_of_every_step_is_shown_once_and_in_order() -> None:
    model = DebuggerModel(refund())
    view = _view(model, height=200)
    lanes: list[list[tuple[int, int]]] = [[], [], []]
    for band, line in model.layout.rows(TOP, 10_000):
        box = model.layout.box(band)
        for lane, items in enumerate(box.lanes):
            if 0 <= line - box.head < len(items):
                lanes[lane].append(items[line - box.head])
    assert all(lane == sorted(lane) for lane in lanes)
    assert max(Counter(item for lane in lanes for item in lane).values()) == 1
    assert view.item_at(1, 2) == 1
    assert view.item_at(2, 2) == 2
