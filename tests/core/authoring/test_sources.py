"""Goals, seed rows and benchmark runs as things to write projects from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.authoring.shapes import score_of, task_of, transcript_of
from rollstep.core.authoring.sources import Source, read_sources
from rollstep.core.errors import InputError


def rows(tmp_path: Path, *given: Any) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = [each if isinstance(each, str) else json.dumps(each) for each in given]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_goals_stand_one_on_a_line(tmp_path: Path) -> None:
    path = tmp_path / "goals.txt"
    path.write_bytes("\ufeff# goals\r\n\r\n  Book a flight. \r\nÜber\n".encode() + b"\xff\n")
    found = read_sources(path)
    assert [(s.kind, s.line, s.text) for s in found.found] == [
        ("goal", 3, "Book a flight."),
        ("goal", 4, "Über"),
    ]
    assert [fault.line for fault in found.faults] == [5]


def test_rows_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    context = {"memory": [], "score": 5}
    path = rows(
        tmp_path,
        {"user_text": "Hi there", "task_id": "t1", "context": context},
        {"goal": "Cancel an order"},
        {"score": 0.0, "task": "Refund 4471", "messages": [{"role": "user", "content": "Hi"}]},
        {"score": 1.0, "task": "Done well"},
        {"score": 0.0, "colour": "red"},
        {"colour": "red"},
        "{cut off",
        "[1]",
    )
    found = read_sources(path)
    seed, goal, failure = found.found
    assert (seed.kind, seed.text, seed.id) == ("seed", "Hi there", "t1")
    assert json.loads(seed.context) == context
    assert goal == Source("goal", 2, "Cancel an order")
    assert (failure.kind, failure.line, failure.text) == ("failure", 3, "Refund 4471")
    assert failure.more == "user: Hi"
    assert found.passed == 1
    assert [fault.line for fault in found.faults] == [5, 6, 7, 8]
    assert "neither a task nor a transcript" in found.faults[0].message
    assert "colour" in found.faults[1].message


def test_what_counts_as_failed_can_be_said(tmp_path: Path) -> None:
    path = rows(tmp_path, {"score": 3, "task": "a"}, {"score": 8, "task": "b"})
    with pytest.raises(InputError, match="no run failed: all 2 have a score of 1 or more"):
        read_sources(path)
    assert [s.text for s in read_sources(path, below=5).found] == ["a"]


@pytest.mark.parametrize(
    ("row", "score"),
    [
        ({"reward": 0.5}, 0.5),
        ({"success": False}, 0.0),
        ({"passed": "PASS"}, 1.0),
        ({"resolved": "no"}, 0.0),
        ({"score": "0.25"}, 0.25),
        ({"reward_info": {"reward": 1}}, 1.0),
        ({"info": {"score": 0}}, 0.0),
        ({"score": None}, None),
        ({"score": "nan"}, None),
        ({"context": {"score": 5}}, None),
        ({}, None),
    ],
)
def test_scores_of_many_shapes(row: dict[str, Any], score: float | None) -> None:
    assert score_of(row) == score


@pytest.mark.parametrize(
    ("row", "task"),
    [
        ({"instruction": "Do it"}, "Do it"),
        ({"info": {"task": {"instruction": "Do it"}}}, "Do it"),
        ({"task": {"user_scenario": {"instructions": "Do it"}}}, "Do it"),
        ({"task": {"a": 1}}, '{"a": 1}'),
        ({"task": ["one", "two"]}, "one\ntwo"),
        ({"task": 7, "prompt": "Do it"}, "Do it"),
        ({}, ""),
    ],
)
def test_tasks_of_many_shapes(row: dict[str, Any], task: str) -> None:
    assert task_of(row) == task


def test_transcripts_of_many_shapes() -> None:
    call = {"function": {"name": "get", "arguments": '{"a": 1}'}}
    chat = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": [{"type": "text", "text": "ok"}, {"type": "image"}]},
    ]
    assert transcript_of({"traj": chat}) == 'assistant called get({"a": 1})\ntool: ok'
    shared = {"conversations": [{"from": "human", "value": "Hi"}]}
    assert transcript_of(shared) == "human: Hi"
    assert transcript_of({"simulation": {"messages": ["Hi", ["bot", "Yes"]]}}) == "Hi\nbot: Yes"
    assert transcript_of({"log": " text "}) == "text"
    assert transcript_of({"messages": [5, None, {"role": "user"}]}) == ""


def test_of_a_long_transcript_the_beginning_and_the_end_are_kept() -> None:
    messages = [{"role": "user", "content": f"message {n} " + "x" * 100} for n in range(500)]
    told = transcript_of({"messages": messages})
    assert len(told) < 13_000
    assert "message 0 " in told
    assert "message 499 " in told
    assert "characters left out" in told


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# only a comment\n"])
def test_a_file_without_anything_is_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "goals.txt"
    path.write_bytes(data)
    with pytest.raises(InputError, match="no line can be used"):
        read_sources(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_sources(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_sources(tmp_path / "none.jsonl")
