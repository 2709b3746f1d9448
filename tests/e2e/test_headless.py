"""``rollstep run`` on a real terminal: a bar, and an interrupt that leaves whole lines behind."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pexpect
from rollstep.core.store.library import Library


def seeds(path: Path, count: int) -> Path:
    rows = ({"task_id": f"t{n}", "user_text": f"Do number {n}."} for n in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def start(*arguments: object) -> pexpect.spawn:
    command = ["-m", "rollstep.tui", "run", *map(str, arguments)]
    return pexpect.spawn(sys.executable, command, timeout=60, encoding="utf-8")


def test_a_bar_is_shown_on_a_terminal(tmp_path: Path) -> None:
    child = start("--seed-file", seeds(tmp_path / "s.jsonl", 40), "--output-dir", tmp_path)
    child.expect(r"rollouts .*40/40")
    child.expect("wrote 400 turn records of 40 rollouts")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_an_interrupt_is_130_and_leaves_whole_rollouts(tmp_path: Path) -> None:
    child = start("--seed-file", seeds(tmp_path / "s.jsonl", 50_000), "--output-dir", tmp_path)
    child.expect(r"[1-9]\d*/50000")
    child.sendintr()
    child.expect("wrote ([0-9,]+) turn records")
    written = int(child.match[1].replace(",", ""))
    child.expect("interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    text = (tmp_path / "multi_turn_project.jsonl").read_text()
    rows = [json.loads(line) for line in text.split("\n") if line]
    assert text.endswith("\n")
    assert len(rows) == written
    assert rows[-1]["termination"] is not None


def test_nothing_of_an_export_acts_on_a_terminal(tmp_path: Path) -> None:
    project = tmp_path / "p.yaml"
    project.write_text(
        "title: t\ntarget: {kind: echo}\nevaluator: {kind: scripted}\n"
        'opening: "a \\x1b]52;c;eA==\\x07 b \\x9b31m"\n'
    )
    library = tmp_path / "library.sqlite"
    child = start(project, "--output-dir", tmp_path, "--library", library)
    child.expect("wrote 1 turn record")
    child.expect(pexpect.EOF)
    with Library.open(library) as opened:
        (summary,) = opened.recent()
    command = ["-m", "rollstep.tui", "export", summary.id, "--library", str(library)]
    child = pexpect.spawn(
        sys.executable, [*command, "--format", "markdown", "-o", "-"], encoding="utf-8"
    )
    child.expect(pexpect.EOF)
    assert "52;c;eA==" in child.before
    assert not set("\x1b\x07\x9b") & set(child.before)
