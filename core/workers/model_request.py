"""What the gateway is asked and what it answers."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..errors import RoleError
from ..model.messages import Reasoning, ToolCall
from ..model.steps import Usage

TRIES = 5
"""Requests that one call makes at most."""

LONGEST_WAIT = 120.0
"""Seconds; a provider that asks us to wait longer is not waited for without a human's word."""

NOT_SENT = frozenset(
    {
        *("additional_drop_params", "allowed_openai_params", "api_version", "base_url"),
        *("custom_llm_provider", "drop_params", "extra_body", "extra_headers", "headers"),
        *("input_cost_per_token", "metadata", "mock_response", "organization"),
        *("output_cost_per_token", "ssl_verify"),
    }
)
"""Parameters that litellm keeps for itself."""

_NEVER = {
    "api_key": "keys are taken from the environment",
    "fallbacks": "another model than the one named would be asked",
    "context_window_fallback_dict": "another model than the one named would be asked",
    "messages": "the messages follow from the path",
    "tools": "the tools are the project's",
    "functions": "the tools are the project's",
    "num_retries": "rollstep retries by itself, and shows it",
    "max_retries": "rollstep retries by itself, and shows it",
}
"""Parameters that would change what is asked behind the human's back, and why not."""


class ModelRequest(msgspec.Struct, frozen=True):
    """One call. ``messages``, ``tools`` ("[]" for none) and ``params`` are JSON texts in the chat
    shape that litellm takes.

    ``timeout`` is for one try, in seconds. Every wait is multiplied by ``pace`` (0 where nobody
    wants to wait). ``key`` is a key that is not in the environment; it is masked like one that is.
    ``spoken`` is the member, of a call's arguments or of a reply in JSON, whose value is told as it
    comes, where such a reply is a message or a result in a form.
    """

    model: str
    messages: str
    tools: str
    params: str
    api_base: str | None
    timeout: float
    stream: bool = False
    tries: int = TRIES
    pace: float = 1.0
    key: str = ""
    spoken: str = ""

    def __repr__(self) -> str:
        """Without the key."""
        return f"{type(self).__name__}(model={self.model!r}, api_base={self.api_base!r}, …)"

    @property
    def patience(self) -> float:
        """Seconds after which no answer can come any more, retries and waits included."""
        return self.tries * self.timeout + (self.tries - 1) * LONGEST_WAIT * self.pace


class ModelReply(msgspec.Struct, frozen=True):
    """What a model gave.

    ``cost`` in dollars, None where litellm knows no price. ``seconds`` is the time of the try that
    succeeded, ``first_token_seconds`` the part of it before anything came (0 if it came at once,
    as a whole). ``sent`` is a JSON object: the parameters as they went out, and the tools too where
    they went out in the chat shape.
    """

    text: str
    reasoning: tuple[Reasoning, ...]
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    refusal: str
    usage: Usage
    cost: float | None
    response_id: str
    seconds: float = 0.0
    first_token_seconds: float = 0.0
    attempts: int = 1
    sent: str = "{}"


def parameters(request: ModelRequest) -> dict[str, Any]:
    """The parameters of a call, those for streaming included unless the project says otherwise.

    Raises RoleError for one that would change what is asked behind the human's back.
    """
    params: dict[str, Any] = json.loads(request.params)
    for name, why in _NEVER.items():
        if name in params:
            raise RoleError(
                f"The parameter {name} is not taken: {why}. Remove it from the project's params.",
                kind="refused",
            )
    if params.get("n", 1) != 1:
        raise RoleError(
            "The parameter n is not taken: all replies but one would be paid for and lost. "
            "Retake the step to get several.",
            kind="refused",
        )
    if request.stream and params.get("stream", True):
        options = params.pop("stream_options", {"include_usage": True})
        asked = {} if options is None else {"stream_options": options}
        return {**params, "stream": True, **asked}
    for name in ("stream", "stream_options"):
        params.pop(name, None)
    return params
