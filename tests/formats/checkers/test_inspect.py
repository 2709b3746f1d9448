"""Inspect logs, read back by Inspect itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log, read_eval_log_sample_summaries

from .writing import PLAIN, data, subject_named, taken

_SUFFIXES = {"inspect": ".json", "inspect-eval": ".eval"}


def read(fmt: str, name: str, tmp_path: Path) -> EvalLog:
    """The log as Inspect sees it."""
    path = tmp_path / f"log{_SUFFIXES[fmt]}"
    path.write_bytes(data(fmt, name))
    return read_eval_log(str(path), resolve_attachments=True)


@pytest.mark.parametrize(("fmt", "name"), [(fmt, name) for fmt in _SUFFIXES for name in taken(fmt)])
def test_inspect_reads_every_message(fmt: str, name: str, tmp_path: Path) -> None:
    log = read(fmt, name, tmp_path)
    assert log.version == 2
    assert log.status == "success"
    (sample,) = log.samples or []
    said = [message for message in sample.messages if message.role != "system"]
    steps = [s for s in subject_named(name).trajectory.steps if hasattr(s.payload, "parts")]
    assert len(said) >= len([step for step in steps if step.role != "target" or step.payload.parts])


@pytest.mark.parametrize("fmt", _SUFFIXES)
def test_what_it_takes(fmt: str) -> None:
    wanted = {*PLAIN, "tools", "parallel", "error_result", "reasoning", "fork", "scores", "image"}
    assert wanted <= set(taken(fmt))


def test_who_said_it_and_what_failed_are_native(tmp_path: Path) -> None:
    (sample,) = read("inspect", "edited_reply", tmp_path).samples or []
    assert [m.source for m in sample.messages if m.role == "assistant"] == ["operator"]
    (sample,) = read("inspect", "error_result", tmp_path).samples or []
    assert [m.error for m in sample.messages if m.role == "tool"] != [None]
    (sample,) = read("inspect", "scores", tmp_path).samples or []
    assert (sample.scores or {})["reward"].value == 0.0
    assert (sample.scores or {})["reward"].explanation == "issue_refund never called"


def test_the_zip_lists_its_samples(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(data("inspect-eval", "scores"))
    (summary,) = read_eval_log_sample_summaries(str(path))
    assert summary.id == 1
