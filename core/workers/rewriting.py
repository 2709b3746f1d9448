"""Nothing is sent to a model that the human cannot see in the program.

litellm puts a filler sentence in place of an empty message, merges messages of the same side, moves
system messages, and drops thinking without a signature, where a provider's own shape demands it.
``foreseen`` refuses such a request before litellm is asked; ``Guard`` looks at each request as it
leaves, and holds it back when it is not the one that As sent shows.

Where the provider takes the chat shape, the messages and tools that leave must be those of the
request, field by field. Elsewhere they are in another shape, and each of their texts must be there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..errors import RoleError
from .model_request import ModelRequest

Message = dict[str, Any]

_SAME_SHAPE = frozenset(
    {
        *("azure", "cerebras", "custom_openai", "deepseek", "fireworks_ai", "groq"),
        *("hosted_vllm", "litellm_proxy", "lm_studio", "mistral", "ollama_chat", "openai"),
        *("openrouter", "perplexity", "together_ai", "vllm", "xai", ""),
    }
)
"""Providers that take the chat shape as it is ("" for OpenAI's models, named without a provider).
"""

_WAY_OUT = "Edit that step, or ask a model whose provider takes it as it is."


def foreseen(request: ModelRequest) -> None:
    """Raise RoleError (``would_rewrite``) for a request that would be changed on its way."""
    messages: list[Message] = json.loads(request.messages)
    whole = request.messages + request.tools
    if "\\ud" in whole or any("\ud800" <= char <= "\udfff" for char in whole):
        _refuse_surrogates(messages)
    if _provider(request.model) in _SAME_SHAPE:
        return
    for number, message in enumerate(messages, 1):
        what = _changed(message)
        if what:
            raise _refusal(f"message {number} (of the {message['role']}) {what}")
    _refuse_order(messages)


def _refuse_surrogates(messages: list[Message]) -> None:
    for number, message in enumerate(messages, 1):
        for text in _texts(message):
            if any("\ud800" <= char <= "\udfff" for char in text):
                raise _refusal(
                    f"message {number} (of the {message['role']}) holds half of a surrogate pair, "
                    "which no request can hold"
                )


def _changed(message: Message) -> str:
    """What would be changed in a message by itself."""
    content = message.get("content")
    texts = [content] if isinstance(content, str) else []
    if isinstance(content, list):
        texts = [part["text"] for part in content if part.get("type") == "text"]
    if message["role"] != "tool" and any(not text.strip() for text in texts):
        return "is empty, and a filler sentence would be put in its place"
    if content is None and not message.get("tool_calls") and message["role"] == "assistant":
        return "is empty, and a filler sentence would be put in its place"
    if isinstance(content, dict):
        return "is an object, and nothing would be sent in its place"
    for block in message.get("thinking_blocks") or ():
        if block.get("type") == "thinking" and not block.get("signature"):
            return "holds thinking without a signature, which would be dropped"
    return ""


def _refuse_order(messages: list[Message]) -> None:
    """Two of one side in a row, and system messages after the beginning."""
    for number, (before, after) in enumerate(pairwise(messages), 2):
        sides = before["role"], after["role"]
        if sides in (("user", "user"), ("assistant", "assistant")):
            raise _refusal(
                f"messages {number - 1} and {number} (of the {sides[0]} and the {sides[1]}) would "
                "be merged into one"
            )
        if after["role"] == "system" and before["role"] != "system":
            raise _refusal(f"message {number} (of the system) would be moved to the beginning")


def _refusal(what: str) -> RoleError:
    return RoleError(f"Not sent: {what}. {_WAY_OUT}", kind="would_rewrite")


def _provider(model: str) -> str:
    return model.partition("/")[0] if "/" in model else _bare_provider(model)


def _bare_provider(model: str) -> str:
    return "anthropic" if model.startswith("claude") else ""


class Guard:
    """Compares a request that leaves with the one that was asked for."""

    def __init__(self, request: ModelRequest) -> None:
        self._messages: list[Message] = json.loads(request.messages)
        self._tools: list[Message] = json.loads(request.tools)

    def __call__(self, url: str, body: dict[str, Any]) -> str:
        """What is different in ``body``, in words; nothing if it is the request."""
        if "/chat/completions" in url:
            return self._exactly(body)
        return self._in_another_shape(body)

    def _exactly(self, body: dict[str, Any]) -> str:
        leaving = body.get("messages")
        if leaving != self._messages:
            return _first_difference(self._messages, leaving)
        if (body.get("tools") or []) != self._tools:
            return "the descriptions of the tools would be changed"
        return ""

    def _in_another_shape(self, body: dict[str, Any]) -> str:
        there = set(_strings(body))
        for number, message in enumerate(self._messages, 1):
            for text in _texts(message):
                if text and text not in there:
                    return f"a text of message {number} (of the {message['role']}) would be changed"
        objects = [json.dumps(value, sort_keys=True) for value in _objects(body)]
        for number, message in enumerate(self._messages, 1):
            for call in message.get("tool_calls") or ():
                if not _has_arguments(call["function"]["arguments"], there, objects):
                    return f"the arguments of a call in message {number} would be changed"
        return ""


def _first_difference(asked: list[Message], leaving: Any) -> str:
    if not isinstance(leaving, list) or len(leaving) != len(asked):
        count = len(leaving) if isinstance(leaving, list) else "no"
        return f"{len(asked)} messages would be sent as {count}"
    for number, (ours, theirs) in enumerate(zip(asked, leaving, strict=True), 1):
        for name in (*ours, *theirs):
            if ours.get(name, ...) != theirs.get(name, ...):
                change = "dropped" if name not in theirs else "changed"
                return f"the {name} of message {number} (of the {ours['role']}) would be {change}"
    return "the messages would be changed"


def _texts(message: Message) -> Iterator[str]:
    """The texts of a message, its thinking with its signature included."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part.get("text"), str):
            yield part["text"]
    for block in message.get("thinking_blocks") or ():
        yield from (block[key] for key in ("thinking", "signature", "data") if block.get(key))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _objects(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _objects(inner)


def _has_arguments(arguments: str, strings: set[str], objects: list[str]) -> bool:
    if arguments in strings:
        return True
    try:
        value = json.loads(arguments)
    except ValueError:
        return False
    return json.dumps(value, sort_keys=True) in objects
