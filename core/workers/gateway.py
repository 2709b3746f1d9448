"""The gateway: the child process that talks to models, and the only importer of litellm.

One gateway serves many calls at once, on one event loop. litellm's own retries are off (they
repeat even what cannot succeed), its price table is the one that it ships, and no ``.env`` file is
read. A reply with neither text nor tool call is the failure ``empty``: litellm reports several
broken replies in that shape.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec

from ..errors import RoleError
from ..model.messages import Reasoning, ToolCall
from ..model.steps import Usage
from .model_errors import as_role_error
from .wire import dump, load

SERVICE = f"{__name__}:Gateway"


class ModelRequest(msgspec.Struct, frozen=True):
    """One call. ``messages``, ``tools`` ("[]" for none) and ``params`` are JSON texts in the chat
    shape that litellm takes.
    """

    model: str
    messages: str
    tools: str
    params: str
    api_base: str | None
    timeout: float


class ModelReply(msgspec.Struct, frozen=True):
    """What a model gave. ``cost`` in dollars, None where litellm knows no price."""

    text: str
    reasoning: tuple[Reasoning, ...]
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    refusal: str
    usage: Usage
    cost: float | None
    response_id: str


class Gateway:
    """The service that the child serves."""

    concurrent = True

    def __init__(self) -> None:
        self._litellm: ModuleType | None = None

    async def handle(self, body: bytes, stream: Callable[[str], None]) -> bytes:
        """The reply to a ModelRequest. Raises RoleError."""
        request = load(body, ModelRequest)
        litellm = self._litellm or self._load()
        try:
            async with asyncio.timeout(request.timeout):
                response = await litellm.acompletion(**arguments(request))
        except TimeoutError:
            raise RoleError(
                f"gave no complete reply in {request.timeout:g} s.", kind="timeout"
            ) from None
        except Exception as error:
            raise as_role_error(error, request.model, litellm) from error
        return dump(read_reply(response, request))

    def _load(self) -> ModuleType:
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        os.environ["LITELLM_MODE"] = "PRODUCTION"
        import litellm

        litellm.suppress_debug_info = True
        litellm.telemetry = False
        self._litellm = litellm
        return litellm


def arguments(request: ModelRequest) -> dict[str, Any]:
    """The keyword arguments for litellm: what the project says, and no retries."""
    given: dict[str, Any] = {
        **json.loads(request.params),
        "model": request.model,
        "messages": json.loads(request.messages),
        "timeout": request.timeout,
        "max_retries": 0,
        "num_retries": 0,
    }
    tools = json.loads(request.tools)
    if tools:
        given["tools"] = tools
    if request.api_base is not None:
        given["api_base"] = request.api_base
        if request.model.startswith("openai/") and "OPENAI_API_KEY" not in os.environ:
            # Local servers take any key, but the client refuses to start without one.
            given["api_key"] = "none"
    return given


def read_reply(response: Any, request: ModelRequest) -> ModelReply:
    """Litellm's response as a reply of ours. Raises RoleError when there is nothing in it."""
    choices = getattr(response, "choices", None) or ()
    if not choices:
        raise RoleError("returned nothing.", kind="empty", detail=str(response)[:4000])
    message, finish = choices[0].message, choices[0].finish_reason or ""
    text = message.content or ""
    refusal = getattr(message, "refusal", None) or ""
    calls = tuple(
        ToolCall(call.id or "", call.function.name or "", call.function.arguments or "")
        for call in message.tool_calls or ()
    )
    if not text and not calls and not refusal:
        raise _nothing(finish, response)
    reply = ModelReply(
        text,
        _reasoning(message),
        calls,
        finish,
        refusal,
        Usage(),
        _cost(response),
        str(getattr(response, "id", None) or ""),
    )
    return msgspec.structs.replace(reply, usage=_usage(response, request, reply))


def _nothing(finish: str, response: Any) -> RoleError:
    detail = str(response)[:4000]
    if finish == "length":
        return RoleError("was cut off by length before any text.", kind="stopped", detail=detail)
    if finish == "content_filter":
        return RoleError("was blocked by the content filter.", kind="stopped", detail=detail)
    return RoleError("returned nothing.", kind="empty", detail=detail)


def _reasoning(message: Any) -> tuple[Reasoning, ...]:
    """The reasoning blocks with their own JSON where the provider gave any, else the plain text."""
    blocks = getattr(message, "thinking_blocks", None) or ()
    kept = tuple(
        Reasoning(
            str(block.get("thinking") or ""),
            block.get("signature"),
            json.dumps(block, ensure_ascii=False),
        )
        for block in blocks
    )
    text = getattr(message, "reasoning_content", None)
    return kept or ((Reasoning(text),) if text else ())


def _usage(response: Any, request: ModelRequest, reply: ModelReply) -> Usage:
    usage = getattr(response, "usage", None)
    prompt = int(getattr(usage, "prompt_tokens", None) or 0)
    completion = int(getattr(usage, "completion_tokens", None) or 0)
    if not prompt and not completion:
        # litellm reports a missing usage as 0. Four characters a token is the usual rule.
        said = len(reply.text) + sum(len(call.arguments) for call in reply.tool_calls)
        return Usage(len(request.messages) // 4 + 1, said // 4 + 1, estimated=True)
    of_completion = getattr(usage, "completion_tokens_details", None)
    of_prompt = getattr(usage, "prompt_tokens_details", None)
    return Usage(
        prompt,
        completion,
        int(getattr(of_completion, "reasoning_tokens", None) or 0),
        int(getattr(of_prompt, "cached_tokens", None) or 0),
    )


def _cost(response: Any) -> float | None:
    hidden = getattr(response, "_hidden_params", None) or {}
    cost = hidden.get("response_cost")
    return float(cost) if cost is not None else None
