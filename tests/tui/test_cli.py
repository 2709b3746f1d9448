"""The command line, run in this process, or in one of its own where the process itself matters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.tui.cli import main

SEED_PROGRAM = Path(__file__).parents[1] / "data" / "seed_program"
SCENARIOS = SEED_PROGRAM / "scenarios.jsonl"
BRACKETS = Path(__file__).parent / "data" / "brackets_[v1][bold]in[_a]name_broken_line_2.jsonl"

PROJECT = """\
title: Greet
goal: A greeting.
opening: Hi.
max_turns: 2
target: {kind: scripted, replies: [Hello., Bye.]}
evaluator: {kind: scripted, messages: [And now?]}
"""

RunCli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> RunCli:
    """Runs a command; gives its exit status and what it said on stdout and on stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "greet.yaml"
    path.write_text(PROJECT)
    return path


def seed_file(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "seeds.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run_records(folder: Path) -> list[dict[str, object]]:
    text = (folder / "multi_turn_project.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


# -- run, as the seed program's command line ------------------------------------------------------


def masked(text: str) -> str:
    """Ids in the order of their first appearance, so that two programs' records can be compared."""
    seen: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        kind = match[0].split("-")[0]
        same = sum(known.startswith(kind) for known in seen)
        return seen.setdefault(match[0], f"{kind}#{same}")

    ids = r"proj-[0-9a-f]{12}|step-[0-9a-f]{16}|seed-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    return re.sub(ids, number, text)


def in_order(text: str) -> list[object]:
    """The rows with the order of their keys."""
    return [json.loads(line, object_pairs_hook=list) for line in text.split("\n") if line]


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        ("all", []),
        ("four_turns", ["--turns", "4", "--num-projects", "3", "--seed", "7"]),
        ("with_replacement", ["--turns", "2", "--num-projects", "14", "--seed", "3"]),
    ],
)
def test_records_equal_the_seed_programs_own_but_for_the_ids(
    cli: RunCli, tmp_path: Path, expected: str, arguments: list[str]
) -> None:
    status, _, _ = cli("run", "--seed-file", SCENARIOS, "--output-dir", tmp_path, *arguments)
    assert status == 0
    ours = (tmp_path / "multi_turn_project.jsonl").read_text(encoding="utf-8")
    theirs = (SEED_PROGRAM / f"expected_{expected}.jsonl").read_text(encoding="utf-8")
    assert in_order(masked(ours)) == in_order(theirs)


def test_two_runs_are_equal_to_the_byte(cli: RunCli, tmp_path: Path) -> None:
    for name in ("one", "two"):
        cli("run", "--seed-file", SCENARIOS, "--output-dir", tmp_path / name)
    data = [(tmp_path / n / "multi_turn_project.jsonl").read_bytes() for n in ("one", "two")]
    assert data[0] == data[1]


def test_a_rerun_appends_and_parents_are_made(cli: RunCli, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    for _ in range(2):
        cli("run", "--seed-file", SCENARIOS, "--output-dir", folder, "--num-projects", "1")
    data = (folder / "multi_turn_project.jsonl").read_bytes()
    half = len(data) // 2
    assert data[:half] == data[half:]


def test_non_ascii_text_stays_as_it_is_in_utf_8(cli: RunCli, tmp_path: Path) -> None:
    cli("run", "--seed-file", SCENARIOS, "--output-dir", tmp_path)
    assert "東京で三日間 👩‍🌾" in (tmp_path / "multi_turn_project.jsonl").read_text("utf-8")


@pytest.mark.parametrize("content", [None, "", "\n  \n\t\n"])
def test_a_missing_or_blank_seed_file_is_an_error(
    cli: RunCli, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "seeds.jsonl"
    if content is not None:
        path.write_text(content)
    status, _, error = cli("run", "--seed-file", path, "--output-dir", tmp_path / "out")
    assert status == 2
    assert str(path) in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--turns", "0"],
        ["--num-projects", "-1"],
        ["--seed", "x"],
        ["--decider", "oracle"],
        ["--nonsense"],
        ["greet.yaml"],
    ],
)
def test_bad_arguments_are_an_error(cli: RunCli, tmp_path: Path, arguments: list[str]) -> None:
    given = ("run", "--seed-file", SCENARIOS, "--output-dir", tmp_path / "out", *arguments)
    assert cli(*given)[0] == 2
    assert not (tmp_path / "out").exists()


def test_the_output_folder_and_something_to_run_are_required(cli: RunCli, tmp_path: Path) -> None:
    assert cli("run", "--seed-file", SCENARIOS)[0] == 2
    assert cli("run", "--output-dir", tmp_path)[0] == 2


def test_rows_without_a_text_make_no_output_and_no_error(cli: RunCli, tmp_path: Path) -> None:
    path = seed_file(tmp_path, {"user_text": ""}, "", {"task_id": "x", "user_text": ""})
    assert cli("run", "--seed-file", path, "--output-dir", tmp_path / "out")[0] == 0
    assert not (tmp_path / "out").exists()


def test_blank_lines_are_skipped_and_white_space_is_a_text(cli: RunCli, tmp_path: Path) -> None:
    path = seed_file(tmp_path, "", {"user_text": "  "}, "   ")
    assert cli("run", "--seed-file", path, "--output-dir", tmp_path)[0] == 0
    assert run_records(tmp_path)[0]["user_text"] == "  "


GOOD = {"task_id": "good", "user_text": "Do it."}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("[1, 2]", "line 2: expected an object"),
        ('{"user_text": 5}', "line 2: user_text"),
        ('{"user_text": "cut o', "line 2, column"),
        ('{"user_text": "a", "user_text": "b"}', "line 2: duplicate key"),
    ],
)
def test_a_bad_row_is_reported_by_its_line_and_the_others_are_run(
    cli: RunCli, tmp_path: Path, row: str, words: str
) -> None:
    path = seed_file(tmp_path, GOOD, row, GOOD)
    given = ("run", "--seed-file", path, "--output-dir", tmp_path / "out", "--turns", "1")
    status, _, error = cli(*given)
    assert status == 1
    assert f"{path}: {words}" in error
    assert len(run_records(tmp_path / "out")) == 2
    status, _, error = cli(*given, "--strict")
    assert status == 2
    assert words in error
    assert len(run_records(tmp_path / "out")) == 2


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"user_text": "a"}\n{"user_text": "b"}\n',
        b'{"user_text": "a"}\r\n\r\n{"user_text": "b"}',
        '{"user_text": "a\u2028\u0085"}\n{"user_text": "b"}\n'.encode(),
        b'{"user_text": "half \\ud83d"}\n{"user_text": "b"}\n',
        b'{"task_id": "x", "user_text": "a"}\n{"task_id": "x", "user_text": "b"}\n',
        b'{"task_id": "../../etc/x", "user_text": "a"}\n{"task_id": "/tmp/x", "user_text": "b"}\n',
    ],
)
def test_odd_but_good_seed_files_are_run(cli: RunCli, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "seeds.jsonl"
    path.write_bytes(data)
    out = tmp_path / "out"
    assert cli("run", "--seed-file", path, "--output-dir", out, "--turns", "1")[0] == 0
    assert len(run_records(out)) == 2
    lines = (out / "multi_turn_project.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    assert [found.name for found in out.iterdir()] == ["multi_turn_project.jsonl"]


def test_a_last_line_that_was_cut_off_is_not_appended_to(cli: RunCli, tmp_path: Path) -> None:
    target = tmp_path / "multi_turn_project.jsonl"
    target.write_bytes(b'{"cut": ')
    path = seed_file(tmp_path, GOOD)
    _, _, error = cli("run", "--seed-file", path, "--output-dir", tmp_path, "--turns", "1")
    assert target.read_bytes().startswith(b'{"cut": \n{"synth_kind"')
    assert "cut off" in error


def test_project_files_are_run_in_order(cli: RunCli, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(PROJECT.replace("Greet", "Other"))
    status, _, error = cli("run", other, project, other, "--output-dir", tmp_path / "out")
    assert status == 0
    assert "wrote 6 turn records of 3 rollouts" in error
    found = run_records(tmp_path / "out")
    titles = [row["project"]["title"] for row in found]  # type: ignore[index]
    assert titles == ["Other", "Other", "Greet", "Greet", "Other", "Other"]
    assert len({row["session_id"] for row in found}) == 3
    assert found[1]["termination"] == {"reason": "max_turns"}


def test_the_faults_of_all_project_files_are_told_before_anything_runs(
    cli: RunCli, project: Path, tmp_path: Path
) -> None:
    bad = [tmp_path / "one.yaml", tmp_path / "two.yaml"]
    bad[0].write_text(PROJECT.replace("max_turns", "max_truns"))
    bad[1].write_text(PROJECT.replace("max_turns: 2", "max_turns: 0"))
    status, _, error = cli("run", project, *bad, "--output-dir", tmp_path / "out")
    assert status == 2
    assert f"{bad[0]}: line 4" in error
    assert f"{bad[1]}: line 4" in error
    assert not (tmp_path / "out").exists()


def test_code_that_a_project_names_runs_only_with_trust(cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "agent_of_mine.py").write_text("def make():\n    return lambda view: 'mine'\n")
    path = tmp_path / "own.yaml"
    path.write_text(
        PROJECT.replace(
            "{kind: scripted, replies: [Hello., Bye.]}",
            "{kind: python, object: 'agent_of_mine:make'}",
        )
    )
    status, _, error = cli("run", path, "--output-dir", tmp_path / "out")
    assert status == 2
    assert "agent_of_mine:make" in error
    assert "--trust" in error
    assert not (tmp_path / "out").exists()
    library = tmp_path / "library.sqlite"
    given = ("run", path, "--output-dir", tmp_path / "out", "--trust", "--library", library)
    assert cli(*given)[0] == 0
    assert [row["agent_text"] for row in run_records(tmp_path / "out")] == ["mine", "mine"]
    with Library.open(library) as opened:
        (summary,) = opened.recent()
        assert (summary.steps, summary.status) == (5, "ended")


def test_a_failed_rollout_keeps_its_complete_turns_apart(cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / "human.yaml"
    path.write_text(
        PROJECT.replace("messages: [And now?]", "messages: [And now?, More?]").replace(
            "replies: [Hello., Bye.]", "replies: [Hello.]"
        )
    )
    status, _, error = cli("run", path, "--output-dir", tmp_path / "out")
    assert status == 1
    assert str(path) in error
    assert "1 complete turn went to multi_turn_project.partial.jsonl" in error
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["multi_turn_project.partial.jsonl"]


def test_roles_of_a_file_play_seed_rows(cli: RunCli, tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text(
        "target: {kind: scripted, system: Be brief., replies: [Yes.]}\n"
        "evaluator: {kind: scripted, messages: []}\n"
    )
    path = seed_file(tmp_path, GOOD)
    out = tmp_path / "out"
    assert cli("run", "--seed-file", path, "--output-dir", out, "--roles", roles)[0] == 0
    (row,) = run_records(out)
    assert row["agent_text"] == "Yes."
    assert row["messages"][0] == {"role": "system", "content": "Be brief."}  # type: ignore[index]


def test_roles_that_nobody_can_play_are_one_error_before_anything_runs(
    cli: RunCli, tmp_path: Path
) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text("target: {kind: echo}\nevaluator: {kind: python, object: 'nowhere:Nobody'}\n")
    path = seed_file(tmp_path, GOOD, GOOD)
    out = tmp_path / "out"
    status, _, error = cli("run", "--seed-file", path, "--output-dir", out, "--roles", roles)
    assert (status, error.count("nowhere:Nobody")) == (2, 1)
    assert not out.exists()


AUTHOR = """\
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project


class Author:
    def author(self, n, rng):
        return [
            Project(f"mine {rng.random()}", EchoTarget("s"), HeuristicEvaluator(), opening=str(i))
            for i in range(n)
        ]
"""


def test_an_author_of_ones_own_makes_the_projects_with_trust(
    cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "author_of_mine.py").write_text(AUTHOR)
    monkeypatch.chdir(tmp_path)
    given = ("run", "--author", "author_of_mine:Author", "--output-dir", "out", "--turns", "1")
    assert cli(*given)[0] == 2
    status, _, error = cli(*given, "--num-projects", "3")
    assert (status, "--trust" in error) == (2, True)
    assert not Path("out").exists()
    assert cli(*given, "--num-projects", "3", "--trust")[0] == 0
    assert [row["user_text"] for row in run_records(Path("out"))] == ["0", "1", "2"]


# -- the library, and export ----------------------------------------------------------------------


@pytest.fixture
def kept(cli: RunCli, project: Path, tmp_path: Path) -> tuple[Path, str]:
    """A library with one rollout in it, and that rollout's id."""
    library = tmp_path / "library.sqlite"
    status, _, _ = cli("run", project, "--output-dir", tmp_path / "out", "--library", library)
    assert status == 0
    with Library.open(library) as opened:
        (summary,) = opened.recent()
    return library, summary.id


def test_a_kept_rollout_is_listed(cli: RunCli, kept: tuple[Path, str]) -> None:
    library, rollout = kept
    _, out, _ = cli("list", "--library", library)
    assert out.startswith(f"{rollout}  Greet  (2 turns, 5 steps, 0 edits; max_turns)")


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
    assert status == 1
    assert f"{target} is there already" in error
    assert target.read_text() == "mine"
    assert cli(*given, "--force")[0] == 0
    assert target.read_text().startswith("# Greet")
    assert not [found for found in tmp_path.iterdir() if found.suffix == ".tmp"]


@pytest.mark.parametrize(
    ("name", "cut", "words"),
    [
        ("turn-records", ["--up-to", "3"], "turn 2 (step 3): it ends without its final reply"),
        ("openai", ["--up-to", "3"], "rule: the last is the assistant's"),
        ("openai", ["--up-to", "9"], "has no step 9"),
        ("openai", ["--branch", "angry"], "No branch is named 'angry'"),
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


def test_a_bundle_of_several_rollouts_is_no_one_rollout(
    cli: RunCli, kept: tuple[Path, str], tmp_path: Path
) -> None:
    from rollstep.core.store.bundle import write_bundle

    with Library.open(kept[0]) as library:
        saved = library.load(kept[1])
    bundle = tmp_path / "two.rollstep.jsonl"
    write_bundle([saved, saved], bundle)
    status, _, error = cli("export", bundle, "--format", "openai", "-o", tmp_path / "x")
    assert (status, "it holds 2 rollouts" in error) == (2, True)


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


# -- open, and errors in words --------------------------------------------------------------------


def test_an_error_names_the_file_as_it_is_on_disk_with_line_column_and_cause(
    cli: RunCli,
) -> None:
    status, _, error = cli("open", BRACKETS)
    assert status == 2
    assert f"{BRACKETS}: line 2, column 76: the row is cut off before its end." in error


def test_what_is_shown_of_a_name_never_acts_on_the_terminal(cli: RunCli, tmp_path: Path) -> None:
    status, _, error = cli("open", tmp_path / "a\x1b]52;c;eA==\x07[/b].yaml")
    assert status == 2
    assert "\x1b" not in error
    assert "\x07" not in error
    assert "[/b].yaml: there is no such file" in error


def test_a_folder_and_a_file_of_no_kind_are_errors(cli: RunCli, tmp_path: Path) -> None:
    status, _, error = cli("open", tmp_path)
    assert (status, "a folder" in error) == (2, True)
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    status, _, error = cli("open", tmp_path / "x.png")
    assert (status, "no file that rollstep opens" in error) == (2, True)


def test_an_unknown_sample_is_an_error_that_names_those_there_are(cli: RunCli) -> None:
    status, _, error = cli("demo", "refnud")
    assert status == 2
    assert "refund" in error
    _, out, _ = cli("samples")
    assert "refund" in out


def test_an_interrupt_is_130(cli: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("rollstep.tui.commands.lists.list_samples", interrupted)
    status, _, error = cli("samples")
    assert (status, "Traceback" in error) == (130, False)


# -- the process itself ---------------------------------------------------------------------------


def in_a_process(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "rollstep.tui", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_the_version_and_help_are_told_without_loading_a_screen() -> None:
    done = in_a_process("--version")
    assert re.fullmatch(rb"rollstep \d+\.\d+\.\d+\S*\n", done.stdout)
    script = (
        "import sys; from rollstep.tui.cli import main; main(['run', '--help']);"
        "sys.exit(len({'textual', 'litellm', 'yaml', 'sqlite3'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0


def test_a_reader_that_leaves_is_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stdout:
        command = [sys.executable, "-m", "rollstep.tui", "samples"]
        done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 1


def test_names_that_are_no_utf_8_are_no_matter(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.jsonl"
    with open(name, "wb") as file:
        file.write(b'{"user_text": 5}\n')
    command = [sys.executable, "-m", "rollstep.tui", "run", "--output-dir", str(tmp_path / "out")]
    done = subprocess.run(
        [*command, "--seed-file", name], input=b"\xff\xfe", capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"user_text" in done.stderr


def test_the_faults_of_a_project_file_are_told_before_any_screen(project: Path) -> None:
    project.write_text(PROJECT.replace("max_turns: 2", "max_truns: 2"))
    done = in_a_process("open", project, "--library", project.parent / "library.sqlite")
    assert done.returncode == 2
    assert f"{project}: line 4".encode() in done.stderr
    assert b"max_turns" in done.stderr
    assert b"\x1b" not in done.stdout
