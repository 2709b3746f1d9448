"""What becomes of a rollout of an earlier run: what stands, and what goes on from where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from rollstep.core.batch import Batch, Done, Job
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.marks import Mark, Silence
from rollstep.core.model.project import (
    EvaluatorLine,
    HumanTarget,
    Project,
    ScriptedEvaluator,
    ScriptedTarget,
    StopRules,
    TargetLine,
)
from rollstep.core.playthrough import OnBreak
from rollstep.core.roles.registry import build_roles
from rollstep.core.runs import Run, begin, go_on
from rollstep.core.session import Session
from rollstep.core.store.change import Change, Saved
from rollstep.core.store.library import Library
from rollstep.core.taking_up import take_up

from .projects_for_tests import refund
from .store.making import conversation, first


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library.sqlite")


def play(library: Library, run: Run, *projects: Project, **options: object) -> list[Done]:
    found: list[Done] = []
    batch = Batch(found.append, roles=build_roles, library=library, run=run, **options)  # type: ignore[arg-type]
    batch.run(Job(project, record=row) for row, project in enumerate(projects))
    return found


def again(library: Library, *projects: Project, **options: object) -> list[Done]:
    run = go_on(library, "key")
    assert run is not None
    return play(library, run, *projects, **options)


def kept(library: Library, status: str, note: str = "", stop: str = "", attempts: int = 0) -> Saved:
    library.commit(first("r", conversation(2, stop=stop), status=status, status_note=note))
    return library.load("r")


@pytest.mark.parametrize(
    ("status", "note", "stop", "goes_on"),
    [
        ("open", "", "", True),
        ("open", "", "goal_reached", False),
        ("ended", "", "goal_reached", False),
        ("parked", "breakpoint 1 at step 3: late", "", False),
        ("parked", "You play the target.", "", False),
        ("parked", "the same exchange 3 times", "", False),
        ("parked", "the run's budget: $1.00 of $1.00 spent", "", True),
        ("failed", "no credit", "", False),
    ],
)
def test_what_goes_on(library: Library, status: str, note: str, stop: str, goes_on: bool) -> None:
    taken_up = take_up(kept(library, status, note, stop))
    assert (taken_up.so_far is not None) == goes_on
    assert len(taken_up.played.steps) == (5 if stop else 4)
    assert taken_up.played.status == ("ended" if stop else status)


def test_what_failed_goes_on_when_it_is_to_be_tried_again(library: Library) -> None:
    assert take_up(kept(library, "failed", "x"), retry_failed=True).so_far is not None


@pytest.mark.parametrize(("on_break", "goes_on"), [("park", False), ("stop", True)])
def test_a_breakpoint_that_does_not_park_any_more_lets_go(
    library: Library, on_break: OnBreak, goes_on: bool
) -> None:
    saved = kept(library, "parked", "breakpoint 1 at step 3: late")
    assert (take_up(saved, on_break=on_break).so_far is not None) == goes_on


def test_half_a_rollout_ends_as_a_whole_one_and_its_rest_is_saved_once(library: Library) -> None:
    """One that was cut off, as only those of live roles are, and is played on offline."""
    run = begin(library, "key", ())
    (whole,) = play(library, run, refund())
    steps = library.load(whole.rollout_id).steps
    other = begin(library, "key", ())
    library.commit(first(other.rollout_id(0), steps[:4], status="open"))
    library.commit(Change(other.rollout_id(0), projects=(refund(),)))
    (done,) = again(library, refund())
    saved = library.load(done.rollout_id)
    assert saved.steps[:4] == steps[:4]
    assert [step.payload for step in saved.steps] == [step.payload for step in steps]
    assert (saved.status, saved.head, done.before) == ("ended", saved.steps[-1].id, False)
    (third,) = again(library, refund())
    assert (third.before, library.load(done.rollout_id)) == (True, saved)
    assert third.records == done.records


async def test_a_humans_change_of_the_project_and_of_breakpoints_is_taken_in(
    library: Library,
) -> None:
    project = refund(breakpoints=(Breakpoint("turn = 1 role = target"),))
    (parked,) = play(library, begin(library, "key", ()), project)
    assert (parked.parked, parked.reason) == (True, "breakpoint")
    session = Session.reopen(library.load(parked.rollout_id), library)
    await session.revise(refund(max_turns=1))
    await session.set_breakpoints(())
    await session.step()
    await session.close()
    (done,) = again(library, project)
    assert done.whole
    saved = library.load(done.rollout_id)
    assert {step.revision for step in saved.steps} == {0, 1}
    assert done.reason == "max_turns"


def silenced(saved: Saved) -> Change:
    found = saved.steps[-2]
    return Change(saved.header.id, silences=(Silence(found.id, "empty", "meant so", at=1.0),))


def accepted(saved: Saved) -> Change:
    mark = Mark(saved.steps[-1].id, verdict="accept", by="ada", at=1.0)
    return Change(saved.header.id, marks=(mark,))


def rejected(saved: Saved) -> Change:
    mark = Mark(saved.steps[-1].id, verdict="reject", by="ada", at=1.0)
    return Change(saved.header.id, marks=(mark,))


@pytest.mark.parametrize(
    ("change", "taken_in"), [(silenced, True), (accepted, True), (rejected, False)]
)
def test_a_flag_that_a_human_lets_stand_parks_no_more(
    library: Library, change: Callable[[Saved], Change], taken_in: bool
) -> None:
    blank = refund(target=ScriptedTarget((TargetLine(" "),)), evaluator=ScriptedEvaluator())
    (parked,) = play(library, begin(library, "key", ()), blank, park_flags=True)
    assert (parked.parked, parked.whole, parked.reason) == (True, False, "flags")
    assert "flag empty at step 2" in library.load(parked.rollout_id).status_note
    library.commit(change(library.load(parked.rollout_id)))
    (done,) = again(library, blank, park_flags=True)
    assert done.whole == taken_in
    assert library.load(parked.rollout_id).status == ("ended" if taken_in else "parked")


def test_what_parked_a_rollout_is_read_as_it_was_kept_whatever_its_words_say(
    library: Library,
) -> None:
    budget = "the run's budget: $1.00 of $1.00 spent"
    again = tuple(TargetLine("No.") for _ in range(3))
    repeats = refund(
        target=ScriptedTarget(again),
        evaluator=ScriptedEvaluator(tuple(EvaluatorLine("More") for _ in range(3))),
        stop=StopRules(repeated_exchanges=2),
    )
    at_break = refund(breakpoints=(Breakpoint("turn = 1", name="it may cost 2 times"),))
    run = begin(library, "key", ())
    done = play(library, run, repeats, at_break, refund(target=HumanTarget()))
    assert [each.reason for each in done] == ["limit", "breakpoint", "your move"]
    saved = [library.load(each.rollout_id) for each in done]
    assert [take_up(each).played.reason for each in saved] == [each.reason for each in done]
    for note, reason in (
        ("the next step is dear", "limit"),
        (budget, "budget"),
        ("flag empty at step 2: says nothing 3 times", "flags"),
    ):
        other = msgspec.structs.replace(saved[0], status_note=note)
        assert take_up(other).played.reason == reason
