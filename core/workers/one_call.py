"""One call of a model outside any rollout: what the doctor and the author ask."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .gateway import SERVICE
from .keyring_keys import key_for
from .model_request import TRIES, ModelReply, ModelRequest
from .pool import Workers
from .wire import dump, load

LOADING = 60.0
"""Seconds that the gateway may take to start: litellm is large."""


class _Unread:
    """Takes no text, but tells how the answer is being made."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        self.notice = notice

    def __call__(self, text: str) -> None:
        """The text comes as a whole in the end."""


async def ask_model(
    workers: Workers,
    model: str,
    messages: list[dict[str, Any]],
    *,
    api_base: str | None = None,
    params: dict[str, Any] | None = None,
    timeout: float = 120.0,
    tries: int = TRIES,
    pace: float = 1.0,
    notice: Callable[[str], None],
) -> ModelReply:
    """The reply, as a whole. ``notice`` is told of retries. Raises RoleError."""
    request = ModelRequest(
        model,
        json.dumps(messages, ensure_ascii=False),
        "[]",
        json.dumps(params or {}, ensure_ascii=False),
        api_base,
        timeout,
        tries=tries,
        pace=pace,
        key=await key_for(model, api_base),
    )
    body = await workers.shared(SERVICE).call(
        dump(request),
        label=f"{model}:",
        timeout=request.patience + LOADING,
        stream=_Unread(notice),
    )
    reply: ModelReply = load(body, ModelReply)
    return reply
