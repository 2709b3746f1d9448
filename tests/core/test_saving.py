"""What a session saves, what it says when it cannot, and what limits count."""

from collections.abc import Awaitable
from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import NotSavedError, RoleError
from rollstep.core.events import SavedUpTo, Unsaved
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.messages import ToolCall, target_reply
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project, StopRules
from rollstep.core.model.steps import Call, Usage
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.registry import build_roles, with_objects
from rollstep.core.session import Session
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from .projects_for_tests import played, refund

ECHO = Project("Echo", EchoTarget(), HeuristicEvaluator(), opening="Hi")


class Paid:
    """A target that says what it was sent and what it cost."""

    async def reply(self, view: object) -> Answer:
        call = Call("some/model", usage=Usage(90, 10), cost=0.25)
        return Answer(target_reply("ok"), call=call, request='{"messages": ["Hi \udc80"]}')


def paid_session(project: Project, library: Library | None = None) -> Session:
    return Session.start(
        project, library=library, roles=lambda p: with_objects(build_roles(p), target=Paid())
    )


async def test_the_request_as_sent_is_kept_once_under_the_digest_that_its_steps_name(
    tmp_path: Path,
) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        session = paid_session(ECHO, library)
        await session.turn()
        await session.turn()
        calls = [step.call for step in session.rollout if step.call is not None]
        assert len(calls) == 2
        assert calls[0].request == calls[1].request != ""
        assert library.request(calls[0].request) == '{"messages": ["Hi \udc80"]}'


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (StopRules(max_cost_usd=0.5, on_limit="stop"), "$0.50 of $0.50 spent"),
        (StopRules(max_tokens=150, on_limit="stop"), "200 of 150 tokens used"),
    ],
)
async def test_cost_and_tokens_are_limits(limits: StopRules, words: str) -> None:
    session = paid_session(Project("P", EchoTarget(), HeuristicEvaluator(), stop=limits))
    async for _ in session.run():
        pass
    stop = session.rollout.trajectory(session.head).stop
    assert stop is not None
    assert (stop.reason, stop.by, stop.note) == ("unrecoverable", "rule", words)
    assert sum(step.call is not None for step in session.rollout) == 2


class Full:
    """A library that cannot save as long as it is full."""

    def __init__(self) -> None:
        self.full = True
        self.saved: list[str] = []

    def commit(self, change: Change) -> dict[str, int]:
        if self.full:
            raise NotSavedError("disk full")
        self.saved += [step.id for step in change.steps]
        return {step.id: n for n, step in enumerate(change.steps, 1)}

    def free_number(self, rollout_id: str, n: int) -> int:
        return n


async def test_what_cannot_be_saved_is_told_counted_and_saved_later_in_order() -> None:
    library = Full()
    session = Session.start(ECHO, library=library)  # type: ignore[arg-type]
    events: list[object] = []
    session.subscribe(events.append)
    first, second = await session.step(), await session.step()
    assert first is not None
    assert second is not None
    assert Unsaved("disk full", 2) in events
    assert not any(isinstance(event, SavedUpTo) for event in events)
    assert session.unsaved == 2
    assert not session.save_again()
    library.full = False
    assert session.save_again()
    assert session.unsaved == 0
    assert library.saved == [first.id, second.id]
    assert events[-1] == SavedUpTo(((first.id, 1), (second.id, 2)))


class Disk:
    """A library on a disk that is full at times."""

    def __init__(self, library: Library) -> None:
        self.full = False
        self._library = library

    def commit(self, change: Change) -> dict[str, int]:
        if self.full:
            raise NotSavedError("disk full")
        return self._library.commit(change)

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)


async def test_whatever_is_done_while_the_disk_is_full_counts_is_undone_and_saved_later(
    tmp_path: Path,
) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        disk = Disk(library)
        session = await played(refund(max_turns=2), library=disk)
        path = session.rollout.path(session.head)
        rollout_id = session.rollout.header.id
        before = library.load(rollout_id)
        disk.full = True
        counts = []

        async def done(command: Awaitable[object]) -> None:
            waiting = session.unsaved
            await command
            counts.append(session.unsaved - waiting)

        await done(session.set_breakpoints([Breakpoint("late")]))
        await done(session.silence(path[1].id, "no_tool_call", "meant"))
        over = await session.override(path[4].id, target_reply("Other."))
        assert over.step is not None
        await done(session.revert(over.step.id))
        await done(session.retake(path[4].id))
        await session.go_to(path[1].id)
        await done(session.inject("timeout"))
        await session.go_to(path[-1].id)
        await done(session.more_turns(4))
        await done(session.delete([path[5].id, path[6].id]))
        await done(session.delete([path[-1].id]))
        assert min(counts) > 0, counts
        for _ in range(3):
            assert await session.undo()
            assert await session.redo()
        assert library.load(rollout_id) == before
        assert not session.save_again()
        disk.full = False
        assert session.save_again()
        assert session.unsaved == 0
        _same(Session.reopen(library.load(rollout_id)), session)
        while session.commands and await session.undo():
            pass
        _same(Session.reopen(library.load(rollout_id)), session)
        assert session.head is None


def _same(one: Session, other: Session) -> None:
    assert one.rollout.hidden == other.rollout.hidden
    assert (one.head, one.project) == (other.head, other.project)
    first, second = one.saved(), other.saved()
    for name in ("steps", "commands", "breakpoints", "silences", "status", "status_note"):
        assert getattr(first, name) == getattr(second, name), name


@pytest.mark.parametrize("kind", ["delete", "undo", "redo", "revise", "revise back"])
async def test_what_makes_no_step_counts_as_unsaved_too(kind: str, tmp_path: Path) -> None:
    """Or the program would end without a word, and without putting it elsewhere."""
    with Library.open(tmp_path / "library.sqlite") as library:
        disk = Disk(library)
        session = await played(library=disk)
        changed = msgspec.structs.replace(session.project, title="Other")
        if kind == "redo":
            await session.undo()
        if kind == "revise back":
            await session.revise(changed)
        told: list[object] = []
        session.subscribe(told.append)
        disk.full = True
        if kind == "delete":
            await session.delete([session.head or ""])
        elif kind == "undo":
            await session.undo()
        elif kind == "redo":
            await session.redo()
        else:
            await session.revise(changed if kind == "revise" else session.rollout.projects[0])
        assert session.unsaved == 1
        assert Unsaved("disk full", 1) in told
        disk.full = False
        assert session.save_again()
        assert session.unsaved == 0
        _same(Session.reopen(library.load(session.rollout.header.id)), session)


async def test_a_draft_is_kept_even_before_the_first_step(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        session = Session.start(ECHO, library=library)
        await session.save_draft("write:", '{"text": "half a"}')
        again = Session.reopen(library.load(session.rollout.header.id), library)
        assert [(d.slot, d.body) for d in await again.drafts()] == [
            ("write:", '{"text": "half a"}')
        ]
        await again.drop_draft("write:")
        assert await session.drafts() == ()
    await Session.start(ECHO).save_draft("write:", "nowhere to keep it")


async def test_a_call_that_nobody_answers_says_what_to_do() -> None:
    session = Session.start(refund(tool_simulator=None, tools=()))
    await session.step()
    await session.step()
    with pytest.raises(RoleError, match="no tool simulator to answer get_order"):
        await session.step()
    (attempt,) = session.attempts
    assert (attempt.kind, attempt.role) == ("not_ready", "tool")
    assert session.rollout.trajectory(session.head).open_calls() == (
        ToolCall("call_1_1", "get_order", '{"order_id": "4471"}'),
        ToolCall("call_1_2", "check_policy", "{}"),
    )


async def test_the_list_tells_what_opening_would_show(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        session = Session.start(ECHO, library=library)
        for _ in range(3):
            await session.turn()
        path = session.rollout.path(session.head)

        def told() -> tuple[int, int, int]:
            (summary,) = library.recent()
            return summary.turns, summary.steps, summary.edits

        whole = len(path)
        assert told() == (3, whole, 0)
        for back in (path[0], path[1], path[4]):  # to the start, along, and over some steps
            await session.go_to(back.id)
            assert told() == (3, whole, 0)
        await session.override(path[1].id, target_reply("other"))
        assert told() == (1, whole + 1, 1)
        await session.go_to(path[0].id)
        assert told() == (1, whole + 1, 1)
        await session.undo()
        assert told() == (3, whole, 0)
        await session.redo()
        assert told() == (1, whole + 1, 1)
