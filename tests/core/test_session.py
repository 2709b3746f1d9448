"""What a session promises: stepping, walking for free, editing, undoing, and failing well."""

from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import IllegalStepError, RoleError
from rollstep.core.events import CommandDone, Failed, HeadMoved, Paused, StepAdded
from rollstep.core.model.marks import Score
from rollstep.core.model.messages import (
    Stop,
    payload_text,
    user_message,
)
from rollstep.core.model.project import (
    EvaluatorLine,
    HeuristicEvaluator,
    HumanEvaluator,
    Project,
    ScriptedEvaluator,
    ScriptedTarget,
    StopRules,
    TargetLine,
)
from rollstep.core.roles.human import HumanNeeded
from rollstep.core.session import Session
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from .projects_for_tests import ORDER, played, refund, said, texts

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


async def test_steps_follow_the_table_to_the_stop() -> None:
    session = await played()
    assert texts(session) == WHOLE
    assert session.next_actor is None
    assert await session.step() is None


async def test_the_opening_is_the_evaluators_first_step_by_script() -> None:
    session = Session.start(refund())
    step = await session.step()
    assert step is not None
    assert (step.role, step.origin) == ("evaluator", "script")


async def test_a_turn_ends_with_the_reply_that_calls_no_tool() -> None:
    session = Session.start(refund())
    last = await session.turn()
    assert last is not None
    assert texts(session) == WHOLE[:5]
    assert session.next_actor == "evaluator"


async def test_recorded_steps_are_walked_without_asking_anybody() -> None:
    session = await played()
    await session.go_to(None)
    events: list[object] = []
    session.subscribe(events.append)
    before = len(session.rollout)
    for expected in WHOLE:
        step = await session.step()
        assert step is not None
        assert said(step.payload) == expected
    assert len(session.rollout) == before
    assert {type(event) for event in events} == {HeadMoved}


async def test_an_illegal_step_raises_and_changes_nothing() -> None:
    session = Session.start(refund())
    await session.step()
    with pytest.raises(IllegalStepError, match="the target's move"):
        await session.write(user_message("again"))
    assert len(session.rollout) == 1
    assert session.commands[-1].label == "step"


async def test_retake_gives_the_scripts_alternative_beside_the_original() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    takes = await session.retake(path[4].id, 1)
    assert [payload_text(step.payload) for step in takes] == ["Here are your 49.00."]
    assert len(session.rollout.takes(path[4].id)) == 2


async def test_a_message_after_the_last_turn_becomes_a_stop_by_rule_that_keeps_it() -> None:
    project = refund(max_turns=1, evaluator=ScriptedEvaluator((EvaluatorLine("More!"),)))

    class Insistent:
        async def next(self, view: object, stream: object = None) -> object:
            return user_message("More!")

    from rollstep.core.roles.registry import Roles, build_roles

    def roles(project: Project) -> Roles:
        made = build_roles(project)
        return Roles(
            Insistent(),  # type: ignore[arg-type]
            made.target,
            made.tool_simulator,
            made.names,
            made.kinds,
        )

    session = await played(project, roles=roles)
    assert session.rollout.path(session.head)[-1].payload == Stop("max_turns", "rule", "More!")


async def test_the_evaluators_own_stop_after_the_last_turn_stands() -> None:
    session = await played(
        refund(max_turns=2, evaluator=ScriptedEvaluator((EvaluatorLine("Thank you."),)))
    )
    assert session.rollout.path(session.head)[-1].payload == Stop("max_turns", "evaluator")


async def test_too_many_steps_in_a_turn_stop_by_rule() -> None:
    session = await played(refund(max_steps_per_turn=4))
    assert texts(session)[-1] == "[max_steps]"


async def test_a_failing_role_is_an_attempt_and_the_head_does_not_move() -> None:
    session = Session.start(refund(target=ScriptedTarget(())))
    events: list[object] = []
    session.subscribe(events.append)
    await session.step()
    with pytest.raises(RoleError):
        await session.step()
    assert texts(session) == [WHOLE[0]]
    assert [type(e) for e in events if isinstance(e, Failed)] == [Failed]
    assert session.attempts[0].role == "target"
    assert not session.busy


async def test_a_human_role_waits_for_the_human() -> None:
    session = Session.start(refund(evaluator=HumanEvaluator(), opening=None))
    with pytest.raises(HumanNeeded):
        await session.step()
    await session.write(user_message("Hello."))
    await session.step()
    assert texts(session) == ["Hello.", "Let me look."]


async def test_a_repeated_exchange_pauses_a_run() -> None:
    project = Project(
        "Loop",
        ScriptedTarget(tuple(TargetLine("Same.") for _ in range(9))),
        HeuristicEvaluator(followups=("Again?",)),
        opening="Again?",
        stop=StopRules(repeated_exchanges=3),
    )
    session = Session.start(project)
    events: list[object] = []
    session.subscribe(events.append)
    async for _ in session.run():
        pass
    assert len(session.rollout) == 6
    assert [e.words for e in events if isinstance(e, Paused)] == ["the same exchange 3 times"]
    assert session.saved().status == "parked"


async def test_a_limit_stops_where_the_project_says_so() -> None:
    project = Project(
        "Loop",
        ScriptedTarget(tuple(TargetLine("Same.") for _ in range(9))),
        HeuristicEvaluator(followups=("Again?",)),
        opening="Again?",
        stop=StopRules(repeated_exchanges=2, on_limit="stop"),
    )
    session = await played(project)
    assert session.rollout.path(session.head)[-1].payload == Stop(
        "unrecoverable", "rule", "the same exchange 2 times"
    )


async def test_watchers_see_every_step_and_command() -> None:
    session = Session.start(refund())
    events: list[object] = []
    stop = session.subscribe(events.append)
    await session.turn()
    stop()
    stop()
    await session.turn()
    assert sum(isinstance(e, StepAdded) for e in events) == 5
    assert [e.command.label for e in events if isinstance(e, CommandDone)] == ["turn"]


async def test_a_command_that_did_nothing_costs_no_saved_one_its_number(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library.sqlite")
    session = await played(library=library)
    await session.go_to(None)
    walk = session.run()
    await anext(walk)
    assert session.head is not None
    await session.name_branch(session.head, "one")
    await walk.aclose()
    await session.name_branch(session.head, "two")
    again = Session.reopen(library.load(session.rollout.header.id), library)
    assert again.head is not None
    await again.name_branch(again.head, "three")
    kept = library.load(session.rollout.header.id).commands
    assert [command.label for command in kept] == ["run", *["naming a branch"] * 3]
    library.close()


async def test_a_step_is_saved_by_one_commit() -> None:
    class Counting:
        def __init__(self) -> None:
            self.commits = 0

        def commit(self, change: Change) -> dict[str, int]:
            self.commits += 1
            return {step.id: n for n, step in enumerate(change.steps, 1)}

        def free_number(self, rollout_id: str, n: int) -> int:
            return n

    library = Counting()
    session = Session.start(refund(), library=library)  # type: ignore[arg-type]
    await session.step()
    await session.step()
    assert library.commits == 2


async def test_scores_that_a_rollout_came_with_stay_with_it() -> None:
    scores = (Score("tau2", 0.0, "issue_refund never called", judge="tau2"),)
    saved = msgspec.structs.replace((await played()).saved(), scores=scores)
    session = Session.reopen(saved)
    assert session.scores == scores
    assert session.saved() == saved
