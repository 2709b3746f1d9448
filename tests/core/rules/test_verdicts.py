"""Which branches are accepted, and when an edit takes a verdict's ground away."""

from __future__ import annotations

from collections.abc import Callable

from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import target_reply, user_message
from rollstep.core.rules.verdicts import accepted_leaves, is_outdated, newest_verdict
from rollstep.core.session import Session

from ..projects_for_tests import played


class Ticking:
    """Each look is a second later."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


async def accepted() -> tuple[Session, str, Callable[[], float]]:
    clock = Ticking()
    session = await played(clock=clock)
    leaf = session.rollout.path(session.head)[-1].id
    await session.mark(Mark(leaf, verdict="accept", at=clock()))
    return session, leaf, clock


def leaves(session: Session) -> list[str]:
    return accepted_leaves(session.rollout, session.marks, session.commands)


async def test_a_leaf_with_the_verdict_accept_is_accepted() -> None:
    session, leaf, _ = await accepted()
    assert leaves(session) == [leaf]


async def test_the_newest_verdict_counts_whoever_gave_it() -> None:
    session, leaf, clock = await accepted()
    await session.mark(Mark(leaf, verdict="reject", by="ben", at=clock()))
    await session.mark(Mark(leaf, note="hm", by="mira", at=clock()))
    assert leaves(session) == []
    newest = newest_verdict(session.marks, leaf)
    assert newest is not None
    assert newest.by == "ben"


async def test_a_later_edit_outdates_it_and_the_edited_branch_has_none_yet() -> None:
    session, leaf, clock = await accepted()
    old = session.rollout.path(leaf)[1]
    done = await session.override(old.id, target_reply("I will see."), "keep")
    assert leaves(session) == []
    assert is_outdated(session.rollout, session.marks[0], session.commands)
    new = session.rollout.newest_leaf(done.step.id if done.step else None)
    assert new is not None
    await session.mark(Mark(new, verdict="accept", at=clock()))
    assert leaves(session) == [new]
    await session.mark(Mark(leaf, verdict="accept", at=clock()))
    assert set(leaves(session)) == {leaf, new}


async def test_an_edit_that_was_undone_or_reverted_does_not_count() -> None:
    session, leaf, _ = await accepted()
    old = session.rollout.path(leaf)[1]
    await session.override(old.id, target_reply("I will see."), "keep")
    await session.undo()
    assert leaves(session) == [leaf]
    done = await session.override(old.id, target_reply("I will see."), "keep")
    assert done.step is not None
    await session.revert(done.step.id)
    assert leaves(session) == [leaf]


async def test_an_insertion_and_a_deletion_count_and_a_retake_does_not() -> None:
    session, leaf, _ = await accepted()
    path = session.rollout.path(leaf)
    final = next(step for step in path if step.role == "target" and not step.payload.tool_calls)  # type: ignore[union-attr]
    await session.retake(final.id)
    assert leaves(session) == [leaf]
    await session.insert(path[-2].id, [user_message("One more thing.")])
    assert leaves(session) == []
    await session.undo()
    assert leaves(session) == [leaf]
    turn = [step.id for step in path[:5]]
    await session.delete(turn)
    assert leaves(session) == []


async def test_an_edit_that_came_before_does_not_count() -> None:
    clock = Ticking()
    session = await played(clock=clock)
    old = session.rollout.path(session.head)[1]
    await session.override(old.id, target_reply("I will see."), "keep")
    for leaf in session.rollout.leaves():
        await session.mark(Mark(leaf, verdict="accept", at=clock()))
    assert leaves(session) == session.rollout.leaves()
