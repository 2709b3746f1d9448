"""Roles as a session asks them: a failure is an attempt, and can be retried."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.events import StepAdded
from rollstep.core.model.messages import Stop, payload_text
from rollstep.core.model.project import (
    Project,
    PythonEvaluator,
    PythonSimulator,
    PythonTarget,
    Tool,
)
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.session import Session

FOLDER = Path(__file__).parent / "user_roles"


def roles_in(folder: Path) -> object:
    def make(project: Project) -> Roles:
        return build_roles(project, base_folder=folder, trusted=True)

    return make


def project(target: str, **more: object) -> Project:
    spec = PythonTarget(object=target, timeout=60.0)
    base = Project(
        title="t", target=spec, evaluator=PythonEvaluator(object="good:User"), opening="Hi"
    )
    return msgspec.structs.replace(base, **more)


async def test_a_failure_is_an_attempt_and_the_mended_code_answers(tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text("def reply(view):\n    return {}['order']\n")
    session = Session.start(project("mine:reply"), roles=roles_in(tmp_path))  # type: ignore[arg-type]
    try:
        await session.step()
        with pytest.raises(RoleError):
            await session.step()
        (attempt,) = session.attempts
        assert (attempt.role, attempt.kind) == ("target", "raised")
        assert attempt.words == "The target mine:reply raised an error: KeyError: 'order'"
        assert str(code) in attempt.detail
        code.write_text("def reply(view):\n    return 'Here it is, at last.'\n")
        step = await session.step()
    finally:
        await session.close()
    assert step is not None
    assert payload_text(step.payload) == "Here it is, at last."
    assert step.origin == "model"


async def test_all_three_roles_of_ones_own_play_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "all.py").write_text(
        "import json\n"
        "def reply(view):\n"
        "    last = view.messages[-1]\n"
        "    if type(last).__name__ == 'UserMessage':\n"
        "        return {'tool_calls': [{'name': 'count', 'arguments': {'n': view.turn_index}}]}\n"
        "    return 'counted ' + last.parts[0].text\n"
        "class Counter:\n"
        "    def respond(self, view):\n"
        "        from rollstep.core.roles.protocols import Answer\n"
        "        from rollstep.core.model.messages import tool_result\n"
        "        n = json.loads(view.state or '0') + 1\n"
        "        return Answer(tool_result(view.call.id, str(n)), state=json.dumps(n))\n"
        "def next(view):\n"
        "    if view.turn_index == 3:\n"
        "        return {'stop': 'goal_reached'}\n"
        "    return f'again {view.turn_index}'\n"
    )
    whole = project(
        "all:reply",
        evaluator=PythonEvaluator(object="all:next"),
        tools=(Tool("count"),),
        tool_simulator=PythonSimulator(object="all:Counter"),
    )
    session = Session.start(whole, roles=roles_in(tmp_path))  # type: ignore[arg-type]
    try:
        payloads = [step.payload async for step in session.run()]
    finally:
        await session.close()
    assert [payload_text(p) for p in payloads] == [
        *("Hi", "", "1", "counted 1"),
        *("again 1", "", "2", "counted 2"),
        *("again 2", "", "3", "counted 3"),
        "",
    ]
    assert payloads[-1] == Stop("goal_reached", "evaluator")


async def test_a_cancelled_call_leaves_no_process_and_takes_that_came_are_kept(
    tmp_path: Path,
) -> None:
    """Take 1 answers; take 2 notes its process and hangs."""
    noted = tmp_path / "pid"
    (tmp_path / "mine.py").write_text(
        "import os, pathlib, time\n"
        "def reply(view):\n"
        "    if view.take_index == 2:\n"
        f"        pathlib.Path({str(noted)!r}).write_text(str(os.getpid()))\n"
        "        time.sleep(600)\n"
        "    return f'take {view.take_index}'\n"
    )
    session = Session.start(project("mine:reply"), roles=roles_in(tmp_path))  # type: ignore[arg-type]
    try:
        await session.step()
        reply = await session.step()
        assert reply is not None
        saved = asyncio.Event()
        session.subscribe(lambda event: saved.set() if isinstance(event, StepAdded) else None)
        task = asyncio.create_task(session.retake(reply.id, 2))
        await saved.wait()
        pid = int(await asyncio.to_thread(text_of, noted))
        assert session.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        takes = [session.rollout.steps[take] for take in session.rollout.takes(reply.id)]
        assert [payload_text(take.payload) for take in takes] == ["take 0", "take 1"]
        assert session.head == takes[1].id
    finally:
        await session.close()


def text_of(path: Path) -> str:
    """The file's text, once it is there."""
    while not path.exists() or not path.read_text():
        time.sleep(0.01)
    return path.read_text()
