"""``rollstep diff``: what its arguments name, what it prints, and how it ends."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from rollstep.core.model.messages import UserMessage, target_reply, user_message
from rollstep.core.samples import sample
from rollstep.core.session import Session
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.library import Library
from rollstep.tui.cells import cells

from ..synthetic import HOSTILE
from .conftest import RunCli

Kept = tuple[Path, str]


def refund() -> Path:
    bundle = sample("refund").bundle
    assert bundle is not None
    return bundle


@pytest.fixture
def forked(kept: Kept) -> Kept:
    """The kept rollout with the first reply overridden, on a branch named ``rude@home``."""

    async def fork() -> None:
        with Library.open(kept[0]) as library:
            session = Session.reopen(library.load(kept[1]), library)
            path = session.rollout.path(session.head)
            done = await session.override(path[1].id, target_reply("Go away."), "keep")
            assert done.step is not None
            leaf = session.rollout.newest_leaf(done.step.id)
            assert leaf is not None
            await session.name_branch(leaf, "rude@home")
            await session.go_to(path[-1].id)
            await session.close()

    asyncio.run(fork())
    return kept


def test_a_rollout_is_the_same_as_itself(cli: RunCli, kept: Kept) -> None:
    status, out, error = cli("diff", kept[1], kept[1][:8], "--library", kept[0])
    assert (status, error) == (0, "")
    assert out.endswith("The same: 5 steps.\n")


def test_two_branches_stand_side_by_side(cli: RunCli, forked: Kept) -> None:
    library, rollout = forked
    given = ("diff", rollout, f"{rollout}@rude@home", "--library", library, "--width", "60")
    status, out, error = cli(*given)
    assert (status, error) == (1, "")
    head, rows = out.split("\n\n")
    assert head.split("\n") == [
        f"--- {rollout}  Greet, branch 1 of 2",
        head.split("\n")[1],
        f"+++ {rollout}  Greet, rude@home",
        head.split("\n")[3],
        "First difference: step 2, turn 1. 1 difference.",
    ]
    assert head.split("\n")[3].endswith("; 1 edit")
    assert rows.split("\n")[:6] == [
        "-- turn 1 -------------------+--- turn 1 ------------------",
        "1 E Hi.                      | 1 E Hi.",
        "2 T Hello.                   ~ 2 T Go away.",
        "-- turn 2 -------------------+--- turn 2 ------------------",
        "3 E And now?                 | 3 E And now?",
        "4 T Bye.                     | 4 T Bye.",
    ]


@pytest.mark.parametrize("name", ["{0}@2", "{0}#6", "{0}@rude@home"])
def test_a_branch_is_named_by_name_number_or_a_step_on_it(
    cli: RunCli, forked: Kept, name: str
) -> None:
    library, rollout = forked
    given = (name.format(rollout), f"{rollout}@rude@home", "--library", library)
    assert cli("diff", *given)[0] == 0


def test_turn_records_name_their_rollout_too(cli: RunCli, kept: Kept, tmp_path: Path) -> None:
    record = json.loads((tmp_path / "out" / "multi_turn_project.jsonl").read_text().split("\n")[0])
    given = ("diff", record["session_id"], kept[1], "--library", kept[0])
    assert cli(*given)[0] == 0


def test_changed_words_are_marked_in_place(cli: RunCli) -> None:
    given = (refund(), f"{refund()}@policy says yes")
    status, out, _ = cli("diff", *given, "--words", "--width", "80")
    assert status == 1
    assert '{"refundable": [-false-]{+true+}, "rule": "R-[-14-]{+02+}", "because":' in out
    assert re.search(r"^\+     9 S issue_refund$", out, re.MULTILINE)
    assert re.search(r"^- 11    S check_policy$", out, re.MULTILINE)


def test_the_json_holds_every_step_of_both_sides(cli: RunCli) -> None:
    given = (refund(), f"{refund()}@right argument")
    status, out, _ = cli("diff", *given, "--json")
    found = json.loads(out)
    assert (status, found["equal"], found["common"]) == (1, False, 5)
    assert found["first_difference"] == {"left": 6, "right": 6}
    for side in ("left", "right"):
        numbers = [row[side]["step"] for row in found["rows"] if row[side]]
        assert numbers == list(range(1, found[side]["steps"] + 1))
    changed = next(row for row in found["rows"] if row["kind"] == "changed")
    assert [change["what"] for change in changed["changes"]] == [
        "reasoning",
        "arguments of call 1",
    ]
    assert changed["left"]["payload"]["type"] == "target_reply"


def test_rollouts_of_other_projects_are_said_to_be(cli: RunCli) -> None:
    research = sample("research").bundle
    status, out, _ = cli("diff", refund(), research)
    assert status == 1
    assert "The projects differ in: title, target, evaluator, goal, opening" in out
    assert json.loads(cli("diff", refund(), research, "--json")[1])["project_differences"]


@pytest.mark.parametrize("width", [40, 59, 60, 61, 100, 131])
@pytest.mark.parametrize("words", [(), ("--words",)])
def test_no_row_is_wider_than_the_terminal(cli: RunCli, width: int, words: tuple[str, ...]) -> None:
    _, out, _ = cli("diff", refund(), sample("research").bundle, "--width", width, *words)
    rows = out.split("\n\n", 1)[1].split("\n")
    assert len(rows) > 20
    assert max(map(cells, rows)) <= width


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "{0}@angry",
            "no branch is named 'angry'; branches: main.",
        ),
        ("{0}@2", "no branch is named '2'"),
        ("{0}#99", "has no step 99"),
        ("nobody", "No rollout nobody"),
        ("nobody@2", "No rollout nobody"),
        ("nothing.rollstep.jsonl", "nothing.rollstep.jsonl: there is no such file"),
        ("{1}", "not a rollout"),
        ("{2}", "it holds 2 rollouts"),
    ],
)
def test_what_cannot_be_compared_is_trouble(
    cli: RunCli, kept: Kept, project: Path, tmp_path: Path, name: str, words: str
) -> None:
    with Library.open(kept[0]) as library:
        saved = library.load(kept[1])
    two = tmp_path / "two.rollstep.jsonl"
    write_bundle([saved, saved], two)
    given = (kept[1], name.format(kept[1], project, two), "--library", kept[0])
    status, out, error = cli("diff", *given)
    assert (status, out) == (2, "")
    assert words in error


def test_a_library_that_is_not_there_is_trouble(cli: RunCli, tmp_path: Path) -> None:
    status, _, error = cli("diff", "a", "b", "--library", tmp_path / "none.sqlite")
    assert (status, "no library" in error) == (2, True)
    assert not (tmp_path / "none.sqlite").exists()


def test_colours_are_for_terminals_that_want_them(
    cli: RunCli, forked: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("diff", forked[1], f"{forked[1]}@2", "--library", forked[0])
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" not in cli(*given)[1]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "\x1b[32;4mGo away.\x1b[0m" in cli(*given)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in cli(*given)[1]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_part_of_it_acts_on_the_terminal(cli: RunCli, tmp_path: Path, text: str) -> None:
    from rollstep.core.store.bundle_reader import read_bundle

    ((saved, _),) = read_bundle(refund())
    odd = [
        msgspec.structs.replace(step, payload=user_message(text))
        if isinstance(step.payload, UserMessage)
        else step
        for step in saved.steps
    ]
    header = msgspec.structs.replace(saved.header, id=text, title=text)
    bundle = tmp_path / "odd.rollstep.jsonl"
    write_bundle([msgspec.structs.replace(saved, header=header, steps=tuple(odd))], bundle)
    for how in ((), ("--words",), ("--json",)):
        status, out, error = cli("diff", refund(), bundle, *how)
        assert status == 1
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out + error)


def test_it_loads_no_screen(kept: Kept) -> None:
    arguments = ["diff", kept[1], kept[1], "--library", str(kept[0])]
    script = f"import sys; from rollstep.tui.cli import main; print(main({arguments!r}))"
    script += "; print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.endswith(b"The same: 5 steps.\n0\nFalse\n")
