"""Roles that a model plays, through the gateway process."""

from __future__ import annotations

import json
from typing import Any

from ..errors import RoleError, UsageError
from ..model.messages import TargetReply, ToolResult, UserMessage, text_parts
from ..model.project import LlmEvaluator, LlmSimulator, LlmTarget
from ..model.steps import Call, Role
from ..model.view import View
from ..workers.gateway import SERVICE
from ..workers.model_keys import missing_key
from ..workers.model_request import ModelReply, ModelRequest
from ..workers.pool import Shared, Workers
from ..workers.rewriting import without_thoughts
from ..workers.wire import dump, load
from .call_ids import with_ids
from .llm_messages import (
    Message,
    evaluator_messages,
    read_evaluator,
    read_result,
    simulator_messages,
    target_messages,
    target_tools,
)
from .protocols import Answer, Stream, no_stream

TIMEOUT = 120.0
"""Seconds that a complete reply may take, unless the project's ``params`` give a ``timeout``. It
holds for each try.
"""

PACE = 1.0
"""What waits before a retry are multiplied by."""

_LOADING = 60.0
"""Seconds that the gateway may take to start: litellm is large."""

_ADDRESSES = frozenset({"api_base", "base_url", "mock_response"})
"""Parameters that send a request somewhere else, where other keys or none are needed."""

Spec = LlmEvaluator | LlmTarget | LlmSimulator


class _Model:
    """One model as a project names it, behind the gateway."""

    def __init__(self, spec: Spec, gateway: Shared) -> None:
        self._gateway = gateway
        self._model = spec.model
        self._api_base = spec.api_base
        params: dict[str, Any] = json.loads(spec.params)
        if "api_key" in params:
            raise UsageError(
                f"params of {spec.model} hold an api_key. Keys are taken from the environment and "
                "never from a project file: remove it."
            )
        self._timeout = float(params.pop("timeout", TIMEOUT))
        self._params = json.dumps(params, ensure_ascii=False)
        self._elsewhere = self._api_base is not None or not _ADDRESSES.isdisjoint(params)

    async def ask(
        self, messages: list[Message], tools: list[dict[str, Any]], stream: Stream
    ) -> tuple[ModelReply, Call, str]:
        """The reply, how it was made, and the request as sent. Raises RoleError."""
        missing = "" if self._elsewhere else missing_key(self._model)
        if missing:
            raise RoleError(
                f"The model {self._model} has no key: {missing} is not set.", kind="auth"
            )
        messages = without_thoughts(self._model, messages)
        request = ModelRequest(
            self._model,
            json.dumps(messages, ensure_ascii=False),
            json.dumps(tools, ensure_ascii=False),
            self._params,
            self._api_base,
            self._timeout,
            stream=stream is not no_stream,
            pace=PACE,
        )
        body = await self._gateway.call(
            dump(request),
            label=f"{self._model}:",
            timeout=request.patience + _LOADING,
            stream=stream,
        )
        reply = load(body, ModelReply)
        call = Call(
            self._model,
            self._params,
            usage=reply.usage,
            cost=reply.cost,
            seconds=reply.seconds,
            attempts=reply.attempts,
            response_id=reply.response_id,
            first_token_seconds=reply.first_token_seconds,
        )
        sent: dict[str, Any] = {"model": self._model, **json.loads(reply.sent)}
        sent["messages"] = messages
        if tools:
            sent.setdefault("tools", tools)
        return reply, call, json.dumps(sent, ensure_ascii=False)


class LlmTargetRole:
    """The model under test."""

    def __init__(self, spec: LlmTarget, gateway: Shared) -> None:
        self._model = _Model(spec, gateway)

    async def reply(self, view: View, stream: Stream = no_stream) -> Answer:
        """Its reply, reasoning and tool calls as they came."""
        tools = target_tools(view.project)
        reply, call, request = await self._model.ask(target_messages(view), tools, stream)
        payload = TargetReply(
            text_parts(reply.text),
            reply.reasoning,
            with_ids(view, reply.tool_calls),
            reply.finish_reason,
            reply.refusal,
        )
        return Answer(payload, call=call, request=request)


class LlmEvaluatorRole:
    """A model that plays the user."""

    def __init__(self, spec: LlmEvaluator, gateway: Shared) -> None:
        self._spec = spec
        self._model = _Model(spec, gateway)

    async def next(self, view: View, stream: Stream = no_stream) -> Answer:
        """Its message with its own reasoning, or its stop."""
        messages = evaluator_messages(view, self._spec)
        reply, call, request = await self._model.ask(messages, [], stream)
        payload = read_evaluator(_text(reply, self._spec))
        if isinstance(payload, UserMessage) and reply.reasoning:
            payload = UserMessage(payload.parts, reply.reasoning)
        return Answer(payload, call=call, request=request)


class LlmSimulatorRole:
    """A model that invents the results of tools."""

    def __init__(self, spec: LlmSimulator, gateway: Shared) -> None:
        self._spec = spec
        self._model = _Model(spec, gateway)

    async def respond(self, view: View, stream: Stream = no_stream) -> Answer:
        """The result of ``view.call``."""
        if view.call is None:
            raise UsageError("The tool simulator was asked without a call to answer.")
        messages = simulator_messages(view, view.call, self._spec)
        reply, call, request = await self._model.ask(messages, [], stream)
        result = read_result(_text(reply, self._spec), view.project.tool(view.call.name))
        payload = ToolResult(view.call.id, text_parts(result))
        return Answer(payload, call=call, request=request)


def llm_role(role: Role, spec: Any, workers: Workers) -> Any:
    """The role that a spec of the kind ``llm`` names. Starts nothing yet."""
    gateway = workers.shared(SERVICE)
    if role == "evaluator":
        return LlmEvaluatorRole(spec, gateway)
    if role == "target":
        return LlmTargetRole(spec, gateway)
    return LlmSimulatorRole(spec, gateway)


def _text(reply: ModelReply, spec: Spec) -> str:
    """The text of a reply that must be text; what stands there instead, in words, if there is
    none.
    """
    if reply.text:
        return reply.text
    instead = f"refused: {reply.refusal}" if reply.refusal else "called tools instead of answering."
    raise RoleError(f"The model {spec.model} {instead}", kind="bad_reply")
