"""Every released library and bundle still opens. One line per frozen file (see ``freeze.py``)."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import msgspec
import pytest
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.store import bundle, schema
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.bundle_reader import read_bundle
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library

from tests.core.store.freeze import CHANGE, CHANGE_1, DATA, DRAFT
from tests.core.store.making import step

LIBRARIES = {1: CHANGE_1, 2: CHANGE}
"""What the frozen library of each version holds."""

BUNDLES = {1: CHANGE_1, 2: CHANGE}


def test_each_version_has_its_frozen_file() -> None:
    assert [*LIBRARIES] == [*range(1, schema.VERSION + 1)]
    assert [*BUNDLES] == [*range(1, bundle.VERSION + 1)]


@pytest.mark.parametrize("version", LIBRARIES)
def test_an_old_library_opens_whole_and_goes_on(version: int, tmp_path: Path) -> None:
    change = LIBRARIES[version]
    path = tmp_path / "library.sqlite"
    shutil.copyfile(DATA / f"library_v{version}.sqlite", path)
    with Library.open(path) as library:
        saved = library.load(change.rollout_id)
        _check(saved, version)
        assert library.drafts(change.rollout_id) == (DRAFT,)
        assert library.request("d1") == change.requests[0][1]
        summary = library.recent()[-1]
        assert (summary.steps, summary.turns, summary.edits) == (6, 1, 1)
        assert summary.updated_at == 1234.5
        assert [hit.step_id for hit in library.search("办理退款")] == ["s2"]
        assert len(library.search("broke")) == 2
        library.commit(msgspec.structs.replace(change, steps=(step("s7", "s3", "onwards"),)))
        assert library.load(change.rollout_id).steps[-1].seq == 7
        assert [hit.step_id for hit in library.search("onwards")] == ["s7"]


@pytest.mark.parametrize("version", BUNDLES)
def test_an_old_bundle_reads_whole(version: int) -> None:
    (saved, requests), (other, none) = read_bundle(DATA / f"bundle_v{version}.rollstep.jsonl")
    _check(saved, version)
    assert requests == dict(BUNDLES[version].requests)
    assert (other.header.id, len(other.steps), none) == ("cafe", 1, {})


def test_the_newest_bundle_is_written_as_it_is_frozen(tmp_path: Path) -> None:
    frozen = DATA / f"bundle_v{bundle.VERSION}.rollstep.jsonl"
    requests: dict[str, str] = {}
    rollouts = []
    for saved, some in read_bundle(frozen):
        rollouts.append(saved)
        requests |= some
    write_bundle(rollouts, tmp_path / "again", requests=requests.get)
    assert (tmp_path / "again").read_bytes() == frozen.read_bytes()


def _check(saved: Saved, version: int) -> None:
    change = LIBRARIES[version]
    names = ("header", "projects", "attempts", "commands", "branches", "marks", "scores")
    for name in (*names, "silences", "breakpoints"):
        assert getattr(saved, name) == getattr(change, name)
    assert (saved.head, saved.status, saved.status_note) == (
        change.head,
        change.status,
        change.status_note,
    )
    numbered = [msgspec.structs.replace(each, seq=n) for n, each in enumerate(change.steps, 1)]
    assert [*saved.steps] == numbered


def test_breakpoints_that_version_1_kept_as_texts_become_breakpoints(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    shutil.copyfile(DATA / "library_v1.sqlite", path)
    old = rb"""{"breakpoints":["{\"role\":\"tool\",\"tool\":7,\"turn\":2}"],"""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE projects SET body = CAST(? || substr(body, 2) AS BLOB)", (old,))
    connection.close()
    with Library.open(path) as library:
        saved = library.load(CHANGE_1.rollout_id)
    found = {project.breakpoints for project in saved.projects}
    assert found == {(Breakpoint(role="tool", turn=2),)}
