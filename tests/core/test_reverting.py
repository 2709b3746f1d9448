"""Taking an edit back: the original stands in its place again, and nothing is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.model.edited import is_edit
from rollstep.core.model.history import reverts_of
from rollstep.core.model.messages import Stop, target_reply, tool_result, user_message
from rollstep.core.model.steps import Step
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from .projects_for_tests import LOST, ORDER, played, refund, texts


def path(session: Session) -> tuple[Step, ...]:
    return session.rollout.path(session.head)


async def test_the_original_stands_again_with_what_followed_the_edit_kept() -> None:
    session = await played(author="mira")
    before = texts(session)
    result = path(session)[2]
    done = await session.override(result.id, tool_result("1", LOST), "rerun")
    assert done.step is not None
    async for _ in session.run():
        pass
    edited = texts(session)
    assert edited[2:4] == [LOST, before[3]]
    reverted = await session.revert(done.step.id, "it is not lost")
    assert texts(session) == [*edited[:2], ORDER, *edited[3:]]
    assert reverted.copied == len(edited) - 3
    step = path(session)[2]
    assert (step.copied_from, step.replaces) == (result.id, done.step.id)
    assert (step.author, step.reason) == ("mira", "it is not lost")
    assert step.origin == result.origin
    assert not is_edit(step, session.project)
    assert session.rollout.takes(result.id) == [result.id, done.step.id, step.id]
    (revert,) = reverts_of(session.commands).values()
    assert (revert.step_id, revert.by, revert.reason) == (done.step.id, "mira", "it is not lost")


async def test_undo_takes_a_revert_back_and_then_it_can_be_reverted_again() -> None:
    session = await played()
    target = path(session)[1]
    done = await session.override(target.id, target_reply("No."), "stay")
    assert done.step is not None
    await session.revert(done.step.id)
    assert await session.undo() == "revert of target reply"
    assert session.head == done.step.id
    assert reverts_of(session.commands) == {}
    assert session.rollout.children(done.step.parent_id) == [target.id, done.step.id]
    await session.redo()
    assert reverts_of(session.commands).keys() == {done.step.id}
    with pytest.raises(UsageError, match="was reverted already"):
        await session.revert(done.step.id)
    await session.undo()
    await session.revert(done.step.id)


async def test_a_revert_survives_reopening() -> None:
    with Library.throwaway() as library:
        session = await played(library=library, author="mira")
        done = await session.override(path(session)[0].id, user_message("Hey!"), "keep")
        assert done.step is not None
        await session.revert(done.step.id, "too loud")
        again = Session.reopen(library.load(session.rollout.header.id), library)
        assert reverts_of(again.commands) == reverts_of(session.commands)
        with pytest.raises(UsageError, match="reverted already by mira"):
            await again.revert(done.step.id)


async def test_a_copy_of_an_edit_is_reverted_where_it_stands() -> None:
    """An edit, then an earlier one with what follows kept: the shown branch holds a copy."""
    session = await played()
    result = path(session)[2]
    await session.override(result.id, tool_result("1", LOST), "keep")
    await session.override(path(session)[0].id, user_message("Hey!"), "keep")
    copy = path(session)[2]
    assert copy.copied_from is not None
    await session.revert(copy.id)
    assert texts(session)[:3] == ["Hey!", "Let me look.", ORDER]


async def test_an_edit_of_an_edit_goes_back_one_step_at_a_time() -> None:
    session = await played()
    first = path(session)[0]
    one = await session.override(first.id, user_message("One"), "keep")
    two = await session.override(one.step.id, user_message("Two"), "keep")  # type: ignore[union-attr]
    await session.revert(two.step.id)  # type: ignore[union-attr]
    assert texts(session)[0] == "One"
    await session.revert(path(session)[0].id)
    assert texts(session)[0] == texts(session, first.id)[0]


async def test_a_written_step_is_left_out_and_an_insertion_whole() -> None:
    session = await played()
    before = texts(session)
    await session.insert(path(session)[-2].id, [user_message("More?"), target_reply("No.")])
    inserted = path(session)[-3]
    assert len(path(session)) == len(before) + 2
    await session.revert(inserted.id, "not needed")
    assert texts(session) == before
    assert {each.reason for each in reverts_of(session.commands).values()} == {"not needed"}
    assert len(reverts_of(session.commands)) == 2


async def test_a_written_step_at_the_end_is_taken_out_of_sight() -> None:
    session = Session.start(refund())
    await session.step()
    written = await session.write(target_reply("By hand."))
    await session.revert(written.id)
    assert written.id in session.rollout.hidden
    assert session.head == written.parent_id
    with pytest.raises(UsageError, match="reverted already"):
        await session.revert(written.id)
    await session.undo()
    assert session.head == written.id


async def test_what_cannot_be_reverted_says_why() -> None:
    session = await played()
    model_step = path(session)[1]
    with pytest.raises(UsageError, match="Target reply is no edit"):
        await session.revert(model_step.id)
    done = await session.override(model_step.id, target_reply("No."), "stay")
    assert done.step is not None
    await session.undo()
    with pytest.raises(UsageError, match="was undone already"):
        await session.revert(done.step.id)
    await session.redo()
    reverted = await session.revert(done.step.id)
    assert reverted.step is not None
    with pytest.raises(UsageError, match="is a revert itself"):
        await session.revert(reverted.step.id)
    with pytest.raises(UsageError, match="no step nowhere"):
        await session.revert("nowhere")


async def test_copies_in_a_circle_are_no_edit() -> None:
    session = Session.start(refund())
    odd = Step("a", None, "evaluator", user_message("x"), "human", copied_from="a")
    session.rollout.add(odd)
    with pytest.raises(UsageError, match="is no edit"):
        await session.revert("a")


Edit = tuple[int, str, str]
edits = st.lists(
    st.tuples(
        st.integers(0, 20), st.sampled_from(["a", "b", ""]), st.sampled_from(["stay", "keep"])
    ),
    min_size=1,
    max_size=5,
)


@given(edits, st.integers(0, 20))
def test_a_reverted_edit_says_what_the_original_said_and_undo_brings_all_back(
    made: list[Edit], which: int
) -> None:
    async def check() -> None:
        session = await played()
        done = [step for step in [await _edit(session, *edit) for edit in made] if step]
        if not done:
            return
        edit = done[which % len(done)]
        original = session.rollout.steps[edit.replaces or ""]
        place = len(session.rollout.path(edit.id)) - 1
        before = (session.head, frozenset(session.rollout.hidden), len(session.rollout))
        try:
            await session.revert(edit.id)
        except UsageError:
            assert session.head == before[0]
            assert len(session.rollout) == before[2]
            return
        assert path(session)[place].payload == original.payload
        assert edit.id in session.rollout.steps
        seen = {step.id for step in session.rollout if step.id not in session.rollout.hidden}
        await session.undo()
        assert session.head == before[0]
        visible = {step.id for step in session.rollout if step.id not in session.rollout.hidden}
        assert len(visible) == before[2] - len(before[1])
        await session.redo()
        assert seen == {s.id for s in session.rollout if s.id not in session.rollout.hidden}

    asyncio.run(check())


async def _edit(session: Session, place: int, text: str, after: Any) -> Step | None:
    steps = path(session)
    step = steps[place % len(steps)]
    payload: Any = user_message(text)
    if step.role == "target":
        payload = target_reply(text, getattr(step.payload, "tool_calls", ())[: len(text)])
    elif step.role == "tool":
        payload = tool_result("", text)
    elif isinstance(step.payload, Stop):
        payload = Stop(text or "enough", "human")
    try:
        return (await session.override(step.id, payload, after)).step
    except (UsageError, RoleError):
        return None
