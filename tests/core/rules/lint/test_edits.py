"""What was kept from before an edit, and what a human put into the target's mouth."""

from __future__ import annotations

from collections import Counter

import pytest
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    TargetReply,
    ToolResult,
    target_reply,
    text_parts,
    tool_result,
)
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.rules.lint.linter import findings, findings_everywhere
from rollstep.core.session import Session

from ...projects_for_tests import refund
from .paths import BYE, HELLO, flags, project, rollout, step

SIGNED = TargetReply(text_parts("Hm."), reasoning=(Reasoning("I think.", signature="sig"),))


async def _played() -> Session:
    session = Session.start(refund())
    async for _ in session.run():
        pass
    return session


def _stale(session: Session) -> list[str]:
    leaf = session.rollout.newest_leaf(session.head)
    return [each.step_id for each in findings(session.rollout, leaf) if each.rule == "stale"]


async def test_what_is_kept_after_an_edit_is_stale_until_the_edit_is_reverted() -> None:
    session = await _played()
    assert _stale(session) == []
    result = next(step for step in session.rollout if step.role == "tool")
    done = await session.override(result.id, _other(result.payload), "keep")
    assert done.step is not None
    assert done.copied
    assert len(_stale(session)) == done.copied
    back = await session.override(done.step.id, result.payload, "keep")
    assert back.copied == done.copied
    assert _stale(session) == []


async def test_what_is_made_anew_after_an_edit_is_not_stale() -> None:
    session = await _played()
    result = next(step for step in session.rollout if step.role == "tool")
    await session.override(result.id, _other(result.payload), "rerun")
    assert _stale(session) == []


def _other(payload: Payload) -> Payload:
    assert isinstance(payload, ToolResult)
    return tool_result(payload.call_id, '{"status": "lost"}')


def test_a_copy_from_another_rollout_says_nothing_of_edits() -> None:
    assert flags(HELLO, step("s2", BYE, copied_from="elsewhere")) == []


def test_steps_that_a_file_says_were_copied_from_one_another_end_nowhere() -> None:
    one = step("s2", BYE, origin="human", copied_from="s4", replaces="s4")
    other = step("s4", BYE, origin="human", copied_from="s2", replaces="s2")
    found = flags(HELLO, one, HELLO, other)
    assert found == [("s2", "target-edited"), ("s4", "target-edited")]


@pytest.mark.parametrize(
    ("new", "rules"),
    [
        (BYE, []),
        (target_reply("Bought you another."), ["target-edited"]),
    ],
)
def test_a_targets_words_changed_by_hand(new: Payload, rules: list[str]) -> None:
    tree = rollout(HELLO, BYE)
    tree.add(step("o", new, origin="human", replaces="s2", parent_id="s1"))
    assert [each.rule for each in findings(tree, "o")] == rules


def test_an_edit_of_an_edit_is_held_against_what_the_target_said() -> None:
    tree = rollout(HELLO, BYE)
    first = step("o", target_reply("Lost."), origin="human", replaces="s2", parent_id="s1")
    tree.add(first)
    tree.add(step("p", BYE, origin="human", replaces="o", parent_id="s1"))
    tree.add(step("c", first.payload, origin="human", copied_from="o", parent_id="s1"))
    tree.add(step("d", BYE, origin="human", replaces="c", parent_id="s1"))
    assert [each.rule for each in findings(tree, "o")] == ["target-edited"]
    assert findings(tree, "p") == findings(tree, "d") == ()
    assert [each.rule for each in findings(tree, "c")] == ["target-edited"]


def test_what_is_written_where_the_target_speaks_is_a_humans() -> None:
    by_hand = step("s2", BYE, origin="human")
    assert flags(HELLO, by_hand) == [("s2", "target-edited")]
    assert flags(HELLO, by_hand, projects=[project(target=HumanTarget())]) == []


@pytest.mark.parametrize(
    ("block", "broken"),
    [
        (Reasoning("I think.", signature="sig"), False),
        (Reasoning("I thought.", signature="sig"), True),
        (Reasoning("I thought."), True),
        (None, False),
    ],
)
def test_signed_reasoning_that_was_edited(block: Reasoning | None, broken: bool) -> None:
    tree = rollout(HELLO, SIGNED)
    new = TargetReply(text_parts("Hm!"), reasoning=(block,) if block else ())
    tree.add(step("o", new, origin="human", replaces="s2", parent_id="s1"))
    found = [each.rule for each in findings(tree, "o")]
    assert found == ["target-edited", *(["edited-signed-reasoning"] if broken else [])]


def test_copies_of_copies_and_edits_of_edits_are_each_walked_once() -> None:
    """As many as a file may hold, in a time that does not grow with their square."""
    many = 5_000
    copies = [step("s0", BYE)]
    copies += [step(f"s{n}", BYE, copied_from=f"s{n - 1}") for n in range(1, many)]
    edits = [step("e0", SIGNED, parent_id="s0")]
    edits += [
        step(f"e{n}", target_reply(f"{n}"), parent_id="s0", origin="human", replaces=f"e{n - 1}")
        for n in range(1, many)
    ]
    tree = Rollout(RolloutHeader("r", "Shop"), [project()])
    tree.add_all([*copies, *edits])
    rules = Counter(each.rule for each in findings_everywhere(tree))
    assert rules["edited-signed-reasoning"] == 0
    assert rules["target-edited"] == many - 1
    assert rules["stale"] == 0


def test_a_file_may_say_that_steps_are_copies_of_each_other() -> None:
    one, other = step("a", BYE, copied_from="b"), step("b", BYE, copied_from="a")
    lost = step("c", BYE, copied_from="nowhere", origin="human", replaces="c")
    assert "stale" not in {rule for _, rule in flags(HELLO, one, HELLO, other, HELLO, lost)}
