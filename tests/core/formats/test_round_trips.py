"""What the chat formats write is read back, and written again to the byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.formats.reading.record import Imported
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import (
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    reasoning_text,
)

from .reading_back import read_lines, with_options, write, written_again
from .trajectories import TEXTS, subjects, trees
from .trees import Tree


def said(payloads: list[Payload], holds: frozenset[str], *, ids: bool = True) -> list[object]:
    """What a format that holds these features keeps of a trajectory."""
    found: list[object] = []
    for payload in payloads:
        if isinstance(payload, Stop):
            found += [("stop", payload.reason)] if "stop" in holds else []
        elif isinstance(payload, TargetReply):
            calls = [_call(call, ids) for call in payload.tool_calls]
            thought = reasoning_text(payload.reasoning) if "reasoning" in holds else ""
            found.append(("target", parts_text(payload.parts), thought, calls))
        elif isinstance(payload, ToolResult):
            found.append(("tool", payload.call_id if ids else "", parts_text(payload.parts)))
        else:
            assert isinstance(payload, UserMessage | SystemNote)
            found.append((type(payload).__name__, parts_text(payload.parts)))
    return found


def _call(call: ToolCall, ids: bool) -> tuple[str, str, str]:
    return (call.id if ids else "", call.name, json.dumps(json.loads(call.arguments)))


def payloads(subject: Subject) -> list[Payload]:
    return [step.payload for step in subject.trajectory.steps]


def read(fmt: str, data: bytes) -> Imported:
    (imported,) = read_lines(fmt, [line for line in data.split(b"\n") if line])
    return imported


def holds(fmt: str, subject: Subject) -> frozenset[str]:
    more = FORMATS[fmt].holds_also
    return FORMATS[fmt].holds | (more(subject) if more else frozenset())


@pytest.mark.parametrize("fmt", ["openai", "trl"])
@given(data=st.data())
def test_one_row_for_a_trajectory(fmt: str, data: st.DataObject) -> None:
    subject = data.draw(subjects())
    assert report(subject, FORMATS[fmt]).refused == ()
    written = write(fmt, subject)
    assert written.count(b"\n") == 1
    assert len(written.decode("utf-8").splitlines()) == 1
    imported = read(fmt, written)
    kept = holds(fmt, subject)
    again = said([step.payload for step in imported.steps], kept)
    assert again == said(payloads(subject), kept)
    assert imported.project.target.system == subject.project.target.system
    assert imported.project.tools == subject.project.tools
    if "train" in kept:
        numbers = {step.id: number for number, step in enumerate(imported.steps, 1)}
        marks = {numbers[mark.step_id]: mark.train for mark in imported.marks}
        assert marks == {int(mark.step_id[1:]): mark.train for mark in subject.marks}
    assert written_again(fmt, written) == written


@given(subject=subjects(arguments=TEXTS))
def test_arguments_of_openai_rows_are_any_text(subject: Subject) -> None:
    written = write("openai", subject)
    ours = [call for p in payloads(subject) if isinstance(p, TargetReply) for call in p.tool_calls]
    theirs = [
        call
        for step in read("openai", written).steps
        if isinstance(step.payload, TargetReply)
        for call in step.payload.tool_calls
    ]
    doubly = [call.arguments for call in ours if call.arguments.startswith('"')]
    if not doubly:  # a JSON string in a JSON string is decoded, and said so
        assert theirs == ours
        assert written_again("openai", written) == written


@given(subject=subjects(beside=False, notes=False))
def test_sharegpt_rows(subject: Subject) -> None:
    if any(
        isinstance(p, TargetReply) and not p.reasoning and parts_text(p.parts).startswith("<think>")
        for p in payloads(subject)
    ):
        return  # such an answer is taken for reasoning, and said so
    written = write("sharegpt", subject)
    kept = holds("sharegpt", subject)
    again = said([step.payload for step in read("sharegpt", written).steps], kept, ids=False)
    ours = said(_in_call_order(payloads(subject)), kept, ids=False)
    assert again == ours
    assert written_again("sharegpt", written) == written


def _in_call_order(given: list[Payload]) -> list[Payload]:
    """Results in the order of their calls, as one observation holds them."""
    places: dict[str, int] = {}
    found: list[Payload] = []
    results: list[ToolResult] = []
    for payload in [*given, None]:
        if isinstance(payload, ToolResult):
            results.append(payload)
            continue
        found += sorted(results, key=lambda result: places[result.call_id])
        results = []
        if isinstance(payload, TargetReply):
            places = {call.id: place for place, call in enumerate(payload.tool_calls)}
        if payload is not None:
            found.append(payload)
    return found


@given(subject=subjects())
def test_a_row_for_each_reply(subject: Subject) -> None:
    fmt = "trl-prompt-completion"
    if report(subject, FORMATS[fmt]).refused:
        assert all(mark.train is False for mark in subject.marks)  # nothing is to be learnt
        return
    written = write(fmt, subject)
    assert written == write("trl", with_options(subject, split="replies"))
    assert written_again(fmt, written) == written
    off = {mark.step_id for mark in subject.marks if mark.train is False}
    taught = [
        step
        for step in subject.trajectory.steps
        if isinstance(step.payload, TargetReply) and step.id not in off
    ]
    assert written.count(b"\n") == len(taught)


@pytest.mark.parametrize("fmt", ["openai-preference", "trl-preference"])
@given(data=st.data())
def test_pairs(fmt: str, data: st.DataObject) -> None:
    tree = data.draw(trees())
    for subject in tree.branches():
        if report(subject, FORMATS[fmt]).refused:
            continue
        written = write(fmt, subject)
        for line in written.splitlines(keepends=True):
            assert written_again(fmt, line) == line


@given(tree=trees())
def test_all_branches_split_by_reply_come_back_as_one_tree(tree: Tree) -> None:
    fmt = "trl-prompt-completion"
    tree.marks = []
    written = write(fmt, *tree.branches())
    assert sorted(written_again(fmt, written).splitlines()) == sorted(written.splitlines())
