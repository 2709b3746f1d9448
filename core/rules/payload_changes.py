"""What differs between two payloads, field by field. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from ..model.messages import (
    OtherPart,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    payload_text,
    reasoning_text,
)

_KINDS: dict[type[Payload], str] = {
    UserMessage: "message",
    TargetReply: "reply",
    ToolResult: "tool result",
    SystemNote: "system note",
    Stop: "stop",
}


class Difference(NamedTuple):
    """One thing that differs: what it is in a few words, and what stands on either side."""

    what: str
    left: str
    right: str


def payload_changes(left: Payload, right: Payload) -> tuple[Difference, ...]:
    """All that differs, in the order in which it is read. Names of calls do not count: two calls
    are the same when their tool and arguments are.
    """
    found = [*_kinds(left, right), *_said(left, right), *_calls(left, right)]
    return tuple(change for change in found if change.left != change.right)


def kind_of(payload: Payload) -> str:
    """What kind of step it is, in a word or two."""
    return _KINDS[type(payload)]


def _kinds(left: Payload, right: Payload) -> Iterator[Difference]:
    yield Difference("kind", kind_of(left), kind_of(right))
    if isinstance(left, Stop) or isinstance(right, Stop):
        for name in ("reason", "by"):
            yield Difference(name, getattr(left, name, ""), getattr(right, name, ""))


def _said(left: Payload, right: Payload) -> Iterator[Difference]:
    blocks = _reasoning(left), _reasoning(right)
    yield Difference("reasoning", reasoning_text(blocks[0]), reasoning_text(blocks[1]))
    if blocks[0] != blocks[1] and reasoning_text(blocks[0]) == reasoning_text(blocks[1]):
        yield Difference("reasoning as received", repr(blocks[0]), repr(blocks[1]))
    yield Difference("text", payload_text(left), payload_text(right))
    yield from _parts(left, right)
    errors = [isinstance(p, ToolResult) and p.is_error for p in (left, right)]
    yield Difference("error", *("yes" if error else "no" for error in errors))
    for name, words in (("refusal", "refusal"), ("finish_reason", "finish reason")):
        yield Difference(words, getattr(left, name, ""), getattr(right, name, ""))


def _reasoning(payload: Payload) -> tuple[Reasoning, ...]:
    return payload.reasoning if isinstance(payload, UserMessage | TargetReply) else ()


def _parts(left: Payload, right: Payload) -> Iterator[Difference]:
    parts = [() if isinstance(p, Stop) else p.parts for p in (left, right)]
    others = [[part for part in found if isinstance(part, OtherPart)] for found in parts]
    if others[0] != others[1]:
        yield Difference("other parts", *(_listed(found) for found in others))
    elif parts[0] != parts[1] and payload_text(left) == payload_text(right):
        yield Difference("how the text is cut into parts", *(repr(found) for found in parts))


def _listed(parts: list[OtherPart]) -> str:
    return "\n".join(repr(part) for part in parts)


def calls_of(payload: Payload) -> tuple[ToolCall, ...]:
    """The calls that a payload makes."""
    return payload.tool_calls if isinstance(payload, UserMessage | TargetReply) else ()


def _calls(left: Payload, right: Payload) -> Iterator[Difference]:
    for number, (one, other) in enumerate(zip_longest(calls_of(left), calls_of(right)), 1):
        if one is None or other is None or one.name != other.name:
            yield Difference(f"call {number}", _whole(one), _whole(other))
        else:
            yield Difference(f"arguments of call {number}", one.arguments, other.arguments)


def _whole(call: ToolCall | None) -> str:
    return f"{call.name}({call.arguments})" if call is not None else ""
