"""The verdict that a branch shows: its own, or that of the branch which it grew out of."""

from __future__ import annotations

from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import target_reply, user_message
from rollstep.core.rules.verdicts import standing_verdict
from rollstep.core.session import Session

from .test_verdicts import accepted


def shown(session: Session, leaf: str | None) -> str:
    found = standing_verdict(session.rollout, session.marks, leaf, session.commands)
    if found is None:
        return ""
    return f"{found.mark.verdict}{'!' if found.outdated else ''}"


async def test_a_branch_shows_its_own_verdict_and_a_part_of_it_none() -> None:
    session, leaf, _ = await accepted()
    assert shown(session, leaf) == "accept"
    assert shown(session, session.rollout.path(leaf)[-2].id) == ""
    assert shown(session, None) == ""


async def test_an_edited_branch_shows_the_old_verdict_as_outdated_until_it_has_its_own() -> None:
    session, leaf, clock = await accepted()
    old = session.rollout.path(leaf)[1]
    done = await session.override(old.id, target_reply("I will see."), "keep")
    assert done.step is not None
    new = session.rollout.newest_leaf(done.step.id)
    assert new is not None
    assert (shown(session, leaf), shown(session, new)) == ("accept!", "accept!")
    await session.mark(Mark(new, verdict="reject", at=clock()))
    assert shown(session, new) == "reject"
    await session.undo()
    await session.undo()
    assert shown(session, leaf) == "accept"


async def test_a_take_by_a_role_beside_a_judged_branch_is_another_branch() -> None:
    session, leaf, _ = await accepted()
    path = session.rollout.path(leaf)
    final = next(step for step in path if step.role == "target" and not step.payload.tool_calls)  # type: ignore[union-attr]
    made = await session.retake(final.id)
    assert shown(session, session.rollout.newest_leaf(made[-1].id)) == ""
    assert shown(session, leaf) == "accept"


async def test_more_steps_after_the_judged_one_outdate_it() -> None:
    session, leaf, clock = await accepted()
    before = session.rollout.path(leaf)[-1].parent_id
    assert before is not None
    await session.mark(Mark(leaf, verdict=None, at=clock()))
    await session.mark(Mark(before, verdict="unsure", at=0.5))
    step = await session.write(user_message("And one more thing."), before)
    assert shown(session, step.id) == "unsure!"
