"""What every kind of role promises, held against each of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rollstep.core.model.messages import (
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    target_reply,
    user_message,
)
from rollstep.core.model.project import (
    EchoTarget,
    EvaluatorLine,
    HeuristicEvaluator,
    Project,
    PythonEvaluator,
    PythonSimulator,
    PythonTarget,
    RulesSimulator,
    ScriptedCall,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
    ToolRule,
    When,
)
from rollstep.core.model.steps import Role
from rollstep.core.model.view import View
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.workers.pool import Workers

from .making import PROJECT, view

FOLDER = Path(__file__).parent / "user_roles"

SPECS: list[tuple[Role, Any]] = [
    (
        "evaluator",
        ScriptedEvaluator(
            (EvaluatorLine("a", when=When(turn=9)), EvaluatorLine("b", takes=("c",)))
        ),
    ),
    ("evaluator", HeuristicEvaluator()),
    ("evaluator", HeuristicEvaluator(match="substring")),
    ("evaluator", PythonEvaluator(object="good:User")),
    ("evaluator", PythonEvaluator(object="good:SeedDecider")),
    ("target", ScriptedTarget((TargetLine("a", tool_calls=(ScriptedCall("t"),)),))),
    ("target", EchoTarget()),
    ("target", PythonTarget(object="good:Agent")),
    ("target", PythonTarget(object="good:SeedClient")),
    ("tool", RulesSimulator((ToolRule("t", '{"a": 1}', takes=("2",)),))),
    ("tool", PythonSimulator(object="good:Shop")),
]
"""A spec of every kind that plays without a human and without a key. A new kind belongs here."""

PAYLOADS: dict[Role, tuple[type, ...]] = {
    "evaluator": (UserMessage, Stop),
    "target": (TargetReply,),
    "tool": (ToolResult,),
}
FIELDS: dict[Role, str] = {
    "evaluator": "evaluator",
    "target": "target",
    "tool": "tool_simulator",
}
TOLD = {
    "evaluator": (user_message("one"), target_reply("two")),
    "target": (user_message("one"), target_reply("two"), user_message("three")),
    "tool": (user_message("one"), target_reply("", (ToolCall("c1", "t", "{}"),))),
}


def name(value: object) -> str:
    return f"{type(value).__name__}" if isinstance(value, msgspec.Struct) else str(value)


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    workers = Workers()
    yield workers
    await workers.aclose()


def cast(role: Role, spec: Any, workers: Workers) -> tuple[Project, Roles]:
    project = msgspec.structs.replace(PROJECT, **{FIELDS[role]: spec})
    return project, build_roles(project, base_folder=FOLDER, trusted=True, workers=workers)


def asked(role: Role, project: Project, take: int = 0) -> View:
    turn = 1 if role != "tool" else 0
    call = ToolCall("c1", "t", "{}") if role == "tool" else None
    return view(role, *TOLD[role], turn=turn, take=take, call=call, project=project)


async def ask(role: Role, roles: Roles, given: View) -> Answer:
    if role == "evaluator":
        value: Any = await roles.evaluator.next(given)
    elif role == "target":
        value = await roles.target.reply(given)
    else:
        assert roles.tool_simulator is not None
        value = await roles.tool_simulator.respond(given)
    return value if isinstance(value, Answer) else Answer(value)


@pytest.mark.parametrize(("role", "spec"), SPECS, ids=name)
async def test_it_answers_with_its_own_kind_of_payload(
    role: Role, spec: Any, workers: Workers
) -> None:
    project, roles = cast(role, spec, workers)
    answer = await ask(role, roles, asked(role, project))
    assert isinstance(answer.payload, PAYLOADS[role])
    assert msgspec.convert(msgspec.to_builtins(answer), Answer) == answer
    if isinstance(answer.payload, ToolResult):
        assert answer.payload.call_id == "c1"


@pytest.mark.parametrize(("role", "spec"), SPECS, ids=name)
async def test_the_same_view_gives_the_same_answer_and_is_not_changed(
    role: Role, spec: Any, workers: Workers
) -> None:
    """Whatever was asked in between: what a role knows is in its view."""
    project, roles = cast(role, spec, workers)
    given, before = asked(role, project), msgspec.to_builtins(asked(role, project))
    first = await ask(role, roles, given)
    await ask(role, roles, asked(role, project, take=1))
    again = await ask(role, roles, given)
    _, others = cast(role, spec, workers)
    assert first == again == await ask(role, others, given)
    assert msgspec.to_builtins(given) == before


@pytest.mark.parametrize(("role", "spec"), [s for s in SPECS if s[0] == "evaluator"], ids=name)
async def test_an_evaluator_stops_after_the_last_permitted_turn(
    role: Role, spec: Any, workers: Workers
) -> None:
    project, roles = cast(role, spec, workers)
    given = msgspec.structs.replace(asked(role, project), turn_index=4, max_turns=4)
    assert (await ask(role, roles, given)).payload == Stop("max_turns", "evaluator")
