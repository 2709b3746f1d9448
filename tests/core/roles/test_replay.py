"""Replaying: recorded answers to equal questions, and nothing else without a human's leave."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from rollstep.core.errors import RoleError
from rollstep.core.model.messages import (
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    HumanTarget,
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
)
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Call, Step, role_of
from rollstep.core.roles.human import HumanNeeded
from rollstep.core.roles.registry import build_roles
from rollstep.core.roles.replay import NotRecorded, Recording, call_key, with_recorded_tools
from rollstep.core.session import Session

from ..projects_for_tests import played, refund, texts
from .making import view

LIVE = Project(
    title="Live",
    target=LlmTarget("openai/nobody", system="Be brief."),
    evaluator=LlmEvaluator("openai/nobody"),
    tool_simulator=LlmSimulator("openai/nobody"),
    opening="Where is it?",
)


def call(number: int, order: str = "1", name: str = "get_order") -> ToolCall:
    return ToolCall(f"c{number}", name, f'{{"order_id": "{order}"}}')


PLAYED: tuple[Payload, ...] = (
    user_message("Where is it?"),
    target_reply("Looking.", (call(1), call(2, "2"))),
    tool_result("c1", "on its way"),
    tool_result("c2", "lost"),
    target_reply("", (call(3),)),
    tool_result("c3", "delivered"),
    target_reply("It came."),
    user_message("Thanks."),
    target_reply("Bye."),
    Stop("goal_reached", "evaluator"),
)


def tree(*paths: tuple[str | None, tuple[Payload, ...]], project: Project = LIVE) -> Rollout:
    """A rollout of chains, each after a step of the ones before: s1, s2, … in order."""
    rollout = Rollout(RolloutHeader("r", "Live"), [project])
    for parent, payloads in paths:
        for payload in payloads:
            number = len(rollout.steps) + 1
            used = Call("nobody", cost=1.0)
            step = Step(f"s{number}", parent, role_of(payload), payload, "model", number, call=used)
            rollout.add(step)
            parent = step.id
    return rollout


def never(project: Project) -> Any:
    raise AssertionError("the project's own roles were made")


async def forked(rollout: Rollout, at: str | None, leaf: str | None = None) -> Session:
    """A session of the rollout's project whose path to ``at`` is a copy, with nothing behind it."""
    session = Session(rollout, never)
    session.replay(leaf)
    await session.go_to(at)
    return session


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ('{"a": 1, "b": [true, null]}', '{"b":[true,null],"a":1.0}', True),
        ("", "{}", True),
        ('{"a": 1}', '{"a": true}', False),
        ('{"a": "1"}', '{"a": 1}', False),
        ('{"a": [1, 2]}', '{"a": [2, 1]}', False),
        ("{not json", "{not json", True),
        ("{not json", "{not json ", False),
    ],
)
def test_calls_are_equal_by_the_json_of_their_arguments(one: str, other: str, equal: bool) -> None:
    keys = [call_key(ToolCall("x", "f", text)) for text in (one, other)]
    assert (keys[0] == keys[1]) is equal
    assert call_key(ToolCall("x", "f", one)) != call_key(ToolCall("x", "g", one))


def test_the_nth_equal_call_of_a_path_gets_the_nth_recorded_result() -> None:
    recording = Recording(tree((None, PLAYED)))
    asked = target_reply("", (call(7),))
    first = recording.answer(view("tool", asked, call=call(7)))
    assert first is not None
    assert payload_text(first.payload) == "on its way"
    again = (asked, tool_result("c7", "on its way"), target_reply("", (call(8),)))
    second = recording.answer(view("tool", *again, call=call(8)))
    assert second is not None
    assert payload_text(second.payload) == "delivered"
    third = (*again, tool_result("c8", "x"), target_reply("", (call(9),)))
    assert recording.answer(view("tool", *third, call=call(9))) is None
    both = target_reply("", (call(7), call(8)))
    beside = recording.answer(view("tool", both, call=call(8)))
    assert beside is not None
    assert payload_text(beside.payload) == "delivered"


def test_other_arguments_are_not_answered() -> None:
    recording = Recording(tree((None, PLAYED)))
    asked = target_reply("", (call(7, "3"),))
    assert recording.answer(view("tool", asked, call=call(7, "3"))) is None


def test_several_answers_come_in_order_the_branch_that_is_played_first() -> None:
    rollout = tree((None, PLAYED), ("s2", (tool_result("c1", "at the door"),)))
    asked = target_reply("", (call(7),))

    def answers(leaf: str) -> list[str]:
        recording = Recording(rollout, leaf)
        found = [recording.answer(view("tool", asked, call=call(7), take=n)) for n in range(3)]
        return [payload_text(each.payload) if each else "" for each in found]

    assert answers("s10") == ["on its way", "at the door", ""]
    assert answers("s11") == ["at the door", "on its way", ""]


def test_what_was_undone_is_not_recorded() -> None:
    rollout = tree((None, PLAYED), ("s2", (tool_result("c1", "at the door"),)))
    rollout.hidden.add("s11")
    recording = Recording(rollout)
    again = view("tool", target_reply("", (call(7),)), call=call(7), take=1)
    assert recording.answer(again) is None


def test_ids_and_reasoning_do_not_make_another_path_but_any_text_does() -> None:
    recording = Recording(tree((None, PLAYED)))
    renamed = (
        PLAYED[0],
        target_reply("Looking.", (call(11), call(12, "2"))),
        tool_result("c11", "on its way"),
        tool_result("c12", "lost"),
    )
    found = recording.answer(view("target", *renamed, project=LIVE))
    assert found is not None
    assert isinstance(found.payload, TargetReply)
    assert found.payload.tool_calls == (call(3),)
    crossed = (*renamed[:2], tool_result("c12", "on its way"), tool_result("c11", "lost"))
    assert recording.answer(view("target", *crossed, project=LIVE)) is None
    changed = (*renamed[:3], tool_result("c12", "found"))
    assert recording.answer(view("target", *changed, project=LIVE)) is None


def test_a_role_that_is_described_otherwise_now_is_not_answered() -> None:
    recording = Recording(tree((None, PLAYED)))
    turns = replace(LIVE, max_turns=3)
    assert recording.answer(view("target", PLAYED[0], project=turns)) is not None
    other = replace(LIVE, target=LlmTarget("openai/nobody", system="Be rude."))
    assert recording.answer(view("target", PLAYED[0], project=other)) is None


async def test_the_evaluator_is_answered_where_it_saw_the_same() -> None:
    """It sees no tools: another result with the same reply after it is the same to it."""
    other = (tool_result("c1", "elsewhere"), tool_result("c2", "lost"), target_reply("It came."))
    session = await forked(tree((None, PLAYED), ("s2", other)), "s13", "s10")
    step = await session.step()
    assert step is not None
    assert payload_text(step.payload) == "Thanks."
    assert (step.copied_from, step.origin, step.call) == ("s8", "model", None)


async def test_a_fork_plays_what_is_recorded_free_and_asks_nobody_for_the_rest() -> None:
    rollout = tree((None, PLAYED))
    session = await forked(rollout, "s1")
    await session.write(target_reply("Once more.", (call(21), call(22, "9"))))
    step = await session.step()
    assert step is not None
    assert payload_text(step.payload) == "on its way"
    with pytest.raises(NotRecorded, match="get_order with these arguments is not recorded") as no:
        await session.step()
    assert (no.value.kind, no.value.role) == ("not_recorded", "tool")
    assert session.head == step.id
    assert session.attempts == ()
    assert "write it by hand, script it, or ask live" in str(no.value)


async def test_a_role_that_is_let_through_answers_itself_and_the_others_do_not() -> None:
    project = refund()
    session = await played(project)
    first = session.rollout.path(session.head)[0].id
    session.replay()
    await session.write(target_reply("", (ToolCall("n", "check_policy", '{"x": 1}'),)), first)
    with pytest.raises(NotRecorded):
        await session.step()
    session.let_through("tool")
    step = await session.step()
    assert step is not None
    assert (payload_text(step.payload), step.origin) == ("refundable", "script")
    assert step.copied_from is None
    with pytest.raises(NotRecorded, match="target's reply"):
        await session.step()
    session.end_replay()
    assert (await session.step()) is not None


async def test_a_human_role_is_asked_at_once() -> None:
    session = await forked(
        tree((None, PLAYED[:1]), project=replace(LIVE, target=HumanTarget())), "s1"
    )
    with pytest.raises(HumanNeeded):
        await session.step()


async def test_a_retake_gives_the_other_recorded_answers() -> None:
    rollout = tree((None, PLAYED), ("s1", (target_reply("Which one?"),)))
    session = await forked(rollout, "s2", "s10")
    written = await session.write(user_message("Where is it?"), None)
    one = await session.step()
    assert one is not None
    assert payload_text(one.payload) == "Looking."
    (two,) = await session.retake(one.id)
    assert payload_text(two.payload) == "Which one?"
    assert two.parent_id == written.id
    with pytest.raises(NotRecorded):
        await session.retake(one.id)


async def test_copies_are_no_recordings_of_their_own() -> None:
    session = await played(refund())
    whole = texts(session)
    result = next(step for step in session.rollout.path(session.head) if step.role == "tool")
    done = await session.override(result.id, replace(result.payload, is_error=True), "keep")
    assert done.copied
    session.replay(session.head)
    again = await session.write(result.payload, result.parent_id)
    await session.step()
    reply = await session.step()
    assert reply is not None
    assert texts(session) == whole[: len(texts(session))]
    assert session.rollout.steps[reply.copied_from or ""].copied_from is None
    assert again.copied_from is None


async def test_recorded_results_stand_before_a_projects_own_simulator() -> None:
    """For a rerun in another rollout: its steps name none of this one."""
    old = await played(refund())
    steps = list(old.rollout.path(old.head))
    result = next(step for step in steps if step.role == "tool")
    await old.override(result.id, tool_result("c", "from the recording"))
    recording = Recording(old.rollout, old.head, same=False)
    project = refund()
    new = Session.start(project, roles=lambda p: with_recorded_tools(build_roles(p), recording))
    async for _ in new.run():
        pass
    said = [step for step in new.rollout.path(new.head) if step.role == "tool"]
    assert [payload_text(step.payload) for step in said] == ["from the recording", "refundable"]
    assert {(step.origin, step.copied_from) for step in said} == {("script", None)}


async def test_calls_that_are_asked_at_once_keep_what_is_recorded() -> None:
    project = replace(LIVE, tool_simulator=LlmSimulator("openai/nobody", independent=True))
    session = await forked(tree((None, PLAYED), project=project), "s1")
    reply = await session.write(target_reply("", (call(21), call(22, "9"), call(23, "2"))))
    with pytest.raises(NotRecorded):
        async for _ in session.run():
            pass
    path = session.rollout.path(session.head)
    results = [payload_text(s.payload) for s in path if s.role == "tool"]
    assert results == ["on its way", "lost"]
    assert path[1] == reply
    assert session.attempts == ()
    assert session.position().open_calls == (call(22, "9"),)


def test_not_recorded_is_a_failure_of_its_own_kind() -> None:
    error = NotRecorded("target")
    assert isinstance(error, RoleError)
    assert error.kind == "not_recorded"
