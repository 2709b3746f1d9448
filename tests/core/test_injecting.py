"""A human injects faults: into open calls and in the place of results."""

import json

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.model.debugging import FaultRule
from rollstep.core.model.messages import (
    Stop,
    ToolCall,
    ToolResult,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import PythonSimulator
from rollstep.core.model.view import View
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.registry import build_roles, with_objects
from rollstep.core.rules.faults.kinds import FAULTS
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from .projects_for_tests import ORDER, played, refund, texts


async def waiting() -> Session:
    """Two calls are open: get_order and check_policy."""
    session = Session.start(refund(), author="mira", seed=7)
    await session.step()
    await session.step()
    return session


async def test_a_fault_answers_the_first_open_call() -> None:
    session = await waiting()
    step = await session.inject("timeout", reason="does it try again?")
    assert isinstance(step.payload, ToolResult)
    assert step.payload.call_id == session.rollout.path(step.id)[1].payload.tool_calls[0].id  # type: ignore[union-attr]
    assert step.payload.is_error
    assert (step.injected, step.origin, step.author) == ("timeout", "human", "mira")
    assert step.reason == "does it try again?"
    assert [call.name for call in session.position().open_calls] == ["check_policy"]
    assert (await session.inject("http_500")).injected == "http_500"
    assert session.next_actor == "target"
    assert await session.undo() == "fault http_500"
    assert await session.undo() == "fault timeout"
    assert len(session.position().open_calls) == 2


@pytest.mark.parametrize("fault", [name for name in FAULTS if name != "stale_data"])
async def test_every_kind_can_be_injected_and_is_the_same_for_the_same_seed(fault: str) -> None:
    one, other = await waiting(), await waiting()
    assert (await one.inject(fault)).payload == (await other.inject(fault)).payload


async def test_a_fault_beside_a_recorded_result_is_made_of_it() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    step = await session.inject("truncated_json", path[1].id)
    assert ORDER.startswith(payload_text(step.payload))
    assert session.rollout.takes(step.id) == [path[2].id, step.id]


async def test_a_fault_in_the_place_of_a_result_is_a_new_take() -> None:
    session = await played(author="mira")
    path = session.rollout.path(session.head)
    done = await session.inject_instead(path[2].id, "truncated_json", "keep", "broken pipe")
    assert done.step is not None
    assert done.copied == len(path) - 3
    assert ORDER.startswith(payload_text(done.step.payload))
    assert (done.step.replaces, done.step.injected) == (path[2].id, "truncated_json")
    assert done.step.script_index == path[2].script_index
    assert done.step.reason == "broken pipe"
    assert await session.undo() == "fault truncated_json"
    assert session.head == path[-1].id


async def test_rerun_plays_on_from_a_fault() -> None:
    session = await played(refund(faults=(FaultRule("gone", respond='{"status": "lost"}'),)))
    path = session.rollout.path(session.head)
    done = await session.inject_instead(path[2].id, "gone", "rerun")
    assert done.step is not None
    assert texts(session)[-1] == "It is lost, I am sorry."


async def test_stale_data_repeats_the_newest_result_of_the_tool() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    with pytest.raises(UsageError, match="get_order has no earlier result"):
        await session.inject_instead(path[2].id, "stale_data")
    await session.go_to(path[4].id)
    await session.write(user_message("Look again."))
    reply = path[1].payload
    await session.write(reply)
    step = await session.inject("stale_data")
    assert payload_text(step.payload) == ORDER


async def test_what_makes_no_sense_is_refused_and_changes_nothing() -> None:
    session = await played()
    path = session.rollout.path(session.head)
    count, commands = len(session.rollout), len(session.commands)
    with pytest.raises(UsageError, match="No call is open here"):
        await session.inject("timeout")
    with pytest.raises(UsageError, match="only in the place of a tool result"):
        await session.inject_instead(path[0].id, "timeout")
    with pytest.raises(UsageError, match=r"'tiemout' is no fault\. Did you mean timeout"):
        await session.inject_instead(path[2].id, "tiemout")
    with pytest.raises(UsageError, match="none of stay, keep, rerun"):
        await session.inject_instead(path[2].id, "timeout", "later")  # type: ignore[arg-type]
    assert (len(session.rollout), len(session.commands)) == (count, commands)


async def test_the_projects_own_fault_by_its_name() -> None:
    own = FaultRule("sold_out", tool="get_order", respond='{"stock": 0}', probability=0)
    session = await played(refund(faults=(own,)))
    path = session.rollout.path(session.head)
    done = await session.inject_instead(path[2].id, "sold_out")
    assert done.step is not None
    assert done.step.payload == tool_result(path[2].payload.call_id, '{"stock": 0}', is_error=True)  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="sold_out is for get_order only"):
        await session.inject_instead(path[3].id, "sold_out")


async def test_the_simulators_state_stays_as_it_was() -> None:
    class Counter:
        async def respond(self, view: View) -> Answer:
            count = int(view.state or 0) + 1
            assert view.call is not None
            return Answer(tool_result(view.call.id, str(count)), state=str(count))

    roles = with_objects(build_roles(refund()), tool_simulator=Counter())
    project = refund(tool_simulator=PythonSimulator("x:y"))
    session = Session.start(project, roles=lambda _: roles)
    for _ in range(3):
        await session.step()
    step = await session.inject("timeout")
    assert (step.state, step.state_stale) == ("1", False)
    await session.undo()
    call = session.position().open_calls[0]
    written = await session.write(tool_result(call.id, "by hand"))
    assert (written.state, written.state_stale) == ("1", True)


async def test_what_was_injected_is_kept_by_the_library() -> None:
    with Library.throwaway() as library:
        session = await played(library=library)
        path = session.rollout.path(session.head)
        await session.inject_instead(path[2].id, "wrong_type", "keep")
        await session.close()
        again = Session.reopen(library.load(session.rollout.header.id), library)
        step = again.rollout.path(again.head)[2]
        assert step.injected == "wrong_type"
        assert json.loads(payload_text(step.payload)) == ORDER
        stop = again.rollout.steps[again.head or ""]
        assert isinstance(stop.payload, Stop)


async def test_a_fault_and_an_answer_are_drawn_for_any_title_and_call_id() -> None:
    odd = "\ud800 \x1b]52;c;aGk=\x07 \x00"
    rule = FaultRule("timeout", probability=0.5)
    session = Session.start(refund(title=odd, faults=(rule,)), author=odd)
    await session.step()
    await session.write(target_reply("", (ToolCall(odd, "get_order", "{}"),)))
    step = await session.inject("http_500", reason=odd)
    assert session.view("tool").rng().random() == session.view("tool").rng().random()
    await session.undo()
    assert (await session.step()) is not None
    assert (await session.inject_instead(step.id, "empty")).step is not None
