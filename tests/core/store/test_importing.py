from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import BundleError
from rollstep.core.model.history import Command
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import target_reply
from rollstep.core.model.rollout import Branch
from rollstep.core.model.steps import Call
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.change import Change
from rollstep.core.store.importing import import_bundle
from rollstep.core.store.library import Library

from tests.core.store.making import PROJECT, conversation, first, step

OTHER = msgspec.structs.replace(PROJECT, goal="another")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.rollstep.jsonl"


def test_a_bundle_of_one_library_makes_the_same_rollouts_in_another(path: Path) -> None:
    called = msgspec.structs.replace(step("c0", None, "hello"), call=Call("m", request="d1"))
    with Library.throwaway() as here, Library.throwaway() as there:
        here.commit(first("r1", conversation(2), head="s1", status="parked", status_note="why"))
        here.commit(first("r2", (called,), requests=(("d1", "the request"),)))
        write_bundle([here.load("r1"), here.load("r2")], path, requests=here.request)
        assert import_bundle(path, there) == ["r1", "r2"]
        for rollout_id in ("r1", "r2"):
            assert there.load(rollout_id) == here.load(rollout_id)
        assert there.request("d1") == "the request"
        assert [hit.step_id for hit in there.search("hello")] == ["c0"]


def test_importing_again_changes_nothing(path: Path) -> None:
    with Library.throwaway() as library:
        library.commit(
            first(
                "r1",
                conversation(2),
                head="s1",
                commands=(Command(1, "edit", ("s3",), undone=True),),
                marks=(Mark("s1", "accept", by="me", at=5.0),),
            )
        )
        before = library.load("r1")
        write_bundle([before], path)
        import_bundle(path, library)
        assert library.load("r1") == before


def test_the_work_of_two_people_on_one_rollout_comes_together(path: Path) -> None:
    start = first("r1", conversation(2), head="s3")
    with Library.throwaway() as mine, Library.throwaway() as theirs:
        mine.commit(start)
        theirs.commit(start)
        ours = step("mine", "s0", target_reply("my reply"), "human")
        mine.commit(
            Change(
                "r1",
                projects=(msgspec.structs.replace(PROJECT, goal="mine"),),
                steps=(msgspec.structs.replace(ours, revision=1),),
                commands=(Command(1, "edit", ("mine",)),),
                branches=(Branch("s3", "main"),),
                marks=(Mark("s3", "accept", by="ann", at=5.0), Mark("s1", "reject", at=9.0)),
                head="mine",
            )
        )
        new = step("new", "s0", target_reply("their reply"), "human")
        gone = step("gone", "s0", target_reply("taken back"), "human")
        theirs.commit(
            Change(
                "r1",
                projects=(OTHER,),
                steps=(msgspec.structs.replace(new, revision=1), gone),
                commands=(
                    Command(1, "edit", ("new",), revision_before=0, revision_after=1),
                    Command(2, "edit", ("gone",), undone=True),
                ),
                branches=(Branch("s3", "theirs"), Branch("new", "better")),
                marks=(Mark("s3", "reject", by="bob", at=1.0), Mark("s1", "unsure", at=1.0)),
                head="new",
            )
        )
        write_bundle([theirs.load("r1")], path)
        import_bundle(path, mine)
        both = mine.load("r1")

    assert [each.id for each in both.steps] == ["s0", "s1", "s2", "s3", "mine", "new", "gone"]
    assert [each.seq for each in both.steps] == [1, 2, 3, 4, 5, 6, 7]
    assert [project.goal for project in both.projects] == ["", "mine", "another"]
    assert {each.id: both.projects[each.revision].goal for each in both.steps[4:]} == {
        "mine": "mine",
        "new": "another",
        "gone": "",
    }
    assert [(each.n, each.step_ids, each.abandoned) for each in both.commands] == [
        (1, ("mine",), False),
        (2, ("new",), False),
        (3, ("gone",), True),
    ]
    assert (both.commands[1].revision_before, both.commands[1].revision_after) == (0, 2)
    assert both.branches == (Branch("s3", "main"), Branch("new", "better"))
    assert {(each.step_id, each.by): each.verdict for each in both.marks} == {
        ("s3", "ann"): "accept",
        ("s1", ""): "reject",
        ("s3", "bob"): "reject",
    }
    assert both.head == "mine"


def test_a_file_of_the_same_rollout_twice_is_as_good_as_once(path: Path) -> None:
    with Library.throwaway() as library, Library.throwaway() as other:
        library.commit(first("r1", conversation(2)))
        saved = library.load("r1")
        write_bundle([saved, saved], path)
        assert import_bundle(path, other) == ["r1"]
        assert other.load("r1") == saved


def test_a_step_that_was_changed_by_hand_is_not_dropped_in_silence(path: Path) -> None:
    with Library.throwaway() as library:
        library.commit(first("r1", conversation(1)))
        write_bundle([library.load("r1")], path)
        path.write_text(path.read_text().replace("answer 0", "another answer"))
        with pytest.raises(BundleError, match=r"step s1 of rollout r1 differs from the library's"):
            import_bundle(path, library)
