"""Breakpoints stop runs: where, why, how often, and what is said."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import UsageError
from rollstep.core.events import BreakpointsChanged, Event, Paused
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.messages import Stop, target_reply, tool_result
from rollstep.core.model.project import (
    EvaluatorLine,
    Project,
    ScriptedEvaluator,
    ScriptedTarget,
    StopRules,
    TargetLine,
)
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from .projects_for_tests import played, refund, texts

# refund(): 1 message, 2 reply with two calls, 3 and 4 results, 5 reply, 6 message, 7 reply, 8 stop


async def run(session: Session) -> tuple[int, list[str]]:
    """Run on; how long the path is then, and what was said of why it stopped."""
    told: list[Event] = []
    stop = session.subscribe(told.append)
    async for _ in session.run():
        pass
    stop()
    return place(session), [event.words for event in told if isinstance(event, Paused)]


def place(session: Session) -> int:
    return len(session.rollout.path(session.head))


def session_of(*breakpoints: Breakpoint | str, **changes: object) -> Session:
    return Session.start(refund(breakpoints=tuple(map(as_breakpoint, breakpoints)), **changes))


def as_breakpoint(given: Breakpoint | str) -> Breakpoint:
    return Breakpoint(given) if isinstance(given, str) else given


async def test_a_run_stops_after_the_step_and_says_which_stopped_it_and_why() -> None:
    session = session_of("turn = 9", Breakpoint("tool = get_order kind = result", name="big"))
    assert await run(session) == (
        3,
        ['breakpoint 2 "big" at step 3: tool = get_order and kind = result'],
    )
    assert session.hits == (0, 1)
    assert session.saved().status == "parked"
    assert await run(session) == (8, [])
    assert session.saved().status == "ended"
    assert session.hits == (0, 1)


async def test_all_fields_of_a_breakpoint_must_hold() -> None:
    held = Breakpoint(
        "step > 1", role="tool", tool="check_policy", text="REFUND", regex="able", turn=1
    )
    assert await run(session_of(held)) == (
        4,
        [
            "breakpoint 1 at step 4: role = tool and tool = check_policy and turn = 1 "
            "and text : REFUND and text ~ /able/ and step > 1"
        ],
    )
    assert await run(session_of(Breakpoint(role="tool", turn=2))) == (8, [])
    assert (await run(session_of(Breakpoint())))[1] == ["breakpoint 1 at step 1: any step"]


async def test_several_that_stop_at_one_step_are_all_said() -> None:
    session = session_of("role = tool", "step = 3")
    assert (await run(session))[1] == [
        "breakpoint 1 at step 3: role = tool; breakpoint 2 at step 3: step = 3"
    ]


async def test_a_breakpoint_at_the_stop_is_said_and_the_rollout_has_ended() -> None:
    session = session_of("stop")
    assert await run(session) == (8, ["breakpoint 1 at step 8: stop"])
    assert (session.saved().status, session.saved().status_note) == ("ended", "")


async def test_hits_that_are_ignored_let_the_run_go_on_and_are_counted() -> None:
    session = session_of(Breakpoint("kind = result or kind = reply", ignore=2))
    told: list[Event] = []
    session.subscribe(told.append)
    assert (await run(session))[0] == 4
    assert session.hits == (3,)
    assert [event.hits for event in told if isinstance(event, BreakpointsChanged)] == [
        *((1,), (2,), (3,))
    ]
    assert (await run(session))[0] == 5
    await session.set_breakpoints([Breakpoint("kind = result or kind = reply", ignore=9)])
    assert (await run(session))[0] == 8
    assert session.hits == (5,)


async def test_one_that_is_switched_off_counts_nothing() -> None:
    session = session_of(Breakpoint("kind = result", enabled=False), "turn = 2")
    assert (await run(session))[0] == 6
    assert session.hits == (0, 1)


async def test_once_means_once_and_is_no_command_of_the_human() -> None:
    session = session_of(Breakpoint("kind = result", once=True), "step = 6")
    commands = len(session.commands)
    assert (await run(session))[0] == 3
    assert session.breakpoints == (Breakpoint("step = 6"),)
    assert [command.label for command in session.commands[commands:]] == ["run"]
    assert (await run(session))[0] == 6


async def test_once_that_is_not_yet_due_stays() -> None:
    session = session_of(Breakpoint("kind = result", once=True, ignore=1))
    assert (await run(session))[0] == 4
    assert session.breakpoints == ()


async def test_a_turn_and_a_rerun_stop_too_and_a_single_step_does_not() -> None:
    session = session_of("kind = result tool = get_order")
    for _ in range(3):
        await session.step()
    assert session.hits == (0,)
    session = session_of("kind = result tool = get_order")
    await session.turn()
    assert place(session) == 3
    path = session.rollout.path(session.head)
    await session.override(path[0].id, path[0].payload, after="rerun")
    assert place(session) == 3
    assert session.hits == (2,)


async def test_recorded_steps_that_are_walked_stop_too() -> None:
    session = await played(refund(breakpoints=()))
    await session.set_breakpoints([Breakpoint("kind = result"), Breakpoint("stop")])
    await session.go_to(None)
    where = []
    for _ in range(4):
        where.append((await run(session))[0])
    assert where == [3, 4, 8, 8]
    assert session.hits == (2, 1)
    assert len(session.rollout) == 8
    assert session.saved().status == "ended"


async def test_walking_looks_at_each_step_once() -> None:
    """The folds go along: the path is read at the start, and not at each of the eight steps."""
    session = await played(refund(breakpoints=()))
    await session.set_breakpoints([Breakpoint("turn = 9 or cost > 9 or repeated > 9")])
    await session.go_to(None)
    asked: list[str | None] = []
    path = session.rollout.path
    session.rollout.path = lambda leaf: asked.append(leaf) or path(leaf)  # type: ignore
    async for _ in session.run():
        pass
    assert len(asked) == 1


async def test_before_stops_before_the_role_is_asked_and_not_again_when_it_goes_on() -> None:
    held = Breakpoint(role="tool", tool="check_policy", before=True, name="policy")
    session = session_of(held)
    words = 'breakpoint 1 "policy" before step 4: role = tool and tool = check_policy'
    assert await run(session) == (3, [words])
    assert (session.saved().status, session.saved().status_note) == ("parked", words)
    assert session.hits == (1,)
    assert await run(session) == (8, [])


async def test_before_holds_again_when_the_human_comes_back_to_ask_anew() -> None:
    session = session_of(Breakpoint(role="target", before=True))
    assert (await run(session))[0] == 1
    await session.step()
    await session.undo()
    assert await run(session) == (1, ["breakpoint 1 before step 2: role = target"])


async def test_before_does_not_hold_where_a_recorded_step_is_walked() -> None:
    session = await played(refund(breakpoints=()))
    await session.set_breakpoints([Breakpoint(before=True)])
    await session.go_to(None)
    assert await run(session) == (8, [])


async def test_before_the_opening_nobody_is_asked() -> None:
    assert (await run(session_of(Breakpoint(before=True))))[0] == 1
    assert (await run(session_of(Breakpoint(before=True), opening=None)))[0] == 0


async def test_a_rollout_that_was_reopened_goes_on_from_where_it_waits(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        held = (Breakpoint("kind = result"), Breakpoint(role="tool", before=True))
        session = Session.start(refund(breakpoints=held), library=library)
        reached = []
        for _ in range(5):
            await run(session)
            reached.append(place(session))
            saved = library.load(session.rollout.header.id)
            assert (saved.status == "parked") is (place(session) < 8)
            session = Session.reopen(saved, library)
        assert reached == [2, 3, 3, 4, 8]


async def test_a_breakpoint_and_a_limit_at_one_step_are_both_said() -> None:
    session = Session.start(_loop(stop=StopRules(repeated_exchanges=2)))
    assert await run(session) == (
        4,
        ["breakpoint 1 at step 4: turn = 2 and kind = reply; the same exchange 2 times"],
    )
    assert session.saved().status_note.endswith("the same exchange 2 times")


def _loop(**changes: object) -> Project:
    return refund(
        opening="Again.",
        target=ScriptedTarget((TargetLine("Yes."),) * 5),
        evaluator=ScriptedEvaluator((EvaluatorLine("Again."),) * 4),
        breakpoints=(Breakpoint("turn = 2 kind = reply"),),
        **changes,
    )


async def test_a_limit_that_stops_stops_and_the_breakpoints_are_said() -> None:
    session = Session.start(_loop(stop=StopRules(repeated_exchanges=2, on_limit="stop")))
    assert await run(session) == (5, ["breakpoint 1 at step 4: turn = 2 and kind = reply"])
    assert isinstance(session.rollout.path(session.head)[-1].payload, Stop)
    assert session.saved().status == "ended"


async def test_the_pause_key_and_a_breakpoint_at_one_step_are_both_said() -> None:
    session = session_of("step = 2")
    told: list[str] = []

    def watch(event: Event) -> None:
        if isinstance(event, Paused):
            told.append(event.words)

    session.subscribe(watch)
    async for step in session.run():
        if step.role == "evaluator":
            session.pause()
    assert told == ["paused by you"]
    async for _ in session.run():
        session.pause()
    assert told[1:] == ["breakpoint 1 at step 2: step = 2; paused by you"]


async def test_breakpoints_set_while_a_run_goes_on_hold_from_then_on() -> None:
    session = session_of()
    async for step in session.run():
        if step.role == "tool":
            await session.set_breakpoints([Breakpoint("kind = reply")])
    assert place(session) == 5


async def test_setting_breakpoints_is_undone_by_name_and_survives(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        session = Session.start(refund(breakpoints=(Breakpoint("late"),)), library=library)
        await session.step()
        await session.set_breakpoints([Breakpoint("turn = 2")])
        again = Session.reopen(library.load(session.rollout.header.id))
        assert again.breakpoints == (Breakpoint("turn = 2"),)
        assert await session.undo() == "change of breakpoints"
        assert session.breakpoints == (Breakpoint("late"),)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (Breakpoint("tol = x"), "breakpoint 2: when: column 1: no field 'tol'; did you mean tool?"),
        (Breakpoint(regex="a("), "breakpoint 2: regex: not a regular expression"),
        (Breakpoint("", name="n"), 'breakpoint 2 "n": when: column 1: the query is empty'),
        ("text", "is no breakpoints"),
    ],
)
async def test_a_breakpoint_that_cannot_be_asked_is_not_set(bad: Breakpoint, words: str) -> None:
    session = session_of("late")
    with pytest.raises(UsageError) as caught:
        await session.set_breakpoints([Breakpoint("late"), bad])
    assert words in str(caught.value)
    assert session.breakpoints == (Breakpoint("late"),)


async def test_a_bad_breakpoint_of_a_project_is_said_when_a_run_begins() -> None:
    session = session_of("tol = x")
    with pytest.raises(UsageError, match="breakpoint 1: when: column 1: no field"):
        await run(session)
    assert await session.step() is not None


async def test_a_bad_breakpoint_can_be_switched_off_beside_others_that_are_bad() -> None:
    session = session_of("tol = x", "(", "late")
    bad, worse, fine = session.breakpoints
    off = [msgspec.structs.replace(each, enabled=False) for each in (bad, worse)]
    await session.set_breakpoints([off[0], worse, fine])
    with pytest.raises(UsageError, match=r"breakpoint 2: .* switch it off"):
        await run(session)
    await session.set_breakpoints([*off, fine])
    assert await run(session)
    await session.set_breakpoints([off[0], fine])
    with pytest.raises(UsageError, match="breakpoint 1"):
        await session.set_breakpoints([bad, fine])


@pytest.mark.parametrize(
    ("held", "places"),
    [
        (Breakpoint("kind = result and tool = check_policy"), [4, 8]),
        (Breakpoint(role="target", before=True), [4, 6, 8]),
    ],
)
@pytest.mark.parametrize("with_fault", [False, True])
async def test_a_rerun_stops_at_the_head_is_told_and_goes_on(
    held: Breakpoint, places: list[int], with_fault: bool
) -> None:
    session = await played(refund(breakpoints=()))
    path = session.rollout.path(session.head)
    await session.set_breakpoints([held])
    told: list[str] = []
    session.subscribe(lambda event: told.append(event.words) if isinstance(event, Paused) else None)
    if with_fault:
        await session.inject_instead(path[2].id, "timeout", "rerun")
    else:
        await session.override(path[1].id, path[1].payload, "rerun")
    step = f"step {places[0] + held.before}: "
    assert len(told) == 1
    assert step in told[0]
    assert session.status == ("parked", told[0])
    reached = [place(session)]
    while session.status[0] == "parked":
        reached.append((await run(session))[0])
    assert reached == places


async def test_before_on_another_branch_than_the_heads_it_waits_there() -> None:
    session = await played(refund(breakpoints=()))
    end = session.head
    over = await session.override(session.rollout.path(end)[4].id, target_reply("Other."))
    assert over.step is not None
    await session.go_to(end)
    assert session.status[0] == "ended"
    await session.set_breakpoints([Breakpoint(before=True)])
    async for _ in session.run(over.step.id):
        pass
    assert session.head == over.step.id
    assert session.status == ("parked", "breakpoint 1 before step 6: any step")
    assert Session.reopen(session.saved()).head == over.step.id
    assert (await run(session))[0] == 6


async def test_a_bad_breakpoint_is_said_before_a_rerun_puts_anything_there() -> None:
    session = session_of("tol = x")
    for _ in range(3):
        await session.step()
    reply, result = session.rollout.path(session.head)[1:]
    with pytest.raises(UsageError, match="breakpoint 1: when"):
        await session.override(reply.id, reply.payload, "rerun")
    with pytest.raises(UsageError, match="breakpoint 1: when"):
        await session.inject_instead(result.id, "timeout", "rerun")
    assert len(session.rollout) == 3
    assert (await session.override(reply.id, reply.payload)).step is not None


async def test_before_and_a_limit_at_one_place_are_told_one_after_the_other() -> None:
    held = (Breakpoint("turn > 2", before=True),)
    project = msgspec.structs.replace(_loop(stop=StopRules(repeated_exchanges=2)), breakpoints=held)
    session = Session.start(project)
    assert await run(session) == (4, ["the same exchange 2 times"])
    assert session.status == ("parked", "the same exchange 2 times")
    assert await run(session) == (4, ["breakpoint 1 before step 5: turn > 2"])
    assert session.status == ("parked", "breakpoint 1 before step 5: turn > 2")
    again = Session.reopen(session.saved())
    assert (await run(again))[0] == 5
    assert (await run(session))[0] == 5


async def test_copied_steps_and_steps_out_of_call_order_are_looked_at_as_any_other() -> None:
    session = await played(refund(breakpoints=()))
    path = session.rollout.path(session.head)
    await session.override(path[2].id, tool_result(path[2].payload.call_id, "x"), after="keep")  # type: ignore[union-attr]
    head = session.head
    await session.go_to(None)
    session.follow(head or "")
    await session.set_breakpoints([Breakpoint("tool = check_policy kind = result")])
    assert (await run(session))[0] == 4
    assert texts(session)[2] == "x"
