"""The engine: sessions on a thread of their own, and two programs on one library."""

import time
from pathlib import Path

import pytest
from rollstep.core.engine import Engine
from rollstep.core.errors import InputError, UsageError
from rollstep.core.events import StepAdded
from rollstep.core.model.messages import target_reply
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from .projects_for_tests import refund, texts


def until(condition: object, seconds: float = 10.0) -> None:
    """Wait for a condition."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def test_a_session_is_played_on_the_engines_thread_and_saved(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "library.db", author="mira")
    engine.start().result(10)
    events: list[object] = []
    engine.watch(events.append)
    session = engine.submit(engine.open_project(refund())).result(10)
    engine.submit(session.turn()).result(10)
    rollout_id = session.rollout.header.id
    engine.stop()
    assert sum(isinstance(event, StepAdded) for event in events) == 5
    with Library.open(tmp_path / "library.db") as library:
        assert len(library.load(rollout_id).steps) == 5


def test_opening_another_rollout_closes_the_first_and_its_events(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "library.db")
    engine.start().result(10)
    events: list[object] = []
    engine.watch(events.append)
    first = engine.submit(engine.open_project(refund())).result(10)
    engine.submit(first.step()).result(10)
    second = engine.submit(engine.open_project(refund(title="Second"))).result(10)
    engine.submit(second.turn()).result(10)
    seen = [event.step.id for event in events if isinstance(event, StepAdded)]
    assert seen == [*first.rollout.steps, *second.rollout.steps]
    again = engine.submit(engine.open_rollout(first.rollout.header.id)).result(10)
    assert texts(again) == texts(first)
    engine.stop()


def test_an_unknown_rollout_is_an_error_in_words(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "library.db")
    engine.start().result(10)
    with pytest.raises(InputError, match="nothere"):
        engine.submit(engine.open_rollout("nothere")).result(10)
    engine.stop()


async def test_steps_of_another_program_are_merged_and_the_head_stays(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "library.db")
    engine.start().result(10)
    ours = engine.submit(engine.open_project(refund())).result(10)
    engine.submit(ours.step()).result(10)
    head = ours.head
    with Library.open(tmp_path / "library.db") as library:
        theirs = Session.reopen(library.load(ours.rollout.header.id), library, author="tom")
        written = await theirs.write(target_reply("From the other program."))
        mine = engine.submit(ours.step()).result(10)
        until(lambda: written.id in ours.rollout.steps)
    assert mine is not None
    assert ours.head == mine.id != head
    assert sorted(ours.rollout.takes(mine.id)) == sorted([mine.id, written.id])
    assert {step.seq for step in ours.rollout} == {1, 2, 3}
    engine.stop()


def test_an_engine_without_a_library_or_not_started_says_so() -> None:
    engine = Engine()
    with pytest.raises(UsageError, match="start"):
        engine.submit(engine.recent())
    engine.start().result(10)
    with pytest.raises(UsageError, match="no library"):
        engine.submit(engine.open_rollout("any")).result(10)
    session = engine.submit(engine.open_project(refund())).result(10)
    assert engine.submit(session.step()).result(10) is not None
    engine.stop()
