"""Subjects of rollouts, and exports to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rollstep.core.errors import ExportError, UsageError
from rollstep.core.export import export, export_report, render, subject_of
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.messages import Payload, target_reply, user_message
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Step, role_of
from rollstep.core.projects.reader import parse_project

PROJECT = Project("t", EchoTarget("s"), HeuristicEvaluator(), opening="Hi.", max_turns=3)


def make_rollout() -> Rollout:
    """Two turns, and a second take of the second reply."""
    rollout = Rollout(RolloutHeader("r", "t", seed=5, record=7), [PROJECT])
    steps: list[tuple[str, str | None, Payload]] = [
        ("a", None, user_message("Hi.")),
        ("b", "a", target_reply("Hello.")),
        ("c", "b", user_message("Bye.")),
        ("d", "c", target_reply("So long.")),
        ("e", "c", target_reply("No.")),
    ]
    for step_id, parent, payload in steps:
        rollout.add(Step(step_id, parent, role_of(payload), payload, "script"))
    return rollout


def test_a_subject_is_the_whole_branch_or_its_first_steps() -> None:
    rollout = make_rollout()
    subject = subject_of(rollout, "d")
    assert [step.id for step in subject.trajectory.steps] == ["a", "b", "c", "d"]
    assert (subject.seed, subject.row, subject.later, subject.branches) == (5, 7, 0, 1)
    subject = subject_of(rollout, "d", up_to=2)
    assert [step.id for step in subject.trajectory.steps] == ["a", "b"]
    assert subject.later == 2
    for number in (0, 5):
        with pytest.raises(UsageError, match=f"no step {number}"):
            subject_of(rollout, "d", up_to=number)


def test_every_format_of_one_trajectory_is_rendered() -> None:
    subject = subject_of(make_rollout(), "d")
    for name, fmt in FORMATS.items():
        if fmt.writes and not fmt.whole and not (fmt.check and fmt.check(subject)):
            assert render(subject, name), name


def test_an_unknown_format_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"turn-records, .*openai"):
        render(subject_of(make_rollout(), "d"), "opanai")


def test_a_refused_export_writes_nothing(tmp_path: Path) -> None:
    subject = subject_of(make_rollout(), "d", up_to=3)
    with pytest.raises(ExportError, match="turn 2 \\(step 3\\)"):
        export(subject, "turn-records", tmp_path / "x.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_project_is_exported_with_the_opening_of_this_branch(tmp_path: Path) -> None:
    rollout = Rollout(RolloutHeader("r", "t"), [PROJECT])
    rollout.add(Step("a", None, "evaluator", user_message("Good day."), "human"))
    subject = subject_of(rollout, "a")
    report = export(subject, "project", tmp_path / "p.yaml")
    assert "the opening is the message of step 1" in report.render()
    assert parse_project((tmp_path / "p.yaml").read_bytes()).opening == "Good day."
    assert json.loads(render(subject, "seed"))["user_text"] == "Good day."


def test_a_seed_row_says_what_it_has_no_place_for() -> None:
    words = export_report(subject_of(make_rollout(), "d"), "seed").render()
    assert "max_turns: a row has no place for it" in words


def test_a_bundle_needs_the_whole_rollout(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        export(subject_of(make_rollout(), "d"), "bundle", tmp_path / "b.rollstep.jsonl")
