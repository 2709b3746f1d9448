"""A live run that is killed at a boundary of its calls, and goes on: no call whose reply was saved
is made again, and the records are those of a run that was never killed.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project
from rollstep.core.projects.writer import project_yaml
from rollstep.core.store.library import Library

from ..provider.replies import Reply
from ..provider.server import ProviderServer

pytestmark = pytest.mark.xdist_group("models")

TURNS = 2
_KILLS_ITSELF = """
import os, signal, sys
from rollstep.core.store.library import Library
from rollstep.tui import cli
point, left = sys.argv[1], int(sys.argv[2])
commit = Library.commit_many

def commit_many(self, changes):
    global left
    changes = list(changes)
    left -= any(step.origin == "model" for change in changes for step in change.steps)
    if point == "before" and left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
    found = commit(self, changes)
    if point == "after" and left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return found

Library.commit_many = commit_many
cli.main(sys.argv[3:])
"""
"""Ends before or after the given commit of a paid reply."""


def project_files(folder: Path, server: ProviderServer, model: str, count: int) -> list[str]:
    paths = []
    for number in range(count):
        name = f"{model}-{number}"
        server.answer(name, Reply("Yes."))
        target = LlmTarget(f"openai/{name}", api_base=server.api_base)
        project = Project(name, target, HeuristicEvaluator(), opening="Hi", max_turns=TURNS)
        path = folder / f"{number}.yaml"
        path.write_text(project_yaml(project), "utf-8")
        paths.append(str(path))
    return paths


def paid_replies(library: Path) -> Counter[str]:
    """How many replies the library holds of each project."""
    if not library.exists():
        return Counter()
    found = Counter[str]()
    with Library.open(library) as opened:
        for summary in opened.recent(100):
            steps = opened.load(summary.id).steps
            found[summary.title] += sum(step.origin == "model" for step in steps)
    return found


def records(folder: Path) -> bytes:
    return (folder / "multi_turn_project.jsonl").read_bytes()


def test_no_reply_that_was_saved_is_asked_for_again(
    provider: ProviderServer, canary: str, tmp_path: Path, long_tests: bool
) -> None:
    rollouts, kills = (12, 10) if long_tests else (4, 2)
    paths = project_files(tmp_path, provider, "resumed", rollouts)
    out, library = tmp_path / "out", tmp_path / "library.sqlite"
    given = ["run", *paths, "--trust", "--library", str(library), "--concurrency", "2"]
    resumed = [*given, "--output-dir", str(out), "--resume"]
    names = [f"resumed-{number}" for number in range(rollouts)]

    def asked() -> Counter[str]:
        return Counter({name: len(provider.asked(name)) for name in names})

    for number in range(kills):
        saved, before = paid_replies(library), asked()
        point = ("after", "before")[number % 2]
        command = [sys.executable, "-c", _KILLS_ITSELF, point, str(1 + number % 3), *resumed]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode in (-signal.SIGKILL, 0), ended.stderr
        now, left = paid_replies(library), asked()
        for name in names:
            assert now[name] >= saved[name]
            assert left[name] - before[name] <= TURNS - saved[name], "what was saved is not asked"
    saved, before = paid_replies(library), asked()
    command = [sys.executable, "-m", "rollstep.tui", *resumed]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    for name in names:
        assert asked()[name] - before[name] == TURNS - saved[name]
    assert paid_replies(library) == Counter(dict.fromkeys(names, TURNS))
    whole = tmp_path / "whole"
    command = [sys.executable, "-m", "rollstep.tui", *given[:-4], "--output-dir", str(whole)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert records(out) == records(whole)
