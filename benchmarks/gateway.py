"""Budgets of live models: what the gateway adds to litellm, and many rollouts side by side.

All speak to one server on loopback, which runs in a process of its own and answers at once, or
after 200 ms. Bare litellm runs in a process of its own too, as the gateway does.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from rollstep.core.ids import random_step_ids
from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project
from rollstep.core.playthrough import play_through
from rollstep.core.roles.registry import build_roles
from rollstep.core.workers.gateway import SERVICE, WARM_UP
from rollstep.core.workers.model_request import ModelRequest
from rollstep.core.workers.pool import Workers
from rollstep.core.workers.wire import dump

from .report import Line, ratio

ROOT = Path(__file__).resolve().parents[1]
CALL_SECONDS = 0.2
AT_ONCE = 64
_CALLS = 40
_TURNS = 3
_ALONE = 4
_MESSAGES = json.dumps(
    [
        {"role": role, "content": f"{number}: " + "some words of a conversation " * 12}
        for number in range(10)
        for role in ("user", "assistant")
    ]
    + [{"role": "user", "content": "And now?"}]
)


def lines(rounds: int) -> list[Line]:
    """Measure."""
    return [*_overhead(rounds), _side_by_side()]


def _overhead(rounds: int) -> Iterator[Line]:
    with _server() as base, _bare(base) as bare:
        for way, params in (("directly", {}), ("through litellm", {"drop_params": False})):
            for stream in (False, True):
                request = ModelRequest(
                    "openai/bench", _MESSAGES, "[]", json.dumps(params), base, 60.0, stream=stream
                )
                mine, theirs = asyncio.run(_in_turns(request, bare, rounds))
                call = "a streamed call" if stream else "a call"
                yield Line(
                    f"{call} by the gateway, {way}, against bare litellm",
                    ratio(mine, theirs),
                    1.5,
                    detail=f"{median(mine) * 1000:.1f} against {median(theirs) * 1000:.1f} ms",
                )


async def _in_turns(
    request: ModelRequest, bare: subprocess.Popen[str], rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds for one call: ours and theirs, of each round but the first, which warms up."""
    workers = Workers()
    gateway = workers.shared(SERVICE)

    async def call(body: bytes) -> None:
        await gateway.call(body, label="bench", timeout=120, stream=lambda text: None)

    mine, theirs = [], []
    await call(WARM_UP)
    for _ in range(rounds + 1):
        at = time.perf_counter()
        for _ in range(_CALLS):
            await call(dump(request))
        mine.append((time.perf_counter() - at) / _CALLS)
        theirs.append(await asyncio.to_thread(_ask_bare, bare, request.stream) / _CALLS)
    await workers.aclose()
    return mine[1:], theirs[1:]


def _ask_bare(bare: subprocess.Popen[str], stream: bool) -> float:
    assert bare.stdin is not None
    assert bare.stdout is not None
    bare.stdin.write(f"{_CALLS} {int(stream)}\n")
    bare.stdin.flush()
    return float(bare.stdout.readline())


def _side_by_side() -> Line:
    with _server("--delay", str(CALL_SECONDS)) as base:
        together, alone = asyncio.run(_calls_a_second(base))
    return Line(
        "64 rollouts at once with a model that answers in 200 ms, against one at a time",
        together / alone,
        40,
        detail=f"{together:.0f} against {alone:.1f} calls/s",
        at_least=True,
    )


async def _calls_a_second(base: str) -> tuple[float, float]:
    """With all side by side, and one after the other."""
    target = LlmTarget("openai/bench", api_base=base)
    project = Project("Slow", target, HeuristicEvaluator(), opening="Go.", max_turns=_TURNS)
    workers = Workers()

    async def one() -> None:
        roles = build_roles(project, trusted=True, workers=workers)
        played = await play_through(
            project, roles, seed="0", new_id=random_step_ids(), clock=time.time
        )
        assert played.status == "ended", played.note

    await asyncio.gather(*(one() for _ in range(AT_ONCE)))  # loads litellm, opens connections
    at = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(AT_ONCE)))
    together = AT_ONCE * _TURNS / (time.perf_counter() - at)
    at = time.perf_counter()
    for _ in range(_ALONE):
        await one()
    alone = _ALONE * _TURNS / (time.perf_counter() - at)
    await workers.aclose()
    return together, alone


@contextmanager
def _server(*arguments: str) -> Iterator[str]:
    """A server in a process of its own; gives its address."""
    command = [sys.executable, "-m", "tests.provider.server", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@contextmanager
def _bare(base: str) -> Iterator[subprocess.Popen[str]]:
    """Bare litellm in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bare_model", base, _MESSAGES]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
