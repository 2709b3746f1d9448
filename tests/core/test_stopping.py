"""Stops as proposals: forced, overruled by a message, and more turns after the limit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rollstep.core.errors import IllegalStepError, RoleError, UsageError
from rollstep.core.model.messages import Stop, payload_text, user_message
from rollstep.core.model.project import (
    EvaluatorLine,
    HeuristicEvaluator,
    HumanEvaluator,
    Project,
    PythonEvaluator,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
)
from rollstep.core.model.view import View
from rollstep.core.roles.human import HumanNeeded
from rollstep.core.roles.registry import build_roles, with_objects
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from .projects_for_tests import played, refund, texts

CHAT = Project(
    "Chat",
    ScriptedTarget(tuple(TargetLine(f"Answer {n}.") for n in range(1, 9))),
    ScriptedEvaluator(tuple(EvaluatorLine(f"Question {n}.") for n in range(2, 9))),
    opening="Question 1.",
    max_turns=2,
)
TALKER = PythonEvaluator("x:y")


class Talks:
    """An evaluator that never stops by itself, and whose message the limit holds back."""

    def __init__(self) -> None:
        self.asked = 0

    async def next(self, view: View) -> object:
        self.asked += 1
        return user_message(f"And {view.turn_index + 1}?")


def status(session: Session) -> str:
    return session.saved().status


async def talking(**changes: object) -> tuple[Session, Talks]:
    talks = Talks()
    project = Project(
        **{f: getattr(CHAT, f) for f in ("title", "target", "opening", "max_turns")},
        evaluator=TALKER,
        **changes,  # type: ignore[arg-type]
    )
    roles = with_objects(build_roles(CHAT), evaluator=talks)
    session = Session.start(project, roles=lambda _: roles)
    async for _ in session.run():
        pass
    return session, talks


async def test_a_stop_is_forced_where_anybody_is_due() -> None:
    session = Session.start(refund(), author="mira")
    for _ in range(3):
        await session.step()
    assert session.position().due == "tool"
    stop = await session.stop_here(" bored ", note="seen enough")
    assert stop.payload == Stop("bored", "human", "seen enough")
    assert (stop.origin, stop.author) == ("human", "mira")
    assert session.next_actor is None
    assert status(session) == "ended"
    assert await session.undo() == "stop here"
    assert status(session) == "open"
    assert session.next_actor == "tool"


async def test_a_stop_needs_a_reason_and_a_rollout_that_goes_on() -> None:
    session = await played()
    with pytest.raises(UsageError, match="A stop needs a reason"):
        await session.stop_here(" ", session.rollout.path(session.head)[1].id)
    with pytest.raises(IllegalStepError, match="Nothing can follow a stop"):
        await session.stop_here("again")


async def test_a_stop_before_the_end_forks() -> None:
    session = await played()
    last = session.head
    path = session.rollout.path(last)
    stop = await session.stop_here("enough", path[1].id)
    assert stop.parent_id == path[1].id
    await session.undo()
    assert session.head == last
    assert status(session) == "ended"


async def test_a_message_over_a_stop_goes_on() -> None:
    session = await played()
    stop = session.rollout.steps[session.head or ""]
    assert status(session) == "ended"
    await session.override(stop.id, user_message("One more thing."))
    assert status(session) == "open"
    assert session.next_actor == "target"
    await session.undo()
    assert session.head == stop.id
    assert status(session) == "ended"


async def test_more_turns_say_what_the_limit_held_back() -> None:
    session, talks = await talking()
    assert texts(session)[-1] == "[max_turns]"
    stop = session.rollout.steps[session.head or ""]
    assert stop.payload == Stop("max_turns", "rule", "And 3?")
    asked = talks.asked
    step = await session.more_turns(3)
    assert step is not None
    assert payload_text(step.payload) == "And 3?"
    assert (step.origin, step.copied_from, step.parent_id) == ("model", stop.id, stop.parent_id)
    assert talks.asked == asked
    assert session.project.max_turns == 3
    assert status(session) == "open"
    async for _ in session.run():
        pass
    assert texts(session)[-3:] == ["And 3?", "Answer 3.", "[max_turns]"]


@pytest.mark.parametrize(
    "evaluator",
    [CHAT.evaluator, HeuristicEvaluator(("One?", "Two?", "Three?", "Four?"))],
)
async def test_a_rollout_with_raised_turns_is_as_if_it_had_had_them_from_the_start(
    evaluator: ScriptedEvaluator | HeuristicEvaluator,
) -> None:
    def chat(turns: int) -> Project:
        return Project(CHAT.title, CHAT.target, evaluator, opening="Hi", max_turns=turns)

    session = await played(chat(2))
    stop = session.rollout.steps[session.head or ""]
    assert isinstance(stop.payload, Stop)
    assert stop.payload.by == "evaluator"
    await session.more_turns(4)
    async for _ in session.run():
        pass
    whole = await played(chat(4))
    assert texts(session) == texts(whole)
    scripts = [
        [step.script_index for step in each.rollout.path(each.head)] for each in (session, whole)
    ]
    assert scripts[0] == scripts[1]


async def test_more_turns_ask_a_human_who_plays_the_evaluator_and_stay_raised() -> None:
    session = Session.start(
        Project("You", CHAT.target, HumanEvaluator(), opening="Hi", max_turns=1)
    )
    await session.turn()
    stop = await session.stop_here("max_turns")
    with pytest.raises(HumanNeeded):
        await session.more_turns(3)
    assert session.project.max_turns == 3
    assert session.head == stop.id
    assert await session.undo() == "more turns"
    assert session.project.max_turns == 1
    assert session.head == stop.id
    assert status(session) == "ended"


async def test_when_asking_anew_fails_the_limit_is_raised_and_the_head_is_where_it_was() -> None:
    class Fails:
        async def next(self, view: View) -> object:
            if view.max_turns > 2:
                raise RoleError("lost the line")
            return Stop("max_turns", "evaluator")

    roles = with_objects(build_roles(CHAT), evaluator=Fails())
    project = Project("Chat", CHAT.target, TALKER, opening="Hi", max_turns=1)
    session = Session.start(project, roles=lambda _: roles)
    await session.turn()
    stop = await session.step()
    assert stop is not None
    with pytest.raises(RoleError, match="lost the line"):
        await session.more_turns(3)
    assert (session.head, session.project.max_turns, status(session)) == (stop.id, 3, "ended")
    assert session.attempts[-1].parent_id == stop.parent_id


async def test_more_turns_before_the_end_only_raise_the_limit() -> None:
    session = Session.start(CHAT)
    await session.turn()
    assert await session.more_turns(5) is None
    assert session.project.max_turns == 5
    assert len(session.rollout) == 2
    with pytest.raises(UsageError, match="5 turns are no more than the 5 that there are already"):
        await session.more_turns(5)


async def test_more_turns_change_nothing_after_other_stops_and_say_so() -> None:
    session = await played()
    with pytest.raises(UsageError, match="ended by goal_reached, not by the turn limit"):
        await session.more_turns(50)
    steps = await played(refund(max_steps_per_turn=4))
    with pytest.raises(UsageError, match="max_steps, the limit on the steps of one turn"):
        await steps.more_turns(50)
    assert steps.project.max_turns == refund().max_turns
    limit = await played(CHAT)
    with pytest.raises(UsageError, match="2 turns are no more than the 2 that the branch has"):
        await limit.more_turns(2)
    assert limit.commands[-1].label == "run"


async def test_raised_turns_and_the_way_back_are_kept_by_the_library() -> None:
    with Library.throwaway() as library:
        session = await played(CHAT, library=library)
        stop = session.head
        await session.more_turns(4)
        await session.close()
        again = Session.reopen(library.load(session.rollout.header.id), library)
        assert again.project.max_turns == 4
        assert again.saved().status == "open"
        assert await again.undo() == "more turns"
        await again.close()
        third = Session.reopen(library.load(session.rollout.header.id), library)
        assert (third.project.max_turns, third.head) == (2, stop)
        assert third.saved().status == "ended"


def state_of(session: Session) -> tuple[object, ...]:
    hidden = session.rollout.hidden
    visible = {i: s for i, s in session.rollout.steps.items() if i not in hidden}
    return session.head, session.project, session.revision, status(session), visible


@settings(max_examples=40, deadline=None)
@given(
    steps=st.integers(0, 12),
    turns=st.integers(1, 4),
    more=st.integers(1, 9),
    at=st.integers(0, 12),
    calls=st.booleans(),
)
async def test_undo_after_a_forced_stop_and_after_more_turns_restores(
    steps: int, turns: int, more: int, at: int, calls: bool
) -> None:
    session = Session.start(refund(max_turns=turns) if calls else CHAT)
    for _ in range(steps):
        await session.step()
    path = session.rollout.path(session.head)
    where = path[at % len(path)].id if path else None
    for command in (
        lambda: session.stop_here("enough", where),
        lambda: session.more_turns(more),
    ):
        before = state_of(session)
        done = len(session.commands)
        try:
            await command()
        except UsageError:
            assert len(session.commands) == done
        else:
            assert await session.undo() in ("stop here", "more turns")
        assert state_of(session) == before
