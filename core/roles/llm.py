"""Roles that a model plays, through the gateway process."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import RoleError, UsageError
from ..model.failures import CUT_OFF, kept
from ..model.messages import TargetReply, ToolResult, text_parts
from ..model.project import LlmEvaluator, LlmSimulator, LlmTarget
from ..model.steps import Call, Role
from ..model.view import View
from ..rules.schemas import load_package, needs_package
from ..workers.gateway import SERVICE
from ..workers.model_request import ModelReply
from ..workers.one_call import call_model, paced_call
from ..workers.pool import Shared, Workers
from ..workers.spoken import Spoken
from .call_ids import with_ids
from .llm_evaluator import read_evaluator
from .llm_messages import Request
from .llm_requests import Spec, as_sent, asked_of, model_request
from .llm_simulator import Result, read_result, repair_request
from .protocols import Answer, Stream, no_stream
from .reading import bad_reply

if TYPE_CHECKING:
    from ..workers.pacing import Pacing

PACE = 1.0
"""What waits before a retry are multiplied by."""


class _Model:
    """One model as a project names it, behind the gateway."""

    def __init__(self, role: Role, spec: Spec, gateway: Shared, pacing: Pacing | None) -> None:
        self._gateway = gateway
        self._pacing = pacing
        self._role = role
        self._spec = spec
        if "api_key" in json.loads(spec.params):
            raise UsageError(
                f"params of {spec.model} hold an api_key. Keys are taken from the environment and "
                "never from a project file: remove it."
            )

    async def ask(self, asked: Request, stream: Stream) -> tuple[ModelReply, Call, str]:
        """The reply, how it was made, and the request as sent. Raises RoleError."""
        model = self._spec.model
        request = model_request(self._spec, asked, stream=stream is not no_stream, pace=PACE)
        if self._pacing is None:
            reply = await call_model(self._gateway, request, stream)
        else:
            reply = await paced_call(self._pacing, self._role, self._gateway, request, stream)
        call = Call(
            model,
            request.params,
            usage=reply.usage,
            cost=reply.cost,
            seconds=reply.seconds,
            attempts=reply.attempts,
            response_id=reply.response_id,
            first_token_seconds=reply.first_token_seconds,
        )
        return reply, call, as_sent(request, json.loads(reply.sent))


class LlmTargetRole:
    """The model under test."""

    def __init__(self, spec: LlmTarget, gateway: Shared, pacing: Pacing | None = None) -> None:
        self._spec = spec
        self._model = _Model("target", spec, gateway, pacing)

    async def reply(self, view: View, stream: Stream = no_stream) -> Answer:
        """Its reply, reasoning and tool calls as they came."""
        await load_templates(view.project.target)
        reply, call, request = await self._model.ask(asked_of(self._spec, view), stream)
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

    def __init__(self, spec: LlmEvaluator, gateway: Shared, pacing: Pacing | None = None) -> None:
        self._spec = spec
        self._model = _Model("evaluator", spec, gateway, pacing)

    async def next(self, view: View, stream: Stream = no_stream) -> Answer:
        """Its message with its own reasoning, or its stop."""
        await load_templates(self._spec)
        asked = asked_of(self._spec, view)
        reply, call, request = await self._model.ask(asked, stream)
        _must_be_whole(asked, reply, call)
        try:
            return Answer(read_evaluator(reply, self._spec), call=call, request=request)
        except RoleError as error:
            error.cost, error.usage = call.cost, call.usage
            raise


class LlmSimulatorRole:
    """A model that invents the results of tools."""

    def __init__(self, spec: LlmSimulator, gateway: Shared, pacing: Pacing | None = None) -> None:
        self._spec = spec
        self._model = _Model("tool", spec, gateway, pacing)

    async def respond(self, view: View, stream: Stream = no_stream) -> Answer:
        """The result of ``view.call``. One that cannot be used is asked for once more, with what
        is wrong with it.
        """
        if view.call is None:
            raise UsageError("The tool simulator was asked without a call to answer.")
        await load_templates(self._spec)
        await _load_schemas(view)
        asked = asked_of(self._spec, view)
        reply, call, request = await self._model.ask(asked, stream)
        _must_be_whole(asked, reply, call)
        result = self._read(reply, call, view)
        if result.problem:
            result, call, request = await self._repaired(view, asked, reply, call, result, stream)
        payload = ToolResult(view.call.id, text_parts(result.text), result.is_error)
        return Answer(payload, state=result.state, call=call, request=request)

    def _read(self, reply: ModelReply, call: Call, view: View) -> Result:
        if reply.text:
            return read_result(reply.text, view, self._spec)
        instead = f"refused: {reply.refusal}" if reply.refusal else "called tools instead."
        words = f"The model {self._spec.model} {instead}"
        raise RoleError(words, kind="bad_reply", cost=call.cost, usage=call.usage)

    async def _repaired(
        self,
        view: View,
        asked: Request,
        reply: ModelReply,
        first: Call,
        result: Result,
        stream: Stream,
    ) -> tuple[Result, Call, str]:
        told = _notices(stream)
        words = f"The first answer could not be used: {result.problem}."
        if told is not no_stream:
            told.notice(f"{words} Asking once more.")  # type: ignore[attr-defined]
        again = repair_request(view, asked, reply.text, result.problem)
        try:
            reply, second, request = await self._model.ask(again, told)
        except RoleError as error:
            error.cost = _sum(first.cost, error.cost)
            error.usage = first.usage + error.usage if error.usage else first.usage
            raise
        call = _together(first, second, f"{words} It was asked for once more.")
        _must_be_whole(again, reply, call)
        result = self._read(reply, call, view)
        if result.problem:
            failure = bad_reply(
                self._spec.model, f"gave no usable result, twice: {result.problem}", reply.text
            )
            failure.cost, failure.usage = call.cost, call.usage
            raise failure
        return result, call, request


def _must_be_whole(asked: Request, reply: ModelReply, call: Call) -> None:
    """Raise RoleError for an answer that was cut off. A user's message and a result do not say how
    they ended, as a target's reply does, so half of one would pass for the whole.
    """
    if (words := CUT_OFF.get(reply.finish_reason)) is None:
        return
    partial = reply.text
    if asked.spoken and (not partial or partial.lstrip().startswith(("{", "`"))):
        said = Spoken(asked.spoken, no_stream)
        said.add(partial or "".join(each.arguments for each in reply.tool_calls[:1]))
        partial = said.text
    raise RoleError(
        f"{call.model}: {words.capitalize()}.{kept(len(partial))}",
        kind="stopped",
        partial=partial,
        cost=call.cost,
        usage=call.usage,
    )


class _Notices:
    """Passes on how an answer is being made, and not its text, which is not for reading."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __call__(self, text: str) -> None:
        """The text is not shown."""

    def notice(self, words: str) -> None:
        """What is told meanwhile."""
        if (tell := getattr(self._stream, "notice", None)) is not None:
            tell(words)


def _notices(stream: Stream) -> Stream:
    return stream if stream is no_stream else _Notices(stream)


def _together(first: Call, second: Call, note: str) -> Call:
    """Two calls that made one step: all that was used, paid and waited for."""
    return msgspec.structs.replace(
        second,
        usage=first.usage + second.usage,
        cost=_sum(first.cost, second.cost),
        seconds=first.seconds + second.seconds,
        first_token_seconds=first.first_token_seconds + second.first_token_seconds,
        attempts=first.attempts + second.attempts,
        note=note,
    )


def _sum(first: float | None, second: float | None) -> float | None:
    """None where neither is known."""
    return second if first is None else first + (second or 0.0)


async def load_templates(spec: object) -> None:
    """Load jinja2 before the first prompt, off the loop, which has keys to answer meanwhile."""
    plain = isinstance(spec, LlmTarget) and spec.prompt is None and not spec.sees_context
    if not plain and isinstance(spec, Spec) and "jinja2" not in sys.modules:
        await asyncio.to_thread(importlib.import_module, "jinja2.sandbox")


async def _load_schemas(view: View) -> None:
    """The same for what checks results against schemas that are not plain."""
    if "jsonschema" not in sys.modules and needs_package(view.project):
        await asyncio.to_thread(load_package)


def llm_role(role: Role, spec: Any, workers: Workers) -> Any:
    """The role that a spec of the kind ``llm`` names. Starts nothing yet."""
    gateway, pacing = workers.shared(SERVICE), workers.pacing
    if role == "evaluator":
        return LlmEvaluatorRole(spec, gateway, pacing)
    if role == "target":
        return LlmTargetRole(spec, gateway, pacing)
    return LlmSimulatorRole(spec, gateway, pacing)
