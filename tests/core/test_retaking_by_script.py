"""Retakes where no model is asked: a script's alternatives, tables, heuristics."""

from __future__ import annotations

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.model.messages import Stop, payload_text, target_reply, tool_result
from rollstep.core.model.project import (
    EvaluatorLine,
    HeuristicEvaluator,
    HumanTarget,
    RulesSimulator,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
    ToolRule,
)
from rollstep.core.session import Session

from .projects_for_tests import played, refund, takes


async def test_a_script_gives_each_of_its_alternatives_once_and_then_says_so() -> None:
    line = TargetLine("one", takes=("two", "three"))
    session = Session.start(refund(target=ScriptedTarget((line,))))
    await session.step()
    reply = await session.step()
    assert reply is not None
    assert [payload_text(p) for p in await session.alternatives(reply.id, 5)] == ["two", "three"]
    assert len(session.rollout) == 2
    assert [payload_text(s.payload) for s in await session.retake(reply.id, 5)] == ["two", "three"]
    head, commands = session.head, len(session.commands)
    for _ in range(2):
        with pytest.raises(UsageError, match="The script has no other answer here than the 3"):
            await session.retake(reply.id)
    assert (session.head, len(session.commands)) == (head, commands)
    assert takes(session, reply) == ["one", "two", "three"]


async def test_a_retake_of_a_take_or_beside_an_override_goes_on_where_the_last_ended() -> None:
    line = TargetLine("one", takes=("two", "three", "four"))
    session = Session.start(refund(target=ScriptedTarget((line,))))
    await session.step()
    reply = await session.step()
    assert reply is not None
    (second,) = await session.retake(reply.id)
    by_hand = (await session.override(second.id, target_reply("three"))).step
    assert by_hand is not None
    (third,) = await session.retake(by_hand.id)
    assert payload_text(third.payload) == "four"
    assert third.replaces is None


async def test_undone_takes_are_given_again() -> None:
    line = TargetLine("one", takes=("two",))
    session = Session.start(refund(target=ScriptedTarget((line,))))
    await session.turn()
    reply = session.rollout.path(session.head)[-1]
    await session.retake(reply.id)
    assert await session.undo() == "retake of target reply"
    (again,) = await session.retake(reply.id)
    assert payload_text(again.payload) == "two"


async def test_a_retake_of_a_copy_asks_at_the_copys_place() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    await session.override(path[2].id, tool_result("x", '{"status": "late"}'), "keep")
    copy = session.rollout.path(session.head)[4]
    assert copy.copied_from == path[4].id
    (take,) = await session.retake(copy.id)
    assert (take.parent_id, payload_text(take.payload)) == (copy.parent_id, "Here are your 49.00.")


async def test_tables_and_heuristics_have_alternatives_too_and_a_stop_is_asked_anew() -> None:
    table = RulesSimulator(
        (ToolRule("get_order", '"a"', takes=('"b"',)), ToolRule("check_policy", '"c"'))
    )
    heuristic = HeuristicEvaluator(followups=("one", "two"))
    session = await played(refund(tool_simulator=table, evaluator=heuristic, max_turns=3))
    result = session.rollout.path(session.head)[2]
    (other,) = await session.retake(result.id)
    assert payload_text(other.payload) == "b"
    message = session.rollout.path(await played_on(session))[5]
    (said,) = await session.retake(message.id, 4)
    assert {payload_text(said.payload), payload_text(message.payload)} == {"one", "two"}
    two_ends = ScriptedEvaluator((EvaluatorLine("Thanks."), EvaluatorLine(stop="bored")))
    session = await played(refund(evaluator=two_ends))
    stop = session.rollout.path(session.head)[-1]
    assert isinstance(stop.payload, Stop)
    with pytest.raises(UsageError, match="no other answer here than the take that is there"):
        await session.retake(stop.id)


async def played_on(session: Session) -> str | None:
    async for _ in session.run():
        pass
    return session.head


async def test_the_retake_of_a_result_answers_its_own_call() -> None:
    table = RulesSimulator(
        tuple(ToolRule(name, '"a"', takes=('"b"',)) for name in ("get_order", "check_policy"))
    )
    session = await played(refund(tool_simulator=table))
    second = session.rollout.path(session.head)[3]
    (take,) = await session.retake(second.id)
    assert take.payload == tool_result(second.payload.call_id, "b")  # type: ignore[union-attr]


async def test_where_nobody_is_asked_a_retake_says_so_and_makes_nothing() -> None:
    session = await played()
    opening = session.rollout.path(session.head)[0]
    with pytest.raises(UsageError, match="opening message"):
        await session.retake(opening.id)
    ended = await played(refund(max_steps_per_turn=4))
    with pytest.raises(UsageError, match="A rule ends it here"):
        await ended.retake(ended.head or "")
    by_hand = Session.start(refund(target=HumanTarget()))
    await by_hand.step()
    reply = await by_hand.write(target_reply("Mine."))
    with pytest.raises(UsageError, match="You play the target"):
        await by_hand.retake(reply.id)
    for n in (0, -1):
        with pytest.raises(UsageError, match="1 or more"):
            await session.retake(opening.id, n)
    assert [len(s.commands) for s in (session, ended, by_hand)] == [1, 1, 2]


# by a model
