"""Which files an export of two sides, or of several branches, leaves, and what they are called."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rollstep.core.exporting.items import Item, from_bundle
from rollstep.core.exporting.many import export_many, survey
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.rollout import Branch

from .making import items, plan, saved


@pytest.mark.usefixtures("formats")
@pytest.mark.parametrize("share", [0.0001, 0.9999])
@pytest.mark.parametrize("out", ["set/", "x.jsonl"])
def test_a_side_without_rows_has_no_file_and_that_is_said(
    tmp_path: Path, share: float, out: str
) -> None:
    """Loaders fail on an empty file; one of an earlier export would be taken for this one's."""
    folder = tmp_path / "set"
    folder.mkdir()
    names = ("train.jsonl", "test.jsonl")
    before = [folder / name if out == "set/" else tmp_path / f"x.{name}" for name in names]
    for path in before:
        path.write_text("of an earlier export")
        path.with_name(f"{path.name}.provenance.jsonl").write_text("too")
    asked = plan(train_split=share)
    done = export_many(asked, items("r1"), f"{tmp_path}/{out}", force=True)
    kept, empty = reversed(before) if share < 0.5 else before
    beside = [path.with_name(f"{path.name}.provenance.jsonl") for path in (kept, empty)]
    assert [path.exists() for path in (kept, empty, *beside)] == [True, False, True, False]
    side = "train" if share < 0.5 else "test"
    assert f"no rollout falls on the {side} side, and no file is written" in done.of_all[0]
    assert done.files == ([folder] if out == "set/" else [kept])
    assert done.of_all == survey(asked, items("r1")).of_all


@pytest.mark.usefixtures("formats")
def test_each_branch_has_a_document_that_bears_its_name(tmp_path: Path) -> None:
    named = saved(branches=(Branch("e", "Rude, and short"),))
    export_many(plan("page", branches="all"), [Item(named)], tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["greet-r1-branch-2.txt", "greet-r1-rude-and-short.txt"]
    alone = msgspec.structs.replace(saved("r2"), steps=saved("r2").steps[:2], head="b")
    export_many(plan("page"), [Item(alone)], tmp_path / "one")
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["greet-r2.txt"]


@pytest.mark.usefixtures("formats")
def test_both_sides_of_a_split_bundle_can_be_read(tmp_path: Path) -> None:
    ids = [f"r{number}" for number in range(10)]
    export_many(plan("bundle", train_split=0.5), items(*ids), tmp_path / "x.rollstep.jsonl")
    read = [
        {item.saved.header.id for item in from_bundle(tmp_path / f"x.rollstep.{side}.jsonl")}
        for side in ("train", "test")
    ]
    assert (read[0] | read[1], read[0] & read[1]) == (set(ids), set())
    assert all(read)


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_a_page_for_people_says_which_branch_it_is(tmp_path: Path, name: str) -> None:
    named = saved(branches=(Branch("e", "Rude, and short"),))
    export_many(plan(name, branches="all"), [Item(named)], tmp_path / "out")
    suffix = FORMATS[name].suffix
    for branch in ("Rude, and short", "branch 2"):
        words = branch.lower().replace(", ", "-").replace(" ", "-")
        text = (tmp_path / "out" / f"greet-r1-{words}{suffix}").read_text()
        title = text.split("\n", 1)[0] if name == "markdown" else text[: text.index("</title>")]
        assert title.endswith(f"Greet › {branch}")
