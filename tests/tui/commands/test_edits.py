"""``rollstep edits``: the ledger of a rollout, to read and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rollstep.core.model.messages import tool_result, user_message
from rollstep.core.session import Session
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.library import Library

from tests.core.projects_for_tests import LOST, played, refund

from .conftest import RunCli


@pytest.fixture
async def edited(tmp_path: Path) -> tuple[Path, Session]:
    """A library with a rollout of two edits, of which the first was reverted."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        session = await played(library=library, author="mira", rollout_id="r-1")
        steps = session.rollout.path(session.head)
        lost = tool_result("1", LOST)
        done = await session.override(steps[2].id, lost, "keep", "what if it is lost?")
        assert done.step is not None
        await session.revert(done.step.id, "it is not")
        await session.override(steps[-3].id, user_message("Thanks a lot!\x1b[31m"), "stay")
    return path, session


async def test_edits_are_told_in_the_order_in_which_they_were_made(
    cli: RunCli, edited: tuple[Path, Session]
) -> None:
    library, _ = edited
    status, out, _ = cli("edits", "r-", "--library", library)
    assert status == 0
    first, second = out.split("\n\n")[1:]
    assert out.startswith("r-1  Refund: 2 edits, 1 of them stand\n")
    assert first.startswith("r-1#9  step 3, tool simulator: override  by mira, ")
    assert "\n  reason: what if it is lost?\n" in first
    assert "\n  reverted by mira, " in first
    assert ", because: it is not\n" in first
    assert '{"status": "[-delivered-]{+lost+}"[-, "price": 49.0-]}' in first
    assert "\n  followed by: 5 later steps kept; ended: goal_reached, by the evaluator\n" in first
    assert "followed by: nothing yet" in second


async def test_nothing_that_is_printed_acts_on_the_terminal(
    cli: RunCli, edited: tuple[Path, Session]
) -> None:
    library, _ = edited
    for options in ((), ("--json",)):
        _, out, _ = cli("edits", "r-1", "--library", library, *options)
        assert "Thanks a lot!" in out
        assert "\x1b" not in out


async def test_as_json_there_is_a_document_on_a_line_for_each(
    cli: RunCli, edited: tuple[Path, Session]
) -> None:
    library, _ = edited
    _, out, _ = cli("edits", "r-1", "--library", library, "--json")
    first, second = (json.loads(line) for line in out.splitlines())
    assert first["link"] == "r-1#9"
    assert first["final"]["parts"][0]["text"] == LOST
    assert first["standing"] == "reverted"
    assert first["reverts"][0]["reason"] == "it is not"
    assert {"kind": "added", "text": "lost"} in first["diff"]
    assert second["final"]["parts"][0]["text"].endswith("\x1b[31m")


async def test_lone_surrogates_and_deletes_are_written_as_escapes(
    cli: RunCli, tmp_path: Path
) -> None:
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        session = await played(library=library, rollout_id="r-1")
        first = session.rollout.path(session.head)[0]
        await session.override(first.id, user_message("odd \ud83d \x7f \x9b"), "stay")
    status, out, _ = cli("edits", "r-1", "--library", path, "--json")
    assert status == 0
    assert "odd \\ud83d \\u007f \\u009b" in out
    status, out, _ = cli("edits", "r-1", "--library", path)
    assert "odd ‹\\ud83d› ␡ ‹U+009B›" in out


async def test_a_bundle_is_told_rollout_by_rollout(
    cli: RunCli, edited: tuple[Path, Session], tmp_path: Path
) -> None:
    _, session = edited
    other = await played(refund(title="Other"), rollout_id="r-2")
    bundle = tmp_path / "two.rollstep.jsonl"
    write_bundle([session.saved(), other.saved()], bundle)
    _, out, _ = cli("edits", bundle)
    assert "r-1  Refund: 2 edits" in out
    assert out.endswith("r-2  Other: no edits\n")


async def test_a_link_tells_of_one_edit(cli: RunCli, edited: tuple[Path, Session]) -> None:
    library, _ = edited
    _, out, _ = cli("edits", "r-1#9", "--library", library, "--json")
    assert json.loads(out)["seq"] == 9


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("r-1#2", "r-1#2 is no edit, nor a copy of one."),
        ("r-1#99", "Rollout r-1 has no step 99."),
        ("r-7", "r-7"),
        ("nowhere.yaml", "nowhere.yaml: there is no such file."),
    ],
)
async def test_what_has_no_edits_is_an_error(
    cli: RunCli, edited: tuple[Path, Session], name: str, words: str
) -> None:
    library, _ = edited
    status, out, error = cli("edits", name, "--library", library)
    assert (status, out) == (2, "")
    assert words in error


def test_a_project_is_no_rollout(cli: RunCli, project: Path) -> None:
    status, _, error = cli("edits", project)
    assert status == 2
    assert "not a rollout" in error
