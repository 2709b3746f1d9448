"""Which fault rule fires: by chance, tool, arguments and how often, drawn from the run's seed."""

import pytest
from rollstep.core.model.debugging import FaultRule
from rollstep.core.model.messages import ToolCall, target_reply, user_message
from rollstep.core.model.view import View
from rollstep.core.rules.faults.drawing import drawn_fault
from rollstep.core.rules.views import Injected

from ...projects_for_tests import refund

CALL = ToolCall("c1", "get_order", '{"order_id": "4471"}')
SAME = ToolCall("c0", "get_order", '{"order_id": "4471"}')
OTHER = ToolCall("c0", "check_policy", "{}")


def drawn(
    *rules: FaultRule,
    injected: tuple[Injected, ...] = (),
    call: ToolCall = CALL,
    seed: str = "0",
    take: int = 0,
    project_id: str | None = None,
) -> str:
    path = (user_message("Hi"), target_reply("", (call,)))
    project = refund(faults=rules, id=project_id)
    view = View("tool", project, path, 0, 3, take, seed, call=call)
    found = drawn_fault(view, injected)
    return found[0] if found is not None else ""


@pytest.mark.parametrize(
    ("rule", "fires"),
    [
        (FaultRule("timeout"), True),
        (FaultRule("timeout", tool="get_order"), True),
        (FaultRule("timeout", tool="check_policy"), False),
        (FaultRule("timeout", when='{"order_id": "4471"}'), True),
        (FaultRule("timeout", when='{"order_id": 4471}'), False),
        (FaultRule("timeout", when="[]"), False),
        (FaultRule("timeout", probability=0), False),
        (FaultRule("stale_data"), False),
        (FaultRule("sold_out"), False),
        (FaultRule("sold_out", respond="{}"), True),
    ],
)
def test_a_rule_fires_where_it_fits_and_makes_sense(rule: FaultRule, fires: bool) -> None:
    assert bool(drawn(rule)) is fires


def test_the_first_rule_that_fires_answers() -> None:
    no, yes = FaultRule("timeout", probability=0), FaultRule("empty")
    assert drawn(no, yes, FaultRule("http_500")) == "empty"


@pytest.mark.parametrize(
    ("injected", "fires"),
    [
        ((("timeout", SAME),), True),
        ((("timeout", SAME), ("timeout", SAME)), False),
        ((("timeout", SAME), ("timeout", OTHER)), True),
        ((("timeout", SAME), ("empty", SAME)), True),
    ],
)
def test_times_counts_the_faults_of_this_name_on_calls_that_the_rule_is_for(
    injected: tuple[Injected, ...], fires: bool
) -> None:
    assert bool(drawn(FaultRule("timeout", tool="get_order", times=2), injected=injected)) is fires


def test_chance_is_drawn_from_seed_project_call_and_take_and_from_nothing_else() -> None:
    rule = FaultRule("timeout", probability=0.5)
    seeds = [drawn(rule, seed=str(seed)) for seed in range(200)]
    takes = [drawn(rule, take=take) for take in range(200)]
    calls = [drawn(rule, call=ToolCall(f"c{n}", "get_order", "{}")) for n in range(200)]
    rows = [drawn(rule, project_id=f"proj-{n}") for n in range(200)]
    for outcomes in (seeds, takes, calls, rows):
        assert 70 < outcomes.count("timeout") < 130
    assert seeds == [drawn(rule, seed=str(seed)) for seed in range(200)]
    assert len({tuple(seeds), tuple(takes), tuple(calls), tuple(rows)}) == 4


def test_what_one_rule_says_changes_nothing_for_the_next() -> None:
    def second(first: FaultRule) -> list[bool]:
        rule = FaultRule("empty", probability=0.5)
        return [drawn(first, rule, seed=str(seed)) == "empty" for seed in range(50)]

    assert second(FaultRule("timeout", tool="none")) == second(FaultRule("stale_data", times=1))
