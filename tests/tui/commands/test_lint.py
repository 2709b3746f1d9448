"""``rollstep lint``: what is odd in a rollout, to read, as JSON, and as an exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rollstep.core.model.messages import tool_result
from rollstep.core.session import Session
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.library import Library

from tests.core.projects_for_tests import LOST, played

from .conftest import RunCli


@pytest.fixture
async def kept(tmp_path: Path) -> tuple[Path, Session]:
    """A library with a rollout whose edit kept what followed, on a branch of its own."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        session = await played(library=library, author="mira", rollout_id="r-1")
        first = session.head
        assert first is not None
        steps = session.rollout.path(first)
        lost = tool_result("1", LOST)
        done = await session.override(steps[2].id, lost, "keep")
        assert done.step is not None
        leaf = session.rollout.newest_leaf(done.step.id)
        assert leaf is not None
        await session.name_branch(first, "as it went")
        await session.name_branch(leaf, "lost\x1b[31m")
        await session.go_to(done.step.id)
    return path, session


async def test_flags_of_the_branch_worked_on_are_printed_with_links_and_rules(
    cli: RunCli, kept: tuple[Path, Session]
) -> None:
    library, session = kept
    status, out, _ = cli("lint", "r-", "--library", library)
    head, *lines = out.splitlines()
    assert status == 1
    assert head == f"r-1  Refund: {len(lines)} flags"
    stale = [step for step in session.rollout if step.copied_from]
    assert lines == [
        f"  r-1#{step.seq}  step {4 + place}  stale: made before an edit above it, kept, and not "
        "made anew"
        for place, step in enumerate(stale)
    ]


async def test_a_branch_is_named_and_all_are_looked_through(
    cli: RunCli, kept: tuple[Path, Session]
) -> None:
    library, _ = kept
    status, out, _ = cli("lint", "r-1", "--library", library, "--branch", "as it went")
    assert (status, out) == (0, "r-1  Refund: no flags\n")
    status, out, _ = cli("lint", "r-1", "--library", library, "--all")
    assert status == 1
    assert "stale" in out
    status, _, err = cli("lint", "r-1", "--library", library, "--branch", "nowhere")
    assert status == 2
    assert "no branch is named 'nowhere'; branches: as it went, lost␛[31m;" in err
    status, _, err = cli("lint", "r-1", "--library", library, "--branch", "x", "--all")
    assert status == 2


async def test_silenced_flags_are_counted_and_told_when_asked(
    cli: RunCli, kept: tuple[Path, Session]
) -> None:
    library, session = kept
    stale = [step for step in session.rollout if step.copied_from]
    with Library.open(library) as opened:
        again = Session.reopen(opened.load("r-1"), opened, author="ada")
        for step in stale:
            await again.silence(step.id, "stale", "on purpose\x1b[2J")
    status, out, _ = cli("lint", "r-1", "--library", library)
    assert (status, out) == (0, f"r-1  Refund: no flags, {len(stale)} silenced\n")
    _, out, _ = cli("lint", "r-1", "--library", library, "--silenced")
    assert out.count("(silenced by ada: on purpose␛[2J)\n") == len(stale)


async def test_json_is_one_document_for_each_flag(
    cli: RunCli, kept: tuple[Path, Session], tmp_path: Path
) -> None:
    _, session = kept
    bundle = tmp_path / "all.rollstep.jsonl"
    await session.silence(session.rollout.newest_leaf(session.head) or "", "stale", "so be it")
    write_bundle([session.saved()], bundle)
    _, out, _ = cli("lint", bundle, "--json")
    heard = [json.loads(line) for line in out.splitlines()]
    _, out, _ = cli("lint", bundle, "--json", "--silenced")
    *same, last = [json.loads(line) for line in out.splitlines()]
    assert same == heard
    assert heard[0].keys() == {"link", "step", "step_id", "rule", "words", "silenced"}
    assert (last["rule"], last["silenced"]["reason"]) == ("stale", "so be it")


async def test_a_link_tells_of_its_step_only(cli: RunCli, kept: tuple[Path, Session]) -> None:
    library, session = kept
    last = max(step.seq for step in session.rollout)
    status, out, _ = cli("lint", f"r-1#{last}", "--library", library)
    assert status == 1
    assert out.count("stale") == 1
    status, _, err = cli("lint", "r-1#99", "--library", library)
    assert (status, err) == (2, "Rollout r-1 has no step 99.\n")


def test_what_is_no_rollout_is_said(cli: RunCli, project: Path) -> None:
    status, _, err = cli("lint", project)
    assert status == 2
    assert "not a rollout" in err
