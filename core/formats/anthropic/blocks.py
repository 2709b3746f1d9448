"""Single blocks of Anthropic's shape, made from what stands in steps."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ...model.messages import Reasoning
from ..source import as_it_is, json_of, plain

_DATA_URL = re.compile(r"data:([\w/+.-]+);base64,(.*)", re.DOTALL)
_NOT_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")


class RowMessage(msgspec.Struct):
    """A message that is being put together: its blocks, each with the number of its step, and the
    results, which go before them.
    """

    role: str
    blocks: list[tuple[Any, int]]
    results: list[tuple[Any, int]]
    bare: str | None = None
    """Its only text, where it is written as a string."""


class CallIds:
    """Ids of calls as the API takes them: of A-Z a-z 0-9 _ -, and each used once."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def __call__(self, call_id: str) -> str:
        """The id itself, or one in its place."""
        written = base = _NOT_IN_ID.sub("_", call_id) or f"call_{len(self._used) + 1}"
        again = 1
        while written in self._used:
            again += 1
            written = f"{base}_{again}"
        self._used.add(written)
        return written


def thinking_block(block: Reasoning) -> Any:
    """The block as it came, if it is one of Anthropic's and nobody changed its text."""
    if block.raw is None:
        if not block.signature:
            return None
        return {"type": "thinking", "thinking": block.text, "signature": block.signature}
    value = json_of(block.raw)
    if not isinstance(value, dict):
        return None
    if value.get("type") == "redacted_thinking":
        return as_it_is(block.raw) if isinstance(value.get("data"), str) else None
    if value.get("type") != "thinking" or not value.get("signature"):
        return None
    return as_it_is(block.raw) if value.get("thinking") == block.text else None


def with_more(block: Any, more: Any) -> Any:
    """The block with what its source held besides."""
    if not more or not isinstance(block, dict):
        return block
    return {**block, **{key: plain(value) for key, value in more.items()}}


def system_words(blocks: list[Any]) -> str:
    """The text of a system text that stands in blocks."""
    return "\n\n".join(str(block.get("text", "")) for block in blocks if isinstance(block, dict))


def image_source(value: dict[str, Any]) -> dict[str, Any] | None:
    """The source of an image that stands in OpenAI's shape."""
    given = value.get("image_url")
    url = given.get("url") if isinstance(given, dict) else given
    if not isinstance(url, str):
        return None
    inline = _DATA_URL.fullmatch(url)
    if inline is not None:
        return {"type": "base64", "media_type": inline[1], "data": inline[2]}
    return {"type": "url", "url": url} if url.startswith(("http://", "https://")) else None
