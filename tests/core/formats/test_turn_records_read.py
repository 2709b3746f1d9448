from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.formats.turn_records import complete_turns
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    UserMessage,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.rollout import Rollout, RolloutHeader, Trajectory
from rollstep.core.model.steps import Step, role_of

from .conftest import make_project, make_subject
from .round_trip import again, read_all, rollout_of, subjects_of, written
from .samples import GET_ORDER

NAME = "turn-records"
FULL = WriteOptions(history="full")


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def row(index: int, **more: Any) -> dict[str, Any]:
    """A row as the seed program writes it; each follows the one before."""
    found = {
        "synth_kind": "multi_turn_project",
        "session_id": "proj-1",
        "project": {
            "id": "proj-1",
            "title": "T",
            "goal": "G",
            "metadata": {"seed_task_id": "t:1", "seed_benchmark": None, "seed_context": {"a": 1.0}},
        },
        "turn_index": index,
        "parent_step_id": f"step-{index - 1}" if index else None,
        "step_id": f"step-{index}",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": f"u{index}"},
            {"role": "assistant", "content": f"a{index}"},
        ],
        "user_text": f"u{index}",
        "agent_text": f"a{index}",
        "termination": None,
    }
    return {**found, **more}


def payloads(subject: Subject) -> list[Payload]:
    return [step.payload for step in subject.trajectory.steps]


def rich(**fields: Any) -> Subject:
    """Tools, an error, reasoning, a note, marks: what only rows with the whole history hold."""
    return make_subject(
        user_message("Hi."),
        TargetReply((), (Reasoning("Look."),), (ToolCall("c1", "get_order", '{"n":  1.10}'),)),
        tool_result("c1", "lost", is_error=True),
        target_reply("It is lost."),
        SystemNote(text_parts("Policy changed.")),
        user_message(""),
        TargetReply(text_parts("No."), refusal="I must not."),
        Stop("bored", "human", "enough"),
        project=make_project(tools=(GET_ORDER,), target=HumanTarget(system="Be kind.")),
        marks=(Mark("s4", train=False), Mark("s7", train=True)),
        **fields,
    )


def test_a_session_of_the_seed_program_is_read_whole_and_written_back_to_the_byte() -> None:
    data = lines(row(0), row(1), row(2, termination={"reason": "goal_reached"}))
    (imported,) = read_all(data, NAME)
    (subject,) = subjects_of([imported], NAME)
    assert [type(p).__name__ for p in payloads(subject)] == [
        *("UserMessage", "TargetReply") * 3,
        "Stop",
    ]
    project = imported.project
    assert (project.title, project.goal, project.id, project.opening) == ("T", "G", "proj-1", "u0")
    assert project.target.system == "Be kind."
    assert json.loads(project.metadata)["seed_context"] == {"a": 1.0}
    assert imported.key == "proj-1"
    assert imported.notes == ()
    assert again(data, NAME) == data


def test_rows_in_any_order_are_joined_by_their_parents() -> None:
    (imported,) = read_all(lines(row(2), row(0), row(1)), NAME)
    (subject,) = subjects_of([imported], NAME)
    assert again(lines(row(2), row(0), row(1)), NAME) == lines(row(0), row(1), row(2))
    assert imported.notes == ()
    assert len(subject.trajectory.steps) == 6


def test_branches_share_what_they_share() -> None:
    other = row(1, step_id="step-x", agent_text="other")
    other["messages"] = [*other["messages"][:2], {"role": "assistant", "content": "other"}]
    data = lines(row(0), row(1), other, row(2, parent_step_id="step-x"))
    (imported,) = read_all(data, NAME)
    rollout = rollout_of(imported, NAME)
    assert len(rollout.leaves()) == 2
    assert len(rollout) == 8
    assert again(data, NAME) == data


def test_a_shared_prefix_that_stands_once_for_each_branch_is_read_once() -> None:
    other = row(1, step_id="step-x")
    (imported,) = read_all(lines(row(0), row(1), row(0), other), NAME)
    assert len(imported.steps) == 6
    assert imported.notes == ()


def test_a_row_that_ends_on_one_branch_and_goes_on_in_another_has_a_stop_as_one_of_both() -> None:
    data = lines(row(0, termination={"reason": "bored"}), row(1))
    (imported,) = read_all(data, NAME)
    first, second = subjects_of([imported], NAME)
    assert isinstance(payloads(first)[-1], Stop)
    assert len(payloads(second)) == 4


def test_a_row_whose_parent_is_not_there_follows_the_row_before_it_and_says_so() -> None:
    data = lines(row(0), row(1, parent_step_id="gone"))
    (imported,) = read_all(data, NAME)
    (note,) = imported.notes
    assert "no row of the session has the step id 'gone'" in note.render()
    assert note.line == 2
    assert again(data, NAME) == data


def test_rows_in_a_circle_are_read_and_noted() -> None:
    (imported,) = read_all(lines(row(0, parent_step_id="step-1"), row(1)), NAME)
    assert len(imported.steps) == 4
    assert len(imported.notes) == 1


def test_what_other_programs_add_to_a_row_comes_back() -> None:
    odd = row(
        0, quality={"success": True, "p": 0.10}, split="train", turn_index=7, user_text="other"
    )
    del odd["termination"]
    odd["project"] = {"id": "p", "title": 5, "goal": "G", "owner": "ana"}
    odd["messages"][1] = {"role": "user", "content": "u0", "name": "ana"}
    odd["messages"][2] = {"role": "assistant", "content": [{"type": "text", "text": "a0"}]}
    data = lines(odd)
    assert json.loads(again(data, NAME)) == odd
    assert list(json.loads(again(data, NAME))) == list(odd)


def test_nan_in_metadata_is_read_and_written_as_null_with_a_note() -> None:
    data = lines(row(0, score=float("nan"))).replace(b'"a": 1.0', b'"a": NaN')
    (subject,) = subjects_of(read_all(data, NAME), NAME)
    (found,) = [json.loads(line) for line in written(subject, NAME).splitlines()]
    assert found["project"]["metadata"]["seed_context"] == {"a": None}
    assert found["score"] is None
    assert "written as null" in report(subject, FORMATS[NAME]).render()


def test_terminations_of_other_shapes_are_stops_and_come_back() -> None:
    for end in ("gave up", {"reason": "x", "score": 1.50}, {"reason": None}, {"why": 1}):
        data = lines(row(0, termination=end))
        (subject,) = subjects_of(read_all(data, NAME), NAME)
        assert isinstance(payloads(subject)[-1], Stop)
        assert json.loads(again(data, NAME))["termination"] == end


def test_a_system_text_that_changes_on_the_way_is_a_note_and_comes_back() -> None:
    second = row(1)
    second["messages"][0] = {"role": "system", "content": "Be strict."}
    third = row(2)
    third["messages"] = third["messages"][1:]
    data = lines(row(0), second, third)
    (imported,) = read_all(data, NAME)
    assert sum("system text changes" in note.render() for note in imported.notes) == 2
    assert again(data, NAME) == data


def test_rows_without_messages_are_read_from_their_texts() -> None:
    bare = row(0)
    del bare["messages"]
    (subject,) = subjects_of(read_all(lines(bare), NAME), NAME)
    assert payloads(subject) == [user_message("u0"), target_reply("a0")]
    assert json.loads(again(lines(bare), NAME)) == bare


def test_an_edit_after_an_import_gets_ids_of_its_own_and_the_rest_keeps_those_it_had() -> None:
    (imported,) = read_all(lines(row(0), row(1)), NAME)
    rollout = rollout_of(imported, NAME)
    first, reply, user, _ = imported.steps
    edit = target_reply("better")
    rollout.add(Step("e1", user.id, role_of(edit), edit, "human", replaces="x", author="ana"))
    subject = Subject(
        Trajectory(rollout.path("e1")), (imported.project,), format=NAME, rollout=rollout
    )
    found = [json.loads(line) for line in written(subject, NAME).splitlines()]
    assert found[0]["step_id"] == "step-0"
    assert found[1]["step_id"] not in ("step-1", "step-0")
    assert found[1]["parent_step_id"] == "step-0"
    assert (first.origin, reply.origin) == ("import", "import")


# -- the whole history ---------------------------------------------------------------------------


def test_rows_with_the_whole_history_hold_all_before_their_turn_and_read_as_strict_ones() -> None:
    strict = [json.loads(line) for line in written(make_strict(), NAME).splitlines()]
    full = [json.loads(line) for line in written(make_strict(options=FULL), NAME).splitlines()]
    for index, (ours, theirs) in enumerate(zip(full, strict, strict=True)):
        assert list(ours)[: len(theirs)] == list(theirs)
        assert {k: v for k, v in ours.items() if k != "messages"} == {
            k: v for k, v in theirs.items() if k != "messages"
        }
        assert ours["messages"][-2:] == theirs["messages"][-2:]
        assert len(ours["messages"]) == 1 + 2 * (index + 1)


def make_strict(**fields: Any) -> Subject:
    return make_subject(
        user_message("Hi."),
        target_reply("Hello."),
        user_message("Bye."),
        target_reply("See you."),
        Stop("goal_reached", "evaluator"),
        **fields,
    )


def test_rows_with_the_whole_history_hold_tools_errors_notes_and_marks() -> None:
    subject = rich(options=FULL)
    assert report(subject, FORMATS[NAME]).lost == () or [
        loss.what for loss in report(subject, FORMATS[NAME]).lost
    ] == ["project"]
    last = json.loads(written(subject, NAME).splitlines()[-1])
    assert [m["role"] for m in last["messages"]] == [
        *("system", "user", "assistant", "tool", "assistant", "system", "user", "assistant")
    ]
    assert last["messages"][2]["tool_calls"][0]["function"]["arguments"] == '{"n":  1.10}'
    assert last["messages"][3]["is_error"] is True
    assert last["messages"][2]["reasoning_content"] == "Look."
    assert (last["messages"][4]["weight"], last["messages"][7]["weight"]) == (0, 1)
    assert last["termination"] == {"reason": "bored", "by": "human", "note": "enough"}
    assert last["tools"][0]["function"]["name"] == "get_order"


def test_rows_with_the_whole_history_read_back_as_they_were() -> None:
    subject = rich(options=FULL)
    data = written(subject, NAME)
    (imported,) = read_all(data, NAME)
    (found,) = subjects_of([imported], NAME, FULL)
    assert payloads(found) == payloads(subject)
    assert found.project.tools == subject.project.tools
    assert {mark.train for mark in imported.marks} == {True, False}
    assert imported.notes == ()
    assert again(data, NAME, FULL) == data
    assert again(data, NAME) == data  # as it was read, so it is written


def test_edits_say_who_made_them_and_what_they_replaced_and_are_read_back() -> None:
    tree = Rollout(RolloutHeader("r", "T"), [make_project()])
    made = [
        Step("s1", None, "evaluator", user_message("Hi."), "script"),
        Step("s2", "s1", "target", target_reply("Helo."), "model"),
        Step(
            "s3",
            "s1",
            "target",
            target_reply("Hello."),
            "human",
            author="ana",
            reason="typo",
            replaces="s2",
            created_at=1750000000.25,
        ),
        Step("s4", "s3", "evaluator", user_message("Bye."), "script"),
        Step("s5", "s4", "target", target_reply("See you."), "model"),
    ]
    tree.add_all(made)
    subject = Subject(Trajectory(tree.path("s5")), tuple(tree.projects), rollout=tree, options=FULL)
    data = written(subject, NAME)
    last = json.loads(data.splitlines()[-1])
    (edit,) = last["edits"]
    assert (edit["message"], edit["by"], edit["author"], edit["reason"]) == (
        2,
        "human",
        "ana",
        "typo",
    )
    assert edit["replaced"]["parts"] == [{"type": "text", "text": "Helo."}]
    (imported,) = read_all(data, NAME)
    step = next(step for step in imported.steps if step.origin == "human")
    old = next(each for each in imported.steps if each.id == step.replaces)
    assert (step.author, step.reason, step.created_at) == ("ana", "typo", 1750000000.25)
    assert old.payload == target_reply("Helo.")
    assert old.parent_id == step.parent_id
    subjects = subjects_of([imported], NAME, FULL)
    assert data in [written(each, NAME) for each in subjects if len(each.trajectory.steps) == 4]


def test_a_history_that_is_not_that_of_the_parent_is_kept_and_noted() -> None:
    second = row(1)
    second["messages"][1:1] = [
        {"role": "user", "content": "elsewhere"},
        {"role": "assistant", "content": "yes"},
    ]
    data = lines(row(0), second)
    (imported,) = read_all(data, NAME)
    assert len(imported.steps) == 4
    assert "history of this row is not that of its parent" in imported.notes[0].render()
    assert again(data, NAME) == data


def test_a_row_alone_with_its_history_comes_back_as_one_row() -> None:
    last = written(rich(options=FULL), NAME).splitlines(keepends=True)[-1]
    (imported,) = read_all(last, NAME)
    (found,) = subjects_of([imported], NAME)
    assert payloads(found) == payloads(rich())
    assert again(last, NAME) == last


def test_what_only_the_evaluator_saw_is_in_no_history() -> None:
    own = UserMessage(text_parts("Wait."), (), (ToolCall("u1", "toggle", "{}"),))
    steps = (own, tool_result("u1", "on"), target_reply("Thanks."))
    (found,) = written(make_subject(*steps, options=FULL), NAME).splitlines()
    assert [m["role"] for m in json.loads(found)["messages"]] == ["system", "user", "assistant"]


@pytest.mark.parametrize(
    "odd",
    [
        {"step_id": 5, "parent_step_id": []},
        {"messages": "none", "session_id": None},
        {"messages": [{"role": "user"}, {"role": "assistant", "content": None}]},
        {"messages": [{"role": "user", "content": ["a", {"type": "text", "text": 1}]}, None]},
        {"messages": [{"role": "tool", "content": {"a": 1}}, {"role": "assistant"}]},
        {"project": None, "termination": [], "user_text": 3},
        {"project": {"metadata": [], "id": 4}, "turn_index": "x", "edits": [{}, 3]},
    ],
)
def test_odd_rows_are_read_and_never_stop_the_others(odd: dict[str, Any]) -> None:
    found = read_all(lines(row(0, **odd), row(1, parent_step_id=None)), NAME)
    assert any(step.payload == user_message("u1") for each in found for step in each.steps)
    for subject in subjects_of(found, NAME):
        report(subject, FORMATS[NAME])


def test_strict_rows_refuse_a_second_final_reply_and_the_whole_history_takes_it() -> None:
    steps = (user_message("Hi."), target_reply("One."), target_reply("Two."))
    (fault,) = report(make_subject(*steps), FORMATS[NAME]).refused
    assert "more than one final reply" in fault.render()
    assert report(make_subject(*steps, options=FULL), FORMATS[NAME]).refused == ()


def test_rows_name_the_steps_of_their_messages() -> None:
    fmt = FORMATS[NAME]
    assert fmt.rows is not None
    assert [row.steps for row in fmt.rows(make_strict())] == [(0, 1, 2), (0, 3, 4)]
    assert [row.steps for row in fmt.rows(make_strict(options=FULL))] == [
        (0, 1, 2),
        (0, 1, 2, 3, 4),
    ]


@pytest.mark.parametrize("value", [None, 1, [], "x", {}, {"user_text": 1}, {"project": 3}])
def test_what_is_no_turn_record_is_not_taken_for_one(value: Any) -> None:
    reader = FORMATS[NAME].reader
    assert reader is not None
    assert reader.recognise(value) == 0
    assert reader.group is not None
    assert reader.group(value) == ""


TEXTS = st.text(max_size=20) | st.sampled_from(["", "\u2028", "\x00\x1f", '"\\', "\ud83d", "😀"])
SYSTEMS = st.none() | TEXTS


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS, SYSTEMS, st.booleans())
def test_written_rows_read_back_and_written_again_are_the_same_bytes(
    turns: list[tuple[str, str]], title: str, system: str | None, full: bool
) -> None:
    options = FULL if full else WriteOptions()
    steps = [p for user, agent in turns for p in (user_message(user), target_reply(agent))]
    project = make_project(title=title, target=HumanTarget(system=system))
    subject = make_subject(*steps, Stop("r", "evaluator"), project=project, options=options)
    data = written(subject, NAME)
    (imported,) = read_all(data, NAME)
    (found,) = subjects_of([imported], NAME, options)
    assert payloads(found) == payloads(subject)
    assert (found.project.title, found.project.target.system) == (title, system)
    assert imported.notes == ()
    assert written(found, NAME) == data
    if not full:
        assert complete_turns(subject).data == data
