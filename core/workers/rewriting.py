"""Nothing is sent to a model that the human cannot see in the program.

Where a provider's own shape demands it, litellm puts a filler sentence in place of an empty
message, merges messages of the same side, moves system messages, and drops thinking without a
signature. ``Guard`` looks at each request as it leaves, and holds it back when it is not the one
that As sent shows.

Where the provider takes the chat shape, the messages that leave must be those of the request, field
by field. Elsewhere they are in another shape: then the request may hold nothing of the above, and
each of its texts must be there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..errors import RoleError
from .model_request import ModelRequest

Message = dict[str, Any]

WAY_OUT = "Edit that step, or ask a model whose provider takes it as it is."
"""What can be done about a request that would be changed."""

CHAT = "/chat/completions"
"""The end of an address that takes the chat shape."""

_TAKE_NO_THOUGHTS = ("gemini/", "vertex_ai/gemini")
"""Models that give summaries of their thoughts, and do not take them back."""


def without_thoughts(model: str, messages: list[Message]) -> list[Message]:
    """The messages as this model can be sent them: for some, without earlier thoughts."""
    if not model.startswith(_TAKE_NO_THOUGHTS):
        return messages
    return [
        {name: value for name, value in message.items() if name != "thinking_blocks"}
        for message in messages
    ]


def refuse_broken(request: ModelRequest) -> None:
    """Raise RoleError (``would_rewrite``) for text that no request can hold."""
    whole = request.messages + request.tools
    if "\\ud" not in whole and not _is_broken(whole):
        return
    for number, message in enumerate(json.loads(request.messages), 1):
        for text in _texts(message):
            if _is_broken(text):
                raise RoleError(
                    f"Not sent: message {number} (of the {message['role']}) holds half of a "
                    f"surrogate pair, which no request can hold. {WAY_OUT}",
                    kind="would_rewrite",
                )


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


class Guard:
    """Compares a request that leaves with the one that was asked for."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request

    def __call__(self, url: str, body: dict[str, Any]) -> str:
        """What is different in ``body``, in words; nothing if it is the request."""
        messages: list[Message] = json.loads(self._request.messages)
        if CHAT in url:
            leaving = body.get("messages")
            return "" if leaving == messages else _first_difference(messages, leaving)
        return _changed(messages) or _out_of_order(messages) or _missing(messages, body)


def _changed(messages: list[Message]) -> str:
    """The first message that another shape cannot hold, and why."""
    for number, message in enumerate(messages, 1):
        what = _change(message)
        if what:
            return f"message {number} (of the {message['role']}) {what}"
    return ""


def _change(message: Message) -> str:
    """What would be changed in a message by itself."""
    content = message.get("content")
    texts = [content] if isinstance(content, str) else []
    if isinstance(content, list):
        texts = [part["text"] for part in content if part.get("type") == "text"]
    silent = content is None and not message.get("tool_calls")
    if silent or (message["role"] != "tool" and any(not text.strip() for text in texts)):
        return "is empty, and a filler sentence would be put in its place"
    for block in message.get("thinking_blocks") or ():
        if block.get("type") == "thinking" and not block.get("signature"):
            return "holds thinking without a signature, which would be dropped"
    return ""


def _out_of_order(messages: list[Message]) -> str:
    """Two of one side in a row, and system messages after the beginning."""
    for number, (before, after) in enumerate(pairwise(messages), 2):
        sides = before["role"], after["role"]
        if sides in (("user", "user"), ("assistant", "assistant")):
            return f"messages {number - 1} and {number} (both of the {sides[0]}) would be merged"
        if after["role"] == "system" and before["role"] != "system":
            return f"message {number} (of the system) would be moved to the beginning"
    return ""


def _missing(messages: list[Message], body: dict[str, Any]) -> str:
    """The first text or arguments that are not in a body of another shape."""
    there = set(_strings(body))
    objects = {json.dumps(value, sort_keys=True) for value in _objects(body)}
    for number, message in enumerate(messages, 1):
        for text in _texts(message):
            if text and text not in there:
                return f"a text of message {number} (of the {message['role']}) would be changed"
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


def _has_arguments(arguments: str, strings: set[str], objects: set[str]) -> bool:
    if arguments in strings:
        return True
    try:
        value = json.loads(arguments)
    except ValueError:
        return False
    return json.dumps(value, sort_keys=True) in objects
