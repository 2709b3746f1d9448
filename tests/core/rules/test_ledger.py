"""The ledger says of every edit what was changed, by whom, why, and what became of it."""

from __future__ import annotations

import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.edited import is_edit
from rollstep.core.model.history import Command, hidden_steps
from rollstep.core.model.messages import (
    Stop,
    TargetReply,
    Text,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Step
from rollstep.core.rules.ledger import Ledger, LedgerEntry, ledger_text
from rollstep.core.rules.word_diff import Stretch
from rollstep.core.session import After, Session

from ...strategies import step_trees
from ..projects_for_tests import LOST, ORDER, played, refund


def ledger(session: Session) -> Ledger:
    return Ledger(session.rollout, session.commands)


def only(session: Session) -> LedgerEntry:
    (entry,) = ledger(session).entries()
    return entry


async def overridden(after: After = "stay") -> Session:
    """The first tool result overridden by Mira."""
    session = await played(author="mira", clock=lambda: 1000.5)
    result = session.rollout.path(session.head)[2]
    await session.override(result.id, tool_result("1", LOST), after, "what if it is lost?")
    return session


async def test_an_override_is_told_whole() -> None:
    session = await overridden()
    entry = only(session)
    original = session.rollout.steps[entry.original_id or ""]
    assert (entry.kind, entry.role, entry.place, entry.standing) == (
        "override",
        "tool",
        3,
        "stands",
    )
    assert (entry.author, entry.at, entry.reason) == ("mira", 1000.5, "what if it is lost?")
    assert entry.original == original.payload
    assert entry.final == session.rollout.steps[entry.step_id].payload
    assert Stretch("removed", "delivered") in entry.diff
    assert Stretch("added", "lost") in entry.diff
    assert "".join(s.text for s in entry.diff if s.kind != "added") == ORDER
    assert (entry.followed.kept, entry.followed.made, entry.followed.stop) == (0, 0, None)


async def test_an_entry_encodes_to_json_and_back() -> None:
    entry = only(await overridden("keep"))
    assert msgspec.json.decode(msgspec.json.encode(entry), type=LedgerEntry) == entry


async def test_what_followed_is_counted_and_how_it_ended() -> None:
    kept = only(await overridden("keep"))
    assert kept.followed.made == 0
    assert kept.followed.kept > 3
    assert isinstance(kept.followed.stop, Stop)
    rerun = await overridden("rerun")
    assert (only(rerun).followed.kept, only(rerun).followed.made) == (0, 2)
    assert only(rerun).followed.stop is None


async def test_undone_redone_and_reverted_are_told() -> None:
    session = await overridden()
    await session.undo()
    assert only(session).standing == "undone"
    await session.redo()
    assert only(session).standing == "stands"
    await session.revert(only(session).step_id, "it was there")
    entry = only(session)
    assert entry.standing == "reverted"
    assert [(each.by, each.at, each.reason) for each in entry.reverts] == [
        ("mira", 1000.5, "it was there")
    ]


async def test_a_kept_copy_of_an_edit_is_no_edit_of_its_own_but_carries_it() -> None:
    session = await overridden("keep")
    first = session.rollout.path(session.head)[0]
    await session.override(first.id, user_message("Hello?"), "keep")
    one, two = ledger(session).entries()
    path = session.rollout.path(session.head)
    assert one.copies == (path[2].id,)
    assert [entry.step_id for entry in ledger(session).on_path(path)] == [two.step_id, one.step_id]
    assert ledger(session).entry(path[2].id) == one
    await session.revert(path[2].id)
    one, _ = ledger(session).entries()
    assert one.standing == "stands"
    assert [revert.step_id for revert in one.reverts] == [path[2].id]
    path = session.rollout.path(session.head)
    assert [entry.step_id for entry in ledger(session).on_path(path)] == [two.step_id]


async def test_written_and_inserted_steps_have_no_original() -> None:
    session = await played()
    before_the_stop = session.rollout.path(session.head)[-2].id
    await session.insert(before_the_stop, [user_message("One more."), target_reply("Yes?")])
    await session.go_to(before_the_stop)
    await session.write(user_message("By hand."), at=before_the_stop)
    kinds = [(entry.kind, entry.original) for entry in ledger(session).entries()]
    assert kinds == [("inserted", None), ("inserted", None), ("written", None)]


async def test_what_a_human_s_own_role_says_is_no_edit() -> None:
    session = Session.start(refund(target=HumanTarget()))
    await session.step()
    await session.write(target_reply("My own words."))
    assert list(ledger(session).entries()) == []


async def test_a_deleted_edit_is_told() -> None:
    session = Session.start(refund())
    await session.step()
    written = await session.write(target_reply("By hand."))
    await session.delete([written.id])
    assert only(session).standing == "deleted"


async def test_an_override_whose_original_is_not_here_shows_all_of_it_as_new() -> None:
    session = await overridden()
    entry = only(session)
    steps = [s for s in session.rollout if s.id != entry.original_id and s.seq <= 3]
    alone = Rollout(RolloutHeader("r", "Refund"), [refund()])
    alone.add_all([*steps[:2], session.rollout.steps[entry.step_id]])
    (found,) = Ledger(alone, ()).entries()
    assert (found.original, found.original_id) == (None, entry.original_id)
    assert {stretch.kind for stretch in found.diff} == {"added"}


def test_a_long_chain_of_forks_is_told_without_walking_it_again_for_each() -> None:
    """5,000 overrides in a row, each with its original beside it: no recursion, no square."""
    rollout = Rollout(RolloutHeader("r", "Long"), [refund(title="Long")])
    parent = None
    for number in range(5_000):
        payload = user_message(f"step {number}")
        rollout.add(Step(f"a{number}", parent, "evaluator", payload, "script", seq=2 * number + 1))
        edit = Step(f"b{number}", parent, "evaluator", payload, "human", replaces=f"a{number}")
        rollout.add(edit)
        parent = edit.id
    entries = list(Ledger(rollout, ()).entries())
    assert [entry.place for entry in entries] == list(range(1, 5_001))
    assert entries[0].followed.made == 4_999


def test_an_edit_that_a_path_holds_thousands_of_times_is_told_once_made() -> None:
    rollout = Rollout(RolloutHeader("r", "Copies"), [refund()])
    parent = None
    for number in range(3_000):
        before = f"s{number - 1}" if number else None
        said = user_message("again")
        rollout.add(Step(f"s{number}", parent, "evaluator", said, "human", copied_from=before))
        parent = f"s{number}"
    (edit, *others) = Ledger(rollout, ()).on_path(rollout)
    assert (edit.step_id, len(edit.copies), len(others)) == ("s0", 2_999, 2_999)
    assert all(other is edit for other in others)


def test_a_file_may_name_copies_and_originals_in_a_circle() -> None:
    rollout = Rollout(RolloutHeader("r", "Odd"), [refund()])
    said = user_message("x")
    rollout.add(Step("a", None, "evaluator", said, "human", copied_from="b", replaces="a"))
    rollout.add(Step("b", "a", "evaluator", said, "human", copied_from="a"))
    rollout.add(Step("c", "b", "evaluator", said, "human", copied_from="c"))
    rollout.add(Step("d", "c", "evaluator", said, "human", replaces="d", seq=4))
    ledger = Ledger(rollout, ())
    assert [entry.step_id for entry in ledger.entries()] == ["d"]
    assert ledger.entry("b") is None
    assert [entry.step_id for entry in ledger.on_path(rollout)] == ["d"]


@given(step_trees(most=12), st.integers(0, 11))
def test_every_edit_of_any_rollout_has_an_entry_that_is_written_and_read_back(
    steps: tuple[Step, ...], undone: int
) -> None:
    """Whatever stands in a bundle: originals that are not here, copies of anything, odd texts."""
    rollout = Rollout(RolloutHeader("r", "Any"), [refund()])
    rollout.add_all(steps)
    commands = [Command(1, "insert", tuple(s.id for s in steps[undone:]), undone=bool(undone % 2))]
    rollout.hidden |= hidden_steps(commands)
    ledger = Ledger(rollout, commands)
    entries = list(ledger.entries())
    assert [e.step_id for e in entries] == [s.id for s in steps if is_edit(s, rollout.project)]
    for entry in entries:
        assert entry.place == len(rollout.path(entry.step_id))
        assert "".join(d.text for d in entry.diff if d.kind != "removed") == ledger_text(
            entry.final
        )
        builtins = json.loads(json.dumps(msgspec.to_builtins(entry), ensure_ascii=True))
        assert builtins["step_id"] == entry.step_id
    for step in steps:
        assert set(ledger.on_path(rollout.path(step.id))) <= set(entries)


def test_the_text_of_a_step_says_all_that_can_be_edited() -> None:
    reply = TargetReply((Text("Hm."),), tool_calls=(ToolCall("1", "look", "{}"),), refusal="no")
    assert ledger_text(reply) == "Hm.\n> look {}\nrefused: no"
    assert ledger_text(tool_result("1", "x", is_error=True)) == "error:\nx"
    assert ledger_text(Stop("max_turns", "rule")) == "stop: max_turns"
