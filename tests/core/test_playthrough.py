"""Playing through headless is the same as stepping: same rules, same steps, same endings."""

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.events import Paused
from rollstep.core.ids import random_step_ids
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.messages import Stop
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
from rollstep.core.playthrough import OnBreak, Played, at_once, play_through
from rollstep.core.roles.registry import build_roles
from rollstep.core.session import Session

from .projects_for_tests import refund

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
    "a breakpoint": refund(breakpoints=(Breakpoint("late"), Breakpoint("tool", ignore=1))),
    "a breakpoint before a question": refund(
        breakpoints=(Breakpoint("tool = check_policy", before=True), Breakpoint("turn = 2"))
    ),
    "a breakpoint before the first question": refund(
        opening=None, breakpoints=(Breakpoint(before=True),)
    ),
    "a breakpoint that is off": refund(breakpoints=(Breakpoint(enabled=False),)),
    "a breakpoint at the stop": refund(breakpoints=(Breakpoint("stop", name="end"),)),
    "a breakpoint and a limit": Project(
        "Loop",
        LOOP,
        HeuristicEvaluator(followups=("Again?",)),
        opening="Again?",
        stop=StopRules(repeated_exchanges=3),
        breakpoints=(Breakpoint("repeated >= 3"),),
    ),
    "a breakpoint and a limit that stops": Project(
        "Loop",
        LOOP,
        HeuristicEvaluator(followups=("Again?",)),
        opening="Again?",
        stop=StopRules(repeated_exchanges=3, on_limit="stop"),
        breakpoints=(Breakpoint("repeated >= 3"), Breakpoint("stop")),
    ),
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
    session = Session.start(project)
    told: list[str] = []
    session.subscribe(lambda event: told.append(event.words) if isinstance(event, Paused) else None)
    async for _ in session.run():
        pass
    headless = at_once(
        play_through(project, build_roles(project), seed="0", new_id=random_step_ids())
    )
    stepped = session.rollout.path(session.head)
    assert [(s.payload, s.origin, s.script_index) for s in headless.steps] == [
        (s.payload, s.origin, s.script_index) for s in stepped
    ]
    assert (headless.status, headless.note) == (session.saved().status, session.saved().status_note)
    assert [words for words in (headless.said or headless.note,) if words] == told


def on_break(project: Project, what: OnBreak) -> Played:
    roles, new_id = build_roles(project), random_step_ids()
    return at_once(play_through(project, roles, seed="0", new_id=new_id, on_break=what))


def test_a_breakpoint_can_stop_or_be_ignored() -> None:
    project = refund(breakpoints=(Breakpoint("kind = reply turn = 2", name="bye"),))
    words = 'breakpoint 1 "bye" at step 7: kind = reply and turn = 2'
    parked = on_break(project, "park")
    assert (len(parked.steps), parked.status, parked.note) == (7, "parked", words)
    stopped = on_break(project, "stop")
    assert stopped.steps[-1].payload == Stop("breakpoint", "rule", words)
    assert (len(stopped.steps), stopped.status, stopped.said) == (8, "ended", words)
    ignored = on_break(project, "ignore")
    assert (len(ignored.steps), ignored.status, ignored.said) == (8, "ended", "")


def test_a_breakpoint_before_a_question_can_stop() -> None:
    project = refund(breakpoints=(Breakpoint("role = target turn = 2", before=True),))
    done = on_break(project, "stop")
    assert done.steps[-1].payload == Stop(
        "breakpoint", "rule", "breakpoint 1 before step 7: role = target and turn = 2"
    )
    assert len(done.steps) == 7


def test_a_breakpoint_that_cannot_be_asked_is_an_error() -> None:
    with pytest.raises(UsageError, match="breakpoint 1: when: column 1"):
        on_break(refund(breakpoints=(Breakpoint("tol"),)), "park")


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
