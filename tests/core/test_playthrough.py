"""Playing through headless is the same as stepping: same rules, same steps, same endings."""

import pytest
from rollstep.core.ids import random_step_ids
from rollstep.core.model.project import (
    EchoTarget,
    HeuristicEvaluator,
    HumanEvaluator,
    Project,
    ScriptedEvaluator,
    ScriptedTarget,
    StopRules,
    TargetLine,
)
from rollstep.core.playthrough import at_once, play_through
from rollstep.core.roles.registry import build_roles

from .projects_for_tests import played, refund

LOOP = ScriptedTarget(tuple(TargetLine("Same.") for _ in range(9)))

PROJECTS = {
    "refund": refund(),
    "one turn": refund(max_turns=1),
    "too many steps": refund(max_steps_per_turn=4),
    "echo": Project("Echo", EchoTarget("Be kind."), HeuristicEvaluator(), opening="Hi"),
    "no opening": refund(opening=None),
    "a limit pauses": Project(
        "Loop",
        LOOP,
        HeuristicEvaluator(followups=("Again?",)),
        opening="Again?",
        stop=StopRules(repeated_exchanges=3),
    ),
    "a limit in the turn that ends it": refund(stop=StopRules(repeated_exchanges=2, max_tokens=1)),
    "a limit stops": Project(
        "Loop",
        LOOP,
        HeuristicEvaluator(followups=("Again?",)),
        opening="Again?",
        stop=StopRules(repeated_exchanges=2, on_limit="stop"),
    ),
}


@pytest.mark.parametrize("project", PROJECTS.values(), ids=PROJECTS.keys())
async def test_headless_makes_the_steps_that_stepping_makes(project: Project) -> None:
    session = await played(project)
    headless = at_once(
        play_through(project, build_roles(project), seed="0", new_id=random_step_ids())
    )
    stepped = session.rollout.path(session.head)
    assert [(s.payload, s.origin, s.script_index) for s in headless.steps] == [
        (s.payload, s.origin, s.script_index) for s in stepped
    ]
    assert (headless.status, headless.note) == (session.saved().status, session.saved().status_note)


def test_a_failure_keeps_what_was_played_and_says_why() -> None:
    project = refund(target=ScriptedTarget((TargetLine("One."),)), evaluator=HeuristicEvaluator())
    done = at_once(play_through(project, build_roles(project), seed="0", new_id=random_step_ids()))
    assert done.status == "failed"
    assert len(done.steps) == 3
    assert done.attempts[0].parent_id == done.steps[-1].id
    assert "no reply left" in done.note


def test_a_humans_move_parks() -> None:
    project = refund(evaluator=HumanEvaluator())
    done = at_once(play_through(project, build_roles(project), seed="0", new_id=random_step_ids()))
    assert done.status == "parked"
    assert len(done.steps) == 5


def test_an_evaluator_without_lines_ends_with_goal_reached() -> None:
    project = refund(evaluator=ScriptedEvaluator())
    done = at_once(play_through(project, build_roles(project), seed="0", new_id=random_step_ids()))
    assert done.status == "ended"
    assert done.steps[-1].payload.reason == "goal_reached"  # type: ignore[union-attr]
