"""What is offered to compare the shown branch with, and in which order."""

from __future__ import annotations

import msgspec
import pytest
from rollstep.core.model.messages import tool_result
from rollstep.core.model.rollout import Branch
from rollstep.core.model.steps import Step
from rollstep.core.rules.compare import Summary
from rollstep.core.store.library import Library
from rollstep.tui.comparing.choices import (
    choices,
    chosen_subject,
    rollout_choices,
    rollout_subject,
    same_project,
    shown_subject,
)
from rollstep.tui.comparing.subjects import compare_subjects, project_differences, summary_words
from rollstep.tui.presenter import DebuggerModel

from ...core.store.making import conversation, first
from ..synthetic import project, refund


def offered(model: DebuggerModel) -> list[tuple[str, str | None]]:
    return [(choice.words, choice.leaf) for choice in choices(model)]


def edited() -> DebuggerModel:
    """Step 8 overridden, and another take of it beside."""
    snapshot = refund(head="o8")
    third = Step("p8", "s7", "tool", tool_result("c3", "timeout"), "model", seq=15)
    return DebuggerModel(
        snapshot._replace(steps=(*snapshot.steps, third), branches=(Branch("s12", "angry"),))
    )


def test_an_override_is_compared_with_its_original_before_all_others() -> None:
    model = edited()
    assert offered(model) == [
        ("original of step 8 (angry)", "s12"),
        ("take 3 of 3 of step 8", "p8"),
    ]
    assert choices(model)[0].detail == "refundable: false → true …"


def test_elsewhere_the_branch_shown_before_comes_first_and_none_twice() -> None:
    model = edited()
    model.go_to("p8")
    model.move(-3)
    assert offered(model) == [
        ("the branch shown before: branch 2 of 3", "o9-1"),
        ("branch angry", "s12"),
    ]


def test_a_branch_that_goes_on_from_the_one_shown_before_is_none_of_its_own() -> None:
    model = edited()
    model.go_to("s12")
    model.shown_before = "s8"
    assert [words for words, _ in offered(model)] == ["branch 2 of 3", "branch 3 of 3"]


def test_with_one_branch_there_is_nothing_here() -> None:
    snapshot = refund()
    model = DebuggerModel(snapshot._replace(steps=snapshot.steps[:12]))
    assert choices(model) == []


def test_both_sides_are_named() -> None:
    model = edited()
    left, right = chosen_subject(model, choices(model)[0]), shown_subject(model)
    assert (left.label, right.label) == ("original of step 8 (angry)", "shown: branch 2 of 3")
    assert [step.id for step in left.steps[-2:]] == ["s11", "s12"]


def test_other_rollouts_of_the_project_are_found_the_newest_first() -> None:
    with Library.throwaway() as library:
        for name in ("aa", "bb", "cc"):
            library.commit(first(name, conversation(2, name, stop="max_turns")))
        other = first("dd")
        library.commit(msgspec.structs.replace(other, projects=(project("Another"),)))
        began = library.load("aa").projects[0]
        found = rollout_choices(library, began, "bb")
        assert [choice.rollout for choice in found] == ["cc", "aa"]
        assert found[0].detail.startswith("5 steps, max_turns, just now")
        side = rollout_subject(library, "cc")
        assert side.label == "rollout cc: title of cc, main"
        assert len(side.steps) == 5


def test_projects_are_the_same_by_id_else_by_title() -> None:
    assert same_project(project("A"), project("A"))
    assert not same_project(project("A"), project("B"))
    assert same_project(project("A", id="1"), project("B", id="1"))
    assert not same_project(project("A", id="1"), project("A", id="2"))


def test_the_fields_in_which_projects_differ_are_named() -> None:
    one = project("A")
    other = msgspec.structs.replace(one, goal="another", max_turns=3)
    assert project_differences(one, one) == ()
    assert project_differences(one, other) == ("goal", "max_turns")


def test_a_summary_says_how_long_how_ended_and_what_it_cost() -> None:
    model = edited()
    left, right = chosen_subject(model, choices(model)[0]), shown_subject(model)
    found = compare_subjects(left, right)
    words = summary_words(found.left.summary)
    assert words.startswith("12 steps, 3 turns; stop")
    assert words.endswith("; $0.0010, 1,150 tokens")
    assert "goal_reached" in words
    assert summary_words(found.right.summary, brief=True) == (
        "9 steps, 2 turns; not ended; $0.0008, 920 tokens; 1 edit"
    )


@pytest.mark.parametrize(
    ("cost", "unpriced", "price"),
    [(0.0, 2, "price not known"), (0.5, 1, "at least $0.50"), (0.5, 0, "$0.50")],
)
def test_a_price_that_is_not_known_is_not_said_to_be_nothing(
    cost: float, unpriced: int, price: str
) -> None:
    words = summary_words(Summary(3, 1, None, cost, 120, 0, unpriced))
    assert words == f"3 steps, 1 turn; not ended; {price}, 120 tokens"
