"""A session while a role is asked: pauses, cancels, late results, edits that may not race."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.model.messages import (
    Stop,
    target_reply,
    user_message,
)
from rollstep.core.model.project import (
    EchoTarget,
    HeuristicEvaluator,
    Project,
)
from rollstep.core.model.steps import Step
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from .projects_for_tests import ORDER, played, refund

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


async def test_pause_takes_effect_at_the_next_step() -> None:
    session = Session.start(refund())
    async for _ in session.run():
        session.pause()
    assert len(session.rollout) == 1


class Slow:
    """A target that answers when told to."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.asked = asyncio.Event()

    async def reply(self, view: object, stream: object = None) -> object:
        self.asked.set()
        await self.go.wait()
        return target_reply("Late.")


def slow_session(slow: Slow) -> Session:
    from rollstep.core.roles.registry import Roles, build_roles

    project = Project("Slow", EchoTarget(), HeuristicEvaluator(), opening="Hi")

    def roles(project: Project) -> Roles:
        made = build_roles(project)
        kinds = {**made.kinds, "target": "object"}
        return Roles(made.evaluator, slow, None, made.names, kinds)  # type: ignore[arg-type]

    return Session.start(project, roles=roles)


async def test_a_late_result_is_filed_where_it_was_asked_and_moves_no_head() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    await session.go_to(None)
    slow.go.set()
    step = await task
    assert step is not None
    assert first is not None
    assert (step.parent_id, step.late, session.head) == (first.id, True, None)


async def test_edits_cannot_race_a_running_step() -> None:
    slow = Slow()
    session = slow_session(slow)
    await session.step()
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    with pytest.raises(UsageError, match="being made"):
        await session.step()
    with pytest.raises(UsageError, match="being made"):
        await session.write(target_reply("Mine."))
    slow.go.set()
    await task
    assert len(session.rollout) == 2


async def test_cancel_ends_the_call_and_leaves_the_head() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    assert session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert first is not None
    assert session.head == first.id
    assert not session.busy


class Streams(Slow):
    """A slow target of which some text has come."""

    async def reply(self, view: object, stream: object = None) -> object:
        assert callable(stream)
        stream("Let me ")
        stream("look")
        return await super().reply(view, stream)


@pytest.mark.parametrize("by", ["step", "retake"])
async def test_what_had_arrived_when_a_call_was_cancelled_is_kept_as_a_partial(by: str) -> None:
    slow = Streams()
    session = slow_session(slow)
    first = await session.step()
    assert first is not None
    if by == "retake":
        written = await session.write(target_reply("Mine."))
    asking = session.retake(written.id) if by == "retake" else session.step()
    task = asyncio.ensure_future(asking)
    await slow.asked.wait()
    session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (attempt,) = session.attempts
    assert (attempt.kind, attempt.partial, attempt.parent_id) == (
        "cancelled",
        "Let me look",
        first.id,
    )
    assert attempt.words == "Cancelled by you. 11 characters arrived; kept as partial."
    assert len(session.rollout) == (2 if by == "retake" else 1)


async def test_a_step_can_be_undone_whatever_was_pressed_while_it_was_made() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    assert first is not None
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    with pytest.raises(UsageError, match="being made"):
        await session.step()
    await session.name_branch(first.id, "main")
    slow.go.set()
    step = await task
    assert step is not None
    assert [(c.label, c.step_ids) for c in session.commands] == [
        ("step", (first.id,)),
        ("step", (step.id,)),
        ("naming a branch", ()),
    ]
    assert await session.undo() == "naming a branch"
    assert await session.undo() == "step"
    assert session.rollout.hidden == {step.id}


async def test_a_late_result_leaves_the_status_of_where_the_human_is() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    assert first is not None
    stop = await session.write(Stop("enough", "human"), at=None)
    task = asyncio.create_task(session.step(first.id))
    await slow.asked.wait()
    await session.go_to(stop.id)
    slow.go.set()
    await task
    assert session.saved().status == "ended"


async def test_a_pause_comes_in_between_recorded_steps_and_those_of_a_script() -> None:
    for already_played in (True, False):
        session = await played() if already_played else Session.start(refund())
        await session.go_to(None)
        walk = asyncio.create_task(all_of(session.run()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        session.pause()
        assert 0 < len(await walk) < len(WHOLE)
        assert not session.busy


async def all_of(steps: AsyncIterator[Step]) -> list[Step]:
    return [step async for step in steps]


async def test_closing_waits_until_nothing_is_left_of_a_running_command() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    task = asyncio.create_task(session.turn())
    await slow.asked.wait()
    await session.close()
    assert task.done()
    assert task.cancelled()
    assert first is not None
    assert (session.head, session.busy) == (first.id, False)


async def test_nothing_that_makes_or_takes_back_can_race_a_running_step() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    assert first is not None
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    for refused in (
        session.retake(first.id),
        session.undo(),
        session.redo(),
        session.override(first.id, user_message("No.")),
        session.insert(first.id, [target_reply("No.")]),
        session.delete([first.id]),
        session.revise(refund()),
        session.turn(),
    ):
        with pytest.raises(UsageError, match="being made"):
            await refused
    session.follow(first.id)
    await session.name_branch(first.id, "kept")
    slow.go.set()
    step = await task
    assert step is not None
    assert (step.late, session.head, len(session.rollout)) == (False, step.id, 2)


async def test_closing_ends_a_walk_through_recorded_steps(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library.sqlite")
    session = await played(library=library)
    await session.go_to(None)
    walk = asyncio.create_task(all_of(session.run()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await session.close()
    library.close()
    assert walk.done()
    assert 0 < len(await walk) < len(WHOLE)
