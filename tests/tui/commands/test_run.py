"""``rollstep run``, held against the seed program's own records among others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rollstep.core.batch import Done
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.tui.commands.run_output import RunOutput

from .conftest import PROJECT, RunCli, run_records, seed_file

SEED_PROGRAM = Path(__file__).parents[2] / "data" / "seed_program"
SCENARIOS = SEED_PROGRAM / "scenarios.jsonl"


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


def test_a_title_forges_no_line_of_the_report(cli: RunCli, tmp_path: Path) -> None:
    project = tmp_path / "project.yaml"
    title = "x\nwrote 100 turn records\x1b[31m"
    roles = {"target": {"kind": "human"}, "evaluator": {"kind": "heuristic"}}
    project.write_text(json.dumps({"version": 1, "title": title, "opening": "hi", **roles}))
    status, _, error = cli("run", project, "--output-dir", tmp_path / "out")
    assert status == 1
    assert "(x␊wrote 100 turn records␛[31m)" in error
    assert "\nwrote 100" not in error


def test_a_record_leads_to_its_rollout(cli: RunCli, tmp_path: Path) -> None:
    library = tmp_path / "my runs.db"
    arguments = ["--output-dir", tmp_path, "--library", library, "--num-projects", 3]
    status, _, err = cli("run", "--seed-file", SCENARIOS, *arguments)
    assert status == 0
    said = err.splitlines()[-2:]
    with Library.open(library) as opened:
        kept = {summary.id: summary.turns for summary in opened.recent()}
    assert said[0].startswith(f"rollstep list --library '{library}' ")
    assert said[1].split(" (")[0].rpartition(" ")[2] in kept
    last = run_records(tmp_path)[-1]
    session_id = str(last["session_id"])
    status, out, _ = cli(
        "export", session_id, "--format", "turn-records", "-o", "-", "--library", library
    )
    assert status == 0
    assert json.loads(out.splitlines()[-1]) == last


def test_a_session_id_that_leads_nowhere_says_what_it_is(
    cli: RunCli, kept: tuple[Path, str]
) -> None:
    status, _, err = cli(
        "export", "proj-0123456789ab", "--format", "openai", "-o", "-", "--library", kept[0]
    )
    assert status == 2
    assert "This is the session_id of turn records" in err
    assert "--library" in err


def test_two_rollouts_of_one_session_are_named(cli: RunCli, project: Path, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    for _ in range(2):
        cli("run", project, "--output-dir", tmp_path, "--library", library)
    session_id = run_records(tmp_path)[0]["session_id"]
    with Library.open(library) as opened:
        ids = [summary.id for summary in opened.recent()]
    status, _, err = cli(
        "export", session_id, "--format", "openai", "-o", "-", "--library", library
    )
    assert status == 2
    assert [line.split()[0] for line in err.splitlines()[1:]] == ids


def test_rows_without_roles_are_told_who_plays_them(
    cli: RunCli, project: Path, tmp_path: Path
) -> None:
    words = "no roles given: echo target, heuristic evaluator; --roles FILE gives others"
    seeds = seed_file(tmp_path, {"user_text": "Hi."}, {"user_text": "Ho."})
    _, _, err = cli("run", "--seed-file", seeds, "--output-dir", tmp_path)
    assert err.splitlines().count(words) == 1
    _, _, err = cli("run", "--seed-file", seeds, "--roles", project, "--output-dir", tmp_path)
    assert words not in err


BROKEN_OFF = PROJECT + "breakpoints: [{when: kind = reply and turn = 1, name: hello}]\n"
HIT = 'breakpoint 1 "hello" at step 2: kind = reply and turn = 1'


async def test_a_breakpoint_parks_a_rollout_which_can_be_opened_and_goes_on(
    cli: RunCli, tmp_path: Path
) -> None:
    project, library = tmp_path / "greet.yaml", tmp_path / "my library.sqlite"
    project.write_text(BROKEN_OFF)
    status, _, error = cli("run", project, "--output-dir", tmp_path, "--library", library)
    with Library.open(library) as opened:
        (summary,) = opened.recent()
        saved = opened.load(summary.id)
    assert status == 1
    lines = error.splitlines()
    assert lines[0] == (
        f"{project} (Greet): {HIT}. It waits as {summary.id}. "
        "Its 1 complete turn went to multi_turn_project.partial.jsonl."
    )
    assert lines[-4].startswith("wrote 1 turn record of 1 rollout to ")
    assert lines[-4].endswith("multi_turn_project.partial.jsonl")
    assert lines[-3] == (
        "1 rollout parked; to open the first and go on with c, or to go through them:"
    )
    assert lines[-2] == f"rollstep open --library '{library}' {summary.id}"
    assert lines[-1] == f"rollstep review --library '{library}' parked:yes"
    assert (saved.status, saved.status_note) == ("parked", HIT)
    session = Session.reopen(saved)
    async for _ in session.run():
        pass
    assert len(session.rollout) == 5


def test_an_interrupted_run_says_how_to_open_what_parked_and_is_run_anew(
    cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, library = tmp_path / "greet.yaml", tmp_path / "library.sqlite"
    project.write_text(BROKEN_OFF)
    given = ("run", project, project, project, "--library", library, "--output-dir", tmp_path)
    take = RunOutput.done

    def interrupted(self: RunOutput, done: Done) -> None:
        take(self, done)
        if self.tally.rollouts == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RunOutput, "done", interrupted)
        status, _, error = cli(*given, "--summary", tmp_path / "summary.json")
    lines = error.splitlines()
    assert (status, lines[-1]) == (130, "interrupted")
    assert json.loads((tmp_path / "summary.json").read_text())["rollouts"] == 2
    assert lines[-6].startswith("2 rollouts parked; to open the first and go on with c,")
    with Library.open(library) as opened:
        kept = {summary.id for summary in opened.recent()}
    assert len(kept) == 2
    first = lines[0].partition("It waits as ")[2].split(".")[0]
    assert first in kept
    assert lines[-5] == f"rollstep open --library {library} {first}"
    assert "the same command with --resume goes on" in lines[-3]
    cli(*given)
    with Library.open(library) as opened:
        assert {each.status for each in opened.recent()} == {"parked"}
        assert opened.count() == 5


def test_a_breakpoint_may_stop_a_rollout_or_be_ignored(cli: RunCli, tmp_path: Path) -> None:
    project = tmp_path / "greet.yaml"
    project.write_text(BROKEN_OFF)
    stop = ("run", project, "--on-break", "stop", "--output-dir", tmp_path / "stop")
    status, _, error = cli(*stop)
    assert status == 0
    assert error.splitlines()[0] == f"{project} (Greet): ended; {HIT}"
    (record,) = run_records(tmp_path / "stop")
    assert '"breakpoint"' in json.dumps(record)
    ignore = ("run", project, "--on-break", "ignore", "--output-dir", tmp_path / "ignore")
    status, _, error = cli(*ignore)
    assert (status, HIT in error) == (0, False)
    assert len(run_records(tmp_path / "ignore")) == 2


def test_parked_rollouts_that_are_not_kept_are_told_about(cli: RunCli, tmp_path: Path) -> None:
    project = tmp_path / "greet.yaml"
    project.write_text(BROKEN_OFF)
    _, _, error = cli("run", project, "--output-dir", tmp_path)
    assert "with --library FILE" in error.splitlines()[-1]
    assert "waits as" not in error


def test_roles_bring_their_breakpoints_to_every_seed_row(cli: RunCli, tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text(
        "target: {kind: echo}\nevaluator: {kind: heuristic}\nbreakpoints: [turn = 1]\n"
    )
    seeds = seed_file(tmp_path, {"user_text": "a"}, {"user_text": "b"})
    given = ("run", "--seed-file", seeds, "--roles", roles, "--output-dir", tmp_path)
    status, _, error = cli(*given)
    assert status == 1
    assert error.count("breakpoint 1 at step 1: turn = 1") == 2
    assert cli(*given, "--on-break", "ignore")[0] == 0


def test_a_bad_breakpoint_keeps_the_run_from_starting(cli: RunCli, tmp_path: Path) -> None:
    project = tmp_path / "greet.yaml"
    project.write_text(PROJECT + "breakpoints: [turn = one]\n")
    status, _, error = cli("run", project, "--output-dir", tmp_path / "out")
    assert (status, (tmp_path / "out").exists()) == (2, False)
    assert "line 7, column 15: breakpoints[0]: column 8 of this query: turn is a number." in error
