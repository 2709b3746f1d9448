"""Short paths to lint, made by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
from rollstep.core.model.messages import (
    Payload,
    TargetReply,
    ToolCall,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    LlmEvaluator,
    Project,
    RulesSimulator,
    ScriptedTarget,
    Tool,
)
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Step, role_of
from rollstep.core.rules.lint.linter import findings

TOOL = Tool(
    "get_order",
    parameters='{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}',
    returns='{"type": "object", "required": ["status"]}',
)


def project(**changes: Any) -> Project:
    """A shop with a tool that looks and one that acts."""
    fields: dict[str, Any] = {
        "title": "Shop",
        "target": ScriptedTarget(),
        "evaluator": LlmEvaluator("some/model"),
        "tools": (TOOL, Tool("issue_refund"), Tool("get_price")),
        "tool_simulator": RulesSimulator(),
    }
    return Project(**{**fields, **changes})


def call(call_id: str, name: str = "get_order", arguments: str = '{"id": "1"}') -> ToolCall:
    return ToolCall(call_id, name, arguments)


def asks(*calls: ToolCall, text: str = "Let me look.") -> TargetReply:
    return target_reply(text, calls)


def result(call_id: str, value: object = None, **more: Any) -> Payload:
    text = '{"status": "shipped"}' if value is None else value
    return tool_result(call_id, text if isinstance(text, str) else json.dumps(text), **more)


HELLO = user_message("Where is my order?")
BYE = target_reply("It is on its way.")


def rollout(*steps: Payload | Step, projects: Sequence[Project] = ()) -> Rollout:
    """One path of these steps, named s1, s2, … where they are bare payloads."""
    tree = Rollout(RolloutHeader("r", "Shop"), projects or [project()])
    parent: str | None = None
    for number, each in enumerate(steps, 1):
        if not isinstance(each, Step):
            each = Step(f"s{number}", parent, role_of(each), each, "model", seq=number)
        tree.add(msgspec.structs.replace(each, parent_id=parent))
        parent = each.id
    return tree


def step(name: str, payload: Payload, **more: Any) -> Step:
    parent, origin = more.pop("parent_id", None), more.pop("origin", "model")
    return Step(name, parent, role_of(payload), payload, origin, **more)


def flags(*steps: Payload | Step, projects: Sequence[Project] = ()) -> list[tuple[str, str]]:
    """Which steps are flagged by which rules."""
    tree = rollout(*steps, projects=projects)
    return [(each.step_id, each.rule) for each in findings(tree, list(tree.steps)[-1])]


def imported(record: dict[str, Any]) -> list[Step]:
    """The steps of a chat record, with what is no text as its JSON."""
    steps = []
    for number, message in enumerate(record["messages"], 1):
        content = message.get("content")
        text = content if isinstance(content, str) else json.dumps(content)
        if content is None:
            text = ""
        payload: Payload
        if message["role"] == "user":
            payload = user_message(text)
        elif message["role"] == "tool":
            payload = tool_result(message["tool_call_id"], text)
        else:
            calls = [
                ToolCall(c["id"], c["function"]["name"], c["function"]["arguments"])
                for c in message.get("tool_calls", ())
            ]
            payload = TargetReply(text_parts(text), tool_calls=tuple(calls))
        steps.append(step(f"s{number}", payload, origin="import", seq=number))
    return steps
