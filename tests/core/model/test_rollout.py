"""The tree: what it takes in, many steps at once like one by one."""

import gc

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.messages import Text, ToolCall, target_reply, user_message
from rollstep.core.model.project import EchoTarget, HumanEvaluator, Project
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Step


def step(step_id: str, parent_id: str | None) -> Step:
    return Step(step_id, parent_id, "evaluator", user_message(step_id), "script")


FORKED = [step("a", None), step("b", "a"), step("c", "a"), step("d", "b"), step("e", None)]


def empty() -> Rollout:
    return Rollout(RolloutHeader("r", "title"), ())


def test_many_steps_make_the_tree_that_one_by_one_makes() -> None:
    one_by_one, at_once = empty(), empty()
    for each in FORKED:
        one_by_one.add(each)
    at_once.add_all(FORKED[:2])
    at_once.add_all(FORKED[2:])
    assert list(at_once) == list(one_by_one) == FORKED
    for parent in (None, "a", "b", "c"):
        assert at_once.children(parent) == one_by_one.children(parent)
    assert at_once.leaves() == one_by_one.leaves() == ["c", "d", "e"]
    at_once.hidden.add("d")
    assert at_once.leaves() == ["b", "c", "e"]


def test_many_steps_are_checked_like_one() -> None:
    with pytest.raises(ValueError, match="x follows nowhere, which is not here"):
        empty().add_all([step("a", None), step("x", "nowhere")])
    with pytest.raises(ValueError, match="a is in the rollout already"):
        empty().add_all([step("a", None), step("a", None)])


def test_the_original_of_a_copy_is_found_as_far_back_as_it_is_here() -> None:
    rollout = empty()
    copied = {"a": None, "b": "a", "c": "b", "lost": "gone", "x": "y", "y": "x"}
    rollout.add_all(
        msgspec.structs.replace(step(name, None), copied_from=of) for name, of in copied.items()
    )
    found = {name: rollout.original(rollout.steps[name]).id for name in copied}
    assert found == {"a": "a", "b": "a", "c": "a", "lost": "lost", "x": "x", "y": "x"}
    rollout.add(step("gone", None))
    assert rollout.original(rollout.steps["lost"]).id == "gone"


@pytest.mark.parametrize("first", [None, "gone", "s4999"])
def test_a_long_row_of_copies_is_walked_once(first: str | None) -> None:
    class Counted(dict[str, Step]):
        asked = 0

        def get(self, key: str, default: object = None) -> Step | None:  # type: ignore[override]
            self.asked += 1
            return super().get(key)

    rollout = empty()
    for number in range(5000):
        before = f"s{number - 1}" if number else first
        rollout.add(msgspec.structs.replace(step(f"s{number}", None), copied_from=before))
    rollout.steps = counted = Counted(rollout.steps)
    found = {rollout.original(each).id for each in reversed([*rollout])}
    assert len(found) == 1
    assert counted.asked <= 5001


def test_the_project_of_a_step_is_the_revision_that_it_was_made_from() -> None:
    first, second = (
        Project(title, EchoTarget(), HumanEvaluator()) for title in ("first", "second")
    )
    rollout = Rollout(RolloutHeader("r", "title"), (first, second))
    made = [msgspec.structs.replace(step("a", None), revision=number) for number in (0, 1, 7)]
    assert [rollout.project_of(each) for each in made] == [first, second, second]


def test_the_cycle_collector_passes_over_steps() -> None:
    reply = target_reply("text", (ToolCall("c", "look", "{}"),))
    held = [Step("a", None, "target", reply, "model"), reply, Text("text"), reply.tool_calls[0]]
    assert not any(map(gc.is_tracked, held))


@given(
    st.lists(st.tuples(st.integers(0, 20), st.sampled_from(["add", "hide", "show"])), max_size=30)
)
def test_leaves_are_the_visible_steps_without_a_visible_child(
    made: list[tuple[int, str]],
) -> None:
    """They are kept up to date step by step, and asked for between."""
    rollout = empty()
    for number, (choice, what) in enumerate(made):
        ids = [None, *rollout.steps]
        chosen = ids[choice % len(ids)]
        if what == "add":
            rollout.add(step(f"n{number}", chosen))
        elif what == "hide" and chosen is not None:
            rollout.hidden.add(chosen)
        elif chosen is not None:
            rollout.hidden.discard(chosen)
        visible = [i for i in rollout.steps if i not in rollout.hidden]
        assert rollout.leaves() == [i for i in visible if not rollout.children(i)]
