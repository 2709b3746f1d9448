"""Takes: asking anew beside a step, by scripts, by models, and by models told otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.events import StepAdded, Streamed
from rollstep.core.model.messages import TargetReply, payload_text, target_reply
from rollstep.core.model.project import (
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
)
from rollstep.core.model.steps import Call, Step
from rollstep.core.model.view import View
from rollstep.core.retaking import AT_ONCE, AskChange
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.registry import Roles, build_roles, with_objects
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from .projects_for_tests import played, refund, takes, texts

MODEL = LlmTarget("openai/small", system="Be brief.", params='{"max_tokens": 9}')


class Model:
    """A target that a model plays: answers each question when its event is set."""

    def __init__(self, *open_takes: int, fails: int | None = None) -> None:
        self.views: list[View] = []
        self.gates: dict[int, asyncio.Event] = {}
        self.all_asked = asyncio.Event()
        self.expected = 99
        self.fails = fails
        self.says = False
        for take in open_takes:
            self.gate(take).set()

    def gate(self, take: int) -> asyncio.Event:
        return self.gates.setdefault(take, asyncio.Event())

    async def reply(self, view: View, stream: object = None) -> Answer:
        self.views.append(view)
        if stream is not None and self.says:
            stream(f"half {view.take_index}")  # type: ignore[operator]
        if len(self.views) >= self.expected:
            self.all_asked.set()
        await self.gate(view.take_index).wait()
        if view.take_index == self.fails:
            raise RoleError("no luck", kind="http_500")
        assert isinstance(view.project.target, LlmTarget)
        call = Call(view.project.target.model, view.project.target.params)
        return Answer(target_reply(f"answer {view.take_index}"), call=call)


def asks(model: object, kind: str = "llm") -> Callable[[Project], Roles]:
    def make(project: Project) -> Roles:
        built = build_roles(refund())
        kinds = MappingProxyType({**built.kinds, "target": kind})
        return Roles(built.evaluator, model, built.tool_simulator, built.names, kinds)  # type: ignore[arg-type]

    return make


async def at_a_reply(model: Model, **more: Any) -> tuple[Session, Step]:
    """A session whose head is the model's first reply."""
    session = Session.start(refund(target=MODEL), roles=asks(model, **more))
    model.gate(0).set()
    await session.step()
    reply = await session.step()
    assert reply is not None
    return session, reply


async def test_takes_of_a_model_are_asked_at_once_and_stand_in_their_order() -> None:
    model = Model()
    session, reply = await at_a_reply(model)
    model.expected = 4
    task = asyncio.create_task(session.retake(reply.id, 3))
    await model.all_asked.wait()
    assert session.busy
    seen: list[str] = []
    came = asyncio.Event()

    def saved(event: object) -> None:
        if isinstance(event, StepAdded):
            seen.append(payload_text(event.step.payload))
            came.set()

    session.subscribe(saved)
    for take in (3, 1, 2):
        model.gate(take).set()
        await came.wait()
        came.clear()
    made = await task
    assert seen == ["answer 3", "answer 1", "answer 2"]
    assert [payload_text(step.payload) for step in made] == ["answer 1", "answer 2", "answer 3"]
    assert takes(session, reply) == ["answer 0", "answer 1", "answer 2", "answer 3"]
    assert [step.take for step in made] == [1, 2, 3]
    assert session.head == made[1].id
    again = Session.reopen(session.saved())
    assert takes(again, reply) == takes(session, reply)
    assert await session.undo() == "retake of target reply"
    assert (session.head, takes(session, reply)) == (reply.id, ["answer 0"])


async def test_no_more_are_asked_at_once_than_a_provider_bears() -> None:
    model = Model(*range(30))
    session, reply = await at_a_reply(model)
    running = most = 0
    answer = model.reply

    async def counted(view: View, stream: object = None) -> Answer:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return await answer(view)

    model.reply = counted  # type: ignore[method-assign]
    assert len(await session.retake(reply.id, 20)) == 20
    assert most == AT_ONCE


async def test_an_object_in_this_process_is_asked_one_take_after_the_other() -> None:
    model = Model(1)
    session, reply = await at_a_reply(model, kind="object")
    task = asyncio.create_task(session.retake(reply.id, 2))
    model.expected = 3
    await model.all_asked.wait()
    assert takes(session, reply) == ["answer 0", "answer 1"]
    model.gate(2).set()
    assert len(await task) == 2


class Held:
    """A target of one's own in this process, which answers each take when its gate is open."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[int] = asyncio.Queue()
        self._gates: dict[int, asyncio.Event] = {}

    def gate(self, take: int) -> asyncio.Event:
        return self._gates.setdefault(take, asyncio.Event())

    async def reply(self, view: View) -> str:
        self.asked.put_nowait(view.take_index)
        await self.gate(view.take_index).wait()
        return f"answer {view.take_index}"


@pytest.mark.parametrize("closes", [False, True])
async def test_amid_eight_takes_all_else_is_refused_and_what_came_is_one_command(
    closes: bool, tmp_path: Path
) -> None:
    held = Held()
    held.gate(0).set()
    with Library.open(tmp_path / "library.sqlite") as library:
        session = Session.start(
            refund(),
            library=library,
            roles=lambda project: with_objects(build_roles(project), target=held),
        )
        await session.step()
        reply = await session.step()
        assert reply is not None
        assert await held.asked.get() == 0
        task = asyncio.create_task(session.retake(reply.id, 8))
        for take in (1, 2):
            assert await held.asked.get() == take
            held.gate(take).set()
        assert await held.asked.get() == 3
        for command in (
            session.undo,
            session.redo,
            session.step,
            lambda: session.retake(reply.id),
            lambda: session.delete([reply.id]),
            lambda: session.override(reply.id, reply.payload),
        ):
            with pytest.raises(UsageError, match="A step is being made"):
                await command()
        if closes:
            await session.close()
        else:
            assert session.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert held.asked.empty()
        saved = library.load(session.rollout.header.id)
        session = Session.reopen(saved, library)
        assert takes(session, reply) == ["answer 0", "answer 1", "answer 2"]
        assert session.head == saved.steps[-1].id
        assert [len(command.step_ids) for command in session.commands] == [1, 1, 2]
        assert await session.undo() == "retake of target reply 2"
        assert (session.head, takes(session, reply)) == (reply.id, ["answer 0"])
        assert await session.redo() == "retake of target reply 2"
        assert session.head == saved.steps[-1].id


async def test_a_failed_take_keeps_those_that_came() -> None:
    model = Model(1, 2, 3, fails=2)
    session, reply = await at_a_reply(model)
    with pytest.raises(RoleError, match=r"2 of 3 takes came and are kept\. no luck"):
        await session.retake(reply.id, 3)
    assert takes(session, reply) == ["answer 0", "answer 1", "answer 3"]
    (attempt,) = session.attempts
    assert (attempt.parent_id, attempt.kind) == (reply.parent_id, "http_500")
    model.gate(4).set()
    (after,) = await session.retake(reply.id)
    assert after.take == 4


async def test_where_no_take_came_the_head_is_where_it_was() -> None:
    model = Model(1, fails=1)
    session, reply = await at_a_reply(model)
    await session.turn()
    head, commands = session.head, len(session.commands)
    with pytest.raises(RoleError, match="no luck"):
        await session.retake(reply.id)
    assert (session.head, len(session.commands)) == (head, commands)


async def test_a_cancelled_retake_keeps_what_came() -> None:
    model = Model(2)
    session, reply = await at_a_reply(model)
    model.expected = 4
    task = asyncio.create_task(session.retake(reply.id, 3))
    await model.all_asked.wait()
    await asyncio.sleep(0)
    assert session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert takes(session, reply) == ["answer 0", "answer 2"]
    assert not session.busy
    assert await session.undo() == "retake of target reply"


async def test_what_had_come_of_each_cancelled_take_is_kept_and_no_more_than_that() -> None:
    model = Model(2)
    session, reply = await at_a_reply(model)
    model.expected, model.says = 4, True
    heard: list[object] = []
    session.subscribe(heard.append)
    task = asyncio.create_task(session.retake(reply.id, 3))
    await model.all_asked.wait()
    await asyncio.sleep(0)
    assert session.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert takes(session, reply) == ["answer 0", "answer 2"]
    kept = [(each.parent_id, each.kind, each.partial) for each in session.attempts]
    assert kept == [(reply.parent_id, "cancelled", f"half {take}") for take in (1, 3)]
    assert "6 characters arrived; kept as partial." in session.attempts[0].words
    assert not any(isinstance(event, Streamed) for event in heard)


async def test_a_pause_keeps_further_takes_from_being_asked() -> None:
    model = Model(*range(AT_ONCE))
    session, reply = await at_a_reply(model)
    task = asyncio.create_task(session.retake(reply.id, AT_ONCE + 3))
    model.expected = AT_ONCE + 1
    await model.all_asked.wait()
    session.pause()
    model.gate(AT_ONCE).set()
    assert len(await task) == AT_ONCE


async def test_takes_that_come_after_the_head_was_moved_are_late() -> None:
    model = Model()
    session, reply = await at_a_reply(model)
    model.expected = 3
    task = asyncio.create_task(session.retake(reply.id, 2))
    await model.all_asked.wait()
    await session.go_to(None)
    model.gate(1).set()
    model.gate(2).set()
    made = await task
    assert [(step.parent_id, step.late) for step in made] == [(reply.parent_id, True)] * 2
    assert session.head is None


async def test_a_change_holds_for_its_takes_only_and_is_kept_with_them() -> None:
    model = Model(0, 1, 2)
    session, reply = await at_a_reply(model)
    change = AskChange("openai/large", 0.5, "Be rude.")
    (take,) = await session.retake(reply.id, 1, change)
    asked = model.views[-1].project.target
    assert asked == LlmTarget(
        "openai/large", "Be brief.\n\nBe rude.", params='{"max_tokens": 9, "temperature": 0.5}'
    )
    assert take.call == Call("openai/large", '{"max_tokens": 9, "temperature": 0.5}')
    assert (take.reason, take.revision, take.origin) == ("Be rude.", 0, "model")
    assert (session.revision, len(session.rollout.projects)) == (0, 1)
    (plain,) = await session.retake(reply.id)
    assert model.views[-1].project.target == MODEL
    assert plain.reason == ""


async def test_an_added_instruction_goes_where_each_role_is_told_how_to_play() -> None:
    project = refund(
        target=LlmTarget("m"),
        evaluator=LlmEvaluator("m", instructions="Ask."),
        tool_simulator=LlmSimulator("m", world="Flat."),
    )
    from rollstep.core.retaking import varied

    change = AskChange(instruction="And so on.")
    for role in ("evaluator", "target", "tool"):
        made = varied(project, role, change)
        assert made is not None
        told = {
            "evaluator": getattr(made.evaluator, "instructions"),  # noqa: B009
            "target": made.target.system,  # type: ignore[union-attr]
            "tool": getattr(made.tool_simulator, "world"),  # noqa: B009
        }
        assert told[role].endswith("And so on.")
        assert sum("And so on." in (text or "") for text in told.values()) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (AskChange(model=" "), "no name"),
        (AskChange(temperature=-1), "no temperature"),
        (AskChange(temperature=float("nan")), "no temperature"),
    ],
)
async def test_a_change_that_cannot_be_is_refused(change: AskChange, words: str) -> None:
    session, reply = await at_a_reply(Model())
    with pytest.raises(UsageError, match=words):
        await session.retake(reply.id, 1, change)
    assert not session.busy


async def test_only_a_model_can_be_told_otherwise() -> None:
    session = await played()
    reply = session.rollout.path(session.head)[4]
    with pytest.raises(UsageError, match="No model plays the target"):
        await session.retake(reply.id, 1, AskChange(temperature=1.0))
    assert isinstance(reply.payload, TargetReply)
    assert texts(session)[4] == payload_text(reply.payload)
