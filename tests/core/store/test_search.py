import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.model.history import Command
from rollstep.core.model.messages import (
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from tests import strategies as some
from tests.core.store.making import conversation, first, step


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.throwaway() as opened:
        yield opened


def found(library: Library, query: str) -> list[str]:
    return [hit.step_id for hit in library.search(query)]


EVERYTHING = (
    step("s0", None, UserMessage((Text("Order 4471 came broken."),), (Reasoning("be rude"),))),
    step(
        "s1",
        "s0",
        TargetReply(
            (Text("我来为您办理退款手续"),),
            (Reasoning("policy allows"),),
            (ToolCall("c1", "get_order", '{"order_id": "4471"}'),),
            refusal="I would rather not.",
        ),
    ),
    step("s2", "s1", ToolResult("c1", (Text('{"status": "delivered",\n "x": "Ünïcode"}'),))),
    step("s3", "s2", Stop("customer_left", "human", "slammed the door")),
)


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        ("broken", ["s0"]),
        ("BROK", ["s0"]),
        ("be rude", ["s0"]),
        ("4471", ["s1", "s0"]),
        ('{"order_id": "4471"}', ["s1"]),
        ("get_order", ["s1"]),
        ("rather not", ["s1"]),
        ("policy allows", ["s1"]),
        ("办理退款", ["s1"]),
        ("退款", ["s1"]),
        ("我", ["s1"]),
        ('",\n "x', ["s2"]),
        ("ünï", ["s2"]),
        ("Ü", ["s2"]),
        ('":', ["s2", "s1"]),
        ("r ", ["s1", "s0"]),
        ("44", ["s1", "s0"]),
        ("customer_left", ["s3"]),
        ("slammed", ["s3"]),
        ("broken AND order", []),
        ("user_message", []),
        ("%", []),
        ("", []),
    ],
)
def test_it_finds_what_is_written(library: Library, query: str, steps: list[str]) -> None:
    library.commit(first("r1", EVERYTHING))
    assert found(library, query) == steps


def test_a_hit_says_where_and_shows_the_words(library: Library) -> None:
    text = "x" * 500 + " the needle " + "y" * 500
    library.commit(first("r1", (step("s0", None, text),)))
    (hit,) = library.search("NEEDLE")
    assert (hit.rollout_id, hit.title, hit.seq, hit.role) == ("r1", "title of r1", 1, "evaluator")
    assert hit.excerpt[hit.start : hit.end] == "needle"
    assert len(hit.excerpt) < 150


def test_the_newest_rollouts_come_first_and_no_more_than_asked_for(library: Library) -> None:
    library.commit_many([first(f"r{n}", conversation(1)) for n in range(5)])
    assert [hit.rollout_id for hit in library.search("question", 3)] == ["r4", "r3", "r2"]
    assert [hit.rollout_id for hit in library.search("qu", 2)] == ["r4", "r3"]


def test_steps_saved_in_bulk_are_indexed_when_wanted(library: Library) -> None:
    library.commit_many([first(f"r{n}", conversation(3)) for n in range(4)])
    assert library.index_pending(10) == 10
    assert library.index_pending() == 14
    assert library.index_pending() == 0
    assert len(library.search("answer")) == 12


def test_what_was_undone_is_not_found(library: Library) -> None:
    edit = step("e1", "s0", "an answer of mine", "human")
    command = Command(1, "edit", ("e1",))
    library.commit(first("r1", (*conversation(1), edit), commands=(command,)))
    assert found(library, "answer") == ["e1", "s1"]
    library.commit(Change("r1", commands=(msgspec.structs.replace(command, undone=True),)))
    assert found(library, "answer") == ["s1"]
    assert found(library, "an") == ["s1"]


@pytest.mark.parametrize("query", ["answer", "an"])
def test_each_rollouts_own_undone_steps_are_out_of_sight(library: Library, query: str) -> None:
    """By the index and by reading; one rollout has no command at all, one has one that stands."""
    edit = step("e1", "s0", "an answer of mine", "human")
    library.commit(first("none", conversation(1)))
    for name, undone in (("undone", True), ("stands", False)):
        command = Command(1, "edit", ("e1",), undone=undone)
        library.commit(first(name, (*conversation(1), edit), commands=(command,)))
    assert [(hit.title, hit.step_id) for hit in library.search(query)] == [
        ("title of stands", "e1"),
        ("title of stands", "s1"),
        ("title of undone", "s1"),
        ("title of none", "s1"),
    ]


def test_no_step_is_indexed_twice_or_left_out(library: Library) -> None:
    """A commit to a rollout whose earlier steps wait leaves its steps to wait too."""
    steps = conversation(4)
    library.commit(first("r1", steps[:2]))
    library.commit_many([Change("r1", steps=steps[2:4])])
    library.commit(Change("r1", steps=steps[4:6]))
    assert library.index_pending() == 4
    library.commit(Change("r1", steps=steps[6:]))
    library.commit(Change("r1", steps=steps))
    assert library.index_pending() == 0
    assert found(library, "answer") == ["s7", "s5", "s3", "s1"]


def test_what_another_program_saved_is_found(library: Library) -> None:
    with Library.open(library.path) as other:
        other.commit_many([first("r1", conversation(1))])
        assert found(library, "answer") == ["s1"]
        other.commit(first("r2", conversation(1)))
        assert [hit.rollout_id for hit in library.search("answer")] == ["r2", "r1"]


def test_any_piece_of_any_text_is_found(library: Library) -> None:
    """Whatever the text, and whatever piece of it is looked for."""
    numbers = iter(range(10**6))

    @given(some.texts, some.texts, some.texts, st.booleans())
    def holds(before: str, query: str, after: str, at_once: bool) -> None:
        rollout_id = f"r{next(numbers)}"
        change = first(rollout_id, (step("s0", None, before + query + after),))
        if at_once:
            library.commit(change)
        else:
            library.commit_many([change])
        if query and query.lower() in (before + query + after).lower():
            assert rollout_id in [hit.rollout_id for hit in library.search(query, 10**6)]

    holds()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes where nobody may")
def test_a_library_that_can_only_be_read_is_searched_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "library.sqlite"
    with Library.open(path) as library:
        library.commit_many([first("r1", conversation(1))])
    path.parent.chmod(0o500)
    try:
        with Library.open(path) as library:
            assert found(library, "answer") == ["s1"]
    finally:
        path.parent.chmod(0o700)
