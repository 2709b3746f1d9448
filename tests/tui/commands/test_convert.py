"""``rollstep convert`` and ``rollstep validate``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rollstep.tui.commands import convert

from ..logs_for_tests import tau2_with_a_greeting
from .conftest import RunCli

DATA = Path(__file__).parents[2]
SAMPLE = DATA.parent / "sample_projects" / "refund.rollstep.jsonl"
REFUSED = DATA / "core" / "formats" / "data" / "rows_that_trainers_refuse.jsonl"
GOOD = (
    '{"messages": [{"role": "user", "content": "caf\u00e9"}, '
    '{"role": "assistant", "content": "hello"}]}\n'
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two conversations, and a line that is none."""
    path = tmp_path / "log.jsonl"
    path.write_text(f"{GOOD}{{broken\n{GOOD.replace('hello', 'bye')}")
    return path


def test_a_file_is_written_in_another_format_and_what_was_skipped_is_told(
    cli: RunCli, log: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.jsonl"
    status, _, err = cli("convert", log, output, "--format", "sharegpt")
    assert status == 1
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["conversations"][1]["value"] for row in rows] == ["hello", "bye"]
    assert f"skipped: {log}: line 2" in err
    assert err.splitlines()[-1] == "read 3 records (openai 2), wrote 2 rows, skipped 1"


def test_the_same_format_gives_the_same_bytes(cli: RunCli, log: Path, tmp_path: Path) -> None:
    log.write_text(GOOD * 2)
    output = tmp_path / "out.jsonl"
    assert cli("convert", log, output, "--format", "openai")[0] == 0
    assert output.read_text() == GOOD * 2


def test_a_file_that_is_there_is_left_alone(cli: RunCli, log: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("mine")
    status, _, err = cli("convert", log, output, "--format", "openai")
    assert (status, output.read_text()) == (2, "mine")
    assert "--force" in err
    assert cli("convert", log, output, "--format", "openai", "--force")[0] == 1
    assert output.read_text() != "mine"


def test_the_format_is_told_from_the_name_where_only_one_fits(
    cli: RunCli, log: Path, tmp_path: Path
) -> None:
    log.write_text(GOOD)
    bundle = tmp_path / "out.rollstep.jsonl"
    assert cli("convert", log, bundle)[0] == 0
    assert bundle.read_text().startswith('{"rollstep_bundle"')
    back = tmp_path / "back.jsonl"
    assert cli("convert", bundle, back, "--format", "openai")[0] == 0
    assert back.read_text() == GOOD
    status, _, err = cli("convert", log, tmp_path / "out.jsonl")
    assert status == 2
    assert "--format" in err


def test_a_file_of_which_nothing_can_be_read_is_status_2(
    cli: RunCli, log: Path, tmp_path: Path
) -> None:
    log.write_text("{broken\n{broken\n")
    status, _, _ = cli("convert", log, tmp_path / "out.jsonl", "--format", "openai")
    assert status == 2
    assert not (tmp_path / "out.jsonl").exists()


def test_validate_names_record_message_field_and_rule(cli: RunCli) -> None:
    status, out, err = cli("validate", REFUSED, "--format", "openai")
    assert status == 1
    lines = out.splitlines()
    assert all(line.startswith((f"refused: {REFUSED}: line ", f"odd: {REFUSED}")) for line in lines)
    places = {line.split(": ")[2] for line in lines}
    assert places == {f"line {number}" for number in range(1, 16)}
    assert any("line 3: messages[1].tool_calls[0].id" in line and "rule:" in line for line in lines)
    assert err.startswith("read 15 records (openai 15): ")


def test_validate_has_nothing_to_say_of_good_rows(cli: RunCli, log: Path, tmp_path: Path) -> None:
    log.write_text(GOOD * 2)
    assert cli("validate", log) == (0, "", "read 2 records (openai 2): 0 refused, 0 odd\n")
    log.write_text("{broken")
    assert cli("validate", log)[0] == 2
    assert cli("validate", tmp_path / "none")[0] == 2


def test_nothing_in_a_file_acts_on_the_terminal(cli: RunCli, log: Path) -> None:
    log.write_text('{"messages": [{"role": "\\u001b]52;c;x\\u0007", "content": "a"}]}\n')
    for command in (("validate", log), ("import", log, "--library", log.parent / "l.sqlite")):
        _, out, err = cli(*command)
        assert not {"\x1b", "\x07", "\x9b"} & set(out + err)


def test_one_record_as_a_document_is_a_file_and_several_are_a_folder(
    cli: RunCli, log: Path, tmp_path: Path
) -> None:
    several = tmp_path / "several"
    assert cli("convert", log, several, "--format", "markdown")[0] == 1
    assert len(list(several.glob("*.md"))) == 2
    log.write_text(GOOD)
    one = tmp_path / "one.md"
    assert cli("convert", log, one)[0] == 0
    assert "caf\u00e9" in one.read_text()


def test_a_bundle_is_validated(cli: RunCli, log: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "all.rollstep.jsonl"
    cli("convert", log, bundle)
    status, out, err = cli("validate", bundle)
    assert (status, out) == (0, "")
    assert "read 2 records (bundle 2)" in err
    whole = bundle.read_bytes()
    bundle.write_bytes(whole[: len(whole) // 2])
    status, out, _ = cli("validate", bundle)
    assert status == 0
    assert out.startswith(f"odd: {bundle}: line ")
    bundle.write_bytes(whole.replace(b'"payload":', b'"payload"', 1))
    status, out, _ = cli("validate", bundle)
    assert status == 2
    assert out.startswith(f"refused: {bundle}: line 4, column ")


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_conversion_that_is_stopped_writes_nothing(
    after: int, cli: RunCli, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.write_text(GOOD * 50)
    asked = iter(range(10**6))

    @contextmanager
    def pressed() -> Iterator[Callable[[], bool]]:
        yield lambda: next(asked) >= after

    monkeypatch.setattr(convert, "stop_on_interrupt", pressed)
    output = tmp_path / "out.jsonl"
    status, _, err = cli("convert", log, output, "--format", "openai")
    assert status == 130
    assert "Nothing was written" in err
    assert [path.name for path in tmp_path.iterdir()] == [log.name]


def test_rows_that_are_branches_of_one_tree_are_rows_again(cli: RunCli, tmp_path: Path) -> None:
    ask = '[{"role": "user", "content": "q"}]'
    rows = "".join(
        f'{{"prompt": {ask}, "completion": [{{"role": "assistant", "content": "{text}"}}]}}\n'
        for text in ("a", "b", "c")
    )
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(rows)
    assert cli("convert", source, output, "--format", "trl-prompt-completion")[0] == 0
    assert output.read_text() == rows
    assert cli("convert", source, output, "--format", "openai", "--force")[0] == 0
    assert output.read_text().count("\n") == 3


def test_what_was_rejected_is_no_row_to_learn_from(cli: RunCli, tmp_path: Path) -> None:
    row = {
        "prompt": [{"role": "user", "content": "q"}],
        "chosen": [{"role": "assistant", "content": "good"}],
        "rejected": [{"role": "assistant", "content": "bad"}],
    }
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(row) + "\n")
    assert cli("convert", source, output, "--format", "openai")[0] == 0
    assert "good" in output.read_text()
    assert "bad" not in output.read_text()
    assert cli("convert", source, output, "--format", "trl-preference", "--force")[0] == 0
    assert output.read_text() == json.dumps(row) + "\n"


def test_a_record_without_a_message_to_learn_from_is_still_told(
    cli: RunCli, tmp_path: Path
) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(GOOD + '{"messages": [{"role": "system", "content": "s"}]}\n')
    status, _, err = cli("convert", source, output, "--format", "openai")
    assert status == 1
    assert "there is no user message" in err


def test_where_branches_have_a_place_all_of_them_are_converted(cli: RunCli, tmp_path: Path) -> None:
    ask = '[{"role": "user", "content": "q"}]'
    source, output = tmp_path / "in.jsonl", tmp_path / "out.eval"
    rows = (
        f'{{"prompt": {ask}, "completion": [{{"role": "assistant", "content": "{text}"}}]}}\n'
        for text in ("a", "b", "c")
    )
    source.write_text("".join(rows))
    assert cli("convert", source, output)[0] == 0
    back = tmp_path / "back.jsonl"
    assert cli("convert", output, back, "--format", "openai")[0] == 0
    assert back.read_text().count("\n") == 3


def test_what_stands_beside_an_export_is_no_trajectory(cli: RunCli, tmp_path: Path) -> None:
    rows, data = tmp_path / "rows", tmp_path / "set"
    assert cli("export", SAMPLE, "--format", "trl", "-o", f"{rows}/")[0] == 0
    for command in (("import", rows), ("validate", rows), ("convert", rows, data)):
        more = ("--format", "trl") if command[0] == "convert" else ()
        status, _, err = cli(*command, *more)
        assert (status, "2 files of rollstep's own passed over" in err) == (0, True)
        assert "trl 1" in err
    beside = rows / "train.jsonl.provenance.jsonl"
    assert cli("import", rows / "train.jsonl", beside)[0] == 0
    for alone in (("import", beside), ("validate", beside)):
        status, out, err = cli(*alone)
        assert (status, "what rollstep wrote beside an export" in out + err) == (2, True)


def test_stdout_gets_the_rows_and_nothing_stands_beside_them(
    cli: RunCli, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log.write_text(GOOD * 2)
    before = set(tmp_path.iterdir())
    status, out, err = cli("convert", log, "-", "--format", "openai")
    assert (status, out) == (0, GOOD * 2)
    assert err.splitlines()[-1] == "read 2 records (openai 2), wrote 2 rows"
    status, out, err = cli("convert", log, "-", "--format", "markdown")
    assert (status, out, "name a folder for them" in err) == (2, "", True)
    assert set(tmp_path.iterdir()) == before


def test_stdin_is_refused_in_words(cli: RunCli, tmp_path: Path) -> None:
    for given in (("validate", "-"), ("import", "-"), ("convert", "-", tmp_path / "x.jsonl")):
        status, _, err = cli(*given)
        assert (status, "stdin is not" in err) == (2, True)


def test_a_name_that_ends_in_a_slash_is_a_data_set(cli: RunCli, log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    err = cli("convert", log, f"{folder}/", "--format", "trl")[2]
    names = {path.name for path in folder.iterdir()}
    assert names == {"train.jsonl", "train.jsonl.provenance.jsonl", "README.md"}
    assert f"wrote {folder / 'train.jsonl.provenance.jsonl'}: no edits" in err


def test_secrets_are_told_and_replaced_where_asked(cli: RunCli, log: Path, tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "Ab3" * 20
    log.write_text(GOOD.replace("hello", key))
    given = ("convert", log, tmp_path / "x.jsonl", "--format", "openai", "--force")
    status, _, err = cli(*given)
    assert (status, "Secrets are written as they stand; --redact" in err) == (0, True)
    assert f"wrote {tmp_path / 'x.jsonl.provenance.jsonl'}" in err
    assert cli(*given, "--redact")[0] == 0
    assert not [path for path in tmp_path.glob("x.*") if key in path.read_text()]


def test_validate_prints_all_that_is_wrong_and_the_first_that_is_odd(
    cli: RunCli, log: Path, tmp_path: Path
) -> None:
    odd = '{"messages": [{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}]}\n'
    log.write_text(odd * 12)
    (tmp_path / "notes.txt").write_text("words")
    _, out, err = cli("validate", tmp_path)
    lines = out.splitlines()
    assert sum(line.startswith("refused: ") for line in lines) >= 12
    assert sum("record 11" in line or "line 11" in line for line in lines if "odd: " in line) == 0
    assert "odd: 2 more" in lines
    assert f"passed over, for they hold no JSON: {tmp_path / 'notes.txt'}" in err


@pytest.mark.parametrize("name", ["anthropic", "sharegpt"])
def test_logs_in_which_the_agent_greets_are_converted_as_the_person_says(
    cli: RunCli, tmp_path: Path, name: str
) -> None:
    log, output = tau2_with_a_greeting(tmp_path / "results.json"), tmp_path / "out.jsonl"
    status, _, err = cli("convert", log, output, "--format", name)
    assert (status, output.exists()) == (1, False)
    assert "--greeting drop" in err
    status, _, err = cli("convert", log, output, "--format", name, "--greeting", "drop")
    assert (status, "How can I help" in output.read_text()) == (0, False)
    assert "note: the greeting with which the target begins is left out (step 1)" in err
    told = json.loads((tmp_path / "out.jsonl.provenance.jsonl").read_text())
    assert min(message["step"] for message in told["messages"] if message["step"]) == 2
