"""Models that are asked through litellm, which knows each provider's shape.

litellm's own retries are off (they repeat even what cannot succeed), its price table is the one
that it ships, and no ``.env`` file is read.
"""

from __future__ import annotations

import json
import os
from typing import Any

from .model_reply import Arriving
from .model_request import ModelRequest, parameters
from .watching import Wire, watch, watched


class Translated:
    """litellm. Making one loads it, which takes seconds."""

    def __init__(self) -> None:
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        os.environ["LITELLM_MODE"] = "PRODUCTION"
        watch()
        import litellm

        litellm.suppress_debug_info = True
        litellm.telemetry = False
        # It takes a line of dashes for a model that repeats itself; our caps end what has no end.
        vars(litellm)["REPEATED_STREAMING_CHUNK_LIMIT"] = 10**9
        self._litellm: Any = litellm

    async def ask(self, request: ModelRequest, arriving: Arriving, wire: Wire) -> None:
        """Put the reply into ``arriving``. Raises whatever litellm raises."""
        watched.set(wire)
        given = arguments(request)
        response = await self._litellm.acompletion(**given)
        if not given.get("stream"):
            arriving.take(response)
            return
        async for chunk in response:
            arriving.add(chunk)


def arguments(request: ModelRequest) -> dict[str, Any]:
    """The keyword arguments for litellm: what the project says, and no retries of its own."""
    given: dict[str, Any] = {
        **parameters(request),
        "model": request.model,
        "messages": json.loads(request.messages),
        # For one read, and behind our own limit for the whole try, so that ours is the one told.
        "timeout": request.timeout + 5,
        "max_retries": 0,
        "num_retries": 0,
    }
    tools = json.loads(request.tools)
    if tools:
        given["tools"] = tools
    if request.key:
        given["api_key"] = request.key
    if request.api_base is not None:
        given["api_base"] = request.api_base
        if request.model.startswith("openai/") and not (
            request.key or os.environ.get("OPENAI_API_KEY")
        ):
            # Local servers take any key, but the client refuses to start without one.
            given["api_key"] = "none"
    return given
