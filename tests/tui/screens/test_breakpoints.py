"""The dialog of breakpoints: suggestions, what is set, and conditions being typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rollstep.core.model.debugging import Breakpoint
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.screens.breakpoint_types import BreaksRequest, BreaksResult
from rollstep.tui.screens.breakpoints import BreakpointsScreen
from rollstep.tui.screens.key_guard import KeyGuard
from textual.events import Paste
from textual.pilot import Pilot

from ...screen_text import screen_text
from ..synthetic import big, refund
from .hosting import NARROW, NOTHING, WIDE, Host, settle, type_text, wait_for

SET = (
    Breakpoint("kind = result and tool = check_policy", name="policy", ignore=2),
    Breakpoint('text : "40 days"', enabled=False, once=True),
    Breakpoint("role = target and turn > 1", before=True),
)


class Hosted:
    """The dialog over a model, with what it asked for kept."""

    def __init__(self, breakpoints: tuple[Breakpoint, ...] = (), *, to_run: bool = False) -> None:
        self.model = DebuggerModel(refund()._replace(breakpoints=breakpoints, hits=(3, 0, 1)))
        self.past: list[tuple[Breakpoint, ...]] = []
        request = BreaksRequest(self.model, self._change, self._undo, to_run)
        self.screen = BreakpointsScreen(request)
        self.app = Host(self.screen)

    def _change(self, breakpoints: tuple[Breakpoint, ...], then: Callable[[], None]) -> None:
        self.past.append(self.model.breakpoints)
        self.model.breakpoints = breakpoints
        self.app.call_later(then)

    def _undo(self) -> str:
        self.model.breakpoints = self.past.pop()
        self.app.call_later(self.screen.news)
        return ""

    @property
    def queries(self) -> list[str | None]:
        return [each.when for each in self.model.breakpoints]


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_dialog(same_screen: Callable[..., None], size: tuple[int, int]) -> None:
    """What to stop at for a result of check_policy, with digits; # in front of what is set. Below,
    the breakpoints with box, name, condition, before or once, hits, and at how many steps.
    """
    hosted = Hosted(SET)
    async with hosted.app.run_test(size=size) as pilot:
        await settle(pilot)
        same_screen(hosted.app)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_condition_being_typed(
    same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Completions with what they mean, one of them chosen, and what is wrong so far."""
    hosted = Hosted(SET)
    async with hosted.app.run_test(size=size) as pilot:
        await pilot.press("a")
        await type_text(pilot, "kind = result and t")
        await settle(pilot)
        same_screen(hosted.app)


async def test_enter_sets_the_first_suggestion_and_again_takes_it_away() -> None:
    hosted = Hosted()
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("enter")
        await wait_for(pilot, lambda: hosted.app.result is not NOTHING)
    assert hosted.queries == ["kind = result and tool = check_policy"]
    assert "Breakpoint 1: results of check_policy." in hosted.app.result.words
    again = Hosted(hosted.model.breakpoints)
    async with again.app.run_test(size=WIDE) as pilot:
        await pilot.press("enter")
        await wait_for(pilot, lambda: again.app.result is not NOTHING)
    assert again.queries == []
    assert "Removed" in again.app.result.words


async def test_digits_set_and_take_back_and_the_dialog_stays() -> None:
    hosted = Hosted()
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("2", "6", "2")
        await settle(pilot)
        assert hosted.queries == ["failure"]
        assert hosted.app.result is NOTHING
        await pilot.press("escape")
        assert hosted.app.result is None


async def _down_to_the_breakpoints(pilot: Pilot[None], hosted: Hosted) -> None:
    await pilot.press("end", *["k"] * (len(hosted.model.breakpoints) - 1))


async def test_keys_change_the_breakpoint_under_the_cursor() -> None:
    hosted = Hosted(SET)
    async with hosted.app.run_test(size=WIDE) as pilot:
        assert "Enter set, close" in screen_text(pilot.app)
        await _down_to_the_breakpoints(pilot, hosted)
        assert "Enter edit" in screen_text(pilot.app)
        await pilot.press("space", "o", "B")
        first = hosted.model.breakpoints[0]
        assert (first.enabled, first.once, first.before) == (False, True, True)
        await pilot.press("u", "u", "u")
        assert hosted.model.breakpoints == SET
        await pilot.press("u")
        assert "Nothing was changed here yet." in screen_text(pilot.app)
        await pilot.press("j", "minus")
        assert hosted.queries == [SET[0].when, SET[2].when]


async def test_query_name_and_ignore_count_are_typed() -> None:
    hosted = Hosted(SET)
    async with hosted.app.run_test(size=WIDE) as pilot:
        await _down_to_the_breakpoints(pilot, hosted)
        await pilot.press("e")
        await type_text(pilot, " and failure")
        await pilot.press("enter", "n")
        await type_text(pilot, " again")
        await pilot.press("enter", "i", "backspace", "1", "x", "enter", "backspace", "enter")
        await settle(pilot)
        first = hosted.model.breakpoints[0]
        assert first.when == "kind = result and tool = check_policy and failure"
        assert (first.name, first.ignore) == ("policy again", 1)


async def test_bad_words_are_said_with_their_column_and_enter_takes_them_not() -> None:
    hosted = Hosted()
    async with hosted.app.run_test(size=NARROW) as pilot:
        await pilot.press("a")
        await type_text(pilot, "turn > 1 tol = x")
        await pilot.press("enter")
        await settle(pilot)
        assert "column 10: no field 'tol'; did you mean tool?" in screen_text(pilot.app)
        assert hosted.model.breakpoints == ()
        await pilot.press("escape", "escape")
        assert hosted.app.result is None


async def test_tab_completes_and_it_says_where_the_condition_holds() -> None:
    hosted = Hosted()
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("a")
        await type_text(pilot, "to")
        await pilot.press("tab")
        await type_text(pilot, "= chec")
        await pilot.press("tab")
        await settle(pilot)
        assert "Holds at 2 steps of this branch: 7, 8" in screen_text(pilot.app)
        await pilot.press("enter")
        await wait_for(pilot, lambda: bool(hosted.model.breakpoints))
        assert hosted.queries == ["tool = check_policy"]


async def test_a_condition_that_can_never_hold_is_said_to() -> None:
    hosted = Hosted((Breakpoint("kind = result", before=True), Breakpoint("failure and stop")))
    async with hosted.app.run_test(size=WIDE) as pilot:
        await _down_to_the_breakpoints(pilot, hosted)
        await settle(pilot)
        assert "Can never hold before a role is asked:" in screen_text(pilot.app)
        await pilot.press("B")
        assert "Can never hold" not in screen_text(pilot.app)
        await pilot.press("j")
        await settle(pilot)
        assert "Can never hold: docs/query.md" in screen_text(pilot.app)


async def test_what_was_typed_and_left_is_there_again() -> None:
    hosted = Hosted()
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("a")
        await type_text(pilot, "turn = 9")
        await pilot.press("escape", "a", "0", "enter")
        await wait_for(pilot, lambda: bool(hosted.model.breakpoints))
        assert hosted.queries == ["turn = 90"]


async def test_c_runs_on_to_what_the_cursor_stands_on() -> None:
    hosted = Hosted()
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("j", "c")
        await wait_for(pilot, lambda: hosted.app.result is not NOTHING)
    wanted = Breakpoint("kind = reply and tool = check_policy")
    assert hosted.app.result == BreaksResult(run_to=wanted)
    assert hosted.model.breakpoints == ()


async def test_a_condition_to_run_to_is_typed_at_once() -> None:
    hosted = Hosted(to_run=True)
    async with hosted.app.run_test(size=WIDE) as pilot:
        await type_text(pilot, "failure")
        await pilot.press("enter")
        await wait_for(pilot, lambda: hosted.app.result is not NOTHING)
    assert hosted.app.result == BreaksResult(run_to=Breakpoint("failure"))


async def test_the_tail_of_a_paste_sets_nothing() -> None:
    hosted, now = Hosted(), 100.0
    hosted.screen._guard = KeyGuard(lambda: now)
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("a")
        hosted.app.post_message(Paste("turn = 1"))
        await wait_for(pilot, lambda: hosted.screen._field.text == "turn = 1")
        await pilot.press("escape", "1", "enter", "c")
        await settle(pilot)
        assert "rests for a moment after a paste" in screen_text(pilot.app)
        assert hosted.model.breakpoints == ()
        assert hosted.app.result is NOTHING
        now += 0.31
        await pilot.press("a", "enter")
        await wait_for(pilot, lambda: bool(hosted.model.breakpoints))
        assert hosted.queries == ["turn = 1"]


async def test_the_filter_cuts_both_lists_down() -> None:
    hosted = Hosted(SET)
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "days")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "40 days" in text
        assert "results of check_policy" not in text


async def test_a_long_branch_is_counted_in_slices_while_keys_are_taken() -> None:
    hosted = Hosted()
    hosted.model = DebuggerModel(big(10_000))
    hosted.screen = BreakpointsScreen(BreaksRequest(hosted.model, hosted._change, hosted._undo))
    hosted.app = Host(hosted.screen)
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("a")
        await type_text(pilot, "args/order_id = 2400")
        await wait_for(pilot, lambda: "no step of this branch" in screen_text(pilot.app), 60)
        await pilot.press(*["backspace"] * 4)
        await type_text(pilot, '"2400"')
        holds = "Holds at 2 steps of this branch: 9,602, 9,603"
        await wait_for(pilot, lambda: holds in screen_text(pilot.app), 60)


async def test_hostile_names_and_conditions_reach_no_terminal() -> None:
    hostile = Breakpoint('text : "\x1b]52;c;eA==\x07"', name="[/b]\x1b[2J\u202e")
    hosted = Hosted((hostile,))
    async with hosted.app.run_test(size=WIDE) as pilot:
        await pilot.press("end", "e")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "[/b]" in text
        assert not set("\x1b\x07\u202e") & set(text)
        await pilot.press("enter")
        await settle(pilot)
        assert hosted.model.breakpoints == (hostile,)
