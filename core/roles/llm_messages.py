"""Between neutral views and a provider's messages in the chat shape: the parts that all roles
share, and the target's.

Nothing is dropped, merged or padded in silence: what stands here is what is sent, and the request
is stored with the step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ..errors import RoleError
from ..model.messages import (
    OtherPart,
    Part,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
)
from ..model.project import LlmTarget, Project
from ..model.steps import Role
from ..model.view import View
from ..rules.json_values import MISSING, parse
from ..rules.templates import TemplateError, render

Message = dict[str, Any]

_PROMPTS = Path(__file__).with_name("prompts")
_WHOSE: dict[Role, str] = {
    "evaluator": "evaluator",
    "target": "target",
    "tool": "tool simulator",
}


class Request(msgspec.Struct, frozen=True):
    """What a role asks its model. ``params`` are those that follow from the way it is to answer;
    the project's own go over them. ``spoken`` is the member that holds the text, where the answer
    is a message in a form.
    """

    messages: list[Message]
    tools: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    spoken: str = ""


def message(role: str, content: str | list[dict[str, Any]]) -> Message:
    """One message in the chat shape."""
    return {"role": role, "content": content}


@cache
def built_in(name: str) -> str:
    """One of the templates that come with rollstep."""
    return (_PROMPTS / f"{name}.j2").read_text("utf-8")


def prompt_text(view: View, own: str | None, name: str, variables: dict[str, Any]) -> str:
    """The project's own prompt, or the built-in one, rendered. Raises RoleError."""
    try:
        return render(built_in(name) if own is None else own, variables)
    except TemplateError as error:
        raise RoleError(
            f"The prompt of the {_WHOSE[view.role]} cannot be rendered: {error}. Nothing was sent; "
            "correct it in the project.",
            kind="refused",
        ) from error


# the target


def target_request(view: View) -> Request:
    """The path as the target is sent it, its system text first if it has one, and the tools."""
    spec = view.project.target
    system = getattr(spec, "system", None)
    text = _target_system(view, spec) if isinstance(spec, LlmTarget) else system or ""
    messages = [message("system", text)] if text or system is not None else []
    by_user: dict[str, ToolCall] = {}
    for payload in view.messages:
        if isinstance(payload, UserMessage):
            by_user.update((call.id, call) for call in payload.tool_calls)
        elif isinstance(payload, TargetReply):
            for call in payload.tool_calls:
                by_user.pop(call.id, None)
        if not isinstance(payload, Stop):
            messages.append(_for_target(payload, by_user))
    return Request(messages, target_tools(view.project))


def target_tools(project: Project) -> list[dict[str, Any]]:
    """The project's tools in the chat shape."""
    return [
        function_tool(tool.name, tool.description, json.loads(tool.parameters))
        for tool in project.tools
    ]


def function_tool(name: str, description: str, parameters: Any) -> dict[str, Any]:
    """A tool in the chat shape."""
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _target_system(view: View, spec: LlmTarget) -> str:
    if spec.prompt is None and not spec.sees_context:
        return spec.system or ""
    context = seed_context(view.project) if spec.sees_context else {}
    memory, actions = context.get("memory"), context.get("available_actions")
    variables = {
        "title": view.project.title,
        "system": spec.system or "",
        "context": context,
        "memory": list(map(_remembered, memory)) if isinstance(memory, list) else [],
        "actions": list(map(_plain, actions)) if isinstance(actions, list) else [],
        "tools": [{"name": t.name, "description": t.description} for t in view.project.tools],
    }
    return prompt_text(view, spec.prompt, "target", variables)


def seed_context(project: Project) -> dict[str, Any]:
    """The context of the seed row that a project was made of; empty where there is none."""
    metadata = parse(project.metadata)
    if metadata is MISSING:
        return {}
    context = metadata.get("seed_context")
    if isinstance(context, dict):
        return context
    return {} if context is None else {"context": context}


def _remembered(item: Any) -> dict[str, str]:
    if not isinstance(item, dict):
        return {"role": "note", "content": _plain(item)}
    return {"role": _plain(item.get("role", "note")), "content": _plain(item.get("content", item))}


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _for_target(payload: Payload, by_user: dict[str, ToolCall]) -> Message:
    """One message. What the user does with tools of its own (imports hold that), which no provider
    has a place for, is told as text.
    """
    if isinstance(payload, UserMessage):
        return message("user", _content((*payload.parts, *told_own_calls(payload))))
    if isinstance(payload, ToolResult):
        if (call := by_user.get(payload.call_id)) is not None:
            told = Text(f"[{call.name} answered: "), *payload.parts, Text("]")
            return message("user", _content(told))
        return {**message("tool", _content(payload.parts)), "tool_call_id": payload.call_id}
    if isinstance(payload, SystemNote):
        return message("system", _content(payload.parts))
    assert isinstance(payload, TargetReply)
    reply = message("assistant", _content(payload.parts))
    if payload.tool_calls:
        if not reply["content"]:
            del reply["content"]  # litellm would drop a null, so what is kept says what is sent
        reply["tool_calls"] = list(map(_for_target_call, payload.tool_calls))
    blocks = [block for each in payload.reasoning if (block := replayed(each)) is not None]
    if blocks:
        reply["thinking_blocks"] = blocks
    return reply


def _for_target_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def replayed(block: Reasoning) -> dict[str, Any] | None:
    """A block of the target's own reasoning as it is sent again: in its provider's form, which
    holds only for the text as it came. None for reasoning that came without one, or was edited.
    """
    raw = parse(block.raw) if block.raw is not None else None
    fits = isinstance(raw, dict) and (raw.get("thinking") or "") == block.text
    return raw if fits else None


def _content(parts: tuple[Part, ...]) -> str | list[dict[str, Any]]:
    if not any(isinstance(part, OtherPart) for part in parts):
        return parts_text(parts)
    return [
        json.loads(part.raw) if isinstance(part, OtherPart) else {"type": "text", "text": part.text}
        for part in parts
    ]


# telling a conversation as text


def told_own_calls(payload: UserMessage) -> tuple[Text, ...]:
    """The calls that a user makes itself, as lines below what it says."""
    lines = "".join(f"\n[called {call.name}({call.arguments})]" for call in payload.tool_calls)
    above = parts_text(payload.parts)
    return (Text(lines if above else lines[1:]),) if lines else ()


def told_calls(payload: TargetReply) -> Iterator[str]:
    """A reply as lines: what it says, and each call."""
    text = parts_text(payload.parts)
    if text:
        yield text
    for call in payload.tool_calls:
        yield f"[called {call.name}({call.arguments})]"
