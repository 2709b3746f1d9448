"""Which pairs a tree has, and why others are none."""

from __future__ import annotations

import pytest
from rollstep.core.formats.preference import Found, find_pairs
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import EchoTarget, Tool

from .conftest import make_project, make_subject
from .trees import Tree

ASK = user_message("Refund me.")
NO, YES = target_reply("No."), target_reply("Yes.")


def asked() -> Tree:
    tree = Tree()
    tree.add(ASK)
    return tree


def ids(found: Found) -> list[tuple[str, str, str]]:
    return [(pair.chosen.id, pair.rejected.id, pair.source) for pair in found.pairs]


def whys(found: Found) -> list[str]:
    return [each.why for each in found.refused]


def edited(before: Payload, after: Payload, **fields: object) -> Tree:
    tree = asked()
    tree.edit(tree.add(before), after, **fields)
    return tree


def test_an_edit_is_a_pair_of_the_human_over_what_stood_there() -> None:
    found = find_pairs(edited(NO, YES).subject())
    assert ids(found) == [("s3", "s2", "edit")]
    assert [step.id for step in found.pairs[0].prefix] == ["s1"]
    assert found.refused == ()


def test_a_later_edit_of_an_edit_is_over_what_the_model_said() -> None:
    tree = edited(NO, YES)
    tree.edit("s3", target_reply("Of course."))
    assert ids(find_pairs(tree.subject())) == [("s4", "s2", "edit")]
    assert ids(find_pairs(tree.subject("s3"))) == [("s3", "s2", "edit")]


def test_an_edit_of_what_was_imported_is_a_pair() -> None:
    tree = asked()
    tree.edit(tree.add(NO, origin="import"), YES)
    assert ids(find_pairs(tree.subject())) == [("s3", "s2", "edit")]


def test_a_humans_own_reply_and_a_retake_of_a_model_are_none() -> None:
    tree = asked()
    tree.add(NO, origin="human")
    tree.add(ASK)
    first = tree.add(NO)
    tree.add(YES, "s3", replaces=first)
    assert find_pairs(tree.subject()) == Found((), ())


def test_the_branch_with_what_was_replaced_has_no_part_in_the_pair() -> None:
    assert find_pairs(edited(NO, YES).subject("s2")) == Found((), ())


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (YES, YES, "both sides say the same"),
        (YES, target_reply(" Yes.\n"), "the sides differ in white space only"),
        (
            target_reply("", (ToolCall("a", "get", '{"x": 1, "y": 2}'),)),
            target_reply("", (ToolCall("b", "get", '{ "y": 2, "x": 1 }'),)),
            "both sides say the same",
        ),
        (
            target_reply("", (ToolCall("a", "get", '{"x": "a b"}'),)),
            target_reply("", (ToolCall("b", "get", '{"x": "a  b"}'),)),
            "the sides differ in white space only",
        ),
        (NO, Stop("unrecoverable", "human"), "one side is a stop, which says nothing"),
    ],
)
def test_sides_that_say_nothing_else_are_refused(before: Payload, after: Payload, why: str) -> None:
    tree = edited(before, after, role="target")
    found = find_pairs(tree.subject())
    assert found.pairs == ()
    assert whys(found) == [why]
    assert found.refused[0].step == 2


def test_numbers_that_are_spelt_otherwise_are_another_call() -> None:
    before = target_reply("", (ToolCall("a", "get", '{"x": 1}'),))
    after = target_reply("", (ToolCall("a", "get", '{"x": 1.0}'),))
    assert ids(find_pairs(edited(before, after).subject())) == [("s3", "s2", "edit")]


def test_reasoning_counts_where_it_is_written() -> None:
    before = TargetReply(text_parts("Yes."), (Reasoning("Hm."),))
    after = TargetReply(text_parts("Yes."), (Reasoning("Well."),))
    tree = edited(before, after)
    assert whys(find_pairs(tree.subject())) == ["both sides say the same"]
    assert ids(find_pairs(tree.subject(), reasoning=True)) == [("s3", "s2", "edit")]


def test_a_train_mark_that_is_off_leaves_an_edit_out() -> None:
    tree = edited(NO, YES)
    tree.marks = [Mark("s3", train=False)]
    assert whys(find_pairs(tree.subject())) == ["its train mark is off"]


def test_a_kept_edit_answers_another_history_than_what_it_replaced() -> None:
    tree = edited(NO, YES)
    tree.add(user_message("Refund me now."), None)
    tree.add(YES, copied_from="s3", origin="human")
    found = find_pairs(tree.subject())
    assert whys(found) == ["the sides answer different histories"]


def test_a_kept_edit_after_an_equal_history_is_a_pair() -> None:
    tree = edited(NO, YES)
    tree.add(ASK, None)
    tree.add(YES, copied_from="s3", origin="human")
    assert ids(find_pairs(tree.subject())) == [("s5", "s2", "edit")]


def test_another_system_text_or_other_tools_are_another_history() -> None:
    for other in (make_project(target=EchoTarget("Be rude.")), make_project(tools=(Tool("get"),))):
        tree = Tree(make_project(), other)
        tree.add(ASK)
        tree.edit(tree.add(NO), YES, revision=1)
        assert whys(find_pairs(tree.subject())) == ["the sides answer different histories"]


def test_edits_of_another_role_are_found_for_that_role() -> None:
    tree = Tree()
    tree.edit(tree.add(user_message("Hi.")), user_message("Hello."))
    tree.add(target_reply("", (ToolCall("c", "get", "{}"),)))
    tree.edit(tree.add(tool_result("c", "a")), tool_result("c", "b"))
    tree.edit(tree.add(NO), YES)
    subject = tree.subject()
    assert ids(find_pairs(subject)) == [("s7", "s6", "edit")]
    assert ids(find_pairs(subject, "evaluator")) == [("s2", "s1", "edit")]
    assert ids(find_pairs(subject, "tool")) == [("s5", "s4", "edit")]


def test_a_fault_put_in_on_purpose_is_no_better_answer() -> None:
    tree = asked()
    tree.add(target_reply("", (ToolCall("c", "get", "{}"),)))
    tree.edit(tree.add(tool_result("c", "a")), tool_result("c", "timeout"), injected="timeout")
    assert whys(find_pairs(tree.subject(), "tool")) == ["it is a fault that was put in on purpose"]


def two_takes() -> Tree:
    tree = asked()
    tree.add(NO)
    tree.add(YES, "s1")
    return tree


def test_two_takes_with_verdicts_are_a_pair_for_either_branch() -> None:
    tree = two_takes()
    tree.reject("s2")
    tree.accept("s3")
    for leaf in ("s2", "s3"):
        found = find_pairs(tree.subject(leaf))
        assert ids(found) == [("s3", "s2", "verdict")]
        assert found.pairs[0].leaves == ("s3", "s2")


def test_a_verdict_on_a_long_branch_is_about_where_the_branches_part() -> None:
    tree = two_takes()
    tree.accept(tree.add(Stop("goal_reached", "evaluator")))
    tree.add(user_message("Why?"), "s2")
    tree.reject(tree.add(target_reply("Because.")))
    assert ids(find_pairs(tree.subject("s4"))) == [("s3", "s2", "verdict")]


@pytest.mark.parametrize("verdicts", [("accept", "accept"), ("reject", "reject"), ("unsure", "")])
def test_without_one_of_each_verdict_there_is_no_pair(verdicts: tuple[str, str]) -> None:
    tree = two_takes()
    for step_id, verdict in zip(("s2", "s3"), verdicts, strict=True):
        if verdict:
            tree.accept(step_id, verdict=verdict)
    assert find_pairs(tree.subject()) == Found((), ())


def test_the_newest_verdict_counts_and_one_on_a_step_that_went_on_does_not() -> None:
    tree = two_takes()
    tree.reject("s2", at=1.0)
    tree.accept("s3", at=1.0, by="ana")
    tree.reject("s3", at=2.0, by="ben")
    assert find_pairs(tree.subject()) == Found((), ())
    tree = two_takes()
    tree.reject("s2")
    tree.accept("s3")
    tree.add(ASK, "s3")
    assert find_pairs(tree.subject()) == Found((), ())


def test_an_accepted_branch_that_was_edited_since_is_in_doubt() -> None:
    tree = two_takes()
    tree.reject("s2")
    tree.accept("s3", at=1.0)
    tree.edit("s3", target_reply("Yes!"), created_at=2.0)
    assert whys(find_pairs(tree.subject("s3"))) == [
        "the accepted branch was edited after its verdict"
    ]


def test_branches_that_part_at_another_role_are_told() -> None:
    tree = Tree()
    tree.add(user_message("a"))
    tree.accept(tree.add(YES))
    tree.add(user_message("b"), None)
    tree.reject(tree.add(NO))
    found = find_pairs(tree.subject("s2"))
    assert whys(found) == ["the branches part at a step of the evaluator"]
    assert ids(find_pairs(tree.subject("s2"), "evaluator")) == [("s1", "s3", "verdict")]


def test_verdicts_win_over_an_edit_that_they_contradict() -> None:
    tree = edited(NO, YES)
    tree.accept("s2")
    tree.reject("s3")
    found = find_pairs(tree.subject("s3"))
    assert ids(found) == [("s2", "s3", "verdict")]
    assert whys(found) == ["the verdicts say the opposite"]


def test_an_edit_that_the_verdicts_confirm_is_one_pair() -> None:
    tree = edited(NO, YES)
    tree.reject("s2")
    tree.accept("s3")
    assert ids(find_pairs(tree.subject())) == [("s3", "s2", "verdict")]


def test_steps_that_replace_each_other_in_a_circle_are_no_pair() -> None:
    tree = asked()
    tree.add(NO, origin="human", replaces="s3")
    tree.add(YES, "s1", origin="human", replaces="s2")
    assert find_pairs(tree.subject()) == Found((), ())


def test_a_subject_without_a_tree_has_none() -> None:
    assert find_pairs(make_subject(ASK, YES)) == Found((), ())


def test_parts_that_are_no_text_count() -> None:
    from rollstep.core.model.messages import OtherPart

    one, other = (
        TargetReply((Text("See."), OtherPart("image", "", 1, f'{{"type": "image", "n": {n}}}')))
        for n in (1, 2)
    )
    assert ids(find_pairs(edited(one, other).subject())) == [("s3", "s2", "edit")]
