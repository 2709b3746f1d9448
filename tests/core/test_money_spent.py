"""Budgets against a server that counts its requests: no call is made that would break one, none is
made or paid for twice, and what has come is saved before the next is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.batch import Batch, Done, Job
from rollstep.core.budget import RunBudget
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.events import Event, Paused, Streamed
from rollstep.core.ids import random_step_ids
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.messages import Stop
from rollstep.core.model.project import (
    HeuristicEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    ScriptedCall,
    ScriptedTarget,
    StopRules,
    TargetLine,
)
from rollstep.core.playthrough import play_through
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.rules.limits import Limits
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.core.workers.pool import Workers

from ..provider.faults import FAULTS
from ..provider.replies import Reply
from ..provider.server import ProviderServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

PRICED = "gpt-4.1-nano"
"""A model with a price; a call below takes 10 + 100 tokens, 0.000041 dollars."""
EACH = 10 * 1e-7 + 100 * 4e-7
REPLY = Reply("Again.", usage={"prompt_tokens": 10, "completion_tokens": 100, "total_tokens": 110})

RolesFor = Callable[[Project], Roles]


@pytest.fixture
def roles(gateway_workers: Workers, canary: str) -> RolesFor:
    return lambda project: build_roles(project, trusted=True, models=gateway_workers)


@pytest.fixture
def server(provider: ProviderServer) -> ProviderServer:
    provider.answer(PRICED, REPLY)
    return provider


def project(server: ProviderServer, **limits: object) -> Project:
    target = LlmTarget(f"openai/{PRICED}", api_base=server.api_base, params='{"max_tokens": 200}')
    evaluator = HeuristicEvaluator(followups=("More.", "And more."))
    rules = StopRules(**limits)  # type: ignore[arg-type]
    return Project("Live", target, evaluator, opening="Hi", max_turns=9, stop=rules)


def watched(session: Session) -> list[str]:
    words: list[str] = []

    def watch(event: Event) -> None:
        if isinstance(event, Paused):
            words.append(event.words)

    session.subscribe(watch)
    return words


async def test_a_run_pauses_before_the_call_that_would_break_the_budget(
    server: ProviderServer, roles: RolesFor
) -> None:
    before = len(server.asked(PRICED))
    session = Session.start(project(server, max_cost_usd=2.5 * EACH), roles=roles)
    paused = watched(session)
    async for _ in session.run():
        pass
    # The second could have taken 200 tokens of reply, which the budget would not have borne.
    assert len(server.asked(PRICED)) == before + 1
    assert [words.split(" may cost ")[0] for words in paused] == ["the next step"]
    assert session.status == ("parked", paused[0])
    async for _ in session.run():
        pass
    assert len(server.asked(PRICED)) == before + 2, "who was told goes on, by one call"
    assert len(paused) == 2
    await session.close()


async def test_a_breakpoint_before_the_call_that_the_budget_forbids_is_told_first(
    server: ProviderServer, roles: RolesFor
) -> None:
    """Each is told once, nothing is asked meanwhile, and c goes on after both."""
    before = len(server.asked(PRICED))
    session = Session.start(project(server, max_cost_usd=EACH / 2), roles=roles)
    await session.set_breakpoints([Breakpoint(role="target", before=True)])
    paused = watched(session)
    asked = []
    for _ in range(3):
        async for _ in session.run():
            pass
        asked.append(len(server.asked(PRICED)) - before)
    assert asked == [0, 0, 1]
    assert paused[0] == "breakpoint 1 before step 2: role = target"
    assert paused[1].startswith("the next step may cost ")
    assert session.status == ("parked", paused[-1])
    assert len(paused) == 3


async def test_a_step_is_held_up_and_the_next_press_makes_it(
    server: ProviderServer, roles: RolesFor
) -> None:
    session = Session.start(project(server, max_tokens=50), roles=roles)
    paused = watched(session)
    before = len(server.asked(PRICED))
    await session.step()
    assert await session.step() is None
    assert len(paused) == 1
    assert paused[0].startswith("the next step may take ")
    assert paused[0].endswith(" tokens and 50 are left")
    assert len(server.asked(PRICED)) == before
    assert await session.step() is not None
    assert len(server.asked(PRICED)) == before + 1
    await session.close()


async def test_takes_are_reckoned_together_and_other_branches_count(
    server: ProviderServer, roles: RolesFor
) -> None:
    session = Session.start(project(server, max_cost_usd=6 * EACH), roles=roles)
    await session.step()
    reply = await session.step()
    assert reply is not None
    before = len(server.asked(PRICED))
    with pytest.raises(UsageError, match=r"Not asked: the next 3 calls may cost \$0\.000\d+ and"):
        await session.retake(reply.id, 3)
    assert len(server.asked(PRICED)) == before
    await session.retake(reply.id, 2)
    assert len(server.asked(PRICED)) == before + 2
    await session.step()
    assert await session.step() is not None, "three of six are spent, on three branches"
    await session.step()
    paused = watched(session)
    assert await session.step() is None
    assert len(paused) == 1
    await session.close()


async def test_what_a_failure_had_cost_counts(server: ProviderServer, roles: RolesFor) -> None:
    session = Session.start(project(server, max_cost_usd=0.00001), roles=roles)
    await session.step()
    await session.step()
    server.answer(PRICED, FAULTS["error_event"])
    with pytest.raises(RoleError):
        await session.step()
    cost = session.attempts[0].cost
    assert cost is not None
    revised = project(server, max_cost_usd=cost)
    await session.revise(revised)
    paused = watched(session)
    assert await session.step() is None
    assert " spent" in paused[0]
    await session.close()


async def test_the_tokens_of_failures_count_in_the_app_and_headless(
    server: ProviderServer, roles: RolesFor
) -> None:
    failing = project(server, max_tokens=500)
    session = Session.start(failing, roles=roles)
    await session.step()
    server.answer(PRICED, FAULTS["error_event"])
    with pytest.raises(RoleError):
        await session.step()
    usage = session.attempts[0].usage
    assert usage is not None
    await session.revise(project(server, max_tokens=usage.tokens))
    paused = watched(session)
    assert await session.step() is None
    assert paused == [f"{usage.tokens:,} of {usage.tokens:,} tokens used"]
    await session.close()
    run = RunBudget(Limits(tokens=10_000))
    played = await play_through(
        failing, roles(failing), seed="0", new_id=random_step_ids(), budget=run
    )
    (attempt,) = played.attempts
    assert attempt.usage is not None
    assert run.tokens == attempt.usage.tokens > 0
    assert run.estimated == 1


async def test_what_a_cancelled_call_had_taken_counts_as_estimated(
    server: ProviderServer, roles: RolesFor
) -> None:
    server.answer(PRICED, Reply("Half of it, and more that never comes.", pace=0.5, piece=11))
    session = Session.start(project(server), roles=roles)
    await session.step()
    task = asyncio.create_task(session.step())
    arrived = asyncio.Event()
    session.subscribe(lambda event: arrived.set() if isinstance(event, Streamed) else None)
    await arrived.wait()
    assert session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (attempt,) = session.attempts
    assert (attempt.kind, attempt.partial) == ("cancelled", "Half of it,")
    assert attempt.usage is not None
    assert (attempt.usage.completion_tokens, attempt.usage.estimated) == (3, True)
    assert attempt.usage.prompt_tokens > 5
    assert attempt.cost == pytest.approx(attempt.usage.prompt_tokens * 1e-7 + 3 * 4e-7)
    forecast = await session.forecast()
    assert forecast is not None
    assert forecast.spent.tokens == attempt.usage.tokens
    await session.close()


async def test_a_limit_ends_a_rollout_where_the_project_says_so(
    server: ProviderServer, roles: RolesFor
) -> None:
    rules = project(server, max_cost_usd=EACH, on_limit="stop")
    before = len(server.asked(PRICED))
    session = Session.start(rules, roles=roles)
    async for _ in session.run():
        pass
    played = await play_through(rules, roles(rules), seed="0", new_id=random_step_ids())
    for steps in (session.rollout.path(session.head), played.steps):
        stop = steps[-1].payload
        assert isinstance(stop, Stop)
        assert stop.note.startswith("the next step may cost ")
    assert len(server.asked(PRICED)) == before
    await session.close()


async def test_calls_that_are_made_at_once_are_reckoned_together(
    server: ProviderServer, roles: RolesFor
) -> None:
    calls = tuple(ScriptedCall("look") for _ in range(3))
    simulator = LlmSimulator(
        f"openai/{PRICED}",
        api_base=server.api_base,
        params='{"max_tokens": 200}',
        independent=True,
    )
    base = project(server, max_cost_usd=3 * EACH)
    target = ScriptedTarget((TargetLine("", tool_calls=calls),))
    rules = Project(
        "At once", target, base.evaluator, opening="Hi", tool_simulator=simulator, stop=base.stop
    )
    before = len(server.asked(PRICED))
    session = Session.start(rules, roles=roles)
    paused = watched(session)
    async for _ in session.run():
        pass
    assert paused[0].startswith("the next 3 calls may cost ")
    played = await play_through(rules, roles(rules), seed="0", new_id=random_step_ids())
    assert (played.status, played.note) == ("parked", paused[0])
    assert len(server.asked(PRICED)) == before
    await session.close()


async def test_a_run_makes_no_call_that_would_take_it_past_its_budget(
    server: ProviderServer, canary: str, tmp_path: Path
) -> None:
    before = len(server.asked(PRICED))
    rules = project(server)
    workers = Workers()
    budget = RunBudget(Limits(dollars=20 * EACH))
    done: list[Done] = []
    with Library.open(tmp_path / "library.sqlite") as library:
        batch = Batch(
            done.append,
            roles=lambda each: build_roles(each, trusted=True, workers=workers),
            workers=workers,
            library=library,
            side_by_side=4,
            budget=budget,
        )
        await asyncio.to_thread(batch.run, [Job(rules, record=row) for row in range(20)])
        kept = {each.rollout_id: library.load(each.rollout_id) for each in done if each.started}
    asked = len(server.asked(PRICED)) - before
    assert 15 <= asked <= 20
    assert budget.dollars == pytest.approx(asked * EACH)
    assert sum(s.call is not None for saved in kept.values() for s in saved.steps) == asked
    parked = [each for each in done if each.parked]
    assert parked
    assert all(each.words.startswith("the run's budget: the next step may") for each in parked)
    assert [each.started for each in done].count(False) >= 1
    assert len(done) == 20
