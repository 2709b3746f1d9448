"""Every released library and bundle still opens. One line per frozen file (see ``freeze.py``)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import StoreError
from rollstep.core.listing.facts import describe_some
from rollstep.core.listing.rollout_list import list_rollouts
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.session import Session
from rollstep.core.store import bundle, schema
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.bundle_reader import read_bundle
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library

from tests.core.store.freeze import CHANGE, CHANGE_1, DATA, DRAFT
from tests.core.store.making import step

LIBRARIES = {1: CHANGE_1, 2: CHANGE, 3: CHANGE, 4: CHANGE}
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


@pytest.mark.parametrize("version", LIBRARIES)
def test_an_old_library_is_listed(version: int, tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    shutil.copyfile(DATA / f"library_v{version}.sqlite", path)
    with Library.open(path) as library:
        while describe_some(library):
            pass
        found = list_rollouts(library, "edits > 0 title:refund")
        assert found.ids() == [LIBRARIES[version].rollout_id]


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


ODD = (
    r'{"role": "tool", "tool": 7, "turn": 2}',
    '["step = 3"]',
    "7",
    "null",
    '{"role": "tool"',
    "[" * 100_000,
    '"turn = 4"',
    '{"role": "boss", "enabled": false}',
    '{"turn": true, "before": true}',
    '{"turn": 0, "text": "lost \\ud800", "name": 3, "enabled": false}',
)
"""Version 1 kept any JSON text as a breakpoint, and nothing had ever read one."""

LEFT = (
    Breakpoint(role="tool", turn=2),
    Breakpoint("turn = 4"),
    Breakpoint(text="lost \ud800", enabled=False),
)
"""What they say, as far as it can be read."""


def test_breakpoints_that_version_1_kept_as_texts_become_breakpoints(tmp_path: Path) -> None:
    path = _library_of_1(tmp_path, b'{"breakpoints":' + json.dumps(ODD).encode() + b",")
    with Library.open(path) as library:
        saved = library.load(CHANGE_1.rollout_id)
    assert {project.breakpoints for project in saved.projects} == {LEFT}


def test_a_project_that_cannot_be_read_does_not_keep_a_library_from_opening(
    tmp_path: Path,
) -> None:
    with Library.open(_library_of_1(tmp_path, b"\xff{,")) as library:
        assert library.count() == len(library.recent())
        with pytest.raises(StoreError, match="holds something that cannot be read"):
            library.load(CHANGE_1.rollout_id)


def test_a_bundle_of_version_1_with_breakpoints_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "old.rollstep.jsonl"
    start = b'{"project":{'
    old = (DATA / "bundle_v1.rollstep.jsonl").read_bytes()
    assert start in old
    path.write_bytes(
        old.replace(start, start + b'"breakpoints":' + json.dumps(ODD).encode() + b",")
    )
    warnings: list[str] = []
    (saved, _), _ = read_bundle(path, warnings)
    assert {project.breakpoints for project in saved.projects} == {LEFT}
    assert warnings == []


def test_records_of_a_kind_that_is_not_known_are_left_where_they_are(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    shutil.copyfile(DATA / f"library_v{schema.VERSION}.sqlite", path)
    add = (
        "INSERT INTO records (rollout, kind, name, body) SELECT key, 'verdict', x'31', x'ff7b'"
        " FROM rollouts"
    )
    _change(path, add)
    with Library.open(path) as library:
        saved = library.load(CHANGE.rollout_id)
        _check(saved, schema.VERSION)
        assert library.news(CHANGE.rollout_id, 0).breakpoints == CHANGE.breakpoints
        session = Session.reopen(saved, library)
        assert session.saved().commands == CHANGE.commands
        library.commit(msgspec.structs.replace(CHANGE, steps=(step("s7", "s3", "onwards"),)))
    with closing(sqlite3.connect(path)) as connection:
        kept = connection.execute("SELECT body FROM records WHERE kind = 'verdict'").fetchall()
    assert {body for (body,) in kept} == {b"\xff{"}


def _library_of_1(folder: Path, start: bytes) -> Path:
    """A library of version 1 whose projects begin otherwise."""
    path = folder / "library.sqlite"
    shutil.copyfile(DATA / "library_v1.sqlite", path)
    _change(path, "UPDATE projects SET body = CAST(? || substr(body, 2) AS BLOB)", start)
    return path


def _change(path: Path, statement: str, *values: bytes) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)
