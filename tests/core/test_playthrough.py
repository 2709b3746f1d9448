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
from rollstep.core.playthrough import OnBreak, Played, SoFar, at_once, play_through
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


def on_break(project: Project, what: OnBreak, so_far: SoFar | None = None) -> Played:
    roles, new_id = build_roles(project), random_step_ids()
    return at_once(
        play_through(project, roles, seed="0", new_id=new_id, on_break=what, so_far=so_far)
    )


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


@pytest.mark.parametrize("project", PROJECTS.values(), ids=PROJECTS.keys())
@pytest.mark.parametrize("what", ["park", "stop", "ignore"])
def test_one_that_goes_on_ends_as_one_that_was_never_cut_off(
    project: Project, what: OnBreak
) -> None:
    """Wherever it was cut off, its last step included: who cut it off has seen nothing of that."""
    whole = on_break(project, what)
    for cut in range(len(whole.steps) + 1):
        path = whole.steps[:cut]
        rest = on_break(project, what, SoFar(path, path))
        assert rest.steps[:cut] == path
        assert [s.payload for s in rest.steps] == [s.payload for s in whole.steps], cut
        assert (rest.status, rest.note) == (whole.status, whole.note), cut


def test_what_stopped_it_does_not_stop_it_again_where_a_human_has_seen_it() -> None:
    project = refund(breakpoints=(Breakpoint("late"), Breakpoint("tool", ignore=1)))
    whole = on_break(project, "park")
    assert whole.status == "parked"
    on = on_break(project, "park", SoFar(whole.steps, whole.steps, by_human=True))
    assert len(on.steps) > len(whole.steps)
    before = refund(breakpoints=(Breakpoint("tool = check_policy", before=True),))
    whole = on_break(before, "park")
    on = on_break(before, "park", SoFar(whole.steps, whole.steps, by_human=True))
    assert on.status == "ended"


def test_new_steps_are_of_the_revision_that_plays_them() -> None:
    project = refund()
    whole = on_break(project, "park")
    on = on_break(project, "park", SoFar(whole.steps[:3], whole.steps[:3], revision=1))
    assert [step.revision for step in on.steps] == [0] * 3 + [1] * (len(whole.steps) - 3)
