"""From a view to the request that a model is sent: for the roles that ask, and for As sent, which
shows what would be sent next without asking.
"""

from __future__ import annotations

import json
from typing import Any

from ..errors import UsageError
from ..model.players import spec_of
from ..model.project import LlmEvaluator, LlmSimulator, LlmTarget, Project
from ..model.steps import Role
from ..model.view import View
from ..workers.model_request import ModelRequest, parameters
from ..workers.rewriting import without_thoughts
from .llm_evaluator import evaluator_request
from .llm_messages import Request, target_request
from .llm_simulator import simulator_request

TIMEOUT = 120.0
"""Seconds that a complete reply may take, unless the project's ``params`` give a ``timeout``. It
holds for each try.
"""

Spec = LlmEvaluator | LlmTarget | LlmSimulator


def model_of(project: Project, role: Role) -> Spec | None:
    """The model that plays this role; None where none does."""
    spec = spec_of(project, role)
    return spec if isinstance(spec, Spec) else None


def asked_of(spec: Spec, view: View) -> Request:
    """What a role's model is asked. Raises RoleError for a prompt that cannot be rendered."""
    if isinstance(spec, LlmEvaluator):
        return evaluator_request(view, spec)
    if isinstance(spec, LlmTarget):
        return target_request(view)
    if view.call is None:
        raise UsageError("The tool simulator was asked without a call to answer.")
    return simulator_request(view, view.call, spec)


def model_request(
    spec: Spec, asked: Request, *, stream: bool = False, pace: float = 1.0
) -> ModelRequest:
    """What the gateway is asked; the project's own parameters go over the role's."""
    params: dict[str, Any] = {**asked.params, **json.loads(spec.params)}
    timeout = float(params.pop("timeout", TIMEOUT))
    return ModelRequest(
        spec.model,
        json.dumps(without_thoughts(spec.model, asked.messages), ensure_ascii=False),
        json.dumps(asked.tools, ensure_ascii=False),
        json.dumps(params, ensure_ascii=False),
        spec.api_base,
        timeout,
        stream=stream,
        pace=pace,
        spoken=asked.spoken,
    )


def as_sent(request: ModelRequest, params: dict[str, Any]) -> str:
    """The whole request as As sent shows it, with the parameters as they went out."""
    sent: dict[str, Any] = {"model": request.model, **params}
    tools = sent.pop("tools", None) or json.loads(request.tools)
    sent["messages"] = json.loads(request.messages)
    if tools:
        sent["tools"] = tools
    return json.dumps(sent, ensure_ascii=False)


def preview(view: View) -> str | None:
    """The request that this view makes, as the app sends it, made by the same code and sent to
    nobody. None where no model plays the role, or there is no call to answer. Raises RoleError
    where it cannot be made.
    """
    spec = model_of(view.project, view.role)
    if spec is None or (view.role == "tool" and view.call is None):
        return None
    request = model_request(spec, asked_of(spec, view), stream=True)
    return as_sent(request, parameters(request))
