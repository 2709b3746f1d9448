"""A project's fault rules while it is played: stepping, at once and headless alike."""

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.ids import random_step_ids
from rollstep.core.model.debugging import FaultRule
from rollstep.core.model.messages import ToolResult, payload_text, tool_result
from rollstep.core.model.project import (
    HumanSimulator,
    Project,
    PythonSimulator,
    RulesSimulator,
    ScriptedCall,
    ScriptedTarget,
    TargetLine,
    ToolRule,
)
from rollstep.core.model.steps import Step
from rollstep.core.model.view import View
from rollstep.core.playthrough import at_once, play_through
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.registry import Roles, build_roles, with_objects
from rollstep.core.session import Session

from .projects_for_tests import ORDER, played, refund

LOOK = TargetLine(
    "Looking.",
    tool_calls=(
        ScriptedCall("get_order", '{"order_id": "4471"}'),
        ScriptedCall("get_order", '{"order_id": "4472"}'),
        ScriptedCall("check_policy", "{}"),
    ),
)


def busy(*faults: FaultRule, **changes: object) -> Project:
    """Three calls in a reply, three times."""
    target = ScriptedTarget((LOOK, LOOK, LOOK, TargetLine("Done."), TargetLine("Bye.")))
    return refund(**{"target": target, "faults": faults, **changes})


def told(steps: tuple[Step, ...]) -> list[tuple[object, ...]]:
    return [(s.payload, s.origin, s.script_index, s.injected, s.state) for s in steps]


PROJECTS = {
    "always": busy(FaultRule("timeout", tool="get_order")),
    "by chance": busy(FaultRule("http_500", probability=0.4), FaultRule("empty", probability=0.3)),
    "so often": busy(FaultRule("timeout", times=2), FaultRule("stale_data", times=1)),
    "stale": busy(FaultRule("stale_data", probability=0.7)),
    "every kind by chance": busy(
        *(
            FaultRule(name, probability=0.2)
            for name in ("wrong_type", "truncated_json", "prompt_injection", "very_long")
        )
    ),
    "nobody simulates": busy(FaultRule("timeout"), tool_simulator=None),
    "a human simulates": busy(FaultRule("timeout"), tool_simulator=HumanSimulator()),
    "independent rules": busy(
        FaultRule("stale_data", probability=0.6),
        tool_simulator=RulesSimulator(
            (ToolRule("get_order", ORDER), ToolRule("check_policy", '"yes"')), independent=True
        ),
    ),
}


@pytest.mark.parametrize("project", PROJECTS.values(), ids=PROJECTS.keys())
@pytest.mark.parametrize("seed", [0, 1, 2])
async def test_headless_injects_what_stepping_injects(project: Project, seed: int) -> None:
    session = await played(project, seed=seed)
    headless = at_once(
        play_through(project, build_roles(project), seed=str(seed), new_id=random_step_ids())
    )
    stepped = session.rollout.path(session.head)
    assert told(headless.steps) == told(stepped)
    assert headless.status == "ended"
    assert any(step.injected for step in stepped)


def test_another_seed_draws_anew() -> None:
    def run(seed: int) -> list[str]:
        project = PROJECTS["by chance"]
        done = at_once(
            play_through(project, build_roles(project), seed=str(seed), new_id=random_step_ids())
        )
        return [step.injected for step in done.steps]

    assert run(0) == run(0)
    assert len({tuple(run(seed)) for seed in range(5)}) > 1


async def test_the_step_says_what_was_injected_and_no_row_of_the_table_is_used_up() -> None:
    rules = RulesSimulator((ToolRule("get_order", ORDER, times=1), ToolRule("check_policy", '"y"')))
    project = refund(tool_simulator=rules, faults=(FaultRule("timeout", times=1),))
    session = await played(project)
    result = session.rollout.path(session.head)[2]
    assert (result.injected, result.origin, result.script_index) == ("timeout", "script", None)
    assert isinstance(result.payload, ToolResult)
    assert result.payload.is_error


class Counter:
    """A simulator with a state of its own: how many calls it has answered."""

    def __init__(self, *, fails: bool = False) -> None:
        self.asked: list[str] = []
        self.fails = fails

    async def respond(self, view: View) -> Answer:
        assert view.call is not None
        self.asked.append(view.call.arguments)
        if self.fails and view.call.name == "check_policy":
            raise RoleError("no policy", kind="timeout")
        count = int(view.state or 0) + 1
        return Answer(tool_result(view.call.id, f"{count}"), state=str(count))


@pytest.mark.parametrize("independent", [False, True])
async def test_the_state_of_a_simulator_that_was_not_asked_stays(independent: bool) -> None:
    spec = PythonSimulator("x:y", independent=independent)
    faults = (FaultRule("empty", when='{"order_id": "4472"}'),)
    project = busy(*faults, tool_simulator=spec)

    def roles(simulator: Counter) -> Roles:
        return with_objects(build_roles(refund()), target=_target(), tool_simulator=simulator)

    def _target() -> object:
        return build_roles(busy()).target

    stepped, one_by_one, headless = Counter(), Counter(), Counter()
    session = Session.start(project, roles=lambda _: roles(stepped))
    await session.turn()
    path = session.rollout.path(session.head)
    by_step = Session.start(project, roles=lambda _: roles(one_by_one))
    while by_step.head is None or by_step.position().due != "evaluator":
        await by_step.step()
    done = await play_through(project, roles(headless), seed="0", new_id=random_step_ids())
    assert told(path) == told(by_step.rollout.path(by_step.head))
    assert told(path) == told(done.steps[: len(path)])
    assert '{"order_id": "4472"}' not in stepped.asked
    if not independent:
        states = [step.state for step in path if step.role == "tool"]
        assert states == ["1", "1", "2", "3", "3", "4", "5", "5", "6"]


async def test_at_once_a_fault_stands_in_call_order_and_counts_for_the_calls_after_it() -> None:
    spec = PythonSimulator("x:y", independent=True)
    project = busy(FaultRule("timeout", times=1), tool_simulator=spec)
    roles = with_objects(
        build_roles(refund()), target=build_roles(busy()).target, tool_simulator=Counter(fails=True)
    )
    session = Session.start(project, roles=lambda _: roles)
    with pytest.raises(RoleError):
        await session.turn()
    results = [s for s in session.rollout.path(session.head) if s.role == "tool"]
    assert [step.injected for step in results] == ["timeout", ""]
    assert payload_text(results[1].payload) == "1"


def test_a_project_without_faults_is_not_looked_at_for_any() -> None:
    project = msgspec.structs.replace(busy(), faults=())
    done = at_once(play_through(project, build_roles(project), seed="0", new_id=random_step_ids()))
    assert not any(step.injected for step in done.steps)
