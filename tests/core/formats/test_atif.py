"""What stands where in a document of ATIF, and that it is read back."""

from __future__ import annotations

import msgspec
import pytest
from rollstep.core.errors import ExportError
from rollstep.core.formats.chat_notes import AS_OBJECTS
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import (
    Payload,
    Stop,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.rollout import Branch, Rollout, RolloutHeader, Trajectory
from rollstep.core.model.steps import Step, role_of

from .atif_documents import CALL, NAME, as_subject, document, payloads, read_one, rich, words
from .conftest import make_project, make_subject
from .round_trip import rollout_of, written


def test_results_stand_in_the_step_that_made_the_call_and_ids_count_from_1() -> None:
    found = document(rich())
    assert found["schema_version"] == "ATIF-v1.8"
    assert list(found) == [
        *("schema_version", "session_id", "trajectory_id", "agent", "steps"),
        *("final_metrics", "extra"),
    ]
    assert [step["step_id"] for step in found["steps"]] == [1, 2, 3, 4, 5, 6]
    assert [step["source"] for step in found["steps"]] == [
        *("system", "user", "agent", "system", "user", "agent")
    ]
    agent = found["steps"][2]
    assert [r["source_call_id"] for r in agent["observation"]["results"]] == ["c2", "c1"]
    assert agent["observation"]["results"][1]["extra"] == {"is_error": True}
    assert agent["tool_calls"][0]["arguments"] == {"order_id": "4471", "n": 1.1}
    assert agent["reasoning_content"] == "Look.\n\nThen act."
    assert found["steps"][1]["timestamp"] == "2025-06-15T15:06:40.500000Z"


def test_metrics_come_from_the_call() -> None:
    agent = document(rich())["steps"][2]
    assert agent["model_name"] == "openai/gpt-4.1-mini"
    assert agent["metrics"] == {
        "prompt_tokens": 120,
        "completion_tokens": 14,
        "cached_tokens": 100,
        "cost_usd": 0.0003,
    }
    assert agent["llm_call_count"] == 1
    assert document(rich())["final_metrics"] == {
        "total_prompt_tokens": 120,
        "total_completion_tokens": 14,
        "total_cached_tokens": 100,
        "total_cost_usd": 0.0003,
        "total_steps": 6,
    }


def test_only_agents_have_what_only_agents_may_have() -> None:
    for step in document(rich())["steps"]:
        if step["source"] != "agent":
            assert not step.keys() & {"tool_calls", "reasoning_content", "metrics", "model_name"}


def test_what_has_no_field_stands_in_extra_and_is_read_back() -> None:
    subject = rich()
    assert [loss.what for loss in report(subject, FORMATS[NAME]).lost] == ["project"]
    imported = read_one(written(subject, NAME))
    found = as_subject(imported)
    assert payloads(found) == payloads(subject)
    call = found.trajectory.steps[1].call
    assert call is not None
    assert msgspec.structs.replace(call, request="digest") == subject.trajectory.steps[1].call
    assert (found.project.title, found.project.goal) == (
        subject.project.title,
        subject.project.goal,
    )
    assert found.project.metadata == '{"a": 1.10}'
    assert found.project.tools == subject.project.tools
    assert found.project.target.system == "Be kind."
    assert [(s.name, s.value, s.explanation, s.judge) for s in imported.scores] == [
        ("reward", 0.5, "why", "judge"),
        ("style", "good", "", ""),
    ]
    assert imported.scores[0].step_ids == (found.trajectory.steps[7].id,)
    assert {(m.train, m.verdict, m.rating, m.tags, m.by) for m in imported.marks} == {
        (False, None, None, (), ""),
        (None, "accept", 4, ("nice",), "ana"),
    }
    assert imported.notes == ()


def test_arguments_that_are_no_object_stand_as_text_in_extra_and_the_report_says_so() -> None:
    for text in ('["x"]', "", '{"a": ', '{"a": NaN}', '{"a": 1, "a": 2}', "null"):
        subject = make_subject(
            user_message("Hi."),
            target_reply("", (ToolCall("c1", "f", text),)),
            tool_result("c1", ""),
        )
        made = document(subject)["steps"][-1]["tool_calls"][0]
        assert made["arguments"] == {}
        assert made["extra"] == {"rollstep": {"arguments": text}}
        assert "no JSON object stand as text in the call's extra (step 2)" in words(subject)
        assert payloads(as_subject(read_one(written(subject, NAME)))) == payloads(subject)


def test_a_trajectory_without_a_step_is_refused_with_its_rule() -> None:
    subject = make_subject()
    (fault,) = report(subject, FORMATS[NAME]).refused
    assert "a trajectory has at least one step" in fault.render()
    with pytest.raises(ExportError):
        written(subject, NAME)


def test_edits_and_other_branches_are_kept_and_read_back_as_one_tree() -> None:
    tree = Rollout(RolloutHeader("r", "T"), [make_project()])
    tree.add_all(
        [
            made("s1", None, user_message("Look.")),
            made("s2", "s1", target_reply("", (CALL,))),
            made("s3", "s2", tool_result("c1", "lost")),
            made("s4", "s3", target_reply("It is lost.")),
            made("s5", "s4", Stop("goal_reached", "evaluator")),
            Step(
                "s6",
                "s2",
                "tool",
                tool_result("c1", "found"),
                "human",
                author="ana",
                reason="what if?",
                replaces="s3",
                created_at=1750000000.25,
            ),
            made("s7", "s6", target_reply("It is here.")),
        ]
    )
    subject = Subject(
        Trajectory(tree.path("s7")),
        tuple(tree.projects),
        "r",
        branches=1,
        rollout=tree,
        named=(Branch("s5", "as it was"),),
    )
    data = written(subject, NAME)
    assert [loss.what for loss in report(subject, FORMATS[NAME]).lost] == ["project"]
    assert report(subject, FORMATS[NAME]).notes == (AS_OBJECTS,)
    (branch,) = document(subject)["extra"]["rollstep"]["branches"]
    assert (branch["after"], branch["name"]) == (2, "as it was")
    imported = read_one(data)
    found = rollout_of(imported, NAME)
    assert len(found) == len(tree)
    main, other = as_subject(imported), as_subject(imported, imported.branches[0].leaf_id)
    assert payloads(main) == payloads(subject)
    assert payloads(other) == [step.payload for step in tree.path("s5")]
    edit = main.trajectory.steps[2]
    assert (edit.origin, edit.author, edit.reason) == ("human", "ana", "what if?")
    assert edit.replaces == other.trajectory.steps[2].id
    assert written(main, NAME) == data


def made(step_id: str, parent: str | None, payload: Payload) -> Step:
    return Step(step_id, parent, role_of(payload), payload, "model")


def test_hidden_branches_stay_hidden() -> None:
    tree = Rollout(RolloutHeader("r", "T"), [make_project()])
    tree.add_all([made("a", None, user_message("1")), made("b", None, user_message("2"))])
    subject = Subject(Trajectory(tree.path("a")), tuple(tree.projects), branches=1, rollout=tree)
    assert "branches" in written(subject, NAME).decode()
    named = (Branch("b", "no", hidden=True),)
    subject = msgspec.structs.replace(subject, named=named)
    assert "branches" not in written(subject, NAME).decode()


def test_what_was_cut_off_is_no_branch() -> None:
    tree = Rollout(RolloutHeader("r", "T"), [make_project()])
    tree.add_all([made("a", None, user_message("1")), made("b", "a", target_reply("2"))])
    subject = Subject(Trajectory(tree.path("a")), tuple(tree.projects), later=1, rollout=tree)
    assert "branches" not in written(subject, NAME).decode()
