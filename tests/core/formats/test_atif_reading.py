"""ATIF as other programs write it: what is odd is shown and noted, and written strictly."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import FormatError
from rollstep.core.formats.chat_notes import AS_OBJECTS
from rollstep.core.formats.reading.record import Record
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.steps import Step, role_of

from tests.formats.trajectories import NAMES
from tests.formats.trajectories import subject as shared

from .atif_documents import NAME, as_subject, document, encoded, payloads, read_one, rich, words
from .conftest import make_project, make_subject
from .round_trip import rollout_of, written
from .samples import DATA


def case() -> bytes:
    return (DATA / "atif_ids_gaps_and_a_newer_version.json").read_bytes()


def test_odd_ids_versions_and_fields_are_shown_and_noted() -> None:
    imported = read_one(case())
    said = "\n".join(note.render() for note in imported.notes)
    assert "ATIF-v1.9 is newer than 1.8" in said
    assert "steps[1].observation.results[0]: the result names no call" in said
    assert "steps[2].step_id: it is 4 where 3 is due" in said
    assert (
        "steps[2].observation.results[0].source_call_id: no call of its step has the id 'nope'"
        in said
    )
    assert "steps[2].observation.results[1].content: it is null" in said
    assert [type(step.payload).__name__ for step in imported.steps] == [
        *("UserMessage", "TargetReply", "ToolResult", "ToolResult"),
        *("TargetReply", "ToolResult", "ToolResult", "SystemNote"),
    ]
    answered = [s.payload.call_id for s in imported.steps if isinstance(s.payload, ToolResult)]
    assert answered == ["", "c1", "nope", ""]


def test_what_was_tolerated_is_written_strictly() -> None:
    subject = as_subject(read_one(case()))
    found = document(subject)
    assert found["schema_version"] == "ATIF-v1.8"
    assert [step["step_id"] for step in found["steps"]] == [1, 2, 3, 4]
    results = found["steps"][2]["observation"]["results"]
    assert results == [{"content": "r", "extra": {"rollstep": {"call_id": "nope"}}}, {}]
    assert found["steps"][0]["is_copied_context"] is True
    assert found["steps"][3]["extra"] == {"future_field": {"x": 1}}
    assert found["final_metrics"] == {"total_steps": 4}
    assert "no place for stand in extra (step 8)" in words(subject)
    assert "total_steps of the source, 99, is written as 4" in words(subject)


def test_copied_steps_are_not_to_be_trained_on() -> None:
    value = foreign()
    value["steps"][2]["is_copied_context"] = True
    imported = read_one(encoded(value))
    reply = next(s for s in imported.steps if isinstance(s.payload, TargetReply))
    assert imported.marks == (Mark(reply.id, train=False),)
    assert "rollstep" not in document(as_subject(imported))["steps"][2].get("extra", {})


def foreign() -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "run-1",
        "trajectory_id": "t-1",
        "agent": {
            "name": "terminus",
            "version": "2.0",
            "model_name": "m",
            "tool_definitions": [{"type": "function", "function": {"name": "ls", "strict": True}}],
            "extra": {"k": 0.10},
        },
        "steps": [
            {
                "step_id": 1,
                "timestamp": "2025-10-10T10:00:00Z",
                "source": "system",
                "message": "Be kind.",
            },
            {
                "step_id": 2,
                "source": "user",
                "message": [
                    {"type": "text", "text": "What?"},
                    {"type": "image", "source": {"media_type": "image/png", "path": "a/b.png"}},
                ],
            },
            {
                "step_id": 3,
                "timestamp": "2025-10-10T10:00:03.1+02:00",
                "source": "agent",
                "model_name": "other",
                "reasoning_effort": "high",
                "message": "",
                "reasoning_content": "Hm.",
                "tool_calls": [
                    {
                        "tool_call_id": "c1",
                        "function_name": "ls",
                        "arguments": {"p": 1.50},
                        "extra": {"timeout": 5},
                    }
                ],
                "observation": {
                    "results": [
                        {
                            "source_call_id": "c1",
                            "content": "a",
                            "subagent_trajectory_ref": [{"trajectory_id": "sub-1"}],
                            "extra": {"score": 1.0},
                        }
                    ]
                },
                "metrics": {
                    "prompt_tokens": 5,
                    "completion_tokens": 2,
                    "cost_usd": 0.010,
                    "logprobs": [-0.10],
                    "extra": {"a": 1},
                },
                "llm_call_count": 2,
                "extra": {"mine": [1.0]},
            },
            {"step_id": 4, "source": "agent", "message": "Done."},
        ],
        "notes": "A run.",
        "final_metrics": {"total_prompt_tokens": 5, "total_steps": 4, "extra": {"b": 2}},
        "continued_trajectory_ref": "next.json",
        "extra": {"reward": 1.0},
        "subagent_trajectories": [
            {
                "schema_version": "ATIF-v1.7",
                "trajectory_id": "sub-1",
                "agent": {"name": "helper", "version": "1"},
                "steps": [{"step_id": 1, "source": "user", "message": "Go."}],
            }
        ],
    }


def test_a_document_of_another_program_comes_back_as_it_was() -> None:
    imported = read_one(encoded(foreign()))
    assert imported.key == "t-1"
    assert imported.project.target.system == "Be kind."
    assert imported.project.tools[0].name == "ls"
    reply = imported.steps[1]
    assert reply.call is not None
    assert (reply.call.model, reply.call.usage.prompt_tokens, reply.call.cost) == ("other", 5, 0.01)
    assert reply.created_at == 1760083203.1
    found = document(as_subject(imported))
    expected = {**foreign(), "schema_version": "ATIF-v1.8"}
    expected["subagent_trajectories"][0]["schema_version"] = "ATIF-v1.8"
    assert found == expected
    again = written(as_subject(read_one(written(as_subject(imported), NAME))), NAME)
    assert again == written(as_subject(imported), NAME)


def test_fields_that_are_not_as_atif_has_them_move_into_extra() -> None:
    value = foreign()
    value["future"] = 1
    value["agent"]["future"] = 2
    value["steps"][1]["metrics"] = {"prompt_tokens": 3}
    value["steps"][2]["metrics"]["prompt_tokens"] = "many"
    value["steps"][2]["metrics"]["future"] = 3
    value["steps"][2]["observation"]["results"][0]["future"] = 4
    value["steps"][2]["tool_calls"][0]["future"] = 5
    value["steps"][3]["llm_call_count"] = -1
    value["steps"][3]["timestamp"] = "yesterday"
    found = document(as_subject(read_one(encoded(value))))
    assert found["extra"] == {"future": 1, "reward": 1.0}
    assert found["agent"]["extra"] == {"k": 0.1, "future": 2}
    assert found["steps"][1]["extra"] == {"metrics": {"prompt_tokens": 3}}
    assert found["steps"][2]["metrics"]["extra"] == {"a": 1, "prompt_tokens": "many", "future": 3}
    assert found["steps"][2]["observation"]["results"][0]["extra"] == {"score": 1.0, "future": 4}
    assert found["steps"][2]["tool_calls"][0]["extra"] == {"timeout": 5, "future": 5}
    assert found["steps"][3]["extra"] == {"timestamp": "yesterday", "llm_call_count": -1}


def test_what_came_as_objects_is_not_said_to_become_some() -> None:
    assert AS_OBJECTS not in words(as_subject(read_one(encoded(foreign()))))
    assert AS_OBJECTS in words(rich())


def test_an_edited_import_has_ids_of_its_own_and_no_totals_of_the_source() -> None:
    imported = read_one(encoded(foreign()))
    tree = rollout_of(imported, NAME)
    edit = target_reply("Better.")
    parent = imported.steps[2].id
    tree.add(Step("e1", parent, role_of(edit), edit, "human", author="ana", replaces="x"))
    subject = msgspec.structs.replace(
        as_subject(imported), trajectory=tree.trajectory("e1"), rollout=tree
    )
    found = document(subject)
    assert found["session_id"] == "run-1"
    assert found["trajectory_id"] != "t-1"
    assert found["steps"][:3] == foreign()["steps"][:3]
    assert found["steps"][3]["extra"]["rollstep"]["edit"]["author"] == "ana"
    assert found["final_metrics"]["total_steps"] == 4
    assert "extra" not in found["final_metrics"]


@pytest.mark.parametrize(
    "step",
    [
        {},
        {"source": "agent", "message": None, "tool_calls": 5, "observation": {"results": 3}},
        {"source": "agent", "message": {"a": 1}, "tool_calls": [None, {"arguments": "{}"}]},
        {"source": "robot", "message": "x", "reasoning_content": 4},
        {"source": "agent", "message": "x", "reasoning_content": 4, "metrics": [], "extra": 7},
        {"source": "user", "message": "x", "tool_calls": [{}], "observation": 3},
        {"source": "agent", "message": [{"type": "image"}, "x", {"type": "tool_use"}]},
    ],
)
def test_any_step_is_read_with_a_note_and_written_as_atif_has_it(step: dict[str, Any]) -> None:
    value = {"schema_version": "ATIF-v1.0", "steps": [{"step_id": 1, **step}]}
    imported = read_one(encoded(value))
    assert imported.notes
    assert imported.steps
    data = written(as_subject(imported), NAME)
    assert json.loads(data)["steps"][0]["step_id"] == 1
    assert written(as_subject(read_one(data)), NAME) == data


def test_a_document_without_steps_cannot_be_used() -> None:
    reader = FORMATS[NAME].reader
    assert reader is not None
    with pytest.raises(FormatError, match="there are no steps"):
        list(reader.read(Record(1, {"schema_version": "ATIF-v1.6", "steps": []}, "d")))
    for odd in (None, [], {"steps": 3}, {"steps": []}, {"steps": [5], "agent": {}}):
        assert reader.recognise(odd) == 0


@pytest.mark.parametrize("name", [name for name in NAMES if name != "empty"])
def test_the_shared_set_reads_back_and_writes_the_same_bytes(name: str) -> None:
    subject = shared(name)
    data = written(subject, NAME)
    imported = read_one(data)
    found = as_subject(imported)
    assert list(map(said, payloads(found))) == list(map(said, payloads(subject)))
    if name != "exact_arguments":  # their white space is gone once they were read as an object
        assert written(found, NAME) == data
    assert written(as_subject(read_one(written(found, NAME))), NAME) == written(found, NAME)


def said(payload: Payload) -> Payload:
    """An empty text says nothing, whether it is there or not, and white space in JSON neither."""
    if isinstance(payload, Stop):
        return payload
    parts = tuple(part for part in payload.parts if part != Text(""))
    found = msgspec.structs.replace(payload, parts=parts)
    if isinstance(found, TargetReply):
        calls = [
            msgspec.structs.replace(call, arguments=call.arguments.replace(":  ", ": "))
            for call in found.tool_calls
        ]
        return msgspec.structs.replace(found, tool_calls=tuple(calls))
    return found


TEXTS = st.text(max_size=12) | st.sampled_from(["", "\u2028", '"\\', "\ud83d", "😀"])


@given(
    st.lists(st.tuples(TEXTS, st.booleans(), TEXTS, TEXTS), min_size=1, max_size=4),
    st.none() | TEXTS,
)
def test_written_documents_read_back_and_written_again_are_the_same_bytes(
    turns: list[tuple[str, bool, str, str]], system: str | None
) -> None:
    made: list[Payload] = []
    for number, (said, calls, answer, thought) in enumerate(turns):
        made.append(user_message(said))
        if calls:
            call = ToolCall(f"c{number}", "f", '{"a": 1.0}')
            made.append(TargetReply((), (Reasoning(thought),), (call,)))
            made.append(tool_result(f"c{number}", answer, is_error=bool(number % 2)))
        made.append(TargetReply(text_parts(answer)))
    subject = make_subject(*made, project=make_project(target=HumanTarget(system=system)))
    data = written(subject, NAME)
    imported = read_one(data)
    assert payloads(as_subject(imported)) == made
    assert imported.project.target.system == system
    assert imported.notes == ()
    assert written(as_subject(imported), NAME) == data
