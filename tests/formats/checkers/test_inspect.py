"""Inspect logs, read back by Inspect itself."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from inspect_ai.event import ModelEvent, ToolEvent, timeline_build
from inspect_ai.event._timeline import TimelineSpan
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
)
from rollstep.core.formats.inspect import collect, collect_eval
from rollstep.core.formats.jsonl import escape_surrogates
from rollstep.core.formats.subject import Subject
from rollstep.core.model.messages import Stop, TargetReply, ToolResult, payload_text
from rollstep.core.model.rollout import Trajectory

from .writing import PLAIN, data, subject_named, taken

_SUFFIXES = {"inspect": ".json", "inspect-eval": ".eval"}
_WRITERS = {"inspect": collect, "inspect-eval": collect_eval}
EACH = [(fmt, name) for fmt in _SUFFIXES for name in taken(fmt)]


def read(fmt: str, name: str, tmp_path: Path) -> EvalLog:
    """The log as Inspect sees it."""
    path = tmp_path / f"log{_SUFFIXES[fmt]}"
    path.write_bytes(data(fmt, name))
    return read_eval_log(str(path), resolve_attachments=True)


def sample_of(log: EvalLog) -> EvalSample:
    """The one sample."""
    (sample,) = log.samples or []
    return sample


def all_branches(name: str) -> list[Subject]:
    """The trajectory, and those of the rollout's other leaves."""
    one = subject_named(name)
    assert one.rollout is not None
    rollout, last = one.rollout, one.trajectory.steps[-1].id
    others = [leaf for leaf in rollout.leaves() if leaf != last]
    replace = msgspec.structs.replace
    return [one, *(replace(one, trajectory=Trajectory(rollout.path(leaf))) for leaf in others)]


@pytest.mark.parametrize(("fmt", "name"), EACH)
def test_inspect_reads_every_message(fmt: str, name: str, tmp_path: Path) -> None:
    log = read(fmt, name, tmp_path)
    assert log.version == 2
    assert log.status == "success"
    subject = subject_named(name)
    said = [message.text for message in sample_of(log).messages]
    if subject.project.target.system is not None:
        assert said.pop(0) == subject.project.target.system
    steps = [s for s in subject.trajectory.steps if not isinstance(s.payload, Stop)]
    assert len(said) == len(steps)
    for words, step in zip(said, steps, strict=True):
        wanted = payload_text(step.payload)
        if escape_surrogates(wanted) == wanted and "refus" not in name:
            assert "".join(words.split()) == "".join(wanted.split())


@pytest.mark.parametrize(("fmt", "name"), EACH)
def test_each_reply_was_given_what_came_before_it(fmt: str, name: str, tmp_path: Path) -> None:
    sample = sample_of(read(fmt, name, tmp_path))
    replies = [m for m in sample.messages if m.role == "assistant"]
    models = [e for e in sample.events if isinstance(e, ModelEvent) and e.role is None]
    assert len(models) == len(replies)
    for event, reply in zip(models, replies, strict=True):
        assert event.output.message.text == reply.text
        place = [m.id for m in sample.messages].index(reply.id)
        assert [m.id for m in event.input] == [m.id for m in sample.messages[:place]]
    results = [m for m in sample.messages if m.role == "tool"]
    assert sum(isinstance(event, ToolEvent) for event in sample.events) == len(results)


@pytest.mark.parametrize("fmt", _SUFFIXES)
def test_what_it_takes(fmt: str) -> None:
    wanted = {*PLAIN, "tools", "parallel", "error_result", "reasoning", "fork", "scores", "image"}
    assert wanted <= set(taken(fmt))


def test_who_said_it_and_what_failed_are_native(tmp_path: Path) -> None:
    sample = sample_of(read("inspect", "edited_reply", tmp_path))
    assert [m.source for m in sample.messages if m.role == "assistant"] == ["operator"]
    sample = sample_of(read("inspect", "error_result", tmp_path))
    assert [m.error for m in sample.messages if m.role == "tool"] != [None]
    sample = sample_of(read("inspect", "scores", tmp_path))
    assert (sample.scores or {})["reward"].value == 0.0
    assert (sample.scores or {})["reward"].explanation == "issue_refund never called"


def test_edits_have_their_provenance(tmp_path: Path) -> None:
    (update,) = read("inspect-eval", "edited_reply", tmp_path).log_updates or []
    assert update.provenance.author == "ana"


@pytest.mark.parametrize("fmt", _SUFFIXES)
def test_branches_show_where_they_go_off(fmt: str, tmp_path: Path) -> None:
    subjects = all_branches("fork")
    assert len(subjects) > 1
    path = tmp_path / f"log{_SUFFIXES[fmt]}"
    path.write_bytes(b"".join(_WRITERS[fmt](subjects)))
    sample = sample_of(read_eval_log(str(path)))
    (timeline,) = sample.timelines or []
    assert _branches(timeline.root) == _branches(timeline_build(sample.events).root)
    replies = {
        step.id
        for subject in subjects
        for step in subject.trajectory.steps
        if isinstance(step.payload, TargetReply)
    }
    models = [event for event in sample.events if isinstance(event, ModelEvent)]
    assert {event.output.message.id for event in models} == replies


def _branches(span: TimelineSpan) -> list[object]:
    return [
        (each.name, each.branched_from, len(each.content), _branches(each))
        for each in span.branches
    ]


def test_the_zip_lists_its_samples_and_opens_one(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(data("inspect-eval", "scores"))
    (summary,) = read_eval_log_sample_summaries(str(path))
    assert summary.id == 1
    assert (summary.scores or {})["reward"].value == 0.0
    assert read_eval_log_sample(str(path), id=1).messages
    header = read_eval_log(str(path), header_only=True)
    assert header.samples is None
    assert header.results is not None
    assert header.results.total_samples == 1


def test_a_result_that_failed_has_its_words(tmp_path: Path) -> None:
    sample = sample_of(read("inspect", "error_result", tmp_path))
    failed = [m for m in sample.messages if m.role == "tool" and m.error is not None]
    steps = subject_named("error_result").trajectory.steps
    wanted = [payload_text(s.payload) for s in steps if isinstance(s.payload, ToolResult)]
    assert [m.error and m.error.message for m in failed] == wanted
