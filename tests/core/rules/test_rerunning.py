"""The project of a rerun: the same messages as a script, other models in a role's place."""

from __future__ import annotations

from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    Text,
    UserMessage,
    payload_text,
    target_reply,
    user_message,
)
from rollstep.core.model.project import (
    EchoTarget,
    EvaluatorLine,
    HeuristicEvaluator,
    LlmEvaluator,
    LlmTarget,
    Project,
    PythonEvaluator,
    PythonTarget,
    ScriptedEvaluator,
)
from rollstep.core.model.steps import Step, role_of
from rollstep.core.rules.rerunning import other_evaluator, other_target, same_messages
from rollstep.core.session import Session

PROJECT = Project(
    title="T",
    target=EchoTarget(system="Be kind."),
    evaluator=LlmEvaluator("m", persona="Impatient.", sees_tools="names", stop_words=("done",)),
    opening="Another opening.",
    max_turns=2,
)


def path(*payloads: Payload) -> tuple[Step, ...]:
    return tuple(
        Step(f"s{n}", f"s{n - 1}" if n else None, role_of(payload), payload, "model")
        for n, payload in enumerate(payloads)
    )


def script(project: Project) -> tuple[EvaluatorLine, ...]:
    assert isinstance(project.evaluator, ScriptedEvaluator)
    return project.evaluator.messages


async def said(project: Project) -> list[str]:
    session = Session.start(project)
    async for _ in session.run():
        pass
    steps = session.rollout.path(session.head)
    return [
        step.payload.reason if isinstance(step.payload, Stop) else payload_text(step.payload)
        for step in steps
        if step.role == "evaluator"
    ]


async def test_the_evaluator_says_what_it_said_and_stops_as_it_stopped() -> None:
    steps = path(
        user_message("One."),
        target_reply("1"),
        UserMessage((Text("Two."),), (Reasoning("Go on."),)),
        target_reply("2"),
        user_message("Three."),
        target_reply("3"),
        Stop("goal_reached", "evaluator", "Thanks, done"),
    )
    project, notes = same_messages(PROJECT, steps)
    assert notes == ()
    assert script(project)[0].reasoning == "Go on."
    assert project.max_turns == 4
    assert project.evaluator.sees_tools == "names"
    assert getattr(project.evaluator, "persona", "") == "Impatient."
    assert await said(project) == ["One.", "Two.", "Three.", "goal_reached"]


async def test_a_recording_without_an_end_says_so_and_a_rules_stop_is_kept() -> None:
    steps = path(user_message("One."), target_reply("1"))
    assert await said(same_messages(PROJECT, steps).project) == ["One.", "end_of_recording"]
    stopped = (*steps, Step("e", "s1", "evaluator", Stop("max_steps", "rule"), "rule"))
    assert await said(same_messages(PROJECT, stopped).project) == ["One.", "max_steps"]
    limit = (*steps, Step("e", "s1", "evaluator", Stop("max_turns", "rule", "And?"), "rule"))
    assert await said(same_messages(PROJECT, limit).project) == ["One.", "max_turns"]


def test_what_cannot_be_said_again_is_told() -> None:
    picture = OtherPart("image_url", "image/png", 10, "{}")
    steps = path(SystemNote((Text("x"),)), UserMessage((Text("Look."), picture)))
    project, notes = same_messages(PROJECT, steps)
    assert project.opening == "Look."
    assert notes == (
        "step 2: only the text of this message can be said again",
        "what stood before the first message is not played again",
    )
    assert same_messages(PROJECT, ()).project.opening is None


def test_another_model_has_the_same_instructions() -> None:
    old = LlmTarget("a/b", system="Be kind.", api_base="http://x", params='{"temperature": 0}')
    assert other_target(old, "c/d") == LlmTarget("c/d", "Be kind.", None, '{"temperature": 0}')
    assert other_target(PROJECT.target, "c/d", "http://y") == LlmTarget(
        "c/d", "Be kind.", "http://y"
    )
    made = other_evaluator(PROJECT.evaluator, "c/d")
    assert made == LlmEvaluator(
        "c/d", persona="Impatient.", sees_tools="names", stop_words=("done",)
    )
    assert isinstance(other_evaluator(HeuristicEvaluator(persona="P"), "c/d"), LlmEvaluator)


def test_an_object_of_ones_own_may_take_the_place_too() -> None:
    assert other_target(PROJECT.target, "python:pkg.mod:Agent") == PythonTarget(
        "pkg.mod:Agent", system="Be kind."
    )
    made = other_evaluator(PROJECT.evaluator, "python:pkg:User")
    assert isinstance(made, PythonEvaluator)
    assert (made.object, made.persona) == ("pkg:User", "Impatient.")
