"""The screen's own copy of the rollout follows the session's events; the cursor is the human's."""

from __future__ import annotations

import msgspec
import pytest
from rollstep.core import events as ev
from rollstep.core.model.messages import Stop, target_reply, tool_result, user_message
from rollstep.core.model.project import HumanEvaluator
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Attempt, Step, role_of
from rollstep.core.rules.stepper import Ask
from rollstep.tui import bars
from rollstep.tui.outline.tree import OutlineTree
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.snapshot import Snapshot
from rollstep.tui.stepview import stop_title
from rollstep.tui.who import made_by

from .synthetic import REFUND, big, chain, project, refund


def _next(model: DebuggerModel, step_id: str, payload: object, parent: str) -> Step:
    step = Step(step_id, parent, role_of(payload), payload, "script")  # type: ignore[arg-type]
    model.apply(ev.StepAdded(step))
    return step


def test_it_opens_at_the_head_with_what_is_recorded_ahead() -> None:
    model = DebuggerModel(refund())
    assert model.step_id == "s8"
    assert model.ahead == 4
    assert model.branch_name() == "branch 1 of 2"


def test_the_cursor_follows_a_step_made_at_the_end_and_says_when_it_is_saved() -> None:
    model = DebuggerModel(refund("s12"))
    model.apply(ev.VisibilityChanged(hidden=("s12",)))
    model.apply(ev.HeadMoved("s11"))
    assert model.step_id == "s11"
    _next(model, "n1", user_message("more"), "s11")
    model.apply(ev.HeadMoved("n1"))
    assert model.step_id == "n1"
    assert "saving 1" in bars.status(model, 160).text
    model.apply(ev.SavedUpTo((("n1", 15),)))
    assert "all saved" in bars.status(model, 160).text
    assert model.step is not None
    assert model.step.seq == 15


def test_a_step_of_another_program_at_the_end_leaves_the_cursor() -> None:
    model = DebuggerModel(refund("s12"))
    model.apply(ev.VisibilityChanged(hidden=("s12",)))
    model.apply(ev.HeadMoved("s11"))
    _next(model, "n1", user_message("more"), "s11")
    assert (model.step_id, model.ahead) == ("s11", 1)


def test_what_is_not_saved_stands_first_and_fits_the_smallest_screen() -> None:
    model = DebuggerModel(refund())
    model.apply(ev.Unsaved("disk full", 3))
    words = bars.status(model, 80).text
    assert words.startswith(" NOT SAVED, 3 only in memory (Ctrl+S tries again): disk full  step ")


def test_the_cursor_stays_when_the_human_looked_elsewhere() -> None:
    model = DebuggerModel(refund())
    model.move(-4)
    model.apply(ev.HeadMoved("s9"))
    assert model.step_id == "s4"


def test_the_cursor_goes_along_with_a_command_given_at_it() -> None:
    model = DebuggerModel(refund())
    model.move(-4)
    model.acting_from = model.step_id
    model.apply(ev.HeadMoved("s5"))
    model.apply(ev.HeadMoved("s6"))
    assert model.step_id == "s6"


def test_a_step_of_another_branch_changes_nothing_until_the_head_goes_there() -> None:
    model = DebuggerModel(refund())
    _next(model, "t3", tool_result("c3", "other"), "s7")
    assert [step.id for step in model.path.steps][7] == "s8"
    assert model.takes(7) == 3
    model.apply(ev.HeadMoved("t3"))
    assert model.step_id == "t3"
    assert model.ahead == 0


def test_takes_are_walked_with_their_branches() -> None:
    model = DebuggerModel(refund())
    assert model.next_take(1) == (True, "take 2 of 2 of step 8")
    assert model.step_id == "o8"
    assert model.path.steps[-1].id == "o9-1"
    assert not model.next_take(1).moved
    assert model.next_take(-1).moved
    assert model.path.steps[-1].id == "s12"


def test_where_a_step_has_no_other_take_the_nearest_before_it_that_has_is_switched() -> None:
    model = DebuggerModel(refund("o9-1"))
    assert model.next_take(1) == (False, "No take after this: take 2 of 2 of step 8.")
    assert model.step_id == "o9-1"
    assert model.next_take(-1) == (True, "take 1 of 2 of step 8")
    assert (model.step_id, model.leaf) == ("s8", "s12")
    assert model.back()
    assert (model.step_id, model.leaf) == ("o9-1", "o9-1")
    model.jump(3)
    assert "Neither this step nor one before" in model.next_take(-1).words


def test_the_leaf_to_follow_is_told_once_when_another_branch_is_shown() -> None:
    model = DebuggerModel(refund())
    assert model.take_new_leaf() is None
    model.move(1)
    assert model.take_new_leaf() is None
    model.go_to("o8")
    assert model.take_new_leaf() == "o9-1"
    assert model.take_new_leaf() is None


def test_flagged_steps_are_walked() -> None:
    model = DebuggerModel(refund())
    assert list(model.path.flagged) == [2]
    assert not model.move_flag(1)
    assert model.move_flag(-1)
    assert model.cursor == 2
    assert model.back()
    assert model.step_id == "s8"


def test_undo_hides_and_redo_shows_again() -> None:
    model = DebuggerModel(refund("o8"))
    model.apply(ev.VisibilityChanged(hidden=("o8", "o9-1")))
    model.follow_head()
    assert model.rollout.leaves() == ["s12"]
    model.apply(ev.VisibilityChanged(shown=("o8", "o9-1")))
    assert len(model.rollout.leaves()) == 2


def test_an_answer_on_its_way_is_shown_in_its_lane_and_then_replaced() -> None:
    model = DebuggerModel(refund("o9-1"))
    times = iter((1.0, 1.4, 2.4))
    model.clock = lambda: next(times)
    model.apply(ev.AskStarted("evaluator", "o9-1", "gpt"))
    model.apply(ev.Streamed("o9-1", "Thank "))
    model.apply(ev.Streamed("o9-1", "you"))
    item = len(model.path)
    assert [line.text for line in model.item_lines(item)] == [
        "asking gpt … 0.4 s, ~3/s",
        "Thank you",
    ]
    assert bars.hint_words(model)[0] == (
        "asking gpt for the evaluator's message: first token after 0.4 s, ~3 tokens, ~3 tokens/s; "
        "Esc cancels"
    )
    assert model.lane_of(item) == 0
    assert model.bands()[-1].kind == "turn"
    model.apply(ev.AskEnded("o9-1"))
    _next(model, "n1", user_message("Thank you"), "o9-1")
    assert len(model.bands()) == 3
    assert model.tail_item(len(model.path)) is None


def test_text_that_streams_for_another_place_is_not_shown_here() -> None:
    model = DebuggerModel(refund("s12"))
    model.apply(ev.AskStarted("target", "o9-1", "x"))
    assert model.tail_item(len(model.path)) is None
    assert "asking x" in bars.header(model, 160).text


def test_a_failure_stands_after_the_step_it_tried_to_follow() -> None:
    model = DebuggerModel(refund("o9-1"))
    attempt = Attempt("a1", "o9-1", "evaluator", "raised", "It broke.", partial="half")
    model.apply(ev.Failed(attempt))
    texts = [line.text for line in model.item_lines(len(model.path))]
    assert texts[:2] == ["failed", "It broke."]
    assert texts[2] == "half"
    assert "w goes on from what had arrived" in " ".join(texts[3:])


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (7, "4 recorded steps ahead: s walks on, free"),
        (11, "stop proposed by the evaluator: goal_reached; w overrules it, x exports"),
    ],
)
def test_the_hint_says_what_s_does(index: int, words: str) -> None:
    model = DebuggerModel(refund())
    model.jump(index)
    assert bars.hint_words(model)[0].startswith(words)


def test_the_hint_at_a_leaf_names_who_would_be_asked() -> None:
    snapshot = refund()
    snapshot = snapshot._replace(steps=snapshot.steps[:7], head="s7")
    model = DebuggerModel(snapshot)
    action = model.next_here()
    assert isinstance(action, Ask)
    words = bars.hint_words(model)[0]
    assert words.startswith("s asks the rules for the result of check_policy (offline, free)")


def test_lanes_and_turns_are_walked() -> None:
    model = DebuggerModel(refund())
    assert model.move_lane(-1)
    assert model.step_id in ("s7", "s9")
    assert model.move_turn(1)
    assert model.step_id == "s10"
    assert model.move_turn(-1)
    assert model.step_id == "s6"
    model.jump(0)
    assert model.back()
    assert model.step_id == "s6"


def test_a_stop_is_written_over_by_a_longer_path() -> None:
    model = DebuggerModel(refund("s12"))
    assert model.path.stop == Stop("goal_reached", "evaluator")
    assert "ended: goal_reached" in bars.header(model, 100).text


def test_opening_another_rollout_starts_from_nothing() -> None:
    steps = chain(REFUND[:1])
    model = DebuggerModel(refund()._replace(steps=steps, head=None))
    assert model.cursor == -1
    assert model.move(1)
    assert model.step_id == "s1"


def test_a_key_costs_the_same_at_ten_thousand_steps_as_at_twenty() -> None:
    """Counted, not timed: a move and its bars touch no more steps than are seen."""
    model = DebuggerModel(big(10_000))
    touched: list[int] = []

    class Counting(list):  # type: ignore[type-arg]
        def __getitem__(self, index):  # type: ignore[no-untyped-def]
            touched.append(1)
            return super().__getitem__(index)

        def __iter__(self):  # type: ignore[no-untyped-def]
            raise AssertionError("walked the whole path")

    model.path.steps = Counting(model.path.steps)
    model.jump(9000)
    touched.clear()
    model.move(1)
    bars.status(model, 160)
    bars.hint(model, 160)
    from rollstep.tui.timeline import timeline

    timeline(model, 160)
    assert len(touched) < 400


def test_events_of_steps_that_are_known_already_change_nothing() -> None:
    model = DebuggerModel(refund())
    known = model.path.steps[3]
    model.apply(ev.StepAdded(known))
    assert len(model.path) == 12


def test_what_a_humans_own_role_says_is_no_edit() -> None:
    by_hand = msgspec.structs.replace(project(), evaluator=HumanEvaluator())
    written = chain(
        (user_message("Hi."), target_reply("Hello."), user_message("More.")), origin="human"
    )
    other = msgspec.structs.replace(written[2], id="o3", replaces="s3", seq=4)
    header = RolloutHeader("r", "t")
    model = DebuggerModel(Snapshot(header, (by_hand,), (*written, other), head="s3"))
    assert model.path.edits == 1
    items = [item for segment in OutlineTree(model, {}).segments for item in segment.items]
    assert sorted(item.step_id or "" for item in items if item.kind == "edit") == ["o3", "s2"]
    model.go_to("o3")
    assert model.path.edits == 2


def test_a_stop_at_the_turn_limit_and_the_opening_are_called_what_they_are() -> None:
    stop = Stop("max_turns", "evaluator")
    assert stop_title(stop) == "stop by the evaluator at the limit: max_turns"
    assert stop_title(Stop("max_turns", "rule")) == "stop by rule: max_turns"
    opening, reply = chain((user_message("Hi."), target_reply("Hello.")))
    assert made_by(opening) == "the project's opening"
    assert made_by(reply) == "by the script"


def test_a_revision_that_another_program_filed_first_stands_before_ours() -> None:
    model = DebuggerModel(refund())
    theirs, ours = (msgspec.structs.replace(project(), max_turns=turns) for turns in (3, 4))
    model.apply(ev.ProjectRevised(ours, 1))
    model.apply_all([ev.ProjectRevised(theirs, 1), ev.ProjectRevised(ours, 2)])
    assert model.rollout.projects[1:] == [theirs, ours]
    assert model.project == ours
