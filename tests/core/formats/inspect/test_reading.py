from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from rollstep.core.errors import FormatError
from rollstep.core.formats.inspect import READER, recognise, zipped
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.record import Imported, Record
from rollstep.core.model.messages import Stop, TargetReply, ToolResult, text_parts
from rollstep.core.model.project import HumanTarget

from ..foreign import mangled, read_all, spoken, survives
from ..samples import DATA
from .logs import ASK, CALL, LOG, REPLY, RESULT, SAMPLE, model_event, said


def read_one(sample: dict[str, Any] = SAMPLE, **more: Any) -> Imported:
    (imported,) = read_all(READER, {**sample, **more}, {**LOG, "samples": None})
    return imported


def from_file(name: str) -> Imported:
    value, _ = JsonReader().parse((DATA / name).read_text(encoding="utf-8"))
    (imported,) = READER.read(Record(1, value, "d"))
    return imported


def test_the_messages_of_a_sample_are_the_branch_that_is_opened() -> None:
    imported = read_one()
    main = [step for step in imported.steps if step.id != imported.steps[-1].id][:4]
    assert imported.head == main[-1].id
    assert spoken(imported)[:4] == [
        "evaluator: Where is my order?",
        'target:  [get_order {"n": 4471} c1]',
        "tool: shipped <c1>",
        "target: It was shipped.",
    ]
    assert isinstance(imported.project.target, HumanTarget)
    assert imported.project.target.system == "Be kind."
    assert imported.project.goal == "shipped\nsent"
    assert imported.title == "refunds 1"
    assert [tool.name for tool in imported.project.tools] == ["get_order"]


@pytest.mark.parametrize("timelines", [SAMPLE["timelines"], None], ids=["timelines", "events"])
def test_a_branch_goes_off_where_it_was_made(timelines: Any) -> None:
    imported = read_one(timelines=timelines)
    question, doubt = imported.steps[4:]
    assert question.parent_id == imported.steps[3].id
    assert question.author == "operator"
    assert spoken(imported)[4:] == ["evaluator: Are you sure?", "target: No."]
    (branch,) = imported.branches
    assert (branch.leaf_id, branch.name) == (doubt.id, "doubts")


def test_how_a_reply_was_made_and_what_was_sent_for_it() -> None:
    imported = read_one()
    bodies = dict(imported.requests)
    call, end = imported.steps[1].call, imported.steps[3].call
    assert call is not None
    assert end is not None
    assert (call.model, call.cost, call.seconds, call.response_id) == (
        "mock/model-1",
        0.5,
        1.25,
        "r1",
    )
    assert (call.usage.prompt_tokens, call.usage.completion_tokens) == (10, 3)
    assert call.params == '{"temperature": 0.5}'
    sent = json.loads(bodies[call.request])
    assert [each["id"] for each in sent["messages"]] == ["m0", "m1"]
    assert sent["messages"][1]["content"] == "Where is my order?"
    assert sent["temperature"] == 0.5
    assert json.loads(bodies[end.request]) == {
        "model": "model",
        "messages": [{"role": "user", "content": "as sent"}],
    }
    reply = imported.steps[3].payload
    assert isinstance(reply, TargetReply)
    assert reply.finish_reason == "length"
    assert imported.steps[2].created_at > imported.steps[1].created_at > 1.7e9


def test_scores_come_with_their_reasons_and_the_steps_they_cite() -> None:
    imported = read_one()
    judged, *parts = imported.scores
    assert (judged.name, judged.value, judged.judge) == ("judge", "I", "mock/judge")
    assert judged.explanation == "answer: shipped\nIt never said when [M1]."
    assert judged.step_ids == (imported.steps[3].id,)
    assert [(each.name, each.value, each.judge) for each in parts] == [
        ("parts: kind", 1.0, "parts"),
        ("parts: short", 0.5, "parts"),
    ]


def test_who_changed_a_score_by_hand_is_told() -> None:
    history = [{"value": 0}, {"value": 1, "provenance": {"author": "ana", "reason": "typo"}}]
    imported = read_one(scores={"s": {"value": 1, "history": history}})
    assert imported.scores[0].explanation == "edited by ana: typo"


def test_a_sample_in_pieces_says_what_to_do() -> None:
    record = Record(1, {"id": 1, "epoch": 1}, "d", path="samples/1_epoch_1/sample.json")
    with pytest.raises(FormatError, match="log convert"):
        list(READER.read(record))


def test_an_attachment_that_is_not_there_is_told_by_sample_and_message() -> None:
    imported = from_file("inspect_missing_attachment_and_errors.json")
    notes = {note.where: note.message for note in imported.notes}
    assert "sample 'a/1'" in notes["messages[1]"]
    assert f"{'f' * 32} is not in the log" in notes["messages[1]"]
    user, reply, result = imported.steps
    assert spoken(imported)[0] == "evaluator: the long original text"
    assert isinstance(reply.payload, TargetReply)
    (part,) = reply.payload.parts
    assert getattr(part, "kind", "") == "attachment"  # no text, so no export takes it for one
    (thought,) = reply.payload.reasoning
    assert (thought.text, thought.signature) == ("(redacted)", "c2ln")
    assert result.payload == ToolResult("c1", text_parts("timed out"), is_error=True)
    assert '"type": "timeout"' in result.extra
    assert "Expecting value" in notes["messages[1].tool_calls[0]"]
    assert notes["error"] == "the log's status is error: boom [/red]"
    assert user.parent_id is None


def test_nan_and_infinity_are_named() -> None:
    imported = from_file("inspect_nan_and_infinity.json")
    assert [(each.name, each.value) for each in imported.scores] == [("s", "Infinity")]
    assert any("NaN or infinity" in note.message for note in imported.notes)


def test_a_log_without_samples_says_so_and_how_it_ended() -> None:
    log = {**LOG, "status": "error", "error": {"message": "boom"}, "samples": None}
    with pytest.raises(FormatError, match=r"no samples.*boom.*status is error"):
        read_all(READER, log)


def test_every_sample_of_a_whole_log_is_read() -> None:
    found = read_all(READER, {**LOG, "samples": [SAMPLE, {**SAMPLE, "id": 2, "epoch": 2}]})
    assert [imported.title for imported in found] == ["refunds 1", "refunds 2, epoch 2"]


def test_a_limit_is_the_stop_and_an_error_an_attempt() -> None:
    limit = {"type": "token", "limit": 100, "reason": "too many"}
    imported = read_one(limit=limit, error={"message": "boom", "traceback": "at line 1"})
    assert imported.head is not None
    last = next(step for step in imported.steps if step.id == imported.head)
    assert last.payload == Stop("token_limit", "rule", "too many")
    (attempt,) = imported.attempts
    assert (attempt.words, attempt.detail, attempt.parent_id) == ("boom", "at line 1", last.id)


def test_calls_that_are_no_part_of_the_conversation_are_counted() -> None:
    judge = model_event("e9", [[0, 1]], said("assistant", "Grade: C", "g1"))
    imported = read_one(events=[*SAMPLE["events"], judge])
    assert any("1 calls of models" in note.message for note in imported.notes)


def test_events_that_tell_more_than_the_messages_are_said_to_be_left_out() -> None:
    events = [*SAMPLE["events"], {"event": "sandbox"}, {"event": "store"}, {"event": "sandbox"}]
    words = [note.message for note in read_one(events=events).notes]
    assert "events that are not kept: 2 sandbox, 1 store" in words


def test_a_second_timeline_is_another_conversation_of_the_sample() -> None:
    asked = [said("system", "You are tested.", "t0"), said("user", "Do it.", "t1")]
    event = model_event("e9", None, said("assistant", "No.", "t2"), input=asked)
    span = {"type": "span", "id": "t", "name": "t", "content": [{"type": "event", "event": "e9"}]}
    second = {"name": "target", "description": "", "root": span}
    timelines = [*SAMPLE["timelines"], second]
    imported = read_one(timelines=timelines, events=[*SAMPLE["events"], event])
    assert spoken(imported)[6:] == ["target: You are tested.", "evaluator: Do it.", "target: No."]
    assert imported.steps[6].parent_id is None
    assert [branch.name for branch in imported.branches] == ["doubts", "target"]
    assert imported.head == imported.steps[3].id


def test_a_call_that_failed_is_an_attempt_under_the_message_that_it_was_to_answer() -> None:
    failed = {"event": "model", "uuid": "x", "input": [ASK], "output": {}, "error": "overloaded"}
    imported = read_one(events=[failed], timelines=None)
    (attempt,) = imported.attempts
    assert (attempt.words, attempt.parent_id) == ("overloaded", imported.steps[0].id)


def test_without_messages_those_of_the_last_call_are_shown() -> None:
    imported = read_one(messages=[], timelines=None, events=SAMPLE["events"][:4])
    assert len(imported.steps) == 4
    assert any("last model call" in note.message for note in imported.notes)


def test_inputs_that_stand_in_the_events_themselves_are_read_too() -> None:
    events = json.loads(json.dumps(SAMPLE["events"]))
    for event in events:
        if event["event"] == "model":
            event["input"] = SAMPLE["events_data"]["messages"][: event.pop("input_refs")[0][1]]
    imported = read_one(events=events, events_data=None)
    assert len(imported.steps) == 6
    assert imported.steps[1].call is not None


def test_what_pools_do_not_hold_is_told() -> None:
    imported = read_one(events_data={"messages": SAMPLE["events_data"]["messages"][:2]})
    assert any("are not in the pool" in note.message for note in imported.notes)


def test_results_without_a_call_and_odd_roles_are_kept_and_noted() -> None:
    odd = [ASK, RESULT, said("narrator", "Meanwhile", "n1"), CALL, "text"]
    imported = read_one(messages=odd, events=[], timelines=None)
    assert [step.role for step in imported.steps] == [
        "evaluator",
        "tool",
        "target",
        *["target"] * 2,
    ]
    words = " ".join(note.message for note in imported.notes)
    assert "no open call has the id 'c1'" in words
    assert "'narrator' is not known" in words
    assert "no message object" in words


def test_parts_that_are_no_text_are_kept() -> None:
    parts = [
        {"type": "reasoning", "reasoning": "Think.", "signature": "s"},
        {"type": "image", "image": "data:image/png;base64,AAAA"},
        {"type": "text", "text": "no", "refusal": True},
        {"type": "tool_use", "id": "t", "name": "web", "arguments": "{}", "result": "r"},
    ]
    imported = read_one(messages=[ASK, {**REPLY, "content": parts}], events=[], timelines=None)
    reply = imported.steps[1].payload
    assert isinstance(reply, TargetReply)
    assert reply.refusal == "no"
    assert reply.reasoning[0].text == "Think."
    assert [getattr(part, "kind", "") for part in reply.parts] == ["image", "tool_use"]


def test_how_surely_a_record_is_inspects() -> None:
    assert recognise(LOG) == 98
    assert recognise({**LOG, "samples": None}) == 98
    assert recognise(SAMPLE) > 90
    assert recognise({"eval": {}}) == 0
    assert recognise({"id": 1, "messages": []}) == 0


def test_the_samples_of_a_zip_stand_in_the_order_of_epochs_and_ids() -> None:
    names = (
        *("header.json", "_journal/start.json", "summaries.json", "samples/10_epoch_1.json"),
        *("samples/2_epoch_1.json", "samples/2_epoch_2.json", "samples/a/1_epoch_1.json"),
    )
    found = zipped(names)
    assert found is not None
    assert found.around == "header.json"
    assert found.samples == (
        "samples/2_epoch_1.json",
        "samples/10_epoch_1.json",
        "samples/a/1_epoch_1.json",
        "samples/2_epoch_2.json",
    )
    running = zipped(("_journal/start.json",))
    assert running is not None
    assert running.around == "_journal/start.json"
    assert zipped(("word/document.xml",)) is None


@given(mangled(SAMPLE), mangled({key: each for key, each in LOG.items() if key != "samples"}))
def test_wrong_types_give_notes_or_a_refusal(value: Any, around: Any) -> None:
    survives(READER, value, around)


@given(mangled(LOG))
def test_wrong_types_in_a_whole_log_give_notes_or_a_refusal(value: Any) -> None:
    survives(READER, value)
