"""Exports of many rollouts: what is written where, what is skipped, and what is never left over."""

from __future__ import annotations

import errno
import gc
import io
import json
import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import ExportError, InputError, UsageError
from rollstep.core.exporting.items import Item, from_library, several, where
from rollstep.core.exporting.many import export_many, survey
from rollstep.core.exporting.outputs import safe_name
from rollstep.core.exporting.plan import check_plan
from rollstep.core.exporting.splitting import on_test_side
from rollstep.core.exporting.staging import Staging
from rollstep.core.exporting.tally import ExportSummary
from rollstep.core.formats import table
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.rows import Row
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import Format
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import target_reply
from rollstep.core.model.rollout import Branch
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from .making import items, plan, saved, step

pytestmark = pytest.mark.usefixtures("formats")


def lines(path: Path) -> list[list[str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def refusing(rollout_id: str) -> Item:
    whole = saved(rollout_id)
    return Item(
        msgspec.structs.replace(
            whole, steps=(*whole.steps, step("f", "d", target_reply("refuse"), seq=6)), head="f"
        )
    )


def test_the_branch_that_would_be_opened_of_each_rollout_is_written(tmp_path: Path) -> None:
    done = export_many(plan(), items("r1", "r2"), tmp_path / "x.jsonl")
    assert lines(tmp_path / "x.jsonl") == [
        ["Hi.", "Hello from r1."],
        ["Bye.", "So long."],
        ["Hi.", "Hello from r2."],
    ]
    assert (done.rollouts, done.written, done.rows, done.repeated) == (2, 2, 3, 1)
    assert done.counts() == "read 2 rollouts, wrote 3 rows, left out 1 equal row"
    assert done.exit_status == 0


def test_what_is_refused_is_skipped_and_told_with_record_message_field_and_rule(
    tmp_path: Path,
) -> None:
    done = export_many(plan(), [*items("r1"), refusing("r2"), *items("r3")], tmp_path / "x.jsonl")
    assert (done.written, done.refused, done.exit_status) == (2, 1, 1)
    words = "r2#6 (seeds.jsonl, record 3): messages[4].content: this is refused; rule: no refusing"
    assert done.skipped[0].render() == words
    assert "r2" not in (tmp_path / "x.jsonl").read_text()


def test_many_that_are_skipped_for_one_reason_are_told_of_in_one_line() -> None:
    few = survey(plan(), [refusing(f"r{number}") for number in range(5)])
    assert len(few.skips()) == 5
    many = survey(plan(), [refusing(f"r{number}") for number in range(6)])
    (line,) = many.skips()
    assert line.startswith("skipped 6: messages[4].content: this is refused")
    assert line.endswith("r4#6 (seeds.jsonl, record 3), r5#6 (seeds.jsonl, record 3)")
    more = survey(plan(), (refusing(f"r{number}") for number in range(1001)))
    assert (more.refused, len(more.skipped), more.skips()[-1]) == (1001, 1000, "skipped 1 more")


def test_where_all_is_refused_nothing_is_written(tmp_path: Path) -> None:
    told: list[ExportSummary] = []
    with pytest.raises(ExportError, match=r"Nothing was written\."):
        export_many(plan(), [refusing("r1")], tmp_path / "x.jsonl", before=told.append)
    assert told[0].refused == 1
    assert list(tmp_path.iterdir()) == []


def test_all_branches_share_what_is_equal(tmp_path: Path) -> None:
    export_many(plan(branches="all"), items("r1"), tmp_path / "x.jsonl")
    wanted = [["Hi.", "Hello from r1."], ["Bye.", "No."], ["Bye.", "So long."]]
    assert lines(tmp_path / "x.jsonl") == wanted
    export_many(plan("repeats", branches="all"), items("r1"), tmp_path / "y.jsonl")
    assert lines(tmp_path / "y.jsonl") == [wanted[0], wanted[1], wanted[0], wanted[2]]


def test_a_hidden_branch_is_left_out_and_a_named_one_is_taken(tmp_path: Path) -> None:
    named = saved(branches=(Branch("e", "rude"), Branch("d", hidden=True)))
    for number, one in enumerate((plan(branch="rude"), plan(branches="all"))):
        export_many(one, [Item(named)], tmp_path / f"{number}.jsonl")
        assert lines(tmp_path / f"{number}.jsonl")[1:] == [["Bye.", "No."]]
    with pytest.raises(
        InputError, match="r1: no branch is named 'kind'; branches: rude; or by number, 1 to 2"
    ):
        export_many(plan(branch="kind"), [Item(named)], tmp_path / "z.jsonl", several=False)
    done = survey(plan(branch="rude"), [Item(named), *items("r2")])
    assert (done.written, done.unchosen) == (1, 1)


def test_accepted_branches_only(tmp_path: Path) -> None:
    accepted = saved("r1", marks=(Mark("e", verdict="accept", at=5.0),))
    done = export_many(
        plan(branches="accepted"), [Item(accepted), *items("r2")], tmp_path / "x.jsonl"
    )
    assert lines(tmp_path / "x.jsonl")[1:] == [["Bye.", "No."]]
    assert (done.rollouts, done.unchosen) == (2, 1)
    bundle = export_many(
        plan("bundle", branches="accepted"), [Item(accepted), *items("r2")], tmp_path / "b"
    )
    assert (bundle.written, bundle.unchosen) == (1, 1)
    told: list[ExportSummary] = []
    with pytest.raises(ExportError, match="no branch that was asked for is in any of 1 rollouts"):
        export_many(
            plan(branches="accepted"), items("r2"), tmp_path / "y.jsonl", before=told.append
        )
    assert told[0].report() == []


def test_only_the_first_steps(tmp_path: Path) -> None:
    export_many(plan(up_to=2), items("r1"), tmp_path / "x.jsonl")
    assert lines(tmp_path / "x.jsonl") == [["Hi.", "Hello from r1."]]
    with pytest.raises(UsageError, match="no step 9"):
        export_many(plan(up_to=9), items("r1"), tmp_path / "y.jsonl", several=False)
    export_many(plan(up_to=9), items("r1"), tmp_path / "z.jsonl")
    assert len(lines(tmp_path / "z.jsonl")) == 2


def test_a_document_each_goes_into_a_folder_under_safe_names(tmp_path: Path) -> None:
    attack = Item(saved("../../etc/passwd", title="../x"))
    done = export_many(plan("page"), [*items("r1", "r2"), attack], tmp_path / "out")
    assert done.counts() == "read 3 rollouts, wrote 3 documents"
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"{name}-branch-2.txt" for name in ("greet-r1", "greet-r2", "x-etc-passwd")]
    assert done.files == [tmp_path / "out"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_rollouts_whose_names_would_be_equal_each_have_a_file(tmp_path: Path) -> None:
    export_many(plan("page"), [Item(saved("r/1")), Item(saved("r-1"))], tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_one_document_takes_many_where_it_can(tmp_path: Path) -> None:
    export_many(plan("book"), items("r1", "r2"), tmp_path / "x.txt")
    text = (tmp_path / "x.txt").read_text()
    assert text.startswith("<[")
    assert (text.count("Hello"), text.endswith(">")) == (2, True)
    told = (tmp_path / "x.txt.provenance.jsonl").read_text().splitlines()
    assert [json.loads(line)["rollout"] for line in told] == ["r1", "r2"]


def test_of_branches_that_go_into_one_document_the_one_that_would_be_opened_is_first(
    tmp_path: Path,
) -> None:
    export_many(plan("book", branches="all"), items("r1"), tmp_path / "x.txt")
    text = (tmp_path / "x.txt").read_text()
    assert 0 < text.index("So long.") < text.index("No.")


def test_a_bundle_takes_many_and_reads_back(tmp_path: Path) -> None:
    from rollstep.core.store.bundle_reader import read_bundle

    path = tmp_path / "x.rollstep.jsonl"
    export_many(plan("bundle"), items("r1", "r2"), path)
    assert [found for found, _ in read_bundle(path)] == [saved("r1"), saved("r2")]


# Nothing is overwritten, and nothing is half there


def test_a_file_that_is_there_is_replaced_only_with_force(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("mine")
    with pytest.raises(ExportError, match="is there already"):
        export_many(plan(), items("r1"), path)
    assert path.read_text() == "mine"
    export_many(plan(), items("r1"), path, force=True)
    assert len(lines(path)) == 2


def test_a_provenance_that_is_there_is_not_replaced_either(tmp_path: Path) -> None:
    beside = tmp_path / "x.jsonl.provenance.jsonl"
    beside.write_text("mine")
    with pytest.raises(ExportError, match=r"provenance\.jsonl is there already"):
        export_many(plan(), items("r1"), tmp_path / "x.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == [beside.name]


def test_a_provenance_of_an_earlier_export_does_not_stay(tmp_path: Path) -> None:
    export_many(plan("book"), items("r1"), tmp_path / "x.txt")
    assert (tmp_path / "x.txt.provenance.jsonl").exists()
    export_many(plan("page"), items("r1"), tmp_path / "x.txt", force=True, several=False)
    assert not (tmp_path / "x.txt.provenance.jsonl").exists()


def test_a_folder_with_something_in_it_needs_force(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ExportError, match="not empty"):
        export_many(plan("page"), items("r1"), tmp_path)
    export_many(plan("page"), items("r1"), tmp_path, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["greet-r1-branch-2.txt", "mine.txt"]


@pytest.mark.parametrize("name", ["turns", "page", "book", "bundle"])
def test_what_fails_on_the_way_leaves_nothing(tmp_path: Path, name: str) -> None:
    def failing() -> object:
        yield from items("r1")
        raise InputError("the library was taken away")

    with pytest.raises(InputError):
        export_many(plan(name), failing(), tmp_path / "out")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_stopped_export_writes_nothing(tmp_path: Path) -> None:
    read: list[int] = []
    done = export_many(
        plan(),
        items("r1", "r2", "r3"),
        tmp_path / "x.jsonl",
        progress=lambda summary: read.append(summary.rollouts),
        stop=lambda: len(read) == 2,
    )
    assert (done.stopped, done.rollouts, read) == (True, 2, [1, 2])
    assert list(tmp_path.iterdir()) == []


_KILLED = """
import os, signal, sys
from collections.abc import Iterator
from pathlib import Path
sys.path.insert(0, {root!r})
from rollstep.core.exporting.many import export_many
from rollstep.core.exporting.plan import Plan
from tests.core.exporting.making import items

def some():
    for number, item in enumerate(items(*"abcdef")):
        if number == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        yield item

export_many(Plan(format="turn-records"), some(), Path({target!r}), force=True)
"""


def test_an_export_that_is_killed_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "x.jsonl"
    target.write_text("mine")
    root = str(Path(__file__).parents[3])
    code = _KILLED.format(root=root, target=str(target))
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    assert target.read_text() == "mine"
    assert len(list(tmp_path.iterdir())) > 1
    export_many(plan("page"), items("r1"), tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"x.jsonl", "out"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_what_is_left_to_write_to_a_full_disk_does_not_stop_the_cleaning(tmp_path: Path) -> None:
    with Staging() as staging:
        for name in ("a", "b"):
            file = staging.open(tmp_path / name)
            file.write(b"x")
            full = os.open("/dev/full", os.O_WRONLY)
            os.dup2(full, file.fileno())
            os.close(full)
        with pytest.raises(ExportError, match="No space"):
            staging.commit()
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_said_in_words_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Staging, "open", lambda self, path: Full())
    with pytest.raises(ExportError, match="cannot be written: No space left on device"):
        export_many(plan(), items("r1"), tmp_path / "x.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("title", ["\U00020000" * 100, "日本" * 90, "a" * 400, "\ud800/../" * 50])
def test_any_title_makes_a_file_name(title: str, tmp_path: Path) -> None:
    names = [safe_name(title, title, title), safe_name(title, "r1", "")]
    for name in names:
        (tmp_path / f"{name}-99999.atif.json").write_bytes(b"")
    assert len(list(tmp_path.iterdir())) == len(names)


def test_only_the_person_may_read_what_was_written(tmp_path: Path) -> None:
    export_many(plan(), items("r1"), tmp_path / "x.jsonl")
    export_many(plan("page"), items("r1"), tmp_path / "out")
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_what_is_nested_too_deeply_is_refused_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(subject: Subject) -> Iterator[Row]:
        if subject.rollout_id == "deep":
            raise RecursionError
        yield Row(b"{}\n")

    monkeypatch.setitem(table.FORMATS, "deep", Format("deep", ".jsonl", "", rows=rows))
    done = export_many(plan("deep"), items("deep", "r2"), tmp_path / "x.jsonl")
    assert (done.written, done.refused) == (1, 1)
    assert "nested more deeply" in done.skipped[0].render()


# Two sides


def test_all_branches_of_a_rollout_stand_on_the_same_side(tmp_path: Path) -> None:
    ids = [f"r{number}" for number in range(60)]
    split = plan("repeats", branches="all", train_split=0.5)
    done = export_many(split, items(*ids), tmp_path / "x.jsonl")
    train, test = (tmp_path / f"x.{side}.jsonl" for side in ("train", "test"))
    sides = [
        {said for row in lines(path) for said in row if "from" in said} for path in (train, test)
    ]
    assert not sides[0] & sides[1]
    assert len(sides[0] | sides[1]) == 60
    assert min(map(len, sides)) > 10
    assert done.test_rows == len(lines(test)) == 4 * len(sides[1])
    for path in (train, test):
        assert len(lines(path)) == len(lines(Path(f"{path}.provenance.jsonl")))


def test_rollouts_of_one_record_of_a_source_stay_together(tmp_path: Path) -> None:
    ids = [f"r{number}" for number in range(20)]
    export_many(plan("repeats", train_split=0.5, by="source"), items(*ids), f"{tmp_path}/out/")
    sides = [tmp_path / "out" / name for name in ("train.jsonl", "test.jsonl")]
    assert sum(side.read_bytes().count(b"Hello") for side in sides if side.exists()) == 20
    assert sorted(side.exists() for side in sides) == [False, True]


def test_a_larger_share_only_moves_rollouts_to_the_training_side() -> None:
    keys = [f"r{number}" for number in range(200)]
    before: set[str] = set(keys)
    for share in (0.1, 0.5, 0.9):
        test = {key for key in keys if on_test_side(key, share)}
        assert test < before
        before = test


# What makes no sense is said before anything is read


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (plan("nope"), "The format 'nope' is not known. Those that are written: turn-records"),
        (plan(train_split=1.5), "a number between 0 and 1"),
        (plan("page", train_split=0.5), "no format of rows"),
        (plan(by="source"), "only where there are two"),
        (plan(branch="rude", branches="all"), "Name one branch, or ask for"),
        (plan("bundle", role="evaluator"), "neither a role nor a part"),
        (plan("bundle", up_to=2), "neither a role nor a part"),
        (plan(options=WriteOptions(history="full")), "turns has no choice of history"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(wrong: object, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_plan(wrong)  # type: ignore[arg-type]


# Where rollouts come from


def test_rollouts_of_a_library_by_id_and_by_query() -> None:
    with Library.throwaway() as library:
        for number in range(3):
            one = saved(f"r{number}", title="Odd" if number % 2 else "Even")
            change = Change(one.header.id, one.header, one.projects, one.steps)
            library.commit(change)
        assert [item.saved.header.id for item in from_library(library, ["r2", "r0"])] == [
            "r2",
            "r0",
        ]
        count, found = where(library, 'title = Even and turns = 2 and "so long"')
        assert (count, [item.saved.header.id for item in found]) == (2, ["r0", "r2"])


def test_whether_there_are_several_is_known_after_two() -> None:
    many, rest = several(items("a", "b", "c"))
    assert (many, [item.saved.header.id for item in rest]) == (True, ["a", "b", "c"])
    many, rest = several(items("a"))
    assert (many, len(list(rest))) == (False, 1)
    with pytest.raises(InputError, match="no rollout"):
        several(items())


# Memory


def test_memory_does_not_grow_with_the_number_of_rollouts(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        def collect(summary: ExportSummary) -> None:
            if summary.rollouts % 50 == 0:
                gc.collect()  # which else comes when it likes

        some = (Item(saved(f"r{number}")) for number in range(count))
        tracemalloc.start()
        try:
            export_many(plan(), some, tmp_path / f"{count}", progress=collect)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(20)  # what is loaded and cached once
    assert peak(800) < peak(100) * 1.2 + 20_000


# The report


def test_losses_are_summed_over_trajectories_and_say_where_they_were_first(tmp_path: Path) -> None:
    done = survey(plan(), items("r1", "r2", "r3"))
    report = "\n".join(done.report())
    assert "not kept: messages and replies: 3 trajectories, first in r1" in report
    assert (done.rows, list(tmp_path.iterdir())) == (4, [])


def test_the_report_of_one_trajectory_names_its_steps() -> None:
    done = survey(plan(), items("r1"))
    assert "not kept: messages and replies (step 1, 2, 3, 4)" in done.report()


def test_an_empty_rollout_is_no_error() -> None:
    empty = saved("r0", steps=(), head="")
    done = survey(plan("page"), [Item(empty), *items("r1")])
    assert (done.rollouts, done.written) == (2, 2)


# A data set


def test_trl_rows_in_a_folder_have_a_card_that_names_the_files(tmp_path: Path) -> None:
    out = tmp_path / "set"
    export_many(plan("trl", train_split=0.5), items(*"abcdefghij"), f"{out}/")
    assert sorted(path.name for path in out.iterdir()) == [
        "README.md",
        "test.jsonl",
        "test.jsonl.provenance.jsonl",
        "train.jsonl",
        "train.jsonl.provenance.jsonl",
    ]
    card = (out / "README.md").read_text()
    assert "- name: messages\n    list: json" in card
    assert "split: train\n    path: train.jsonl" in card.replace('"', "")
    counts = [len(lines(out / f"{side}.jsonl")) for side in ("train", "test")]
    assert f"train: {counts[0]}, test: {counts[1]}" in card
    assert sum(counts) == 10
