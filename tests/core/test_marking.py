"""Marks on many rollouts: each is saved, each can be taken back, and none is lost."""

from __future__ import annotations

from rollstep.core.marking import (
    MarkedRollout,
    for_all,
    mark_rollouts,
    own_mark,
    take_marks_back,
)
from rollstep.core.model.history import Command
from rollstep.core.model.marks import Mark
from rollstep.core.replacing import find_places
from rollstep.core.rules.marking import MarkChange
from rollstep.core.rules.replacing import Replacement
from rollstep.core.session import Session
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from .store.making import conversation, first


def _library() -> Library:
    library = Library.throwaway()
    for name in ("one", "two"):
        library.commit(first(name, conversation(2, name, stop="goal_reached")))
    library.commit(first("none"))
    return library


async def test_marks_stand_on_the_branch_that_would_be_opened() -> None:
    with _library() as library:
        found = await mark_rollouts(
            library, ("one", "two"), MarkChange(verdict="accept"), "ana", clock=lambda: 7.0
        )
        assert found.done == (MarkedRollout("one", "one4", 1), MarkedRollout("two", "two4", 1))
        assert library.load("one").marks == (Mark("one4", verdict="accept", by="ana", at=7.0),)


async def test_a_place_that_another_program_took_out_of_sight_is_on_no_branch() -> None:
    """The mark, and words to be replaced, are looked for where the rollout would be opened."""
    with _library() as library:
        hides = Command(1, "delete", hides=("one3", "one4"), head_before="one4")
        mark = Mark("one2", verdict="reject", by="ana", at=1.0)
        library.commit(Change("one", commands=(hides,), marks=(mark,), head="one4"))
        assert own_mark(library, "one", "ana") == mark
        wanted = Replacement("1", "2")
        places, _ = find_places(library, ("one",), wanted)
        assert [place.step.id for place in places] == ["one2"]


async def test_what_cannot_be_marked_is_said_and_the_others_are_marked() -> None:
    with _library() as library:
        found = await mark_rollouts(library, ("none", "gone", "two"), MarkChange(tag="x"), "ana")
        assert [each.rollout_id for each in found.done] == ["two"]
        assert [name for name, _ in found.failed] == ["none", "gone"]


async def test_marks_of_one_person_add_up_and_those_of_others_stay() -> None:
    with _library() as library:
        await mark_rollouts(library, ("one",), MarkChange(verdict="accept"), "ana")
        await mark_rollouts(library, ("one",), MarkChange(tag="x"), "ana")
        await mark_rollouts(library, ("one",), MarkChange(verdict="reject"), "mira")
        marks = {mark.by: mark for mark in library.load("one").marks}
        assert (marks["ana"].verdict, marks["ana"].tags) == ("accept", ("x",))
        assert marks["mira"].verdict == "reject"


async def test_the_open_rollout_is_marked_where_it_is_open() -> None:
    with _library() as library:
        session = Session.reopen(library.load("one"), library, author="ana")
        await mark_rollouts(
            library, ("one", "two"), MarkChange(rating=3), "ana", open_session=session
        )
        assert [mark.rating for mark in session.marks] == [3]
        assert library.load("one").marks[0].rating == 3
        await session.close()


async def test_marks_are_taken_back_where_nothing_was_done_since() -> None:
    with _library() as library:
        found = await mark_rollouts(library, ("one", "two"), MarkChange(verdict="reject"), "ana")
        await mark_rollouts(library, ("two",), MarkChange(tag="later"), "ana")
        session = Session.reopen(library.load("two"), library)
        await session.name_branch("two4", "named")
        await session.close()
        back = await take_marks_back(library, found.done, by="ana")
        assert [each.rollout_id for each in back.done] == ["one"]
        assert [name for name, _ in back.over] == ["two"]
        assert library.load("one").marks[0].verdict is None
        assert library.load("two").marks[0].verdict == "reject"


async def test_it_can_be_ended_on_the_way() -> None:
    with _library() as library:
        found = await mark_rollouts(
            library,
            ("one", "two"),
            MarkChange(verdict="accept"),
            "ana",
            progress=lambda done, of: done < 1,
        )
        assert [each.rollout_id for each in found.done] == ["one"]
        assert library.load("two").marks == ()


async def test_only_the_own_mark_is_taken_back() -> None:
    with _library() as library:
        mine = await mark_rollouts(library, ("one", "two"), MarkChange(verdict="reject"), "ana")
        await mark_rollouts(library, ("one",), MarkChange(verdict="accept", note="why"), "mira")
        await mark_rollouts(library, ("two",), MarkChange(tag="later"), "ana")
        back = await take_marks_back(library, mine.done, by="ana")
        assert back.done == ()
        assert [(name, "something else" in why) for name, why in back.over] == [
            ("one", True),
            ("two", True),
        ]
        marks = {mark.by: (mark.verdict, mark.note) for mark in library.load("one").marks}
        assert marks == {"ana": ("reject", ""), "mira": ("accept", "why")}


async def test_a_mark_that_says_so_already_is_none_to_be_taken_back() -> None:
    with _library() as library:
        await mark_rollouts(library, ("one",), MarkChange(tag="refund"), "mira")
        found = await mark_rollouts(library, ("one", "two"), MarkChange(no_tag="refund"), "ana")
        assert (found.done, found.failed, found.same) == ((), (), 2)
        assert library.load("one").marks[0].tags == ("refund",)


async def test_what_was_taken_back_elsewhere_is_said() -> None:
    with _library() as library:
        found = await mark_rollouts(library, ("one",), MarkChange(rating=2), "ana")
        assert (await take_marks_back(library, found.done, by="ana")).done == found.done
        again = await take_marks_back(library, found.done, by="ana")
        assert again.over == (("one", "it was taken back already"),)


async def test_a_tag_goes_on_all_or_off_all_by_the_own_marks() -> None:
    with _library() as library:
        await mark_rollouts(library, ("one", "two"), MarkChange(tag="refund"), "mira")
        ids, switch = ("one", "two"), MarkChange(toggle_tag="refund")
        assert await for_all(library, ids, switch, "ana") == MarkChange(tag="refund")
        await mark_rollouts(library, ("one",), MarkChange(tag="refund"), "ana")
        assert await for_all(library, ids, switch, "ana") == MarkChange(tag="refund")
        await mark_rollouts(library, ("two",), MarkChange(tag="refund"), "ana")
        assert await for_all(library, ids, switch, "ana") == MarkChange(no_tag="refund")
        assert await for_all(library, ("one",), switch, "ana") == switch
