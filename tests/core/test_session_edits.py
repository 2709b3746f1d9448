"""Edits of a session: overrides, keeps, insertions, deletions, undo. Each is a take of its own."""

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.model.messages import (
    TargetReply,
    ToolCall,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    ScriptedTarget,
    TargetLine,
)
from rollstep.core.session import Session

from .projects_for_tests import LOST, ORDER, played, refund, texts

WHOLE = [
    "My blender is broken.",
    "Let me look.",
    ORDER,
    "refundable",
    "You will get 49.00 back.",
    "Thank you.",
    "Goodbye.",
    "[goal_reached]",
]


async def test_an_override_is_a_new_take_and_the_original_stays() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.override(path[2].id, tool_result("any", LOST), reason="what if")
    assert done.step is not None
    assert session.rollout.takes(path[2].id) == [path[2].id, done.step.id]
    assert (done.step.origin, done.step.replaces, done.step.reason) == (
        "human",
        path[2].id,
        "what if",
    )
    assert session.head == done.step.id
    assert payload_text(session.rollout.steps[path[2].id].payload) == ORDER


async def test_an_overridden_result_keeps_the_id_of_its_call() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.override(path[2].id, tool_result("another", LOST))
    assert done.step is not None
    assert done.step.payload.call_id == path[2].payload.call_id  # type: ignore[union-attr]


async def test_rerun_plays_to_the_end_of_that_turn_and_no_further() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    await session.override(path[2].id, tool_result("", LOST), "rerun")
    assert texts(session) == [*WHOLE[:2], LOST, "refundable", "It is lost, I am sorry."]


async def test_keep_copies_what_follows_and_counts_its_cost_once() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.override(path[2].id, tool_result("", LOST), "keep")
    assert (done.copied, done.left) == (5, "")
    assert texts(session) == [*WHOLE[:2], LOST, *WHOLE[3:]]
    copies = session.rollout.path(session.head)[3:]
    assert [copy.copied_from for copy in copies] == [step.id for step in path[3:]]


async def test_keep_ends_where_the_table_forbids_and_says_what_it_left() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.override(path[1].id, target_reply("No calls at all."), "keep")
    assert done.copied == 0
    assert "6 later steps were left" in done.left
    assert "No open call" in done.left


async def test_keep_pairs_calls_by_position() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    calls = (ToolCall("x1", "get_order", "{}"), ToolCall("x2", "check_policy", "{}"))
    done = await session.override(path[1].id, TargetReply((), tool_calls=calls), "keep")
    assert done.copied == 6
    results = session.rollout.path(session.head)[2:4]
    assert [step.payload.call_id for step in results] == ["x1", "x2"]  # type: ignore[union-attr]


async def test_keep_pairs_only_the_calls_of_the_edited_reply() -> None:
    session = Session.start(refund())
    call = TargetReply((), tool_calls=(ToolCall("call_1", "get_order", "{}"),))
    for payload in (
        user_message("Hi"),
        *(call, tool_result("call_1", "one"), target_reply("First.")),
        user_message("Again."),
        *(call, tool_result("call_1", "two"), target_reply("Second.")),
    ):
        await session.write(payload)
    first = session.rollout.path(session.head)[1]
    renamed = TargetReply((), tool_calls=(ToolCall("other", "get_order", "{}"),))
    done = await session.override(first.id, renamed, "keep")
    assert (done.copied, done.left) == (6, "")
    results = [s.payload for s in session.rollout.path(session.head) if s.role == "tool"]
    assert [result.call_id for result in results] == ["other", "call_1"]  # type: ignore[union-attr]


async def test_a_stop_can_be_overridden_by_a_message() -> None:
    session = await played()
    assert session.head is not None
    await session.override(session.head, user_message("Wait."), "rerun")
    assert texts(session)[-2:] == ["Wait.", "Anything else?"]


async def test_write_by_hand_then_hand_back_to_the_script() -> None:
    session = Session.start(refund())
    await session.step()
    await session.write(target_reply("I am a human."))
    assert session.next_actor == "evaluator"
    await session.step()
    assert texts(session)[-1] == "Thank you."


async def test_insert_keeps_what_follows() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.insert(path[4].id, [user_message("Sure?"), target_reply("Yes.")])
    assert done.copied == 3
    assert texts(session) == [*WHOLE[:5], "Sure?", "Yes.", *WHOLE[5:]]


async def test_delete_of_a_turn_keeps_what_follows() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.delete([step.id for step in path[:5]])
    assert done.copied == 3
    assert texts(session) == WHOLE[5:]
    assert session.rollout.steps[path[0].id] == path[0]


async def test_delete_at_the_end_takes_out_of_sight_and_undo_brings_back() -> None:
    session = await played()
    leaf = session.head
    assert leaf is not None
    await session.delete([leaf])
    assert texts(session) == WHOLE[:-1]
    assert session.recorded_next() is None
    assert await session.undo() == "delete of stop"
    assert texts(session) == WHOLE


async def test_delete_refuses_what_cannot_stand() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    before = len(session.rollout)
    with pytest.raises(UsageError, match="cannot stand without it"):
        await session.delete([path[1].id])
    assert len(session.rollout) == before


async def test_undo_names_what_it_undid_and_redo_brings_it_back() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    await session.override(path[2].id, tool_result("", LOST), "rerun")
    after = texts(session)
    assert await session.undo() == "override of tool result"
    assert texts(session) == WHOLE
    assert session.rollout.takes(path[2].id) == [path[2].id]
    assert await session.redo() == "override of tool result"
    assert texts(session) == after


async def test_undo_never_undoes_cursor_moves() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    await session.go_to(path[0].id)
    await session.step()
    assert [command.label for command in session.commands] == ["run"]


async def test_a_command_after_undo_ends_redo() -> None:
    session = Session.start(refund())
    await session.step()
    await session.step()
    await session.undo()
    await session.write(target_reply("By hand."))
    assert await session.redo() == ""
    assert texts(session) == [WHOLE[0], "By hand."]


async def test_names_and_hiding_of_branches_can_be_undone() -> None:
    session = await played()
    leaf = session.head
    assert leaf is not None
    await session.name_branch(leaf, "main")
    await session.hide_branch(leaf)
    assert [(b.name, b.hidden) for b in session.branches] == [("main", True)]
    await session.undo()
    await session.undo()
    assert [(b.name, b.hidden) for b in session.branches] == [("", False)]


async def test_steps_after_a_change_of_the_project_carry_its_revision() -> None:
    session = Session.start(refund())
    await session.step()
    await session.revise(refund(target=ScriptedTarget((TargetLine("New words."),))))
    step = await session.step()
    assert step is not None
    assert (payload_text(step.payload), step.revision) == ("New words.", 1)
    await session.undo()
    await session.undo()
    assert session.revision == 0
    await session.step()
    assert texts(session)[-1] == "Let me look."


async def test_stepping_and_keeping_follow_the_branch_they_are_told_to() -> None:
    session = await played()
    message = next(step for step in session.rollout if step.role == "evaluator")
    leaves = [session.head]
    for words in ("one", "two"):
        await session.override(message.id, user_message(words), "keep")
        leaves.append(session.head)
    head = session.head
    for leaf in (*leaves, *reversed(leaves)):
        assert leaf is not None
        session.follow(leaf)
        assert session.head == head
        wanted = [step.id for step in session.rollout.path(leaf)]
        at, walked = None, []
        while (following := session.recorded_next(at)) is not None:
            walked.append(following)
            at = following
        assert walked == wanted
    with pytest.raises(UsageError):
        session.follow("nowhere")
