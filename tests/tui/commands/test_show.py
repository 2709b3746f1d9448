"""``rollstep open`` and ``rollstep demo``, up to where a screen would be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import PROJECT, RunCli, in_a_process

BRACKETS = Path(__file__).parent / "data" / "brackets_[v1][bold]in[_a]name_broken_line_2.jsonl"


def test_an_error_names_the_file_as_it_is_on_disk_with_line_column_and_cause(
    cli: RunCli,
) -> None:
    status, out, error = cli("validate", BRACKETS)
    assert status == 1
    words = f"{BRACKETS}: line 2, column 76: Expecting ',' delimiter: this is no JSON."
    assert words in out + error


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


def test_the_faults_of_a_project_file_are_told_before_any_screen(project: Path) -> None:
    project.write_text(PROJECT.replace("max_turns: 2", "max_truns: 2"))
    done = in_a_process("open", project, "--library", project.parent / "library.sqlite")
    assert done.returncode == 2
    assert f"{project}: line 4".encode() in done.stderr
    assert b"max_turns" in done.stderr
    assert b"\x1b" not in done.stdout


def test_a_log_is_opened_as_the_format_that_is_named(cli: RunCli, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text('{"messages": [{"role": "user", "content": "a"}]}\n')
    status, _, error = cli("open", log, "--format", "nope", "--library", tmp_path / "l.db")
    assert (status, "There is no format 'nope' to read" in error) == (2, True)
    status, _, error = cli("open", log, "--format", "swe-agent", "--library", tmp_path / "l.db")
    assert (status, "swe-agent" in error) == (2, True)
    status, _, error = cli("open", log, "--format", "openai", "--library", tmp_path / "l.db")
    assert "The screen needs a terminal" in error
