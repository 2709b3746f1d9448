"""What a role was asked: from the stored request, or by the code that asks, as As sent shows it."""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec

from ..model.project import LlmEvaluator, LlmSimulator, Project
from ..model.steps import Role
from ..model.view import View
from ..roles.llm_evaluator import SEND
from ..roles.llm_requests import Spec, asked_of, model_of

Form = Literal["text", "call", "json"]
"""How an evaluator is to answer: in words, by calling a tool, or with a JSON object."""


class Asked(msgspec.Struct, frozen=True):
    """A request: its messages in the chat shape, the tools that it offers, and the form in which it
    wants the answer; ``free`` where an answer in words would do as well as a call.
    """

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] = []
    form: Form = "text"
    free: bool = False


def parse_request(body: str) -> Asked | None:
    """A stored request; None for one of another shape."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return None
    messages = request.get("messages") if isinstance(request, dict) else None
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        return None
    tools = request.get("tools") or []
    return _asked(messages, tools, request)


def asked_of_view(view: View) -> Asked:
    """What the role would be asked. A role that no model plays is asked as a model would be that
    answers in words. Raises RoleError for a prompt that cannot be rendered.
    """
    asked = asked_of(model_of(view.project, view.role) or _stand_in(view.project, view.role), view)
    return _asked(asked.messages, asked.tools, asked.params)


def _stand_in(project: Project, role: Role) -> Spec:
    if role == "tool":
        return LlmSimulator("")
    spec = project.evaluator
    return LlmEvaluator(
        "",
        persona=getattr(spec, "persona", ""),
        instructions=getattr(spec, "instructions", ""),
        stop_when=getattr(spec, "stop_when", ""),
        answers="text",
        sees_tools=spec.sees_tools,
    )


def _asked(
    messages: list[dict[str, Any]], tools: list[dict[str, Any]], params: dict[str, Any]
) -> Asked:
    form = _form(tools, params)
    return Asked(messages, tools, form, form == "call" and "tool_choice" not in params)


def _form(tools: list[dict[str, Any]], request: dict[str, Any]) -> Form:
    names = [tool.get("function", {}).get("name") for tool in tools if isinstance(tool, dict)]
    if SEND in names:
        return "call"
    return "json" if "response_format" in request else "text"
