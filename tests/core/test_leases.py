"""A run and a human in the app on one rollout: neither pays for a step that the other makes, and
neither loses one. The other program is a process of its own.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest
from rollstep.core.batch import Batch, Done, Job
from rollstep.core.engine import Engine
from rollstep.core.errors import NotSavedError, UsageError
from rollstep.core.leases import Claim, Doing, own_lease, player_of, take
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import TargetReply, target_reply
from rollstep.core.model.project import Project, PythonTarget
from rollstep.core.model.steps import Role
from rollstep.core.model.view import View
from rollstep.core.roles.protocols import Stream, no_stream
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.runs import Run, begin, go_on
from rollstep.core.session import Session
from rollstep.core.store.change import Change
from rollstep.core.store.kept import PLAYER
from rollstep.core.store.library import Library

from .projects_for_tests import refund
from .store.making import first

ROOT = Path(__file__).parents[2]

_TAKES = """
import sys
from pathlib import Path
from rollstep.core.leases import take
from rollstep.core.store.library import Library
with Library.open(Path(sys.argv[1])) as library:
    take(library, sys.argv[2], sys.argv[3])
print("taken", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library.sqlite") as library:
        yield library


@contextmanager
def played_elsewhere(library: Library, rollout_id: str, doing: Doing) -> Iterator[int]:
    """Another program plays it meanwhile, and is killed in the end."""
    command = [sys.executable, "-c", _TAKES, str(library.path), rollout_id, doing]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "taken\n"
        yield program.pid
        program.kill()


def half_played(library: Library, run: Run, project: Project, place: int = 0) -> str:
    """A rollout of the run that was cut off after four steps."""
    steps = _steps(refund())[:4]
    library.commit(first(run.rollout_id(place), steps, status="open", head=steps[-1].id))
    library.commit(Change(run.rollout_id(place), projects=(project,)))
    return run.rollout_id(place)


def _steps(project: Project):  # type: ignore[no-untyped-def]
    async def playing() -> Session:
        session = Session.start(project)
        async for _ in session.run():
            pass
        return session

    return tuple(asyncio.run(playing()).rollout)


def play(
    library: Library, run: Run, *projects: Project, roles: Callable[[Project], Roles] = build_roles
) -> list[Done]:
    found: list[Done] = []
    batch = Batch(found.append, roles=roles, library=library, run=run, side_by_side=1)
    batch.run(Job(project, record=row) for row, project in enumerate(projects))
    return found


def again(library: Library) -> Run:
    run = go_on(library, "key")
    assert run is not None
    return run


def test_what_a_program_says_that_has_ended_is_void(library: Library) -> None:
    with played_elsewhere(library, "r1", "app") as pid:
        other = take(library, "r1", "run")
        assert other is not None
        assert (other.pid, other.doing) == (pid, "app")
    assert player_of(library, "r1") is None
    assert take(library, "r1", "run") is None
    assert take(library, "r1", "app") is None, "our own is nobody else's"
    # A container has its host's name and counts its processes by itself: 2**22 is none of ours.
    elsewhere = msgspec.structs.replace(own_lease("run"), pid=2**22, machine="a container")
    library.keep(PLAYER, "r1", msgspec.json.encode(elsewhere))
    assert player_of(library, "r1") == elsewhere
    assert elsewhere.who == f"process {2**22} on {os.uname().nodename}"
    library.keep(PLAYER, "r1", msgspec.json.encode(msgspec.structs.replace(elsewhere, since=1.0)))
    assert player_of(library, "r1") is None
    reused = msgspec.structs.replace(own_lease("run"), began="another time")
    library.keep(PLAYER, "r1", msgspec.json.encode(reused))
    assert player_of(library, "r1") is None, "another process had this number then"


def test_a_run_leaves_what_is_open_elsewhere_as_it_is(library: Library) -> None:
    rollout_id = half_played(library, begin(library, "key", ()), refund())
    before = library.load(rollout_id)
    with played_elsewhere(library, rollout_id, "app") as pid:
        (done,) = play(library, again(library), refund())
        assert (done.status, done.whole, done.parked) == ("left", False, False)
        assert f"somebody works on it (process {pid})" in done.words
        assert library.load(rollout_id) == before
    (done,) = play(library, again(library), refund())
    assert done.whole
    assert library.load(rollout_id).steps[:4] == before.steps


class Paid:
    """A role that costs something."""

    def __init__(self, meanwhile: Callable[[], object] = object) -> None:
        self.asked: list[str] = []
        self._meanwhile = meanwhile

    async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
        self.asked.append(view.project.title)
        if len(self.asked) == 1:
            await asyncio.to_thread(self._meanwhile)
        return target_reply("paid for")

    def roles(self, project: Project) -> Roles:
        made = build_roles(refund())
        kinds: dict[Role, str] = {"evaluator": "scripted", "target": "own", "tool": "rules"}
        return Roles(made.evaluator, self, made.tool_simulator, made.names, kinds)


def test_what_a_human_made_while_a_rollout_waited_its_turn_is_not_paid_for_again(
    library: Library,
) -> None:
    live = [refund(title=title, target=PythonTarget("x:y")) for title in ("a", "b", "c")]
    run = begin(library, "key", ())
    ids = [half_played(library, run, project, place) for place, project in enumerate(live)]

    async def human() -> None:
        paid_by_hand = Paid()
        session = Session.reopen(library.load(ids[1]), library, roles=paid_by_hand.roles)  # type: ignore[arg-type]
        async for _ in session.run():
            pass
        await session.close()

    with played_elsewhere(library, ids[2], "app"):
        role = Paid(lambda: asyncio.run(human()))
        done = play(library, again(library), *live, roles=role.roles)
    assert [each.status for each in done] == ["ended", "ended", "left"]
    assert set(role.asked) == {"a"}
    saved = [library.load(each) for each in ids]
    assert [len(each.steps) for each in saved] == [len(saved[0].steps)] * 2 + [4]
    assert len({step.id for step in saved[1].steps}) == len(saved[1].steps)
    assert [player_of(library, each) for each in ids] == [None] * 3
    assert library.kept(PLAYER).keys() == {ids[2]}, "the run has let go of what it played"


def test_the_app_asks_nobody_while_a_run_plays_but_edits_and_marks(library: Library) -> None:
    rollout_id = half_played(library, begin(library, "key", ()), refund())
    engine = Engine(library.path, author="mira")
    engine.start().result(10)
    with played_elsewhere(library, rollout_id, "run") as pid:
        session = engine.submit(engine.open_rollout(rollout_id)).result(10)
        with pytest.raises(UsageError, match=rf"a run has ended that plays this \(process {pid}\)"):
            engine.submit(session.step()).result(10)
        assert len(session.rollout) == 4
        head = session.head
        assert head is not None
        engine.submit(session.mark(Mark(head, verdict="unsure", by="mira"))).result(10)
        reply = next(step for step in session.rollout if step.role == "target")
        engine.submit(session.override(reply.id, target_reply("By hand."))).result(10)
    assert engine.submit(session.step()).result(10) is not None
    assert player_of(library, rollout_id) is None, "in this process it is our own"
    assert rollout_id in library.kept(PLAYER)
    engine.stop()
    assert rollout_id not in library.kept(PLAYER)


def test_the_app_takes_in_what_a_run_has_made_before_it_asks(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollstep.core.engine._LOOK_EVERY", 3600.0)
    rollout_id = half_played(library, begin(library, "key", ()), refund())
    engine = Engine(library.path, author="mira")
    engine.start().result(10)
    session = engine.submit(engine.open_rollout(rollout_id)).result(10)
    play(library, again(library), refund())
    whole = len(library.load(rollout_id).steps)
    with pytest.raises(UsageError, match="gone on with this rollout"):
        engine.submit(session.step()).result(10)
    assert len(session.rollout) == whole
    engine.submit(session.step()).result(10)
    engine.stop()
    assert len(library.load(rollout_id).steps) == whole, "it walks what is there"


def test_a_human_who_edits_keeps_runs_away_until_the_rollout_is_closed(library: Library) -> None:
    rollout_id = half_played(library, begin(library, "key", ()), refund())
    engine = Engine(library.path, author="mira")
    engine.start().result(10)
    session = engine.submit(engine.open_rollout(rollout_id)).result(10)
    assert rollout_id not in library.kept(PLAYER), "to look is nothing"
    engine.submit(session.mark(Mark(session.head or "", verdict="unsure", by="mira"))).result(10)
    assert rollout_id in library.kept(PLAYER)
    engine.submit(engine.let_go()).result(10)
    assert rollout_id not in library.kept(PLAYER), "the debugger was left, for the queue, say"
    engine.submit(session.step()).result(10)
    assert rollout_id in library.kept(PLAYER)
    engine.submit(engine.open_project(refund())).result(10)
    assert rollout_id not in library.kept(PLAYER)
    engine.stop()


def test_a_rollout_that_is_left_while_a_role_is_asked_is_free_when_the_answer_is_saved(
    library: Library,
) -> None:
    asked, answer = threading.Event(), threading.Event()
    role = Paid(lambda: (asked.set(), answer.wait(10)))
    project = refund(target=PythonTarget("x:y"))
    rollout_id = half_played(library, begin(library, "key", ()), project)
    engine = Engine(library.path, roles=role.roles)
    engine.start().result(10)
    session = engine.submit(engine.open_rollout(rollout_id)).result(10)

    async def playing() -> None:
        async for _ in session.run():
            pass

    run = engine.submit(playing())
    assert asked.wait(10)
    engine.submit(engine.let_go()).result(10)
    assert rollout_id in library.kept(PLAYER), "its answer is being paid for"
    answer.set()
    run.result(10)
    engine.submit(engine.recent()).result(10)  # whatever was to follow has
    assert rollout_id not in library.kept(PLAYER)
    assert len(library.load(rollout_id).steps) > 5, "and all of the run was its one command"
    engine.stop()


def reopened(library: Library, rollout_id: str, role: Paid | None = None) -> Session:
    roles = None if role is None else role.roles
    session = Session.reopen(library.load(rollout_id), library, roles=roles)  # type: ignore[arg-type]
    session.claim(Claim(library, rollout_id, lambda: False))
    return session


def test_a_rollout_of_a_library_that_nobody_can_write_to_is_played(library: Library) -> None:
    project = refund(target=PythonTarget("x:y"))
    rollout_id = half_played(library, begin(library, "key", ()), project)
    library.read_only = True
    role = Paid()
    session = reopened(library, rollout_id, role)
    asyncio.run(session.turn())
    assert (len(role.asked), session.unsaved) == (1, 1)


def test_where_it_cannot_be_said_who_plays_only_what_costs_nothing_is_asked(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin(library, "key", ())
    free = half_played(library, run, refund())
    costs = half_played(library, run, refund(target=PythonTarget("x:y")), 1)

    def full(*_: object, **__: object) -> NoReturn:
        raise NotSavedError("Not saved: the disk is full.")

    monkeypatch.setattr(Library, "shelf", full)
    monkeypatch.setattr(library, "commit", full)
    session = reopened(library, free)
    asyncio.run(session.turn())
    assert session.unsaved == 1
    role = Paid()
    session = reopened(library, costs, role)
    with pytest.raises(UsageError, match=r"Nobody was asked, .* not be saved: the disk is full\."):
        asyncio.run(session.turn())
    assert role.asked == []


def test_who_plays_on_says_so_again_with_the_steps_that_are_saved(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollstep.core.run_changes.RENEWED", 0.0)
    monkeypatch.setattr("rollstep.core.leases.RENEWED", 0.0)
    since = []

    def look() -> None:
        (body,) = library.kept(PLAYER).values()
        since.append(msgspec.json.decode(body)["since"])

    class Looking(Paid):
        async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
            look()
            return await super().reply(view, stream)

    project = refund(target=PythonTarget("x:y"))
    play(library, begin(library, "key", ()), project, roles=Looking().roles)
    assert len(set(since)) == len(since) > 1
    since.clear()
    rollout_id = half_played(library, begin(library, "key2", ()), project)
    session = reopened(library, rollout_id, Looking())
    asyncio.run(session.turn())
    asyncio.run(session.turn())
    assert len(set(since)) == len(since) > 1
