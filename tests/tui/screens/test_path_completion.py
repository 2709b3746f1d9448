from pathlib import Path

import pytest
from rollstep.tui.screens.path_completion import complete


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("refund.yaml", "refund_live.yaml", "notes.txt", ".hidden.yaml", "[v1] x.jsonl"):
        (tmp_path / name).write_text("")
    (tmp_path / "runs").mkdir()
    return tmp_path


def test_a_name_is_completed_as_far_as_it_is_certain(folder: Path) -> None:
    found = complete(f"{folder}/ref")
    assert found.text == f"{folder}/refund"
    assert found.names == ("refund.yaml", "refund_live.yaml")


def test_folders_come_first_and_end_in_a_slash(folder: Path) -> None:
    assert complete("", base=folder, suffixes=(".yaml", ".jsonl")).names == (
        "runs/",
        "[v1] x.jsonl",
        "refund.yaml",
        "refund_live.yaml",
    )
    assert complete("ru", base=folder).text == "runs/"


def test_hidden_names_need_a_dot_and_brackets_are_no_pattern(folder: Path) -> None:
    assert complete(".h", base=folder).names == (".hidden.yaml",)
    assert complete("[v", base=folder).text == "[v1] x.jsonl"


def test_a_folder_that_is_not_there_is_said(folder: Path) -> None:
    found = complete(f"{folder}/nowhere/x")
    assert (found.text, found.names) == (f"{folder}/nowhere/x", ())
    assert "No such file" in found.problem


def test_a_home_folder_keeps_its_short_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert complete("~/ru").text == "~/runs/"
    assert complete("~").text == "~/"
