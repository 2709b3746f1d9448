"""Rollouts that come to their stop with something odd on them: parked, until that is settled."""

from __future__ import annotations

from pathlib import Path

from rollstep.core.listing.newest import newest_rollouts
from rollstep.core.listing.rollout_list import list_rollouts
from rollstep.core.listing.up_to_date import bring_up_to_date
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import target_reply
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.tui.commands.run_output import RECORDS

from .conftest import PROJECT, RunCli

FLAGGED = PROJECT.replace("replies: [Hello., Bye.]", "replies: [Hello., ' ']")


def test_flags_park_where_they_are_to(cli: RunCli, tmp_path: Path) -> None:
    flagged = tmp_path / "flagged.yaml"
    flagged.write_text(FLAGGED)
    library = tmp_path / "l.sqlite"
    given = ("run", flagged, "--output-dir", tmp_path, "--library", library)
    status, _, error = cli(*given, "--park-flags")
    assert status == 1
    assert "flag empty at step 4" in error
    with Library.open(library) as opened:
        (kept,) = opened.recent()
    assert kept.status == "parked"
    assert kept.ending.startswith("parked: flag empty at step 4")
    assert "to open the first and look at its flag" in error
    assert "wrote 2 turn records of 1 rollout to " in error
    assert "did not" not in error
    assert cli(*given, "--resume", "--park-flags")[0] == 1
    assert cli(*given, "--resume")[0] == 0
    assert len((tmp_path / RECORDS).read_text().splitlines()) == 2


def parked(library: Path) -> int:
    with Library.open(library) as opened:
        bring_up_to_date(opened)
        return len(list_rollouts(opened, "parked:yes"))


async def test_what_was_parked_for_a_flag_waits_until_that_is_settled(
    cli: RunCli, tmp_path: Path
) -> None:
    flawed = tmp_path / "flawed.yaml"
    flawed.write_text(FLAGGED)
    library = tmp_path / "l.sqlite"
    cli("run", flawed, "--output-dir", tmp_path, "--library", library, "--park-flags")
    assert parked(library) == 1
    with Library.open(library) as opened:
        name = opened.recent()[0].id
        session = Session.reopen(opened.load(name), opened)
        path = session.rollout.path(session.head)
        assert session.why_parked.startswith("flag empty at step 4")
        await session.mark(Mark(path[-1].id, verdict="accept"))
        assert session.why_parked == ""
        assert newest_rollouts(opened)[0].ending == "max_turns"  # before anybody looked through
        assert parked(library) == 0
        await session.undo()
        assert session.why_parked
        assert newest_rollouts(opened)[0].ending.startswith("parked: flag empty at step 4")
        assert parked(library) == 1
        await session.silence(path[3].id, "empty", "meant so")
        assert (session.why_parked, parked(library)) == ("", 0)
        await session.undo()
        await session.override(path[3].id, target_reply("Not empty."), after="keep")
        assert session.why_parked.startswith("flag target-edited at step 4")
        await session.close()
        # Taken back by another program, it waits again, and says why.
        session = Session.reopen(opened.load(name), opened)
        await session.undo()
        assert session.why_parked.startswith("flag empty at step 4")
        assert parked(library) == 1
        assert "flag empty" in opened.recent()[0].ending
        await session.close()


def test_of_many_that_are_parked_ten_are_told_of_and_the_rest_counted(
    cli: RunCli, tmp_path: Path
) -> None:
    flawed = tmp_path / "flawed.yaml"
    flawed.write_text(FLAGGED)
    _, _, error = cli("run", *[flawed] * 13, "--output-dir", tmp_path, "--park-flags")
    assert error.count("flag empty at step 4") == 10
    assert "… more that were parked are counted below" in error
    assert "  parked  13  flags" in error
