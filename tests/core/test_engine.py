"""The engine: sessions on a thread of their own, and two programs on one library."""

import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from rollstep.core.engine import Engine
from rollstep.core.errors import InputError, UsageError
from rollstep.core.events import Event, ProjectRevised, StepAdded, VisibilityChanged
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import target_reply
from rollstep.core.session import Session
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library

from .projects_for_tests import refund, texts

_NEWS = Library.news


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


async def test_what_another_program_undoes_or_deletes_is_out_of_sight_here_at_once(
    tmp_path: Path,
) -> None:
    with Library.open(tmp_path / "library.db") as library:
        ours = Session.start(refund(), library=library, author="mira")
        await ours.turn()
        path = [step.id for step in ours.rollout.path(ours.head)]
        theirs = Session.reopen(library.load(ours.rollout.header.id), library, author="tom")

        def look() -> None:
            news = library.news(ours.rollout.header.id, ours.rollout.seqs_without_gap())
            ours.merge(news.steps, news)

        seen: list[object] = []
        ours.subscribe(seen.append)
        written = await theirs.write(target_reply("Theirs."), path[0])
        look()
        assert written.id in ours.rollout.children(path[0])
        await theirs.undo()  # what they made themselves
        look()
        assert written.id not in ours.rollout.children(path[0])
        await theirs.undo()  # our turn, on which our head stands
        look()
        assert ours.rollout.hidden == {*path, written.id}
        assert ours.head is None
        await theirs.redo()
        look()
        assert ours.rollout.hidden == {written.id}
        assert ours.head is None, "a head is a program's own"
        await ours.go_to(path[-1])
        await theirs.delete([path[-1]])
        look()
        assert path[-1] in ours.rollout.hidden
        assert ours.head == path[-2]
        events = [event for event in seen if isinstance(event, VisibilityChanged)]
        assert events[0] == VisibilityChanged(hidden=(written.id,))
        assert events[-1] == VisibilityChanged(hidden=(path[-1],))
        # Our own last command is undone here, not theirs.
        await ours.mark(Mark(path[0], note="seen", by="mira"))
        assert await ours.undo() == "mark"
        assert Session.reopen(library.load(ours.rollout.header.id), library).rollout.hidden == (
            ours.rollout.hidden
        )


async def test_breakpoints_that_two_programs_change_at_once_are_all_there(tmp_path: Path) -> None:
    stops = [Breakpoint(f"turn = {turn}") for turn in range(1, 6)]
    with Library.open(tmp_path / "library.db") as library:
        ours = Session.start(refund(), library=library)
        await ours.step()
        await ours.set_breakpoints(stops[:2])
        rollout_id = ours.rollout.header.id
        theirs = Session.reopen(library.load(rollout_id), library, author="tom")

        def look(session: Session) -> tuple[Breakpoint, ...]:
            news = library.news(rollout_id, session.rollout.seqs_without_gap())
            session.merge(news.steps, news)
            return session.breakpoints

        off = replace(stops[0], enabled=False)
        await theirs.set_breakpoints([*stops[:2], stops[2]])
        await ours.set_breakpoints([off, stops[1], stops[3]])  # knowing nothing of it
        both = (off, stops[1], stops[2], stops[3])
        assert look(ours) == look(theirs) == both == library.load(rollout_id).breakpoints
        await theirs.set_breakpoints([off, stops[2], stops[3]])
        await ours.set_breakpoints([*both, stops[4]])
        assert look(ours) == look(theirs) == (off, *stops[2:])
        # Undoing takes back one's own change only.
        await theirs.undo()
        assert look(ours) == (off, *stops[2:], stops[1])
        await ours.undo()
        assert look(theirs) == (off, stops[2], stops[3], stops[1])


async def test_two_programs_that_change_the_project_at_once_keep_each_its_own(
    tmp_path: Path,
) -> None:
    with Library.open(tmp_path / "library.db") as library:
        ours = Session.start(refund(), library=library)
        await ours.step()
        rollout_id = ours.rollout.header.id
        theirs = Session.reopen(library.load(rollout_id), library, author="tom")
        seen: list[Event] = []
        ours.subscribe(seen.append)
        first, second, mine = (refund(max_turns=turns) for turns in (3, 4, 5))
        await theirs.revise(first)
        await theirs.revise(second)
        await ours.revise(mine)  # knowing nothing of those
        assert ours.project == mine
        assert (ours.revision, theirs.revision) == (3, 2)
        step = await ours.step()
        assert step is not None
        there = library.load(rollout_id)
        assert there.projects == (refund(), first, second, mine)
        assert there.steps[-1].revision == 3
        assert ours.saved().projects == there.projects
        assert [command.revision_after for command in ours.commands][-2:] == [3, None]
        revised = [event for event in seen if isinstance(event, ProjectRevised)]
        assert revised[-1] == ProjectRevised(mine, 3)
        await ours.undo()
        await ours.undo()
        assert ours.project == refund()
        again = Session.reopen(library.load(rollout_id), library)
        assert again.rollout.project_of(again.rollout.steps[step.id]) == mine
        # The same change by both is one revision.
        await theirs.revise(mine)
        other = Session.reopen(library.load(rollout_id), library)
        await other.revise(refund(max_turns=6))
        await theirs.revise(refund(max_turns=6))
        assert library.load(rollout_id).projects[3:] == (mine, refund(max_turns=6))
        assert theirs.project == other.project == refund(max_turns=6)


async def test_what_another_program_says_of_the_rollout_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def news(self: Library, rollout_id: str, seq: int) -> Saved:
        looked.append(rollout_id)
        return _NEWS(self, rollout_id, seq)

    monkeypatch.setattr(Library, "news", news)
    engine = Engine(tmp_path / "library.db")
    engine.start().result(10)
    ours = engine.submit(engine.open_project(refund())).result(10)
    with Library.open(tmp_path / "library.db") as library:
        other = Session.start(refund(), library=library)
        await other.step()  # news, while ours is not in the library at all
        until(lambda: looked)
        first = engine.submit(ours.step()).result(10)
        assert first is not None
        theirs = Session.reopen(library.load(ours.rollout.header.id), library, author="tom")
        stop, said = Breakpoint("turn = 2"), Mark(first.id, note="seen", by="tom")
        await theirs.set_breakpoints([stop])
        await theirs.silence(first.id, "empty", "meant so")
        await theirs.mark(said)
        await theirs.name_branch(first.id, "theirs")
        await theirs.more_turns(12)
        until(lambda: len(ours.rollout.projects) == 2)
        assert ours.breakpoints == (stop,)
        assert [each.reason for each in ours.silences] == ["meant so"]
        assert said in ours.marks
        assert [each.name for each in ours.branches] == ["theirs"]
        assert ours.project.max_turns == refund().max_turns
        before = theirs.commands
        engine.submit(ours.set_breakpoints([stop, Breakpoint("failure")])).result(10)
        engine.submit(ours.revise(refund(max_turns=3))).result(10)
        saved = library.load(ours.rollout.header.id)
        assert saved.commands == (*ours.commands[:1], *before[1:], *ours.commands[1:])
        assert [project.max_turns for project in saved.projects] == [refund().max_turns, 12, 3]
        assert [p.max_turns for p in ours.rollout.projects] == [refund().max_turns, 12, 3]
        assert engine.submit(ours.undo()).result(10) == "change of the project"
        assert engine.submit(ours.undo()).result(10) == "change of breakpoints"
        assert ours.breakpoints == (stop,)
    engine.stop()


async def test_two_programs_never_write_over_each_others_commands(tmp_path: Path) -> None:
    with Library.open(tmp_path / "one.db") as library, Library.open(tmp_path / "one.db") as same:
        one = Session.start(refund(), library=library)
        await one.step()
        two = Session.reopen(same.load(one.rollout.header.id), same)
        for session in (one, two, two, one):
            await session.step()
            assert session.head is not None
            await session.name_branch(session.head, "x" if session is one else "y")
        await one.undo()
        saved = library.load(one.rollout.header.id)
        done = {step_id for command in saved.commands for step_id in command.step_ids}
        assert done == {step.id for step in saved.steps}
        assert len({command.n for command in saved.commands}) == len(saved.commands) == 9
        undone = [command for command in saved.commands if command.undone]
        assert undone == [one.commands[-1]]


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
