"""An independent tool simulator is asked for all calls of a reply at once, when playing on."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.ids import random_step_ids
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.messages import ToolResult, payload_text, tool_result
from rollstep.core.model.project import Project, PythonSimulator
from rollstep.core.model.steps import Step
from rollstep.core.model.view import View
from rollstep.core.playthrough import Played, play_through
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.registry import Roles, build_roles, with_objects
from rollstep.core.session import Session

from .projects_for_tests import refund, texts

INDEPENDENT = refund(tool_simulator=PythonSimulator("x:y", independent=True))


class Simulator:
    """Answers no call before every one of ``together`` was asked for, and the later ones first."""

    def __init__(self, *together: str, fails: str = "", hangs: str = "") -> None:
        self.asked: list[View] = []
        self.together = set(together)
        self.fails = fails
        self.hangs = hangs
        self._all_here = asyncio.Event()
        self.second_came = asyncio.Event()

    async def respond(self, view: View) -> Answer:
        assert view.call is not None
        name = view.call.name
        self.asked.append(view)
        if self.together <= {seen.call.name for seen in self.asked if seen.call}:
            self._all_here.set()
        await self._all_here.wait()
        if name == "get_order":
            await self.second_came.wait()
        if name == self.hangs:
            await asyncio.Event().wait()
        self.second_came.set()
        if name == self.fails:
            raise RoleError(f"no {name}", kind="timeout")
        text = f"{name} {view.rng().random()} {view.state}"
        return Answer(tool_result(view.call.id, text), state=name)


BOTH = ("get_order", "check_policy")


def roles_with(simulator: object) -> Callable[[Project], Roles]:
    return lambda project: with_objects(build_roles(refund()), tool_simulator=simulator)


def one_by_one() -> Simulator:
    """One that answers each call as it comes."""
    simulator = Simulator()
    simulator.second_came.set()
    return simulator


async def stepped(simulator: Simulator) -> Session:
    session = Session.start(INDEPENDENT, roles=roles_with(simulator))
    await session.turn()
    return session


async def headless(simulator: Simulator) -> Played:
    return await play_through(
        INDEPENDENT, roles_with(simulator)(INDEPENDENT), seed="0", new_id=random_step_ids()
    )


def results(steps: tuple[Step, ...]) -> list[str]:
    return [payload_text(s.payload).split()[0] for s in steps if isinstance(s.payload, ToolResult)]


async def test_all_calls_are_asked_for_at_once_and_stand_in_their_order() -> None:
    session = await stepped(Simulator(*BOTH))
    assert results(session.rollout.path(session.head)) == [*BOTH]
    assert session.next_actor == "evaluator"
    assert results((await headless(Simulator(*BOTH))).steps) == [*BOTH]


async def test_one_at_a_time_and_at_once_make_the_same_steps() -> None:
    single = Session.start(INDEPENDENT, roles=roles_with(one_by_one()))
    while single.next_actor != "evaluator" or single.head is None:
        await single.step()
    at_once = await stepped(Simulator(*BOTH))
    played = await headless(Simulator(*BOTH))
    payloads = [step.payload for step in single.rollout]
    assert [step.payload for step in at_once.rollout] == payloads
    assert [step.payload for step in played.steps[: len(payloads)]] == payloads


async def test_none_sees_the_others_results_state_or_draws() -> None:
    for simulator in (Simulator(*BOTH), one_by_one()):
        session = Session.start(INDEPENDENT, roles=roles_with(simulator))
        while len(simulator.asked) < 2:
            await (session.turn() if simulator.together else session.step())
        first, second = simulator.asked
        assert first.messages == second.messages
        assert first.state is second.state is None
        assert first.rng().random() != second.rng().random()


async def test_what_came_is_kept_when_another_call_fails_and_that_one_is_asked_again() -> None:
    simulator = Simulator(*BOTH, fails="get_order")
    session = Session.start(INDEPENDENT, roles=roles_with(simulator))
    seen: list[Step] = []

    async def run() -> None:
        async for step in session.run():
            seen.append(step)

    with pytest.raises(RoleError, match="no get_order"):
        await run()
    assert results(tuple(seen)) == ["check_policy"]
    (attempt,) = session.attempts
    assert (attempt.parent_id, attempt.call_id) == (session.head, "call_1_1")
    assert not session.busy
    simulator.fails = ""
    await session.turn()
    assert results(session.rollout.path(session.head)) == ["check_policy", "get_order"]
    assert await session.undo() == "turn"

    played = await headless(Simulator(*BOTH, fails="get_order"))
    assert (played.status, played.note) == (
        "failed",
        "The tool simulator Simulator failed: no get_order",
    )
    assert results(played.steps) == ["check_policy"]
    assert [a.parent_id for a in played.attempts] == [played.steps[-1].id]


async def test_what_came_is_kept_when_the_rest_is_cancelled() -> None:
    simulator = Simulator(*BOTH, hangs="get_order")
    session = Session.start(INDEPENDENT, roles=roles_with(simulator))
    task = asyncio.create_task(session.turn())
    await simulator.second_came.wait()
    await asyncio.sleep(0)
    session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert results(session.rollout.path(session.head)) == ["check_policy"]
    assert session.next_actor == "tool"
    assert not session.busy


async def test_a_retake_asks_for_the_call_that_the_result_answered() -> None:
    session = Session.start(INDEPENDENT, roles=roles_with(one_by_one()))
    await session.step()
    await session.step()
    last = session.position().open_calls[-1]
    written = await session.write(tool_result(last.id, "by hand"))
    (take,) = await session.retake(written.id)
    assert isinstance(take.payload, ToolResult)
    assert take.payload.call_id == last.id
    assert texts(session)[-1].startswith("check_policy")


@pytest.mark.parametrize(
    ("breakpoint", "steps", "words"),
    [
        (
            Breakpoint("kind = result"),
            4,
            "breakpoint 1 at step 3: kind = result; breakpoint 1 at step 4: kind = result",
        ),
        (
            Breakpoint("tool = check_policy", before=True),
            2,
            "breakpoint 1 before step 3: tool = check_policy",
        ),
    ],
)
async def test_breakpoints_look_at_each_of_the_calls_that_are_asked_for_at_once(
    breakpoint: Breakpoint, steps: int, words: str
) -> None:
    project = msgspec.structs.replace(INDEPENDENT, breakpoints=(breakpoint,))
    session = Session.start(project, roles=roles_with(Simulator(*BOTH)))
    await session.turn()
    assert len(session.rollout.path(session.head)) == steps
    assert session.saved().status_note == words
    played = await play_through(
        project, roles_with(Simulator(*BOTH))(project), seed="0", new_id=random_step_ids()
    )
    assert (len(played.steps), played.note) == (steps, words)
