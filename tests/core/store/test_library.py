import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from rollstep.core.errors import InputError, NotSavedError, StoreError
from rollstep.core.model.history import Command, Draft
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.messages import Stop, target_reply
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.rollout import Branch
from rollstep.core.model.steps import Attempt
from rollstep.core.store.change import Change, Saved
from rollstep.core.store.library import Library

from tests import strategies as some
from tests.core.store.making import PROJECT, conversation, first, step


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "library.sqlite"


@pytest.fixture
def library(path: Path) -> Iterator[Library]:
    with Library.open(path) as opened:
        yield opened


def change_of(saved: Saved) -> Change:
    return Change(
        saved.header.id,
        saved.header,
        saved.projects,
        saved.steps,
        (),
        saved.attempts,
        saved.commands,
        saved.branches,
        saved.marks,
        saved.scores,
        saved.head,
        saved.status,
        saved.status_note,
        silences=saved.silences,
        breakpoints=saved.breakpoints,
    )


def test_what_is_committed_is_what_is_loaded() -> None:
    numbers = itertools.count()

    @given(some.saved_rollouts())
    def holds(saved: Saved) -> None:
        header = msgspec.structs.replace(saved.header, id=f"{saved.header.id}-{next(numbers)}")
        saved = msgspec.structs.replace(saved, header=header)
        seqs = library.commit(change_of(saved))
        assert seqs == {each.id: each.seq for each in saved.steps}
        assert library.load(header.id) == saved
        library.commit(change_of(saved))
        assert library.load(header.id) == saved

    with Library.throwaway() as library:
        holds()
        assert library.count() > 1


def test_it_is_there_after_reopening(path: Path) -> None:
    with Library.open(path) as library:
        library.commit(first("r1", conversation(2)))
    with Library.open(path, create=False) as library:
        assert [each.id for each in library.load("r1").steps] == ["s0", "s1", "s2", "s3"]


def test_files_and_folders_are_private(library: Library, path: Path) -> None:
    library.commit(first("r1"))
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for each in path.parent.iterdir():
        assert each.stat().st_mode & 0o777 == 0o600, each


def test_a_throwaway_leaves_nothing() -> None:
    with Library.throwaway() as library:
        library.commit(first("r1", conversation(1)))
        folder = library.path.parent
        assert folder.exists()
    assert not folder.exists()


def test_seqs_go_on_where_they_were(library: Library) -> None:
    steps = conversation(2)
    assert library.commit(first("r1", steps[:1])) == {"s0": 1}
    assert library.commit(Change("r1", steps=steps[1:3])) == {"s1": 2, "s2": 3}
    assert library.commit(Change("r1", steps=steps[2:])) == {"s2": 3, "s3": 4}
    assert [each.seq for each in library.load("r1").steps] == [1, 2, 3, 4]
    assert [each.id for each in library.steps_since("r1", 2)] == ["s2", "s3"]
    assert library.steps_since("r1", 4) == ()


def test_sending_a_change_again_changes_nothing(library: Library) -> None:
    change = first(
        "r1",
        conversation(1),
        requests=(("d1", '{"a": 1}'),),
        attempts=(Attempt("a1", "s1", "evaluator", "raised", "It broke."),),
        commands=(Command(1, "step"),),
        scores=(Score("reward", 0.5),),
        marks=(Mark("s1", "accept", by="me"),),
        branches=(Branch("s1", "main"),),
        head="s1",
    )
    seqs = library.commit(change)
    before = library.load("r1")
    assert library.commit(change) == seqs
    assert library.load("r1") == before
    assert library.count() == 1


def test_newer_commands_branches_and_marks_replace_those_of_the_same_key(library: Library) -> None:
    library.commit(
        first(
            "r1",
            conversation(1),
            commands=(Command(1, "step"), Command(2, "edit")),
            branches=(Branch("s1", "main"),),
            marks=(Mark("s1", "accept", by="me"), Mark("s1", "reject", by="you")),
        )
    )
    library.commit(
        Change(
            "r1",
            commands=(Command(1, "step", undone=True),),
            branches=(Branch("s1", "angry"),),
            marks=(Mark("s1", "unsure", by="me"),),
        )
    )
    saved = library.load("r1")
    assert saved.commands == (Command(1, "step", undone=True), Command(2, "edit"))
    assert saved.branches == (Branch("s1", "angry"),)
    assert saved.marks == (Mark("s1", "unsure", by="me"), Mark("s1", "reject", by="you"))


def test_project_revisions_are_appended_and_equal_ones_stored_once(library: Library) -> None:
    other = msgspec.structs.replace(PROJECT, goal="another")
    library.commit(first("r1"))
    library.commit(first("r2"))
    library.commit(Change("r1", projects=(other,)))
    library.commit(Change("r1", projects=(PROJECT,)))
    assert library.load("r1").projects == (PROJECT, other, PROJECT)
    assert library.load("r2").projects == (PROJECT,)


def test_a_request_is_kept_once_and_exactly(library: Library) -> None:
    long = '{"messages": "' + "\ud800 once more " * 500 + '"}'
    library.commit(first("r1", requests=(("long", long), ("short", '"\ud800"'))))
    library.commit(first("r2", requests=(("long", long),)))
    assert library.request("long") == long
    assert library.request("short") == '"\ud800"'
    assert library.request("other") is None


def test_a_change_is_saved_whole_or_not_at_all(library: Library) -> None:
    library.commit(first("r1", conversation(1)))
    before = library.load("r1")
    lost = step("x", "nowhere", "hello")
    with pytest.raises(StoreError, match="follows step nowhere, which is not in the library"):
        library.commit(Change("r1", steps=(step("s9", "s1", "next"), lost), status="ended"))
    with pytest.raises(StoreError):
        library.commit_many([first("r2"), Change("r1", steps=(lost,))])
    assert library.load("r1") == before
    assert library.count() == 1


def test_a_change_to_an_unknown_rollout_needs_a_header(library: Library) -> None:
    with pytest.raises(StoreError, match="no rollout r9"):
        library.commit(Change("r9", status="ended"))
    with pytest.raises(InputError, match="No rollout r9 in the library"):
        library.load("r9")


def test_the_summary_is_of_the_branch_that_would_be_opened(library: Library) -> None:
    steps = conversation(2, stop="max_turns")
    library.commit(first("r1", steps, head="s4", status="ended"))
    (summary,) = library.recent()
    assert (summary.steps, summary.turns, summary.edits) == (5, 2, 0)
    assert (summary.status, summary.stop_reason) == ("ended", "max_turns")
    assert summary.title == "title of r1"

    edit = step("e1", "s0", target_reply("better"), "human")
    edit = msgspec.structs.replace(edit, replaces="s1")
    library.commit(Change("r1", steps=(edit,), head="e1", status="open"))
    (summary,) = library.recent()
    assert (summary.steps, summary.turns, summary.edits) == (6, 1, 1)
    assert (summary.status, summary.stop_reason) == ("open", "")

    library.commit(Change("r1", head="s0", leaf="s4"))
    (summary,) = library.recent()
    assert (summary.steps, summary.turns, summary.edits) == (6, 2, 1)
    assert summary.stop_reason == "max_turns"
    library.commit(Change("r1", head="", leaf=""))
    assert library.recent()[0].turns == 0


def test_the_summary_counts_nothing_that_was_undone(library: Library) -> None:
    edit = step("e1", "s0", target_reply("better"), "human")
    after = step("s9", "e1", target_reply("and so on"))
    made = Command(1, "override", ("e1", "s9"))
    library.commit(first("r1", (*conversation(1), edit, after), commands=(made,)))
    assert (library.recent()[0].steps, library.recent()[0].edits) == (4, 1)
    undone = msgspec.structs.replace(made, undone=True)
    for _ in range(2):  # a commit that seemed to fail is sent again
        library.commit(Change("r1", commands=(undone,)))
        assert (library.recent()[0].steps, library.recent()[0].edits) == (2, 0)
    library.commit(Change("r1", commands=(made, Command(2, "delete", hides=("s9",)))))
    assert (library.recent()[0].steps, library.recent()[0].edits) == (3, 1)


def test_what_a_humans_own_role_says_is_no_edit(library: Library) -> None:
    said = step("s1", "s0", target_reply("by hand"), "human")
    by_hand = msgspec.structs.replace(PROJECT, target=HumanTarget())
    for name, project in (("a", PROJECT), ("b", by_hand)):
        library.commit(
            msgspec.structs.replace(first(name, (*conversation(1)[:1], said)), projects=(project,))
        )
    assert {each.id: each.edits for each in library.recent()} == {"a": 1, "b": 0}


def test_without_a_head_the_newest_step_stands_for_it(library: Library) -> None:
    library.commit_many([first("r1", conversation(3, stop="goal_reached"))])
    (summary,) = library.recent()
    assert (summary.turns, summary.stop_reason) == (3, "goal_reached")


def test_recent_gives_the_newest_first(path: Path) -> None:
    times = iter([10.0, 20.0, 30.0])
    with Library.open(path, clock=lambda: next(times)) as library:
        library.commit(first("r1"))
        library.commit(first("r2"))
        library.commit(Change("r1", steps=conversation(1)))
        assert [(each.id, each.updated_at) for each in library.recent()] == [
            ("r1", 30.0),
            ("r2", 20.0),
        ]
        assert [each.id for each in library.recent(1)] == ["r1"]


def test_find_takes_a_prefix_that_only_one_has(library: Library) -> None:
    library.commit_many([first("abc1"), first("abc12"), first("xyz")])
    assert library.find("x") == "xyz"
    assert library.find("abc1") == "abc1"
    assert library.find("abc12") == "abc12"
    with pytest.raises(InputError, match=r"(?s)More than one.*abc1 .*abc12 .*title of abc12"):
        library.find("ab")
    with pytest.raises(InputError, match="No rollout q"):
        library.find("q")


def test_drafts_are_kept_replaced_and_dropped(library: Library) -> None:
    library.commit_many([first("r1"), first("r2")])
    library.save_draft("r1", Draft("write:s1", '"half a th\ud800"', 5.0))
    library.save_draft("r1", Draft("override:s2", "2"))
    library.save_draft("r1", Draft("write:s1", "3"))
    library.save_draft("r2", Draft("write:s1", "4"))
    assert library.drafts("r1") == (Draft("write:s1", "3"), Draft("override:s2", "2"))
    library.drop_draft("r1", "write:s1")
    library.drop_draft("r1", "write:s1")
    assert library.drafts("r1") == (Draft("override:s2", "2"),)
    assert library.drafts("r2") == (Draft("write:s1", "4"),)
    assert library.drafts("r9") == ()
    with pytest.raises(NotSavedError, match="holds no rollout r9 yet"):
        library.save_draft("r9", Draft("write:s1", "5"))


def test_data_version_tells_of_other_programs_only(library: Library, path: Path) -> None:
    library.commit(first("r1"))
    version = library.data_version()
    library.commit(first("r2"))
    assert library.data_version() == version
    with Library.open(path) as other:
        other.commit(first("r3"))
        assert library.data_version() != version
        assert library.load("r3").header.id == "r3"


def test_any_thread_may_use_it(library: Library) -> None:
    def work(number: int) -> None:
        for turn in range(5):
            library.commit(first(f"r{number}-{turn}", conversation(1)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert library.count() == 20


def test_a_stop_reason_of_any_text_is_summarised(library: Library) -> None:
    library.commit(first("r1", (step("s0", None, Stop("\ud800", "human")),)))
    assert library.recent()[0].stop_reason == "\ud800"


def test_a_closed_library_says_so(path: Path) -> None:
    library = Library.open(path)
    library.close()
    library.close()
    with pytest.raises(StoreError, match="is closed"):
        library.count()


def test_steps_of_all_sizes_come_back_in_order(library: Library) -> None:
    texts = [f"{n} \ud800" if n % 50 == 0 else f"{n} " + "x" * (n % 7 * 20_000) for n in range(300)]
    steps = tuple(step(f"s{n}", f"s{n - 1}" if n else None, text) for n, text in enumerate(texts))
    library.commit_many([first("r0", conversation(2)), first("r1", steps[:200]), first("r2")])
    library.commit(Change("r1", steps=steps[200:]))
    loaded = library.load("r1").steps
    assert [(each.seq, each.id, each.payload) for each in loaded] == [
        (n, each.id, each.payload) for n, each in enumerate(steps, 1)
    ]
    assert library.steps_since("r1", 290) == loaded[290:]
    assert library.steps_since("r1", 300) == library.load("r2").steps == ()


def test_while_a_rollout_is_read_few_of_its_pages_are_kept(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 MB pass through; 4 MB of them would be kept, for nobody."""
    library.commit(first("r1", conversation(2)))

    def cached() -> int:
        pages: int = library._connection.execute("PRAGMA cache_size").fetchone()[0]
        return pages

    seen: list[int] = []
    read = library._steps
    monkeypatch.setattr(library, "_steps", lambda *key: (seen.append(cached()), read(*key))[1])
    usual = cached()
    assert len(library.load("r1").steps) == len(conversation(2))
    assert seen == [-128]
    assert cached() == usual == -4096
