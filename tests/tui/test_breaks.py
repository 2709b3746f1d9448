"""Breakpoints as the screen words them, and at which steps it says that they hold."""

from __future__ import annotations

import msgspec
import pytest
from rollstep.core.events import StepAdded
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.messages import (
    Payload,
    Stop,
    SystemNote,
    Text,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Step
from rollstep.tui import bars
from rollstep.tui.break_marks import Counts
from rollstep.tui.breaks import (
    changed,
    place_of,
    query_of,
    steps_words,
    suggestions,
    toggled,
    with_query,
)
from rollstep.tui.inspector import TABS, document
from rollstep.tui.panes import PaneView
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.query_look import problem
from rollstep.tui.snapshot import Snapshot
from rollstep.tui.timeline import timeline

from .synthetic import big, chain, project, refund

POLICY = Breakpoint("kind = result and tool = check_policy", name="policy")
ERRORS = Breakpoint("failure")
BEFORE = Breakpoint("role = target and turn > 1", before=True)


def model_of(*breakpoints: Breakpoint, head: str = "s8") -> DebuggerModel:
    return DebuggerModel(refund(head)._replace(breakpoints=breakpoints))


# what is offered


STEPS: tuple[tuple[Payload, str], ...] = (
    (user_message("hello"), "every step of the evaluator"),
    (target_reply("hello"), "replies that call no tool"),
    (target_reply("", (ToolCall("1", "get_order", "{}"),)), "replies that call get_order"),
    (tool_result("nobody", "{}"), "every tool result"),
    (SystemNote((Text("note"),)), "every system note"),
    (Stop("goal_reached", "evaluator"), "every stop"),
)


@pytest.mark.parametrize(("payload", "first"), STEPS)
def test_the_first_suggestion_is_steps_of_this_kind(payload: Payload, first: str) -> None:
    steps = chain((user_message("hi"), payload))
    model = DebuggerModel(Snapshot(RolloutHeader("r", "r"), (project(),), steps, head="s2"))
    assert suggestions(model)[0].words == first


@pytest.mark.parametrize("index", range(12))
def test_every_suggestion_can_be_asked_and_holds_here_if_it_speaks_of_this_step(
    index: int,
) -> None:
    model = model_of()
    model.jump(index)
    counts = Counts(model)
    offered = suggestions(model)
    while counts.work([each.breakpoint for each in offered]):
        pass
    for words, breakpoint in offered:
        assert problem(query_of(breakpoint)) is None
        found, done = counts.of(breakpoint)
        assert done
        elsewhere = ("errors", "schema", "results of", "replies that call", "before the evaluator")
        if words == offered[0].words or not any(word in words for word in elsewhere):
            assert index in found, words
    assert len({each.breakpoint for each in offered}) == len(offered) <= 8


def test_odd_names_and_arguments_are_quoted_so_that_the_suggestion_holds() -> None:
    arguments = '{"a b": "or", "n": 4471, "s": "4471", "x/y": null, "~": true, "deep": {"no": 1}}'
    calls = (ToolCall("c", 'say "hi" (or not)', arguments),)
    steps = chain((user_message("hi"), target_reply("", calls), tool_result("c", "{}")))
    model = DebuggerModel(Snapshot(RolloutHeader("r", "r"), (project(),), steps, head="s3"))
    offered = suggestions(model)
    assert offered[2].words.endswith("with these arguments")
    counts = Counts(model)
    while counts.work([each.breakpoint for each in offered]):
        pass
    assert [counts.of(each.breakpoint)[0] for each in offered[:3]] == [[2], [1], [2]]


def test_before_anything_was_played_the_projects_tools_are_offered() -> None:
    model = DebuggerModel(Snapshot(RolloutHeader("r", "r"), (project(),), ()))
    words = [each.words for each in suggestions(model)]
    assert words[0] == "results of get_order"
    assert "before the target is asked" in words


# how one reads


def test_a_breakpoints_own_fields_and_its_query_read_as_one_query() -> None:
    own = Breakpoint(
        "failure or args/n > 4", role="tool", tool="pay", text="40 days", regex=r"a/b\d", turn=3
    )
    read = query_of(own)
    assert read == (
        'role = tool and tool = pay and turn = 3 and text : "40 days" and text ~ /a\\/b\\d/'
        " and (failure or args/n > 4)"
    )
    assert problem(read) is None
    assert query_of(with_query(own, "failure")) == "failure"
    assert query_of(Breakpoint("failure   or  stop")) == "failure   or  stop"


def test_toggling_sets_switches_on_or_takes_away_whatever_it_is_called() -> None:
    assert toggled((), ERRORS) == (ERRORS,)
    named = msgspec.structs.replace(ERRORS, name="mine", ignore=3)
    assert toggled((POLICY, named), ERRORS) == (POLICY,)
    assert toggled(changed((named,), 0, enabled=False), ERRORS) == (named,)
    assert place_of((msgspec.structs.replace(ERRORS, before=True),), ERRORS) is None


@pytest.mark.parametrize(
    ("found", "done", "words"),
    [
        ([], True, "holds at no step of this branch"),
        ([], False, "looking …"),
        ([3], True, "holds at 1 step of this branch: 4"),
        ([3, 8, 19], False, "holds at 3 steps of this branch so far: 4, 9, 20"),
        (range(1000, 2200), True, "holds at 1,200 steps of this branch: 1,001, 1,002, 1,003, …"),
    ],
)
def test_where_it_holds_in_words(found: list[int], done: bool, words: str) -> None:
    if len(found) > 8:
        assert steps_words(found, done=done).startswith(words.removesuffix("…"))
    else:
        assert steps_words(found, done=done) == words


# where it holds


def test_marks_stand_where_an_enabled_breakpoint_holds() -> None:
    off = msgspec.structs.replace(Breakpoint("role = evaluator"), enabled=False)
    model = model_of(POLICY, ERRORS, off, BEFORE)
    held = {index + 1: model.breaks_at(index) for index in range(len(model.path))}
    assert {step: places for step, places in held.items() if places} == {
        3: (1,),
        7: (3,),
        8: (0,),
        9: (3,),
        11: (3,),
    }


def test_a_breakpoint_without_a_condition_holds_at_every_step_and_a_broken_one_nowhere() -> None:
    model = model_of(Breakpoint(), Breakpoint("tol = x"), Breakpoint(before=True))
    assert model.breaks_at(0) == (0,)
    assert model.breaks_at(1) == (0, 2)


def test_marks_follow_the_path_and_the_breakpoints() -> None:
    model = model_of(Breakpoint("step > 11"))
    assert model.breaks_at(11) == (0,)
    added = Step("n", "s12", "evaluator", user_message("more"), "human")
    model.apply(StepAdded(added))
    assert model.breaks_at(12) == (0,)
    model.breakpoints = (ERRORS,)
    assert model.breaks_at(12) == ()


def test_the_signs_stand_in_panes_timeline_status_and_inspector() -> None:
    model = model_of(ERRORS, POLICY)
    line = timeline(model, 160).row.text
    assert "1 E T S!# S T" in line
    assert "[S#+1]" in line
    view = PaneView(model)
    view.resize(160, 40, narrow=False)
    text = "\n".join(row.text for row in view.rows()[2])
    assert " 3!#get_order" in text
    assert "> 8# check_policy" in text
    view.resize(80, 40, narrow=True)
    text = "\n".join(row.text for row in view.rows()[0])
    assert " 3!#S get_order" in text
    assert "2 breaks #" in bars.status(model, 160).text
    assert "2#" in bars.status(model, 80).text
    page = document(model, TABS[0])
    page.resize(60, 40)
    shown = "\n".join(row.text for row in page.rows())
    assert "breakpoints that hold here" in shown
    assert '# 2 "policy" kind = result' in shown


def test_a_flag_is_seen_on_an_edited_step_where_a_breakpoint_holds_too() -> None:
    model = model_of(ERRORS)
    edited = Step("n", "s12", "evaluator", user_message("   "), "human", seq=13)
    model.apply(StepAdded(edited))
    model.breakpoints = (Breakpoint("edited"),)
    model.lint.work(seconds=60)
    assert "e*!#" in timeline(model, 160).row.text
    view = PaneView(model)
    view.resize(160, 40, narrow=False)
    view.anchor = model.layout.show(view.anchor, view.height, 12)
    assert "#13*!" in "\n".join(row.text for row in view.rows()[0])
    model.go_to("n")
    assert ">13*!" in "\n".join(row.text for row in view.rows()[0])


def test_without_breakpoints_nothing_of_them_is_loaded_or_shown() -> None:
    model = model_of()
    assert "#" not in bars.status(model, 160).text + timeline(model, 160).row.text
    assert model._breaks is None


def test_a_key_looks_at_no_more_steps_than_are_seen() -> None:
    """Counted, not timed: ten breakpoints at ten thousand steps."""
    breakpoints = tuple(
        Breakpoint(f'tool = get_order and args/order_id = "{n}"') for n in range(10)
    )
    model = DebuggerModel(big(10_000)._replace(breakpoints=breakpoints))
    asked: list[int] = []
    model.breaks_at(9_000)
    assert model._breaks is not None
    holding = model._breaks._holding
    at = holding.at
    holding.at = lambda query, index: asked.append(index) or at(query, index)  # type: ignore[assignment,func-returns-value]
    model.jump(9_100)
    view = PaneView(model)
    view.resize(160, 40, narrow=False)
    view.show_cursor()

    def paint() -> None:
        view.rows()
        timeline(model, 160)

    paint()
    assert len(set(asked)) < 120
    asked.clear()
    paint()
    assert asked == []


def test_counting_stops_when_its_time_is_over_and_goes_on() -> None:
    model = DebuggerModel(big(400))
    counts = Counts(model)
    ticks = iter(range(10_000))
    wanted = Breakpoint("role = tool")
    assert counts.work([wanted], clock=lambda: next(ticks) / 1000)
    found, done = counts.of(wanted)
    assert not done
    assert 0 < len(found) < 100
    while counts.work([wanted]):
        pass
    assert counts.of(wanted) == ([index for index in range(400) if index % 4 == 2], True)
