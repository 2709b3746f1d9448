"""Branches by what the screen calls them."""

from __future__ import annotations

import pytest
from rollstep.core.errors import InputError
from rollstep.core.model.messages import target_reply, user_message
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import Branch, Rollout, RolloutHeader
from rollstep.core.model.steps import Step
from rollstep.core.rules.branches import branch_label, branch_name, leaf_named, opened_leaf

NAMED = (Branch("c", "polite"),)


def rollout(*replies: str) -> Rollout:
    tree = Rollout(RolloutHeader("r1", "t"), [Project("t", EchoTarget(), HeuristicEvaluator())])
    tree.add_all([Step("a", None, "evaluator", user_message("Hi."), origin="script")])
    for name in replies:
        tree.add_all([Step(name, "a", "target", target_reply(name), origin="script")])
    return tree


def test_a_branch_is_found_by_what_it_is_called_where_it_is_shown() -> None:
    for tree, branches in ((rollout("b"), ()), (rollout("b", "c", "d"), NAMED)):
        for leaf in tree.leaves():
            assert leaf_named(tree, branches, branch_name(tree, leaf, branches)) == leaf


@pytest.mark.parametrize("name", ["3", "branch 3", "branch 3 of 3"])
def test_one_without_a_name_is_found_by_its_number(name: str) -> None:
    assert leaf_named(rollout("b", "c", "d"), NAMED, name) == "d"


def test_a_name_comes_before_a_number() -> None:
    tree = rollout("b", "c")
    assert leaf_named(tree, [Branch("c", "main")], "main") == "c"
    assert leaf_named(tree, [Branch("c", "1")], "1") == "c"


def test_what_is_not_there_is_told_with_what_is() -> None:
    with pytest.raises(InputError, match=r"r1: no branch is named 'x'; branches: main\.$"):
        leaf_named(rollout("b"), (), "x")
    with pytest.raises(InputError, match=r"'4'; branches: polite; or by number, 1 to 3\.$"):
        leaf_named(rollout("b", "c", "d"), NAMED, "4")
    with pytest.raises(InputError, match="'main'; branches: none has a name; or by number"):
        leaf_named(rollout("b", "c"), (), "main")


def test_only_what_needs_it_is_told_from_the_others() -> None:
    assert branch_label(rollout("b"), "b", ()) == ""
    tree = rollout("b", "c", "d")
    assert [branch_label(tree, leaf, NAMED) for leaf in "bcd"] == ["branch 1", "polite", "branch 3"]


def test_the_branch_that_is_opened_ends_in_sight() -> None:
    """Whatever is there of the head: it may be hidden, of another program, or nowhere yet."""
    tree = rollout("b", "c")
    assert opened_leaf(tree, "b") == "b"
    for head in ("", None, "gone", "a"):
        assert opened_leaf(tree, head) == "c"
    tree.hidden.add("c")
    assert opened_leaf(tree, "c") == "b"
    tree.hidden.add("b")
    assert opened_leaf(tree, "b") == "a"
