"""What was paid for is saved before the next call is made, and is paid for once, whenever the
program is killed.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.batch import Batch, Job
from rollstep.core.model.messages import payload_text
from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project
from rollstep.core.projects.writer import project_yaml
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.core.workers.pool import Workers

from ..provider.exchange import Behaviour, Exchange, replying
from ..provider.faults import FAULTS
from ..provider.replies import Reply
from ..provider.server import ProviderServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

SAID = ("One.", "Two.", "Three.")


def project(server: ProviderServer, model: str) -> Project:
    target = LlmTarget(f"openai/{model}", api_base=server.api_base)
    return Project("Paid", target, HeuristicEvaluator(), opening="Hi", max_turns=3)


def kept(path: Path) -> list[str]:
    """The replies that a library holds."""
    with Library.open(path) as library:
        found = [library.load(summary.id) for summary in library.recent()]
    return [payload_text(s.payload) for saved in found for s in saved.steps if s.role == "target"]


def looking(path: Path, text: str, seen: list[list[str]]) -> Behaviour:
    """A reply that first looks at what the library holds."""
    answer = replying(Reply(text))

    async def look(exchange: Exchange) -> None:
        seen.append(await asyncio.to_thread(kept, path))
        await answer(exchange)

    return look


@pytest.fixture
def roles(gateway_workers: Workers, canary: str) -> Callable[[Project], Roles]:
    return lambda project: build_roles(project, trusted=True, models=gateway_workers)


async def test_a_session_saves_each_reply_before_it_asks_again(
    provider: ProviderServer, roles: Callable[[Project], Roles], tmp_path: Path
) -> None:
    path, seen = tmp_path / "library.sqlite", list[list[str]]()
    provider.answer("paid-session", *(looking(path, text, seen) for text in SAID))
    with Library.open(path) as library:
        session = Session.start(project(provider, "paid-session"), roles=roles, library=library)
        async for _ in session.run():
            pass
        await session.close()
    assert seen == [[], ["One."], ["One.", "Two."]]


async def test_a_run_saves_each_reply_before_it_asks_again(
    provider: ProviderServer, canary: str, tmp_path: Path
) -> None:
    path, seen, workers = tmp_path / "library.sqlite", list[list[str]](), Workers()
    provider.answer("paid-run", *(looking(path, text, seen) for text in SAID))
    with Library.open(path) as library:
        batch = Batch(
            lambda done: None,
            roles=lambda each: build_roles(each, trusted=True, workers=workers),
            workers=workers,
            library=library,
        )
        await asyncio.to_thread(batch.run, [Job(project(provider, "paid-run"))])
    assert seen == [[], ["One."], ["One.", "Two."]]


@pytest.mark.parametrize("killed_at", [1, 2, 3])
async def test_a_run_that_is_killed_goes_on_from_what_it_had_paid_for(
    provider: ProviderServer, roles: Callable[[Project], Roles], tmp_path: Path, killed_at: int
) -> None:
    """The call that was under way is asked once more, because its reply never came; no other is."""
    model = f"paid-killed-{killed_at}"
    replies: list[Reply | Behaviour] = [Reply(text) for text in SAID]
    replies.insert(killed_at - 1, FAULTS["hang"])
    provider.answer(model, *replies)
    (tmp_path / "p.yaml").write_text(project_yaml(project(provider, model)), "utf-8")
    path = tmp_path / "library.sqlite"
    arguments = ["run", tmp_path / "p.yaml", "--output-dir", tmp_path, "--library", path, "--trust"]
    running = subprocess.Popen([sys.executable, "-m", "rollstep.tui", *map(str, arguments)])
    try:
        arrived = await asyncio.to_thread(
            provider.wait_for, lambda: len(provider.asked(model)) == killed_at
        )
        assert arrived
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert kept(path) == list(SAID[: killed_at - 1])
    with Library.open(path) as library:
        (summary,) = library.recent()
        session = Session.reopen(library.load(summary.id), library, roles=roles)
        async for _ in session.run():
            pass
        await session.close()
    assert kept(path) == list(SAID)
    assert len(provider.asked(model)) == len(SAID) + 1
