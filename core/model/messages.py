"""What one step carries: the payload types, frozen, with tuples inside.

Texts may hold anything that a Python string can hold, lone surrogates included; nothing here
trims, re-encodes or parses them. Tool-call arguments are the JSON text exactly as produced.

``gc=False``: frozen values make no cycles, and a long rollout holds tens of thousands that the
cycle collector would walk again and again.
"""

from typing import Literal

import msgspec

StopBy = Literal["evaluator", "rule", "human"]

GOAL_REACHED = "goal_reached"
MAX_TURNS = "max_turns"
UNRECOVERABLE = "unrecoverable"
MAX_STEPS = "max_steps"
STOP_REASONS = (GOAL_REACHED, MAX_TURNS, UNRECOVERABLE)
"""The reasons every project has; a project may use words of its own beside them."""


class Text(msgspec.Struct, frozen=True, gc=False, tag="text"):
    """A text part."""

    text: str


class OtherPart(msgspec.Struct, frozen=True, gc=False, tag="other"):
    """A part that is no text, kept as it came: ``raw`` is its JSON text, ``size`` in bytes."""

    kind: str
    media_type: str
    size: int
    raw: str


Part = Text | OtherPart


class Reasoning(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One reasoning block as received; ``raw`` is the provider's own JSON, to be replayed
    unchanged. A signature holds only for the unedited text.
    """

    text: str
    signature: str | None = None
    raw: str | None = None


class ToolCall(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One call. ``made_id`` marks an id that we made because none came."""

    id: str
    name: str
    arguments: str
    made_id: bool = False


class UserMessage(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag="user_message"):
    """What the evaluator says. Its reasoning is its own and never reaches the target."""

    parts: tuple[Part, ...]
    reasoning: tuple[Reasoning, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()


class TargetReply(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag="target_reply"):
    """What the target says and calls."""

    parts: tuple[Part, ...]
    reasoning: tuple[Reasoning, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = ""
    refusal: str = ""


class ToolResult(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag="tool_result"):
    """The answer to one call."""

    call_id: str
    parts: tuple[Part, ...]
    is_error: bool = False


class SystemNote(msgspec.Struct, frozen=True, gc=False, tag="system_note"):
    """A system message in mid-conversation (imports hold them)."""

    parts: tuple[Part, ...]


class Stop(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag="stop"):
    """The end, and why. ``note`` is free text (the message that a rule held back, say)."""

    reason: str
    by: StopBy
    note: str = ""


Payload = UserMessage | TargetReply | ToolResult | SystemNote | Stop


def text_parts(text: str) -> tuple[Part, ...]:
    """One text part, or none for the empty string, so that equal texts are equal parts."""
    return (Text(text),) if text else ()


def user_message(text: str) -> UserMessage:
    """An evaluator message of plain text (an empty string is legal and is sent)."""
    return UserMessage(text_parts(text))


def target_reply(text: str, tool_calls: tuple[ToolCall, ...] = ()) -> TargetReply:
    """A target reply of plain text and calls."""
    return TargetReply(text_parts(text), tool_calls=tool_calls)


def tool_result(call_id: str, text: str, *, is_error: bool = False) -> ToolResult:
    """A tool result of plain text."""
    return ToolResult(call_id, text_parts(text), is_error)


def parts_text(parts: tuple[Part, ...]) -> str:
    """The text parts joined as they are, without the other parts."""
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].text
    return "".join(part.text for part in parts if isinstance(part, Text))


def payload_text(payload: Payload) -> str:
    """The payload's own text: what a role said, a tool answered, or a stop's note."""
    if isinstance(payload, Stop):
        return payload.note
    return parts_text(payload.parts)


def reasoning_text(blocks: tuple[Reasoning, ...]) -> str:
    """Reasoning blocks as one text, a blank line between them."""
    return "\n\n".join(block.text for block in blocks)
