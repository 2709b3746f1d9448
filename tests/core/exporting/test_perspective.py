"""Rows of the evaluator and of the tool simulator, against what these were really sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from rollstep.core.exporting.items import Item, Requests, no_requests
from rollstep.core.exporting.many import survey
from rollstep.core.exporting.perspective import as_role
from rollstep.core.exporting.plan import Plan
from rollstep.core.exporting.provenance import Provenance
from rollstep.core.exporting.seen import Seen
from rollstep.core.exporting.subjects import subject_of
from rollstep.core.formats.preference import find_pairs
from rollstep.core.formats.subject import Subject
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    Stop,
    SystemNote,
    TargetReply,
    ToolResult,
    UserMessage,
    payload_text,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    LlmEvaluator,
    LlmSimulator,
    Project,
    ScriptedCall,
    ScriptedTarget,
    TargetLine,
    Tool,
)
from rollstep.core.model.steps import Role, Step, Usage
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.core.workers.pool import Workers

from ...provider.replies import FunctionCall, Reply
from ...provider.server import ProviderServer
from ..projects_for_tests import played, refund


def project(provider: ProviderServer, name: str, **changes: Any) -> Project:
    fields = {
        "goal": "A refund.",
        "opening": "My blender is broken.",
        "max_turns": 4,
        "target": ScriptedTarget(
            (
                TargetLine("Let me look.", tool_calls=(ScriptedCall("get_order", '{"n": 1}'),)),
                TargetLine("It is lost."),
                TargetLine("You get 49.00 back."),
            ),
            system="You are the shop's agent.",
        ),
        "evaluator": LlmEvaluator(f"openai/{name}-e", api_base=provider.api_base),
        "tools": (Tool("get_order"),),
        "tool_simulator": LlmSimulator(
            f"openai/{name}-s", api_base=provider.api_base, state='{"asked": 0}'
        ),
    }
    return Project("Live", **{**fields, **changes})


async def live_rollout(
    provider: ProviderServer, workers: Workers, played: Project, library: Library
) -> tuple[Session, Requests]:
    def roles(project: Project) -> Roles:
        return build_roles(project, trusted=True, models=workers)

    session = Session.start(played, roles=roles, library=library)
    async for _ in session.run():
        pass
    return session, library.request


def subject(session: Session) -> Subject:
    return subject_of(session.rollout, session.head, marks=session.marks)


def as_chat(seen: Seen) -> list[dict[str, Any]]:
    """The messages of a subject, in the chat shape."""
    system = seen.subject.project.target.system
    messages = [] if system is None else [{"role": "system", "content": system}]
    for step in seen.subject.trajectory.steps:
        payload = step.payload
        roles = {UserMessage: "user", TargetReply: "assistant", SystemNote: "system"}
        assert not isinstance(payload, ToolResult | Stop)
        message: dict[str, Any] = {"role": roles[type(payload)], "content": payload_text(payload)}
        if isinstance(payload, TargetReply) and payload.tool_calls:
            (call,) = payload.tool_calls
            message["call"] = (call.name, json.loads(call.arguments))
        messages.append(message)
    return messages


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.xdist_group("models")
async def test_rows_of_the_evaluator_and_the_simulator_are_what_they_were_sent_and_answered(
    provider: ProviderServer, litellm_workers: Workers
) -> None:
    one = project(provider, "perspective")
    message, ends = {"message": "When?"}, {"reason": "goal_reached", "note": "Paid."}
    provider.answer(
        "perspective-e",
        Reply(None, calls=(FunctionCall("send_message", json.dumps(message)),)),
        Reply(None, calls=(FunctionCall("end_conversation", json.dumps(ends)),)),
    )
    provider.answer("perspective-s", Reply('{"result": {"status": "lost"}, "state": {"asked": 1}}'))
    with Library.throwaway() as library:
        session, requests = await live_rollout(provider, litellm_workers, one, library)
        for role, answers in (
            ("evaluator", [("send_message", message), ("end_conversation", ends)]),
            ("tool", ['{"result": {"status": "lost"}, "state": {"asked": 1}}']),
        ):
            seen = list(as_role(subject(session), role, requests))  # type: ignore[arg-type]
            sent = provider.asked(f"perspective-{role[0].replace('t', 's')}")
            assert len(seen) == len(sent) == len(answers)
            for each, request, answer in zip(seen, sent, answers, strict=True):
                *asked, last = as_chat(each)
                assert asked == request.body["messages"]
                assert (last.get("call") or last["content"]) == answer
                names = [tool["function"]["name"] for tool in request.body.get("tools", [])]
                assert [tool.name for tool in each.subject.project.tools] == names
                assert not each.reconstructed
        # Put together again, without the requests, it is the same.
        for role in ("evaluator", "tool"):
            stored = [as_chat(each) for each in as_role(subject(session), role, requests)]  # type: ignore[arg-type]
            again = list(as_role(subject(session), role, no_requests))  # type: ignore[arg-type]
            assert [as_chat(each) for each in again] == stored
            assert all(each.reconstructed for each in again)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.xdist_group("models")
async def test_a_humans_words_answer_the_request_that_was_sent_and_make_a_pair(
    provider: ProviderServer, litellm_workers: Workers
) -> None:
    one = project(provider, "human-perspective", max_turns=2)
    ends = {"reason": "goal_reached"}
    provider.answer(
        "human-perspective-e",
        Reply(None, calls=(FunctionCall("end_conversation", json.dumps(ends)),)),
    )
    provider.answer("human-perspective-s", Reply('{"result": 1}'))
    with Library.throwaway() as library:
        session, requests = await live_rollout(provider, litellm_workers, one, library)
        result = next(s for s in session.rollout.path(session.head) if s.role == "tool")
        better = tool_result(result.payload.call_id, '{"status": "found"}')  # type: ignore[union-attr]
        done = await session.override(result.id, better, "stay")
        assert done.step is not None
        (seen,) = as_role(subject(session), "tool", requests)
        assert not seen.reconstructed
        *asked, last = as_chat(seen)
        assert asked == provider.asked("human-perspective-s")[0].body["messages"]
        assert last["content"] == '{"result": {"status": "found"}}'
        (pair,) = find_pairs(seen.subject).pairs
        said = [payload_text(each.payload) for each in (pair.chosen, pair.rejected)]
        assert said == [
            '{"result": {"status": "found"}}',
            '{"result": 1, "state": {"asked": 0}}',
        ] or (said == ['{"result": {"status": "found"}}', '{"result": 1}'])
        told = Provenance(session.saved(), session.rollout).of(seen.base, seen.places, seen.context)
        line = json.loads(told.line(1, (0, *range(1, len(seen.subject.trajectory.steps) + 1))))
        assert (line["role"], line["request"]) == ("tool", "stored")
        system, conversation, answer = line["messages"]
        assert system == {"step": 0, "origin": "project"}
        assert [each["step"] for each in conversation["tells"]] == [1, 2]
        assert (answer["id"], answer["replaces"]["id"]) == (done.step.id, result.id)


# Where no model played


def told(seen: Seen) -> Iterator[list[int]]:
    return (list(numbers) for numbers in seen.places)


async def test_a_scripted_evaluator_is_asked_as_a_model_would_be() -> None:
    session = await played(refund())
    base = subject(session)
    thanks, *_ = as_role(base, "evaluator", no_requests)
    *asked, last = as_chat(thanks)
    assert "The customer gets a refund." in asked[0]["content"]
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "user"]
    assert asked[2]["content"] == "My blender is broken."
    assert "get_order answered: " in asked[3]["content"]
    assert last == {"role": "assistant", "content": "Thank you."}
    assert list(told(thanks)) == [[], [1], [2, 3, 4, 5], [6]]
    assert thanks.reconstructed


async def test_only_the_answer_is_trained_on() -> None:
    base = subject(await played(refund()))
    seen = next(as_role(base, "evaluator", no_requests))
    off = {mark.step_id for mark in seen.subject.marks if mark.train is False}
    replies = [s.id for s in seen.subject.trajectory.steps if isinstance(s.payload, TargetReply)]
    assert [step_id in off for step_id in replies] == [True, False]


async def test_the_opening_and_a_stop_by_rule_are_nobodys_answers() -> None:
    session = await played(refund())
    stop = Stop("max_turns", "rule", "One more thing.")
    path = session.rollout.path(session.head)[:5]
    session.rollout.add(Step("end", path[-1].id, "evaluator", stop, "rule"))
    await session.go_to("end")
    assert list(as_role(subject(session), "evaluator", no_requests)) == []


async def test_each_result_is_a_row_of_the_simulator_for_its_own_call() -> None:
    base = subject(await played(refund()))
    rows = [as_chat(seen) for seen in as_role(base, "tool", no_requests)]
    assert [row[-1]["content"] for row in rows] == [
        payload_text(step.payload) for step in base.trajectory.steps if step.role == "tool"
    ]
    assert "Now answer this call of get_order" in rows[0][1]["content"]
    assert "Now answer this call of check_policy" in rows[1][1]["content"]


@pytest.mark.parametrize(("role", "place"), [("evaluator", 5), ("tool", 2)])
async def test_takes_with_verdicts_make_pairs_of_any_role(role: Role, place: int) -> None:
    session = await played(refund())
    path = session.rollout.path(session.head)
    old = path[place]
    other = (
        user_message("I want my money.")
        if role == "evaluator"
        else tool_result(old.payload.call_id, '"gone"')  # type: ignore[union-attr]
    )
    done = await session.override(old.id, other, "stay")
    assert done.step is not None
    await session.go_to(path[-1].id)
    await session.mark(Mark(path[-1].id, verdict="accept", at=9e9))
    await session.mark(Mark(done.step.id, verdict="reject", at=9e9))
    base = subject(session)
    seen = next(
        each for each in as_role(base, role, no_requests) if old.id in each.subject.rollout.steps
    )  # type: ignore[union-attr]
    pairs = [pair for pair in find_pairs(seen.subject).pairs if pair.source == "verdict"]
    (pair,) = pairs
    assert payload_text(pair.chosen.payload) == payload_text(old.payload)
    assert payload_text(pair.rejected.payload) == payload_text(other)


# The form of an answer


@pytest.mark.parametrize(
    ("answers", "payload", "text"),
    [
        ("text", user_message("Hi."), "Hi."),
        ("text", Stop("goal_reached", "evaluator", "Paid."), "STOP: goal_reached\nPaid."),
        ("json", user_message("Hi."), '{"reasoning": "", "message": "Hi.", "stop": null}'),
        (
            "json",
            Stop("goal_reached", "evaluator"),
            '{"reasoning": "", "message": null, "stop": "goal_reached"}',
        ),
    ],
)
async def test_an_answer_has_the_form_that_was_asked_for_and_reads_back(
    answers: Any, payload: Any, text: str
) -> None:
    from rollstep.core.roles.llm_evaluator import read_evaluator
    from rollstep.core.workers.model_request import ModelReply

    spec = LlmEvaluator("openai/x", answers=answers)
    session = await played(refund())
    base = subject(session)
    steps = list(base.trajectory.steps[:6])
    steps[5] = msgspec.structs.replace(steps[5], payload=payload, call=None)
    base = msgspec.structs.replace(
        base,
        trajectory=msgspec.structs.replace(base.trajectory, steps=tuple(steps)),
        projects=(msgspec.structs.replace(base.projects[0], evaluator=spec),),
    )
    (seen,) = as_role(base, "evaluator", no_requests)
    assert as_chat(seen)[-1]["content"] == text
    reply = ModelReply(text, (), (), "stop", "", Usage(), None, "")
    assert read_evaluator(reply, spec) == payload


async def test_a_call_that_ends_it_is_put_in_words_where_the_format_takes_none() -> None:
    session = await played(refund())
    spec = LlmEvaluator("openai/x", sees_tools="full")
    saved = session.saved()
    saved = msgspec.structs.replace(
        saved, projects=(msgspec.structs.replace(saved.projects[0], evaluator=spec),)
    )
    done = survey(Plan(format="openai", role="evaluator"), [Item(saved)])
    assert (done.written, done.refused) == (2, 0)
    assert any("answers in words, as it was free to" in line for line in done.report())
    spec = msgspec.structs.replace(spec, answers="tools")
    saved = msgspec.structs.replace(
        saved, projects=(msgspec.structs.replace(saved.projects[0], evaluator=spec),)
    )
    done = survey(Plan(format="openai", role="evaluator"), [Item(saved)])
    assert (done.written, done.refused) == (0, 2)
