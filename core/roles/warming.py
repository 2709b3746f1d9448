"""Loading the library of models before a human waits for it."""

from __future__ import annotations

from contextlib import suppress

from ..errors import RollstepError
from ..workers.direct import is_direct
from ..workers.gateway import SERVICE, WARM_UP
from ..workers.model_keys import missing_key
from ..workers.pool import Workers
from .llm_messages import Request
from .llm_requests import Spec, model_request
from .protocols import no_stream

_PATIENCE = 120.0
"""Seconds that loading may take."""


def needs_loading(spec: Spec) -> bool:
    """Whether asking this model goes through litellm, and could be done with the keys there are."""
    return not is_direct(model_request(spec, Request([]))) and not missing_key(spec.model)


async def warm_up(workers: Workers) -> None:
    """Let the gateway load litellm. What goes wrong is said by the first call that needs it."""
    with suppress(RollstepError):
        await workers.shared(SERVICE).call(
            WARM_UP, label="The gateway", timeout=_PATIENCE, stream=no_stream
        )
