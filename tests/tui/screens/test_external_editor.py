"""$EDITOR: only a changed file is an edit, and every failure is said in words."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.tui.screens.external_editor import Edited, edit, editor_command


def saving(new: bytes):
    def run(command: list[str]) -> int:
        Path(command[-1]).write_bytes(new)
        return 0

    return run


@given(st.text(st.characters(codec=None), max_size=50))
def test_open_and_close_is_no_edit_whatever_the_characters(text: str) -> None:
    assert edit(text, command=["ed"], run=lambda c: 0).text is None


@given(st.text(st.characters(codec=None), max_size=50))
def test_a_final_newline_that_the_editor_adds_is_no_edit(text: str) -> None:
    def run(command: list[str]) -> int:
        path = Path(command[-1])
        data = path.read_bytes()
        path.write_bytes(data if data.endswith(b"\n") else data + b"\n")
        return 0

    assert edit(text, command=["ed"], run=run).text is None


def test_an_edit_keeps_what_it_did_not_touch() -> None:
    odd = "crlf\r\nls\u2028 half \ud83d"
    run = saving(("New " + odd + "\n").encode("utf-8", "surrogatepass"))
    assert edit(odd, command=["ed"], run=run) == Edited("New " + odd)


def test_the_file_is_private_and_gone_afterwards() -> None:
    seen: list[Path] = []

    def run(command: list[str]) -> int:
        path = Path(command[-1])
        seen.append(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert path.suffix == ".json"
        return 0

    edit("{}", suffix=".json", command=["ed"], run=run)
    assert not seen[0].parent.exists()


def test_no_editor_a_missing_one_and_a_failing_one_are_said_in_words() -> None:
    assert "Set EDITOR" in edit("a", command=[]).words
    assert "no-such-editor" in edit("a", command=["no-such-editor"]).words
    assert "status 1" in edit("a", command=["vim"], run=lambda c: 1).words


def test_a_file_that_is_not_utf8_changes_nothing_and_is_kept() -> None:
    result = edit("a", command=["ed"], run=saving("é".encode("latin-1")))
    assert result.text is None
    kept = Path(result.words.rsplit(" ", 1)[1])
    assert kept.read_bytes() == "é".encode("latin-1")
    kept.unlink()
    kept.parent.rmdir()


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({"EDITOR": "nano"}, ["nano"]),
        ({"EDITOR": "nano", "VISUAL": "code --wait"}, ["code", "--wait"]),
        ({"EDITOR": "  "}, []),
        ({}, []),
    ],
)
def test_the_command_comes_from_the_environment(
    environment: dict[str, str], command: list[str]
) -> None:
    assert editor_command(environment) == command
