"""What a session promises: stepping, walking for free, editing, undoing, and failing well."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import IllegalStepError, RoleError, UsageError
from rollstep.core.events import CommandDone, Failed, HeadMoved, Paused, StepAdded
from rollstep.core.model.marks import Score
from rollstep.core.model.messages import (
    Stop,
    TargetReply,
    ToolCall,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    EchoTarget,
    EvaluatorLine,
    HeuristicEvaluator,
    HumanEvaluator,
    Project,
    ScriptedEvaluator,
    ScriptedTarget,
    StopRules,
    TargetLine,
)
from rollstep.core.model.steps import Step
from rollstep.core.roles.human import HumanNeeded
from rollstep.core.session import Session
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from .projects_for_tests import LOST, ORDER, played, refund, said, texts

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


async def test_an_override_is_a_new_take_and_the_original_stays() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.override(path[2].id, tool_result("any", LOST), reason="what if")
    assert done.step is not None
    assert session.rollout.takes(path[2].id) == [path[2].id, done.step.id]
    assert (done.step.origin, done.step.replaces, done.step.reason) == (
        "human",
        path[2].id,
        "what if",
    )
    assert session.head == done.step.id
    assert payload_text(session.rollout.steps[path[2].id].payload) == ORDER


async def test_an_overridden_result_keeps_the_id_of_its_call() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.override(path[2].id, tool_result("another", LOST))
    assert done.step is not None
    assert done.step.payload.call_id == path[2].payload.call_id  # type: ignore[union-attr]


async def test_rerun_plays_to_the_end_of_that_turn_and_no_further() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    await session.override(path[2].id, tool_result("", LOST), "rerun")
    assert texts(session) == [*WHOLE[:2], LOST, "refundable", "It is lost, I am sorry."]


async def test_keep_copies_what_follows_and_counts_its_cost_once() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.override(path[2].id, tool_result("", LOST), "keep")
    assert (done.copied, done.left) == (5, "")
    assert texts(session) == [*WHOLE[:2], LOST, *WHOLE[3:]]
    copies = session.rollout.path(session.head)[3:]
    assert [copy.copied_from for copy in copies] == [step.id for step in path[3:]]


async def test_keep_ends_where_the_table_forbids_and_says_what_it_left() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.override(path[1].id, target_reply("No calls at all."), "keep")
    assert done.copied == 0
    assert "6 later steps were left" in done.left
    assert "No open call" in done.left


async def test_keep_pairs_calls_by_position() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    calls = (ToolCall("x1", "get_order", "{}"), ToolCall("x2", "check_policy", "{}"))
    done = await session.override(path[1].id, TargetReply((), tool_calls=calls), "keep")
    assert done.copied == 6
    results = session.rollout.path(session.head)[2:4]
    assert [step.payload.call_id for step in results] == ["x1", "x2"]  # type: ignore[union-attr]


async def test_keep_pairs_only_the_calls_of_the_edited_reply() -> None:
    session = Session.start(refund())
    call = TargetReply((), tool_calls=(ToolCall("call_1", "get_order", "{}"),))
    for payload in (
        user_message("Hi"),
        *(call, tool_result("call_1", "one"), target_reply("First.")),
        user_message("Again."),
        *(call, tool_result("call_1", "two"), target_reply("Second.")),
    ):
        await session.write(payload)
    first = session.rollout.path(session.head)[1]
    renamed = TargetReply((), tool_calls=(ToolCall("other", "get_order", "{}"),))
    done = await session.override(first.id, renamed, "keep")
    assert (done.copied, done.left) == (6, "")
    results = [s.payload for s in session.rollout.path(session.head) if s.role == "tool"]
    assert [result.call_id for result in results] == ["other", "call_1"]  # type: ignore[union-attr]


async def test_a_stop_can_be_overridden_by_a_message() -> None:
    session = await played()
    assert session.head is not None
    await session.override(session.head, user_message("Wait."), "rerun")
    assert texts(session)[-2:] == ["Wait.", "Anything else?"]


async def test_an_illegal_step_raises_and_changes_nothing() -> None:
    session = Session.start(refund())
    await session.step()
    with pytest.raises(IllegalStepError, match="the target's move"):
        await session.write(user_message("again"))
    assert len(session.rollout) == 1
    assert session.commands[-1].label == "step"


async def test_write_by_hand_then_hand_back_to_the_script() -> None:
    session = Session.start(refund())
    await session.step()
    await session.write(target_reply("I am a human."))
    assert session.next_actor == "evaluator"
    await session.step()
    assert texts(session)[-1] == "Thank you."


async def test_insert_keeps_what_follows() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.insert(path[4].id, [user_message("Sure?"), target_reply("Yes.")])
    assert done.copied == 3
    assert texts(session) == [*WHOLE[:5], "Sure?", "Yes.", *WHOLE[5:]]


async def test_delete_of_a_turn_keeps_what_follows() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    done = await session.delete([step.id for step in path[:5]])
    assert done.copied == 3
    assert texts(session) == WHOLE[5:]
    assert session.rollout.steps[path[0].id] == path[0]


async def test_delete_at_the_end_takes_out_of_sight_and_undo_brings_back() -> None:
    session = await played()
    leaf = session.head
    assert leaf is not None
    await session.delete([leaf])
    assert texts(session) == WHOLE[:-1]
    assert session.recorded_next() is None
    assert await session.undo() == "delete of stop"
    assert texts(session) == WHOLE


async def test_delete_refuses_what_cannot_stand() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    before = len(session.rollout)
    with pytest.raises(UsageError, match="cannot stand without it"):
        await session.delete([path[1].id])
    assert len(session.rollout) == before


async def test_undo_names_what_it_undid_and_redo_brings_it_back() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    await session.override(path[2].id, tool_result("", LOST), "rerun")
    after = texts(session)
    assert await session.undo() == "override of tool result"
    assert texts(session) == WHOLE
    assert session.rollout.takes(path[2].id) == [path[2].id]
    assert await session.redo() == "override of tool result"
    assert texts(session) == after


async def test_undo_never_undoes_cursor_moves() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    await session.go_to(path[0].id)
    await session.step()
    assert [command.label for command in session.commands] == ["run"]


async def test_a_command_after_undo_ends_redo() -> None:
    session = Session.start(refund())
    await session.step()
    await session.step()
    await session.undo()
    await session.write(target_reply("By hand."))
    assert await session.redo() == ""
    assert texts(session) == [WHOLE[0], "By hand."]


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


async def test_pause_takes_effect_at_the_next_step() -> None:
    session = Session.start(refund())
    async for _ in session.run():
        session.pause()
    assert len(session.rollout) == 1


class Slow:
    """A target that answers when told to."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.asked = asyncio.Event()

    async def reply(self, view: object, stream: object = None) -> object:
        self.asked.set()
        await self.go.wait()
        return target_reply("Late.")


def slow_session(slow: Slow) -> Session:
    from rollstep.core.roles.registry import Roles, build_roles

    project = Project("Slow", EchoTarget(), HeuristicEvaluator(), opening="Hi")

    def roles(project: Project) -> Roles:
        made = build_roles(project)
        kinds = {**made.kinds, "target": "object"}
        return Roles(made.evaluator, slow, None, made.names, kinds)  # type: ignore[arg-type]

    return Session.start(project, roles=roles)


async def test_a_late_result_is_filed_where_it_was_asked_and_moves_no_head() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    await session.go_to(None)
    slow.go.set()
    step = await task
    assert step is not None
    assert first is not None
    assert (step.parent_id, step.late, session.head) == (first.id, True, None)


async def test_edits_cannot_race_a_running_step() -> None:
    slow = Slow()
    session = slow_session(slow)
    await session.step()
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    with pytest.raises(UsageError, match="being made"):
        await session.step()
    with pytest.raises(UsageError, match="being made"):
        await session.write(target_reply("Mine."))
    slow.go.set()
    await task
    assert len(session.rollout) == 2


async def test_cancel_ends_the_call_and_leaves_the_head() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    assert session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert first is not None
    assert session.head == first.id
    assert not session.busy


class Streams(Slow):
    """A slow target of which some text has come."""

    async def reply(self, view: object, stream: object = None) -> object:
        assert callable(stream)
        stream("Let me ")
        stream("look")
        return await super().reply(view, stream)


@pytest.mark.parametrize("by", ["step", "retake"])
async def test_what_had_arrived_when_a_call_was_cancelled_is_kept_as_a_partial(by: str) -> None:
    slow = Streams()
    session = slow_session(slow)
    first = await session.step()
    assert first is not None
    if by == "retake":
        written = await session.write(target_reply("Mine."))
    asking = session.retake(written.id) if by == "retake" else session.step()
    task = asyncio.ensure_future(asking)
    await slow.asked.wait()
    session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (attempt,) = session.attempts
    assert (attempt.kind, attempt.partial, attempt.parent_id) == (
        "cancelled",
        "Let me look",
        first.id,
    )
    assert attempt.words == "Cancelled by you. 11 characters arrived; kept as partial."
    assert len(session.rollout) == (2 if by == "retake" else 1)


async def test_names_and_hiding_of_branches_can_be_undone() -> None:
    session = await played()
    leaf = session.head
    assert leaf is not None
    await session.name_branch(leaf, "main")
    await session.hide_branch(leaf)
    assert [(b.name, b.hidden) for b in session.branches] == [("main", True)]
    await session.undo()
    await session.undo()
    assert [(b.name, b.hidden) for b in session.branches] == [("", False)]


async def test_steps_after_a_change_of_the_project_carry_its_revision() -> None:
    session = Session.start(refund())
    await session.step()
    await session.revise(refund(target=ScriptedTarget((TargetLine("New words."),))))
    step = await session.step()
    assert step is not None
    assert (payload_text(step.payload), step.revision) == ("New words.", 1)
    await session.undo()
    await session.undo()
    assert session.revision == 0
    await session.step()
    assert texts(session)[-1] == "Let me look."


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


async def test_a_step_can_be_undone_whatever_was_pressed_while_it_was_made() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    assert first is not None
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    with pytest.raises(UsageError, match="being made"):
        await session.step()
    await session.name_branch(first.id, "main")
    slow.go.set()
    step = await task
    assert step is not None
    assert [(c.label, c.step_ids) for c in session.commands] == [
        ("step", (first.id,)),
        ("step", (step.id,)),
        ("naming a branch", ()),
    ]
    assert await session.undo() == "naming a branch"
    assert await session.undo() == "step"
    assert session.rollout.hidden == {step.id}


async def test_a_late_result_leaves_the_status_of_where_the_human_is() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    assert first is not None
    stop = await session.write(Stop("enough", "human"), at=None)
    task = asyncio.create_task(session.step(first.id))
    await slow.asked.wait()
    await session.go_to(stop.id)
    slow.go.set()
    await task
    assert session.saved().status == "ended"


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


async def test_stepping_and_keeping_follow_the_branch_they_are_told_to() -> None:
    session = await played()
    message = next(step for step in session.rollout if step.role == "evaluator")
    leaves = [session.head]
    for words in ("one", "two"):
        await session.override(message.id, user_message(words), "keep")
        leaves.append(session.head)
    head = session.head
    for leaf in (*leaves, *reversed(leaves)):
        assert leaf is not None
        session.follow(leaf)
        assert session.head == head
        wanted = [step.id for step in session.rollout.path(leaf)]
        at, walked = None, []
        while (following := session.recorded_next(at)) is not None:
            walked.append(following)
            at = following
        assert walked == wanted
    with pytest.raises(UsageError):
        session.follow("nowhere")


async def test_a_pause_comes_in_between_recorded_steps_and_those_of_a_script() -> None:
    for already_played in (True, False):
        session = await played() if already_played else Session.start(refund())
        await session.go_to(None)
        walk = asyncio.create_task(all_of(session.run()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        session.pause()
        assert 0 < len(await walk) < len(WHOLE)
        assert not session.busy


async def all_of(steps: AsyncIterator[Step]) -> list[Step]:
    return [step async for step in steps]


async def test_closing_waits_until_nothing_is_left_of_a_running_command() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    task = asyncio.create_task(session.turn())
    await slow.asked.wait()
    await session.close()
    assert task.done()
    assert task.cancelled()
    assert first is not None
    assert (session.head, session.busy) == (first.id, False)


async def test_nothing_that_makes_or_takes_back_can_race_a_running_step() -> None:
    slow = Slow()
    session = slow_session(slow)
    first = await session.step()
    assert first is not None
    task = asyncio.create_task(session.step())
    await slow.asked.wait()
    for refused in (
        session.retake(first.id),
        session.undo(),
        session.redo(),
        session.override(first.id, user_message("No.")),
        session.insert(first.id, [target_reply("No.")]),
        session.delete([first.id]),
        session.revise(refund()),
        session.turn(),
    ):
        with pytest.raises(UsageError, match="being made"):
            await refused
    session.follow(first.id)
    await session.name_branch(first.id, "kept")
    slow.go.set()
    step = await task
    assert step is not None
    assert (step.late, session.head, len(session.rollout)) == (False, step.id, 2)


async def test_closing_ends_a_walk_through_recorded_steps(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library.sqlite")
    session = await played(library=library)
    await session.go_to(None)
    walk = asyncio.create_task(all_of(session.run()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await session.close()
    library.close()
    assert walk.done()
    assert 0 < len(await walk) < len(WHOLE)
