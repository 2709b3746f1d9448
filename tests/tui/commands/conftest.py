"""Running the command line in this process, or in one of its own where that matters."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rollstep.core.store.library import Library
from rollstep.tui.cli import main

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


def in_a_process(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "rollstep.tui", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def kept(cli: RunCli, project: Path, tmp_path: Path) -> tuple[Path, str]:
    """A library with one rollout in it, and that rollout's id."""
    library = tmp_path / "library.sqlite"
    status, _, _ = cli("run", project, "--output-dir", tmp_path / "out", "--library", library)
    assert status == 0
    with Library.open(library) as opened:
        (summary,) = opened.recent()
    return library, summary.id
