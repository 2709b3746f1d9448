"""``rollstep list`` and ``rollstep export``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import msgspec
import pytest
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.session import Session
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library
from rollstep.core.workers import keyring_keys

from tests.core.store.making import PROJECT

from ...keyrings import keyring_in_memory
from .conftest import RunCli, in_a_process


def test_a_kept_rollout_is_listed(cli: RunCli, kept: tuple[Path, str]) -> None:
    library, rollout = kept
    _, out, _ = cli("list", "--library", library)
    assert out.startswith(f"{rollout}  Greet  (2 turns, 5 steps, 0 edits; max_turns)")


def test_no_part_of_the_list_acts_on_the_terminal(cli: RunCli, tmp_path: Path) -> None:
    """A rollout that came from a bundle has whatever id stood there."""
    attack = "x\x1b]52;c;aGFja2Vk\x07\u202e\n"
    header = RolloutHeader(attack, attack, source=attack)
    library = tmp_path / "library.sqlite"
    with Library.open(library) as opened:
        opened.commit(Change(attack, header, (PROJECT,), status_note=attack))
    _, out, _ = cli("list", "--library", library)
    assert out.count("x␛]52;c;aGFja2Vk␇‹U+202E›␊") == 3
    assert not set("\x1b\x07\u202e") & set(out)
    assert out.count("\n") == 1


def test_a_kept_rollout_is_exported_with_the_ids_of_the_run(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    library, rollout = kept
    target = tmp_path / "again.jsonl"
    status, _, error = cli(
        "export", rollout, "--library", library, "--format", "turn-records", "-o", target
    )
    assert status == 0
    assert "not kept" in error
    assert target.read_bytes() == (tmp_path / "out" / "multi_turn_project.jsonl").read_bytes()


def test_a_file_that_is_there_is_replaced_only_with_force(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    library, rollout = kept
    target = tmp_path / "there.md"
    target.write_text("mine")
    given = ("export", rollout, "--library", library, "--format", "markdown", "-o", target)
    status, _, error = cli(*given)
    assert status == 2
    assert f"{target} is there already" in error
    assert target.read_text() == "mine"
    assert cli(*given, "--force")[0] == 0
    assert target.read_text().startswith("# Greet")
    assert not [found for found in tmp_path.iterdir() if found.suffix == ".tmp"]


@pytest.mark.parametrize(
    ("name", "cut", "words"),
    [
        ("turn-records", ["--up-to", "3"], "turn 2 (step 3): it ends without its final reply"),
        ("openai", ["--up-to", "1"], "rule: the last is the assistant's"),
        ("openai", ["--up-to", "9"], "has no step 9"),
        ("openai", ["--branch", "angry"], "no branch is named 'angry'"),
    ],
)
def test_what_cannot_be_exported_is_refused_with_the_reason(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path, name: str, cut: list[str], words: str
) -> None:
    library, rollout = kept
    target = tmp_path / "no.jsonl"
    given = ("export", rollout, "--library", library, "--format", name, "-o", target, *cut)
    status, _, error = cli(*given)
    assert status in (1, 2)
    assert words in error
    assert not target.exists()


def test_a_link_to_a_step_and_up_to_export_the_same(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    library, rollout = kept
    common = ("--library", library, "--format", "openai", "-o")
    assert cli("export", f"{rollout}#2", *common, tmp_path / "a")[0] == 0
    assert cli("export", rollout, *common, tmp_path / "b", "--up-to", "2")[0] == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert len(json.loads((tmp_path / "a").read_text())["messages"]) == 2


def test_a_named_branch_is_exported(cli: RunCli, kept: tuple[Path, str], tmp_path: Path) -> None:
    library, rollout = kept

    async def fork() -> None:
        from rollstep.core.model.messages import target_reply

        with Library.open(library) as opened:
            session = Session.reopen(opened.load(rollout), opened)
            path = session.rollout.path(session.head)
            done = await session.override(path[1].id, target_reply("Go away."))
            assert done.step is not None
            await session.name_branch(done.step.id, "rude")
            await session.go_to(path[-1].id)
            await session.close()

    import asyncio

    asyncio.run(fork())
    common = ("--library", library, "--format", "openai", "-o")
    _, _, error = cli("export", rollout, *common, tmp_path / "a", "--branch", "rude")
    assert json.loads((tmp_path / "a").read_text())["messages"][1]["content"] == "Go away."
    assert "who made a step, what it replaced, and why (step 2)" in error
    assert "other branches of the rollout" in error


def test_a_bundle_takes_the_whole_rollout_and_is_exported_from_again(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    library, rollout = kept
    bundle = tmp_path / "one.rollstep.jsonl"
    status, _, error = cli(
        "export", rollout, "--library", library, "--format", "bundle", "-o", bundle
    )
    assert (status, "nothing is lost" in error) == (0, True)
    assert cli("export", bundle, "--format", "turn-records", "-o", tmp_path / "x.jsonl")[0] == 0
    ours = (tmp_path / "x.jsonl").read_bytes()
    assert ours == (tmp_path / "out" / "multi_turn_project.jsonl").read_bytes()


def test_a_bundle_of_several_rollouts_is_exported_whole(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    from rollstep.core.store.bundle import write_bundle

    with Library.open(kept[0]) as library:
        saved = library.load(kept[1])
    other = msgspec.structs.replace(saved, header=RolloutHeader("other", "Other"))
    bundle = tmp_path / "two.rollstep.jsonl"
    write_bundle([saved, other], bundle)
    status, _, error = cli("export", bundle, "--format", "openai", "-o", tmp_path / "x.jsonl")
    assert status == 0
    assert error.endswith("read 2 rollouts, wrote 2 rows\n")
    assert (tmp_path / "x.jsonl").read_bytes().count(b"\n") == 2
    status, _, _ = cli("export", bundle, "--format", "markdown", "-o", tmp_path / "md")
    assert sorted(path.suffix for path in (tmp_path / "md").iterdir()) == [".md", ".md"]


def test_an_export_to_stdout_is_the_bytes_of_the_file(
    kept: tuple[Path, str], tmp_path: Path
) -> None:
    given = ("export", kept[1], "--library", kept[0], "--format", "turn-records", "-o", "-")
    done = in_a_process(*given)
    assert done.stdout == (tmp_path / "out" / "multi_turn_project.jsonl").read_bytes()
    given = ("export", kept[1], "--library", kept[0], "--format", "bundle", "-o", "-")
    done = in_a_process(*given)
    assert (done.returncode, done.stdout) == (2, b"")


def test_project_and_seed_exports_play_anew(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    library, rollout = kept
    common = ("export", rollout, "--library", library)
    _, _, error = cli(*common, "--format", "seed", "-o", tmp_path / "s.jsonl")
    assert "evaluator: a row names no roles" in error
    assert json.loads((tmp_path / "s.jsonl").read_text())["user_text"] == "Hi."
    cli(*common, "--format", "project", "-o", tmp_path / "p.yaml")
    again = tmp_path / "again"
    assert cli("run", tmp_path / "p.yaml", "--output-dir", again)[0] == 0
    assert (again / "multi_turn_project.jsonl").read_bytes() == (
        tmp_path / "out" / "multi_turn_project.jsonl"
    ).read_bytes()


def test_an_unknown_rollout_or_library_is_an_error(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    common = ("--format", "openai", "-o", tmp_path / "x")
    status, _, error = cli("export", "zzz", "--library", kept[0], *common)
    assert (status, "No rollout zzz" in error) == (2, True)
    status, _, _ = cli("export", "zzz", "--library", tmp_path / "none.sqlite", *common)
    assert status == 2
    assert not (tmp_path / "none.sqlite").exists()


def test_many_are_exported_by_a_query_with_a_summary(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    library, rollout = kept
    given = ("export", "--library", library, "--format", "openai", "-o", tmp_path / "x.jsonl")
    status, _, error = cli(*given, "--where", "turns = 2 title:greet")
    assert status == 0
    assert error.splitlines()[-1] == "read 1 rollout, wrote 1 row"
    assert "not kept: the stop and its reason" in error
    status, _, error = cli(*given, "--force", "--where", "turns > 2")
    assert (status, "No rollout in" in error) == (2, True)
    status, _, error = cli(*given, "--force", "--where", "trns > 2")
    assert (status, "column 1: no field 'trns'; did you mean turns" in error) == (2, True)
    status, _, error = cli(*given, "--where", "turns > 2", rollout)
    assert (status, "Name rollouts, or give --where" in error) == (2, True)


def test_a_refused_trajectory_is_named_and_the_others_are_written(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    from rollstep.core.store.bundle import write_bundle

    with Library.open(kept[0]) as library:
        saved = library.load(kept[1])
    cut = msgspec.structs.replace(
        saved, header=RolloutHeader("cut", "Cut"), steps=saved.steps[:1], head=saved.steps[0].id
    )
    bundle = tmp_path / "two.rollstep.jsonl"
    write_bundle([saved, cut], bundle)
    status, _, error = cli("export", bundle, "--format", "openai", "-o", tmp_path / "x.jsonl")
    assert status == 1
    assert "skipped cut#1: messages[0].role: it is user (step 1); rule: the last is the" in error
    assert error.splitlines()[-1] == "read 2 rollouts, wrote 1 row, skipped 1"


def test_looking_writes_nothing(cli: RunCli, kept: tuple[Path, str], tmp_path: Path) -> None:
    library, rollout = kept
    given = ("--library", library, "--format", "openai", "-o", tmp_path / "x.jsonl", "--look")
    status, _, error = cli("export", rollout, *given)
    assert (status, "would write 1 row" in error, "not kept" in error) == (0, True, True)
    assert not (tmp_path / "x.jsonl").exists()


def test_a_key_of_the_keyring_is_found_and_replaced(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    library, rollout = kept
    common = ("export", rollout, "--library", library, "--format", "openai", "--redact", "-o")
    with keyring_in_memory():
        keyring_keys.keep("SHOP_API_KEY", "And now?")
        _, _, error = cli(*common, tmp_path / "x.jsonl")
    assert "replaced: SHOP_API_KEY (" in error
    assert "And now?" not in (tmp_path / "x.jsonl").read_text()


def test_a_keyring_that_fails_is_said_and_the_export_is_made(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    library, rollout = kept
    with keyring_in_memory() as ring:
        ring.trouble = RuntimeError("locked")
        status, _, error = cli(
            "export", rollout, "--library", library, "--format", "openai", "-o", tmp_path / "x"
        )
    assert status == 0
    assert "Keys of the keyring are not looked for. The keyring failed (locked)" in error


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--format", "nope"], "The format 'nope' is not known"),
        (["--format", "openai", "--history", "full"], "openai has no choice of history"),
        (["--format", "openai", "--rename", "x"], "'x' is not of the form OLD=NEW"),
        (["--format", "markdown", "--train-split", "0.5"], "no format of rows"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path, given: list[str], words: str
) -> None:
    library, rollout = kept
    status, _, error = cli("export", rollout, "--library", library, "-o", tmp_path / "x", *given)
    assert (status, words in error) == (2, True)
    assert not (tmp_path / "x").exists()


def test_every_format_that_is_written_is_in_the_help(cli: RunCli) -> None:
    _, out, _ = cli("export", "--help")
    names = {line.split()[0] for line in out.split("Formats:")[1].splitlines() if line.strip()}
    assert names >= {fmt.name for fmt in FORMATS.values() if fmt.writes}


def test_the_commands_of_the_page_of_exports_are_commands() -> None:
    from rollstep.tui.cli_export import export_command

    page = (Path(__file__).parents[3] / "docs" / "export.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("rollstep export ")]
    assert len(lines) >= 6
    for line in lines:
        arguments = shlex.split(line, comments=False)[2:]
        cut = arguments.index("#") if "#" in arguments else len(arguments)
        parsed = export_command.make_context("export", arguments[:cut]).params
        assert parsed["format_name"] in FORMATS
        assert parsed["rollouts"] or parsed["where"]
