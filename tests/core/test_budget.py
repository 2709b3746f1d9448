"""Before a call it is known what it may take; after it, what it took is counted."""

from __future__ import annotations

import asyncio
import json

import pytest
from rollstep.core.budget import RolloutBudget, RunBudget, refusal
from rollstep.core.estimating import RESERVED_REPLY, Estimate, estimate_of
from rollstep.core.model.messages import ToolCall, target_reply, user_message
from rollstep.core.model.project import (
    HeuristicEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    ScriptedTarget,
    StopRules,
    Tool,
)
from rollstep.core.model.steps import Attempt, Call, Step, Usage
from rollstep.core.rules.limits import Limits, in_dollars
from rollstep.core.rules.stepper import Ask
from rollstep.core.rules.views import PathState, view_for
from rollstep.core.spending import Spending, Spent
from rollstep.core.workers.prices import Price

PRICE = Price(0.001, 0.01, 0.0005, 1000, 500)
STEPS = (Step("1", None, "evaluator", user_message("x" * 400), "script"),)


def live(**of_target: object) -> Project:
    target = LlmTarget("openai/gpt-4.1-mini", **of_target)  # type: ignore[arg-type]
    return Project("P", target, HeuristicEvaluator())


def estimated(project: Project, steps: tuple[Step, ...] = STEPS, usual: int = 300) -> Estimate:
    assert isinstance(project.target, LlmTarget)
    return estimate_of(project.target, view_for(project, steps, "target"), usual)


def test_a_prompt_counts_four_characters_a_token_with_system_text_and_tools() -> None:
    bare = estimated(live())
    assert 100 <= bare.prompt_tokens <= 112
    system = estimated(live(system="y" * 4000)).prompt_tokens - bare.prompt_tokens
    assert 1000 <= system <= 1010
    tool = Tool("get", "z" * 400, json.dumps({"type": "object", "description": "w" * 400}))
    project = Project("P", live().target, HeuristicEvaluator(), tools=(tool,))
    assert estimated(project).prompt_tokens - bare.prompt_tokens >= 200


def test_the_reply_is_as_long_as_usual_and_no_longer_than_the_project_lets_it_be() -> None:
    free = estimated(live())
    assert (free.reply_tokens, free.reserved_reply_tokens) == (300, RESERVED_REPLY)
    assert free.most_reply_tokens > RESERVED_REPLY, "what the model itself can give"
    held = estimated(live(params='{"max_tokens": 50}'))
    assert (held.reply_tokens, held.most_reply_tokens, held.reserved_reply_tokens) == (50, 50, 50)
    assert held.cost == held.most_cost == held.reserved_cost
    assert free.cost is not None
    assert free.most_cost is not None
    assert free.cost < free.most_cost


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    own = Project(
        "P", LlmTarget("openai/mine", api_base="http://127.0.0.1:1/v1"), HeuristicEvaluator()
    )
    found = estimated(own)
    assert (found.cost, found.most_cost, found.own_server) == (None, None, True)
    assert not estimated(Project("P", LlmTarget("openai/mine"), HeuristicEvaluator())).own_server


def test_a_result_that_may_be_repaired_is_reckoned_twice() -> None:
    tools = (Tool("get", returns='{"type": "object"}'), Tool("put"))
    simulator = LlmSimulator("openai/gpt-4.1-mini")
    project = Project("P", live().target, HeuristicEvaluator(), tools=tools)
    state = PathState(project)
    found = [
        estimate_of(
            simulator, state.view(Ask("tool", 0, ToolCall("c", name, "{}")), project), 300
        ).calls
        for name in ("get", "put")
    ]
    assert found == [2, 1]


def test_spending_counts_steps_and_failures_and_neither_copies_nor_imports() -> None:
    spending = Spending()
    call = Call("m", usage=Usage(10, 5), cost=0.5)
    spending.add_step(Step("1", None, "target", target_reply("a"), "model", call=call))
    copy = Step("2", None, "target", target_reply("a"), "model", call=call, copied_from="1")
    spending.add_step(copy)
    spending.add_step(Step("4", None, "target", target_reply("b"), "import", call=call))
    spending.add_call(Call("n", usage=Usage(1, 1, estimated=True)))
    spending.add_attempt(Attempt("3", None, "target", "network", "Lost.", cost=0.25))
    assert (spending.dollars, spending.tokens) == (0.75, 17)
    assert (spending.unknown, spending.estimated) == (1, 1)
    assert [spending.usual_reply("target", model) for model in ("m", "other")] == [5, 300]


@pytest.mark.parametrize(
    ("limits", "spent", "count", "words"),
    [
        (Limits(5.0), (4.0, 0), 1, ""),
        (Limits(5.0), (5.0, 0), 1, "$5.00 of $5.00 spent"),
        (Limits(5.0), (4.99, 0), 1, "the next step may cost $0.02 and $0.01 is left"),
        (Limits(5.0), (4.95, 0), 3, "the next 3 calls may cost $0.06 and $0.05 is left"),
        (Limits(tokens=100), (0, 99), 1, "the next step may take 12 tokens and 1 are left"),
        (Limits(tokens=100), (0, 100), 1, "100 of 100 tokens used"),
        (Limits(), (9.0, 9), 9, ""),
    ],
)
def test_a_call_that_would_go_past_a_limit_is_refused_in_words(
    limits: Limits, spent: tuple[float, int], count: int, words: str
) -> None:
    each = Estimate("m", 10, 1, 2, 2, Price(0.001, 0.005, 0.001))
    assert refusal(limits, Spent(*spent), [each] * count) == words


def test_amounts_have_the_digits_that_they_need() -> None:
    amounts = (5.0, 0.5, 0.0123, 0.00002, 12.345, 0.0)
    said = ["$5.00", "$0.50", "$0.0123", "$0.000020", "$12.35", "$0.00"]
    assert list(map(in_dollars, amounts)) == said
    assert in_dollars(0.0000001) == "$0.0000001"


async def test_a_run_never_has_more_under_way_than_it_may_spend() -> None:
    budget = RunBudget(Limits(1.0))
    asked = [Estimate("m", 0, 1, 4, 4, Price(0.0, 0.1, 0.0))]  # 0.4 set aside, 0.1 in the end
    most = 0.0
    refused: list[str] = []

    async def one() -> None:
        nonlocal most
        aside = await budget.reserve(asked)
        if aside.refused:
            refused.append(aside.refused)
            return
        most = max(most, budget.dollars + budget._aside.dollars)
        await asyncio.sleep(0)
        budget.settle(aside, Spent(0.1, 1))

    await asyncio.gather(*(one() for _ in range(20)))
    assert most <= 1.0
    assert budget.dollars == pytest.approx(0.7), "calls that did not fit at first came later"
    assert len(refused) == 13
    assert budget.closed == "the run's budget: the next step may cost $0.40 and $0.30 is left"
    assert budget._aside.dollars == 0.0


async def test_what_is_free_goes_on_and_a_call_too_large_does_not_end_the_run() -> None:
    budget = RunBudget(Limits(1.0))
    small, large = ([Estimate("m", 0, 1, n, n, Price(0.0, 0.1, 0.0))] for n in (1, 20))
    budget.settle(await budget.reserve(small), Spent(0.1, 1))
    assert (await budget.reserve(large)).refused
    assert not budget.closed, "others may still fit"
    budget.settle(await budget.reserve(small), Spent(0.9, 1))
    assert (await budget.reserve(())).refused, "somebody's code, which may cost anything"
    assert (await budget.reserve(small)).refused
    assert budget.closed
    assert not (await budget.reserve((), paid=False)).refused


async def test_who_was_told_and_asks_again_goes_on_once() -> None:
    project = Project(
        "P", live().target, HeuristicEvaluator(), stop=StopRules(max_cost_usd=0.000001)
    )
    state = PathState.of(project, STEPS)
    budget, asks = RolloutBudget(), (Ask("target", 0),)
    assert await budget.refusal_once(asks, state, project, "1")
    assert await budget.refusal_once(asks * 2, state, project, "1"), "more than he was told of"
    assert not await budget.refusal_once(asks * 2, state, project, "1")
    assert await budget.refusal_once(asks, state, project, "1")
    assert await budget.refusal_once(asks, state, project, "2")


async def test_a_role_that_no_model_plays_is_not_held_up() -> None:
    project = Project("P", ScriptedTarget(), HeuristicEvaluator(), stop=StopRules(max_cost_usd=0))
    budget = RolloutBudget()
    assert await budget.refusal((Ask("target", 0),), PathState(project), project) == ""
    aside = await budget.reserve((Ask("target", 0),), PathState(project), project)
    assert not aside.refused
