"""A model writes projects: mended once, near-duplicates asked for anew, failures in words."""

from __future__ import annotations

import asyncio
import json

import pytest
from rollstep.core.authoring.answers import Cast
from rollstep.core.authoring.author import Author, Order, Outcome
from rollstep.core.authoring.sources import Source
from rollstep.core.budget import RunBudget
from rollstep.core.rules.limits import Limits
from rollstep.core.workers.pool import Workers

from ...provider.exchange import Behaviour, Exchange
from ...provider.faults import FAULTS
from ...provider.replies import Reply
from ...provider.server import ProviderServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

ANY = Limits()
GOALS = [Source("goal", 1, "Book a flight"), Source("goal", 2, "Return a book")]
WORDS = {
    "Blender": "A cracked blender is refunded at once.",
    "Table": "The dinner on Friday moves by an hour.",
    "Visa": "Papers for Kenya are ready in time.",
    "Piano": "Somebody tunes the old piano upstairs.",
}


def said(about: str, **more: object) -> Reply:
    given = {"title": about, "goal": WORDS[about], "opening": f"Hello, {WORDS[about]}", **more}
    return Reply(json.dumps(given))


class Asked:
    """What one run of an author gives."""

    def __init__(self, provider: ProviderServer, workers: Workers, model: str) -> None:
        self.provider, self.workers, self.model = provider, workers, model
        self.notices: list[str] = []
        self.left: list[Outcome] = []
        self.budget = RunBudget(Limits(), "call")

    async def __call__(
        self,
        n: int,
        *answers: Behaviour | Reply,
        sources: list[Source] = GOALS,
        seed: int = 0,
        structured: bool = False,
        limits: Limits = ANY,
    ) -> list[Outcome]:
        if answers:
            self.provider.answer(self.model, *answers)
        model, base = f"openai/{self.model}", self.provider.api_base
        cast = Cast.of_model(model, base)
        order = Order(n, model, cast, "goals.txt", seed, base, structured=structured)
        self.budget = RunBudget(limits, "call")
        author = Author(
            order,
            self.workers,
            notice=self.notices.append,
            clock=lambda: 0.0,
            pace=0.0,
            budget=self.budget,
        )
        outcomes = [outcome async for outcome in author.write(sources)]
        self.left = list(author.left())
        return outcomes

    def prompts(self) -> list[str]:
        return [each.body["messages"][0]["content"] for each in self.provider.asked(self.model)]


@pytest.fixture
def ask(
    provider: ProviderServer, gateway_workers: Workers, canary: str, request: pytest.FixtureRequest
) -> Asked:
    return Asked(provider, gateway_workers, request.node.name)


async def test_projects_of_one_source_know_of_each_other(ask: Asked) -> None:
    outcomes = await ask(3, said("Blender"), said("Table"), said("Visa"), sources=GOALS[:1])
    assert [o.project.title for o in outcomes if o.project] == ["Blender", "Table", "Visa"]
    first, second, third = ask.prompts()
    assert "Book a flight" in first
    assert "- Blender" not in first
    assert "- Blender" in second
    assert "- Blender\n- Table" in third
    assert len({first, second.replace("- Blender", "")}) == 2, "each has an angle of its own"
    assert (ask.budget.calls, ask.budget.tokens, ask.budget.unknown) == (3, 39, 3)


async def test_a_faulty_answer_is_mended_once(ask: Asked) -> None:
    (outcome,) = await ask(1, said("Blender", max_turns=0, colour="red"), said("Blender"))
    assert outcome.project is not None
    first, second = ask.provider.asked(ask.model)
    assert second.body["messages"][:1] == first.body["messages"]
    told = second.body["messages"][2]["content"]
    assert "- colour: unknown key." in told
    assert "- max_turns: 0 is too small; the least is 1." in told


async def test_one_that_stays_faulty_is_told_and_the_next_goes_on(ask: Asked) -> None:
    bad, good = Reply("No."), said("Blender")
    outcomes = await ask(2, bad, bad, good, sources=GOALS[:1])
    assert "cannot be used, twice: the answer holds no JSON object" in outcomes[0].words
    assert outcomes[1].project is not None


async def test_a_near_duplicate_is_asked_for_anew(ask: Asked) -> None:
    near = said("Blender", title="Blender again")
    outcomes = await ask(2, said("Blender"), near, said("Piano"), sources=GOALS[:1])
    assert [o.project.title for o in outcomes if o.project] == ["Blender", "Piano"]
    assert "- Blender\n- Blender again" in ask.prompts()[-1]
    outcomes = await ask(2, said("Blender"), near, near, sources=GOALS[:1])
    assert outcomes[1].project is None
    assert "nearly the same as 'Blender'" in outcomes[1].words


async def test_a_failure_of_the_model_is_told_in_its_words(ask: Asked) -> None:
    outcomes = await ask(2, FAULTS["policy"], said("Blender"), sources=GOALS[:1])
    assert outcomes[0].kind == "policy"
    assert "Blocked by the content filter" in outcomes[0].words
    assert outcomes[1].project is not None


async def test_a_retry_is_told(ask: Asked) -> None:
    (outcome,) = await ask(1, FAULTS["503"], said("Blender"))
    assert outcome.project is not None
    (notice,) = ask.notices
    assert "Retrying" in notice


async def test_a_failure_that_all_would_meet_ends_it_and_what_is_paid_for_is_kept(
    ask: Asked,
) -> None:
    sources = [Source("goal", n, f"goal {n}") for n in range(1, 4)]

    async def behave(exchange: Exchange) -> None:
        if "goal 1" not in exchange.request.body["messages"][0]["content"]:
            await exchange.send(200, said("Blender").plain(ask.model))
            return
        while ask.budget.calls < 2:
            await asyncio.sleep(0.002)
        await FAULTS["401"](exchange)

    outcomes = await ask(3, behave, sources=sources)
    assert [o.kind for o in outcomes] == ["auth"]
    assert [o.project.title for o in ask.left if o.project] == ["Blender", "Blender"]


async def test_no_call_is_made_that_the_budget_has_not_enough_for(ask: Asked) -> None:
    titles = list(WORDS)[:3]
    outcomes = await ask(3, *map(said, titles), limits=Limits(tokens=6_500), sources=GOALS[:1])
    # Some 4,800 tokens are set aside for each, and 13 used.
    assert [bool(outcome.project) for outcome in outcomes] == [True] * 3
    asked = len(ask.provider.asked(ask.model))
    outcomes = await ask(3, *map(said, titles), limits=Limits(tokens=10), sources=GOALS)
    assert [(outcome.kind, outcome.end) for outcome in outcomes] == [
        ("budget", "No more is asked."),
    ]
    assert outcomes[0].words.startswith("the run's budget: the next call may take ")
    assert len(ask.provider.asked(ask.model)) == asked


async def test_what_failed_calls_took_is_counted(ask: Asked) -> None:
    await ask(1, Reply(None, usage={"prompt_tokens": 30, "completion_tokens": 0}))
    assert (ask.budget.tokens, ask.budget.calls) == (30, 1)


async def test_several_in_a_row_that_come_to_nothing_end_it(ask: Asked) -> None:
    bad = Reply("No.")
    outcomes = await ask(20, *[bad] * 8, said("Visa"), bad, sources=GOALS[:1])
    assert [bool(o.project) for o in outcomes] == [False] * 4 + [True] + [False] * 5
    assert [o.end for o in outcomes if o.end] == [
        "5 in a row came to nothing, so no more is asked."
    ]
    assert outcomes[-1].end


async def test_a_model_that_can_is_held_to_the_form(ask: Asked) -> None:
    await ask(1, said("Blender"))
    await ask(1, said("Blender"), structured=True)
    free, held = ask.provider.asked(ask.model)
    assert "response_format" not in free.body
    schema = held.body["response_format"]["json_schema"]["schema"]
    assert {"title", "goal", "opening", "tools"} <= set(schema["required"])


async def test_the_same_seed_asks_the_same(ask: Asked) -> None:
    await ask(4, said("Blender"), sources=GOALS[:1], seed=1)
    once = ask.prompts()
    await ask(4, said("Blender"), sources=GOALS[:1], seed=1)
    assert ask.prompts()[len(once) :] == once
    await ask(4, said("Blender"), sources=GOALS[:1], seed=2)
    assert ask.prompts()[2 * len(once) :] != once
