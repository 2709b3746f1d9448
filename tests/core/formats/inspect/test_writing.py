"""What is written into a log of Inspect's, and that it is read back whole."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from rollstep.core.formats.inspect import READER, collect, collect_eval, notes
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.record import Imported, Record
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.messages import (
    Stop,
    TargetReply,
    ToolCall,
    UserMessage,
    target_reply,
    text_parts,
    user_message,
)
from rollstep.core.model.project import EchoTarget, HumanTarget
from rollstep.core.model.rollout import Branch, Rollout, RolloutHeader, Trajectory
from rollstep.core.model.steps import Step, role_of

from ..conftest import make_project, make_subject
from ..samples import everything
from .logs import LOG, SAMPLE
from .rollouts import PICTURE, QUICK, log_of, read_json, read_zip, rollouts, shape, subjects_of


@settings(phases=QUICK)
@given(rollouts())
def test_what_is_written_is_read_back_whole(rollout: Rollout) -> None:
    subjects = subjects_of(rollout)
    for imported in (*read_json(collect(subjects)), *read_zip(collect_eval(subjects))):
        assert shape(imported.steps) == shape(rollout)
        assert imported.project == rollout.project
        assert imported.title == "A title"
        path = Rollout(RolloutHeader("x", ""), [imported.project])
        for step in imported.steps:
            path.add(step)
        head = path.path(imported.head)
        assert [s.payload for s in head] == [s.payload for s in subjects[0].trajectory.steps]


def test_everything_at_once() -> None:
    subject = everything()
    first = subject.trajectory.steps[0]
    assert isinstance(first.payload, UserMessage)
    said = msgspec.structs.replace(first.payload, parts=(first.payload.parts[0], PICTURE))
    steps = (msgspec.structs.replace(first, payload=said), *subject.trajectory.steps[1:])
    subject = msgspec.structs.replace(subject, trajectory=Trajectory(steps))
    (imported,) = read_json(collect([subject]))
    assert shape(imported.steps) == shape(subject.trajectory.steps)
    assert {(m.verdict, m.rating, m.tags, m.train, m.note) for m in imported.marks} == {
        (m.verdict, m.rating, m.tags, m.train, m.note) for m in subject.marks
    }


def fork() -> list[Subject]:
    rollout = Rollout(RolloutHeader("r1", "Forks"), [make_project()])
    for step_id, parent, payload, fields in (
        ("a", None, user_message("Hi."), {"origin": "script"}),
        ("b", "a", target_reply("Hello."), {"origin": "model"}),
        ("c", "b", user_message("Again?"), {"origin": "model"}),
        ("d", "c", target_reply("No."), {"origin": "model"}),
        ("e", "b", user_message("Please!"), {"origin": "human", "author": "ana", "reason": "kind"}),
        ("f", "e", target_reply("Yes."), {"origin": "model"}),
        ("g", "f", Stop("goal_reached", "human", "fine"), {"origin": "human", "author": "ana"}),
    ):
        rollout.add(Step(step_id, parent, role_of(payload), payload, **fields))
    return subjects_of(
        rollout,
        named=(Branch("d", "unkind"), Branch("g", "kind")),
        marks=(Mark("g", verdict="accept", rating=4),),
        scores=(Score("reward", 1.0, "It was kind.", "a judge", ("f",)), Score("other", None)),
    )


def test_branches_are_one_sample_with_anchors_where_they_go_off() -> None:
    log = log_of(collect(fork()))
    (sample,) = log["samples"]
    assert [each["id"] for each in sample["messages"]] == ["system", "a", "b", "e", "f"]
    (timeline,) = sample["timelines"]
    (branch,) = timeline["root"]["branches"]
    events = {each["uuid"]: each for each in sample["events"]}
    anchors = [
        each["event"]
        for each in timeline["root"]["content"]
        if events[each["event"]]["event"] == "anchor"
    ]
    assert events[anchors[0]]["anchor_id"] == branch["branched_from"]
    assert branch["name"] == "unkind"
    kinds = [events[each["event"]]["event"] for each in branch["content"]]
    assert kinds == ["branch", "model"]
    last = events[branch["content"][1]["event"]]
    assert last["input_refs"] == [[0, 3], [5, 6]]
    assert [sample["events_data"]["messages"][n]["id"] for n in (0, 1, 2, 5)] == [
        "system",
        "a",
        "b",
        "c",
    ]


def test_edits_of_people_are_the_operators_and_have_their_provenance() -> None:
    log = log_of(collect(fork()))
    sources = {each["id"]: each.get("source") for each in log["samples"][0]["messages"]}
    assert sources == {
        "system": None,
        "a": "input",
        "b": "generate",
        "e": "operator",
        "f": "generate",
    }
    (update,) = log["log_updates"]
    assert update["provenance"]["author"] == "ana"
    assert update["provenance"]["reason"] == "kind"
    assert log["samples"][0]["metadata"]["stop"] == "goal_reached"
    assert log["samples"][0]["metadata"]["verdict"] == "accept"


def test_scores_keep_their_judge_and_the_messages_they_cite() -> None:
    log = log_of(collect(fork()))
    scores = log["samples"][0]["scores"]
    assert scores["reward"] == {
        "value": 1,
        "explanation": "It was kind.",
        "metadata": {"judge": "a judge", "messages": ["f"]},
    }
    assert scores["other"]["value"] != scores["other"]["value"]  # NaN
    (imported,) = read_json(collect(fork()))
    reward, other = imported.scores
    assert (reward.judge, len(reward.step_ids)) == ("a judge", 1)
    assert (other.judge, other.value) == ("", None)
    assert log["results"]["scores"][0]["metrics"]["mean"]["value"] == 1


def test_two_scores_of_one_name_are_both_written() -> None:
    subject = make_subject(user_message("x"), scores=(Score("s", 1.0), Score("s", 0.0)))
    (sample,) = log_of(collect([subject]))["samples"]
    assert [(name, each["value"]) for name, each in sample["scores"].items()] == [
        ("s", 1),
        ("s (2)", 0),
    ]


def taken_in(imported: Imported) -> Rollout:
    """The rollout that an import becomes."""
    header = RolloutHeader("r", imported.title, format="inspect", extra=imported.extra)
    rollout = Rollout(header, [imported.project])
    for step in imported.steps:
        rollout.add(step)
    return rollout


def test_a_log_that_was_read_is_written_as_it_was() -> None:
    (imported,) = READER.read(Record(1, JsonReader().parse(json.dumps(LOG))[0], "d2.0"))
    rollout = taken_in(imported)
    (other,) = subjects_of(rollout, scores=imported.scores, named=imported.branches)
    path = Trajectory(rollout.path(imported.head))
    log = log_of(collect([msgspec.structs.replace(other, trajectory=path), other]))
    (sample,) = log["samples"]
    was = json.loads(json.dumps(SAMPLE).replace(SAMPLE["input"], "Where is my order?"))
    assert sample["messages"] == was["messages"]
    for key in ("id", "epoch", "input", "target", "scores", "output", "started_at"):
        assert sample[key] == was[key], key
    assert sample["metadata"] == {}
    assert log["eval"] == LOG["eval"]
    (again,) = read_json([json.dumps(log).encode()])
    assert shape(again.steps) == shape(imported.steps)
    assert [b.name for b in again.branches] == ["doubts"]
    assert [(s.name, s.value, s.explanation) for s in again.scores] == [
        (s.name, s.value, s.explanation) for s in imported.scores
    ]


def test_a_log_that_was_read_and_edited_keeps_both() -> None:
    (imported,) = READER.read(Record(1, JsonReader().parse(json.dumps(LOG))[0], "d1"))
    rollout = taken_in(imported)
    old = rollout.path(imported.head)[-1]
    edit = target_reply("It is lost.")
    rollout.add(Step("new", old.parent_id, "target", edit, "human", author="ana", replaces=old.id))
    subject = subjects_of(rollout)[0]
    (sample,) = log_of(collect([subject]))["samples"]
    assert [each["source"] for each in sample["messages"] if each["role"] == "assistant"] == [
        "generate",
        "operator",
    ]
    assert sample["output"]["choices"][0]["message"]["content"] == "It is lost."
    (again,) = read_json(collect([subject]))
    assert [step.payload for step in again.steps][-1] == edit
    assert again.steps[-1].author == "ana"
    assert again.steps[-1].origin == "human"
    assert again.extra == imported.extra


def test_what_another_format_held_besides_goes_through_a_log_untouched() -> None:
    steps = (user_message("Hi."), {"origin": "import"})
    subject = make_subject(steps, format="tau2", extra='{"id": "sim-1", "input": "x", "n": 1.10}')
    kept = {"$source": ["tau2", subject.extra]}
    for _ in range(2):
        (imported,) = read_json(collect([subject]))
        assert json.loads(imported.extra) == kept
        subject = msgspec.structs.replace(subject, format="inspect", extra=imported.extra)
        (sample,) = log_of(collect([subject]))["samples"]
        assert (sample["id"], sample["input"]) == (1, "Hi.")


def test_several_rollouts_are_samples_of_their_own() -> None:
    def made() -> Iterator[Subject]:
        for number in range(3):
            yield make_subject(user_message(f"m{number}"), rollout_id=f"r{number}")

    log = log_of(collect(made()))
    assert [each["id"] for each in log["samples"]] == [1, 2, 3]
    assert log["results"]["total_samples"] == 3
    assert [imported.steps[0].payload for imported in read_zip(collect_eval(made()))] == [
        user_message(f"m{number}") for number in range(3)
    ]


def test_answers_of_a_role_are_samples_of_their_own() -> None:
    rollouts = [Rollout(RolloutHeader("r1", "Asked"), [make_project()]) for _ in range(2)]
    subjects = [
        make_subject(user_message("Go."), target_reply(f"answer {n}"), rollout_id="r1", rollout=one)
        for n, one in enumerate(rollouts)
    ]
    first, second = read_json(collect(subjects))
    assert [first.steps[-1].payload, second.steps[-1].payload] == [
        target_reply("answer 0"),
        target_reply("answer 1"),
    ]


def test_a_zip_lists_its_samples_and_is_deflated() -> None:
    with zipfile.ZipFile(io.BytesIO(b"".join(collect_eval(fork())))) as packed:
        assert packed.testzip() is None
        assert {info.compress_type for info in packed.infolist()} == {zipfile.ZIP_DEFLATED}
        assert packed.namelist() == [
            "samples/1_epoch_1.json",
            "_journal/start.json",
            "summaries.json",
            "header.json",
        ]
        (summary,) = json.loads(packed.read("summaries.json"))
    assert summary["id"] == 1
    assert summary["input"] == "Hi."
    assert summary["message_count"] == 5
    assert summary["scores"]["reward"]["explanation"] == "It was kind."


@pytest.mark.parametrize("write", [collect, collect_eval])
def test_equal_rollouts_make_equal_bytes(write: Any) -> None:
    assert b"".join(write(fork())) == b"".join(write(fork()))


def test_samples_are_written_as_they_come() -> None:
    """Nothing waits in memory for the last one."""
    asked = []

    def made() -> Iterator[Subject]:
        for number in range(100):
            asked.append(number)
            yield make_subject(user_message("x" * 50), rollout_id=f"r{number}")

    pieces = collect_eval(made())
    next(iter(pieces))
    assert len(asked) == 2  # one to write, and one to see that it is another rollout


def test_schemas_that_inspect_cannot_read_are_written_without_what_it_cannot() -> None:
    from rollstep.core.formats.inspect.model_out import schema_out

    odd = {
        "type": "file",
        "properties": {"a": {"type": ["string", "null"], "minLength": "2"}, "b": True},
        "items": [{}],
        "required": ["a", 1],
        "x-mine": 1,
    }
    assert schema_out(odd) == {
        "properties": {"a": {"type": ["string", "null"]}},
        "x-mine": 1,
    }


def test_lone_surrogates_are_replaced_and_said() -> None:
    call = ToolCall("c", "f", '{"a": "\\ud800"}')
    reply = TargetReply(text_parts("lone \ud800 and 👩"), (), (call,))
    subject = make_subject(user_message("x"), reply)
    data = b"".join(collect([subject]))
    assert "lone \ufffd and 👩" in data.decode()
    ((arguments,),) = (
        [json.loads(json.dumps(call["arguments"])) for call in message["tool_calls"]]
        for message in json.loads(data)["samples"][0]["messages"]
        if "tool_calls" in message
    )
    assert arguments == {"a": "\ufffd"}
    (imported,) = read_json([data])
    assert imported.steps[1].payload.tool_calls == (call,)  # type: ignore[union-attr]
    assert any("U+FFFD" in note for note in notes(subject))


def test_the_report_says_what_is_written_in_a_way_of_its_own() -> None:
    calls = (ToolCall("c", "f", "[1]"),)
    subject = make_subject(UserMessage((), (), calls), TargetReply((), (), calls), branches=2)
    found = report(subject, FORMATS["inspect"])
    assert not found.refused
    words = " ".join(found.notes)
    assert "other branches (2)" in words
    assert "users call no tools (step 1)" in words
    assert "no JSON object" in words
    assert "(step 2)" in words


def test_fields_of_a_log_are_held_where_they_came_from() -> None:
    def lost(fmt: str) -> set[str]:
        step = {"origin": "import", "extra": '{"model": "x"}'}
        subject = make_subject((target_reply("x"), step), format=fmt)
        return {loss.what for loss in report(subject, FORMATS["inspect"]).lost}

    assert lost("inspect-eval") == set()
    assert lost("openai") == {"source_fields"}


def test_a_target_without_a_system_text_has_no_system_message() -> None:
    subject = make_subject(user_message("x"), project=make_project(target=HumanTarget()))
    (sample,) = log_of(collect([subject]))["samples"]
    assert [each["role"] for each in sample["messages"]] == ["user"]
    subject = make_subject(user_message("x"), project=make_project(target=EchoTarget(system="")))
    (imported,) = read_json(collect([subject]))
    assert imported.project.target == EchoTarget(system="")
