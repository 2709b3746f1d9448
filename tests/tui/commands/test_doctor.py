"""``rollstep doctor``: one line for each thing, and a status that says whether all works."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.store.library import Library
from rollstep.core.workers.model_keys import KNOWN_KEYS

from .conftest import RunCli, in_a_process

CANARY = "sk-canary-0123456789"


def checks(out: str) -> dict[str, dict[str, Any]]:
    return {check["about"]: check for check in map(json.loads, out.splitlines())}


def test_on_the_first_day_nothing_is_a_problem(cli: RunCli, tmp_path: Path) -> None:
    status, out, err = cli("doctor", "--json")
    found = checks(out)
    assert (status, err) == (0, "")
    assert {"rollstep", "Python", "litellm", "terminal", "letters", "library", "disk"} <= set(found)
    assert found["library"]["words"].startswith("none yet")
    assert found["evaluator kinds"]["words"] == "heuristic, human, llm, python, scripted"
    assert "night" in found["themes"]["words"]
    # It has only looked.
    assert not Path(os.environ["XDG_DATA_HOME"]).exists()
    assert not Path(os.environ["XDG_CONFIG_HOME"]).exists()


def test_people_read_what_to_do_under_what_is_wrong(cli: RunCli, tmp_path: Path) -> None:
    library = tmp_path / "bad\x1b[31m.sqlite"
    library.write_bytes(b"something else" * 100)
    status, out, _ = cli("doctor", "--library", library)
    assert status == 1
    assert "problem library " in out
    assert "is not a rollstep library: it is no SQLite file" in out
    assert out.rstrip().split("\n")[-1].startswith("1 problem, ")
    assert "\x1b" not in out


def test_the_library_is_told_with_what_it_holds(cli: RunCli, kept: tuple[Path, str]) -> None:
    library, _ = kept
    status, out, _ = cli("doctor", "--json", "--library", library)
    found = checks(out)["library"]
    assert (status, found["level"]) == (0, "ok")
    assert "1 rollout, 5 steps" in found["words"]


def test_a_newer_library_is_a_problem(cli: RunCli, tmp_path: Path) -> None:
    library = tmp_path / "newer.sqlite"
    Library.open(library).close()
    with sqlite3.connect(library) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    status, out, _ = cli("doctor", "--json", "--library", library)
    assert status == 1
    assert "Upgrade rollstep" in checks(out)["library"]["words"]


def test_a_read_only_folder_is_a_problem(
    cli: RunCli, kept: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usual = os.access
    monkeypatch.setattr(os, "access", lambda at, mode: not mode & os.W_OK and usual(at, mode))
    status, out, _ = cli("doctor", "--json", "--library", kept[0])
    assert status == 1
    assert "read-only: nothing can be saved" in checks(out)["library"]["words"]
    assert "not be remembered" in checks(out)["settings"]["words"]
    status, out, _ = cli("doctor", "--json", "--library", tmp_path / "none.sqlite")
    assert "cannot be made" in checks(out)["library"]["words"]


@pytest.mark.parametrize(
    ("settings", "level", "words"),
    [
        ('{"theme": "night", "later": 5}', "ok", "settings.json"),
        ('{"theme": 5, "inspector": "left"}', "note", 'theme is 5; inspector is "left"'),
        ('{"theme": ', "problem", "is no JSON"),
        ("[]", "problem", "no JSON object"),
        ("[" * 100_000, "problem", "is no JSON"),
    ],
)
def test_settings_are_read_more_strictly_than_by_the_app(
    cli: RunCli, settings: str, level: str, words: str
) -> None:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "rollstep"
    config.mkdir(parents=True)
    (config / "settings.json").write_text(settings)
    status, out, _ = cli("doctor", "--json")
    found = checks(out)["settings"]
    assert (found["level"], status) == (level, int(level == "problem"))
    assert words in found["words"]


def test_a_theme_that_is_wrong_or_not_there_is_told(cli: RunCli) -> None:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "rollstep"
    (config / "themes").mkdir(parents=True)
    (config / "themes" / "mine.yaml").write_text('name: Mine\ndark: "perhaps"\n')
    (config / "settings.json").write_text('{"theme": "gone"}')
    status, out, _ = cli("doctor")
    assert status == 1
    assert "mine.yaml: line 2: dark: is 'perhaps'." in out
    assert "the settings name 'gone', which is not there" in out


def test_keys_are_told_by_name_and_never_a_byte_of_one(
    cli: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for names in KNOWN_KEYS.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)
    assert checks(cli("doctor", "--json")[1])["keys"]["level"] == "note"
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("GOOGLE_API_KEY", CANARY[::-1])
    monkeypatch.setenv("GROQ_API_KEY", " ")
    for arguments in (["doctor"], ["doctor", "--json"]):
        _, out, err = cli(*arguments)
        assert "in the environment: GOOGLE_API_KEY, OPENAI_API_KEY" in out
        assert "GROQ_API_KEY is set and empty" in out
        for piece in (CANARY[:6], CANARY[-4:], CANARY[::-1][:6]):
            assert piece not in out + err


def test_it_loads_neither_a_screen_nor_litellm() -> None:
    script = (
        "import sys; from rollstep.tui.cli import main; main(['doctor']);"
        "print(*sorted({'textual', 'litellm', 'yaml', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1] == ""


def test_a_pipe_is_no_terminal_and_no_problem() -> None:
    done = in_a_process("doctor", stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert b"the screen needs one" in done.stdout
