"""Child processes themselves, serving a toy."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rollstep.core.errors import RoleError
from rollstep.core.workers.pool import Pool, Workers

TOY = """
import asyncio, os, socket, sys

class AtOnce:
    concurrent = True
    async def handle(self, body, stream):
        word, _, rest = body.decode().partition(" ")
        if word == "die":
            os._exit(5)
        if word == "raise":
            raise ZeroDivisionError("inside the service")
        if word == "wait":
            await asyncio.sleep(60)
        if word == "tasks":
            return str(len(asyncio.all_tasks())).encode()
        await asyncio.sleep(0.01)
        return f"{rest} {os.getpid()}".encode()

class InTurn:
    def handle(self, body, stream):
        if body == b"garbage":
            os.write(int(sys.argv[1]), b"\\x00\\x00\\x00\\x03abc")
        if body == b"giant":
            os.write(int(sys.argv[1]), b"\\xff\\xff\\xff\\xff")
        if body == b"raise":
            raise ZeroDivisionError("inside the service")
        return b"[" + body + b"]"
"""


@pytest.fixture
async def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workers]:
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    workers = Workers()
    yield workers
    await workers.aclose()


async def ask(workers: Workers, body: str, timeout: float = 60.0) -> str:
    shared = workers.shared("toy:AtOnce")
    answer = await shared.call(
        body.encode(), label="The toy", timeout=timeout, stream=lambda text: None
    )
    return answer.decode()


def in_turn(workers: Workers) -> Pool:
    return workers.pool("toy:InTurn", b"setup", "The toy")


async def test_one_child_answers_many_calls_at_once(workers: Workers) -> None:
    answers = await asyncio.gather(*(ask(workers, f"say {i}") for i in range(50)))
    assert [answer.split()[0] for answer in answers] == [str(i) for i in range(50)]
    assert len({answer.split()[1] for answer in answers}) == 1


async def test_a_call_given_up_is_given_up_in_the_child_too(workers: Workers) -> None:
    before = await ask(workers, "tasks")
    with pytest.raises(RoleError, match=r"The toy gave no complete reply in 0\.2 s") as caught:
        await ask(workers, "wait", timeout=0.2)
    assert caught.value.kind == "timeout"
    assert await ask(workers, "tasks") == before


async def test_a_fault_of_the_service_is_told_and_costs_one_call(workers: Workers) -> None:
    failed, answered = await asyncio.gather(
        ask(workers, "raise"), ask(workers, "say hi"), return_exceptions=True
    )
    assert isinstance(failed, RoleError)
    assert "The toy failed: ZeroDivisionError: inside the service" in str(failed)
    assert str(answered).startswith("hi ")


async def test_when_a_shared_child_dies_all_who_wait_are_told_and_the_next_call_has_another(
    workers: Workers,
) -> None:
    first = await ask(workers, "say a")
    ends = await asyncio.gather(ask(workers, "wait"), ask(workers, "die"), return_exceptions=True)
    assert [getattr(end, "kind", None) for end in ends] == ["died", "died"]
    assert "exit status 5" in str(ends[0])
    second = await ask(workers, "say a")
    assert first.split()[1] != second.split()[1]


@pytest.mark.parametrize("nonsense", [b"garbage", b"giant"])
async def test_nonsense_on_the_pipe_ends_the_child(workers: Workers, nonsense: bytes) -> None:
    pool = in_turn(workers)
    with pytest.raises(RoleError) as caught:
        await pool.call(nonsense, timeout=60, stream=lambda text: None)
    assert caught.value.kind == "died"
    answer = await pool.call(b"again", timeout=60, stream=lambda text: None)
    assert answer == b"[again]"


async def test_a_fault_of_a_service_in_turn_is_told(workers: Workers) -> None:
    with pytest.raises(RoleError, match="ZeroDivisionError") as caught:
        await in_turn(workers).call(b"raise", timeout=60, stream=lambda text: None)
    assert "Traceback" in caught.value.detail


async def test_no_room_for_a_process_is_said(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*args: object, **more: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
    descriptors = len(os.listdir("/proc/self/fd"))
    with pytest.raises(RoleError, match="The toy could not be started"):
        await in_turn(workers).call(b"x", timeout=60, stream=lambda text: None)
    assert len(os.listdir("/proc/self/fd")) == descriptors
