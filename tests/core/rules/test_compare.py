"""Two paths aligned: what pairs with what, and that no step is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.messages import (
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.steps import Call, Step, Usage, role_of
from rollstep.core.rules import compare as rules
from rollstep.core.rules.compare import Comparison, compare

from ...strategies import payloads


def path(*payloads_: Payload, prefix: str = "s") -> tuple[Step, ...]:
    steps: list[Step] = []
    for number, payload in enumerate(payloads_):
        parent = steps[-1].id if steps else None
        steps.append(Step(f"{prefix}{number}", parent, role_of(payload), payload, "script"))
    return tuple(steps)


def call(name: str, id: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(id, name, arguments)


def asks(*calls: ToolCall, text: str = "") -> TargetReply:
    return target_reply(text, calls)


def shown(comparison: Comparison) -> list[tuple[str, int | None, int | None]]:
    return [tuple(row) for row in comparison.rows]  # type: ignore[misc]


U, T = user_message, target_reply


def test_two_rollouts_that_differ_in_ids_only_are_equal() -> None:
    def played(first: str, second: str, prefix: str) -> tuple[Step, ...]:
        asked = asks(call("get", first), call("get", second))
        results = tool_result(first, "1"), tool_result(second, "2")
        return path(U("hi"), asked, *results, T("done"), prefix=prefix)

    found = compare(played("a", "b", "s"), played("x", "y", "t"))
    assert found.equal
    assert (found.common, found.blocks) == (5, ())
    assert found.right.calls[3].id == "y"


def test_results_that_answer_each_others_calls_are_not_equal() -> None:
    asked = asks(call("get", "a"), call("get", "b"))
    one = path(U("hi"), asked, tool_result("a", "1"), tool_result("b", "1"))
    other = path(U("hi"), asked, tool_result("b", "1"), tool_result("a", "1"))
    assert compare(one, other).common == 2


def test_an_override_is_the_one_difference_when_what_follows_was_kept() -> None:
    rest = (T("sorry"), U("thanks"), T("bye"), Stop("goal_reached", "evaluator"))
    one = path(U("hi"), asks(call("get", "a")), tool_result("a", "no"), *rest)
    other = path(U("hi"), asks(call("get", "a")), tool_result("a", "yes"), *rest)
    found = compare(one, other)
    assert [row for row in shown(found) if row[0] != "same"] == [("changed", 2, 2)]
    assert (found.common, found.differing, found.blocks) == (2, (2,), (2,))


def test_a_turn_that_only_one_side_has_is_left_alone() -> None:
    one = path(U("a"), T("1"), U("b"), T("2"), U("c"), T("3"))
    other = path(U("a"), T("1"), U("x"), T("y"), U("b"), T("2 then"), U("c"), T("3"))
    assert [row for row in shown(compare(one, other)) if row[0] != "same"] == [
        ("right", None, 2),
        ("right", None, 3),
        ("changed", 3, 5),
    ]


def test_steps_of_a_turn_pair_by_tool() -> None:
    one = path(
        U("hi"),
        asks(call("order", "a"), call("policy", "b")),
        tool_result("a", "4471"),
        tool_result("b", "30 days"),
        T("no"),
    )
    other = path(
        U("hi"),
        asks(call("stock", "x"), call("policy", "y")),
        tool_result("x", "none"),
        tool_result("y", "60 days"),
        T("yes"),
    )
    assert shown(compare(one, other))[1:] == [
        ("changed", 1, 1),
        ("left", 2, None),
        ("right", None, 2),
        ("changed", 3, 3),
        ("changed", 4, 4),
    ]


def test_a_stop_stands_beside_the_message_that_was_said_instead() -> None:
    one = path(U("hi"), T("no"), Stop("unrecoverable", "evaluator"))
    other = path(U("hi"), T("no"), U("why?"), T("rules"), Stop("max_turns", "rule"))
    assert shown(compare(one, other))[2:] == [
        ("changed", 2, 2),
        ("right", None, 3),
        ("right", None, 4),
    ]


def test_the_summary_counts_what_each_side_cost_and_how_it_ended() -> None:
    used = Call("m", usage=Usage(100, 20), cost=0.25)
    made = path(U("hi"), T("no"), Stop("max_turns", "rule"))
    paid = Step("r", "s0", "target", T("no"), "human", call=used)
    copied = Step("c", "r", "evaluator", made[2].payload, "human", copied_from="s2", call=used)
    found = compare(made, (made[0], paid, copied))
    assert found.left.summary == (3, 1, Stop("max_turns", "rule"), 0.0, 0, 0, 0)
    assert found.right.summary == (3, 1, Stop("max_turns", "rule"), 0.25, 120, 1, 0)


few = st.sampled_from(
    [
        U("a"),
        U("b"),
        T("c"),
        T("d"),
        asks(call("get", "1")),
        asks(call("get", "2"), call("put", "1")),
        tool_result("1", "x"),
        tool_result("2", "x"),
        Stop("goal_reached", "evaluator"),
    ]
)
some_paths = st.lists(few, max_size=14).map(lambda found: path(*found))
any_paths = st.lists(payloads, max_size=6).map(lambda found: path(*found, prefix="x"))
paths = some_paths | any_paths


@given(paths)
def test_a_path_does_not_differ_from_itself(steps: tuple[Step, ...]) -> None:
    found = compare(steps, steps)
    assert found.equal
    assert found.common == len(found.rows) == len(steps)


@given(paths, paths)
def test_every_step_stands_in_one_row_and_in_order(
    one: tuple[Step, ...], other: tuple[Step, ...]
) -> None:
    found = compare(one, other)
    assert [row.left for row in found.rows if row.left is not None] == list(range(len(one)))
    assert [row.right for row in found.rows if row.right is not None] == list(range(len(other)))
    for row in found.rows:
        assert (row.kind == "left") == (row.right is None)
        assert (row.kind == "right") == (row.left is None)
    assert all(row.kind == "same" for row in found.rows[: found.common])
    assert found.equal == (found.common == len(found.rows))


@given(paths, paths)
def test_comparing_the_other_way_round_pairs_the_same(
    one: tuple[Step, ...], other: tuple[Step, ...]
) -> None:
    def pairs(found: Comparison) -> set[tuple[int, int]]:
        return {(r.left, r.right) for r in found.rows if r.left is not None and r.right is not None}

    forth, back = compare(one, other), compare(other, one)
    assert pairs(forth) == {(i, j) for j, i in pairs(back)}
    assert forth.common == back.common
    assert len(forth.differing) == len(back.differing)


@pytest.mark.parametrize("alike", [True, False])
def test_long_paths_are_aligned_without_looking_at_every_pair(
    alike: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one turn of 5,000 steps there are 25 million pairs."""
    looked = 0

    def counting(*given: Any) -> int:
        nonlocal looked
        looked += 1
        return score(*given)

    score = rules._score
    monkeypatch.setattr(rules, "_score", counting)

    def long(side: str) -> tuple[Step, ...]:
        said = ["again" if alike else f"{side}{number}" for number in range(2_500)]
        calls = [asks(call("get", "1"), text=text) for text in said]
        results = [tool_result("1", f"{side}{number}") for number in range(2_500)]
        return path(*(step for pair in zip(calls, results, strict=True) for step in pair))

    found = compare(long("a"), long("b"))
    assert len(found.rows) == 5_000
    assert looked <= 5_000 * 100
