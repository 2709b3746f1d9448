"""The same replies in Anthropic's shape, for a provider into whose shape litellm translates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .replies import Json

THINKING = {"type": "thinking", "thinking": "Let me think.", "signature": "c2lnbmVk"}
USAGE = {"input_tokens": 10, "output_tokens": 3}


def refusal(body: Json) -> str:
    """Why Anthropic refuses a request that it could read otherwise; empty where it does not."""
    forced = (body.get("tool_choice") or {}).get("type") in ("any", "tool")
    if forced and (body.get("thinking") or {}).get("type") == "enabled":
        return "Thinking may not be enabled when tool_choice forces tool use."
    return ""


def message(model: str, text: str) -> Json:
    """A whole message: thinking with a signature, and a text."""
    return {
        "id": "msg-1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [THINKING, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def events(model: str, text: str) -> Iterator[Json]:
    """The same as a stream."""
    start = {**message(model, text), "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": start}
    empty = {"type": "thinking", "thinking": "", "signature": ""}
    yield from _block(0, empty, _thinking())
    yield from _block(1, {"type": "text", "text": ""}, [{"type": "text_delta", "text": text}])
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": USAGE,
    }
    yield {"type": "message_stop"}


def _thinking() -> list[Json]:
    words = str(THINKING["thinking"])
    return [
        {"type": "thinking_delta", "thinking": words[:5]},
        {"type": "thinking_delta", "thinking": words[5:]},
        {"type": "signature_delta", "signature": THINKING["signature"]},
    ]


def _block(index: int, start: Json, deltas: list[Json]) -> Iterator[Json]:
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def strings(value: Any) -> list[str]:
    """Every text in a body, in order."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in strings(each)]
