"""The texts of one step as they are typed: all that a draft keeps, each reached by its key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rollstep.core.model.messages import (
    Part,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolResult,
    UserMessage,
)

from .edit_types import EditRequest, Shape


@dataclass
class CallState:
    """A call being edited: ``source`` indexes the original's calls, None for a new one."""

    uid: int
    source: int | None
    name: str
    arguments: str


@dataclass
class State:
    """All that can be typed; what a draft keeps."""

    shape: Shape
    texts: list[str]
    reasoning: list[str] = field(default_factory=list)
    calls: list[CallState] = field(default_factory=list)
    refusal: str = ""
    is_error: bool = False
    stop_reason: str = ""
    note: str = ""
    reason: str = ""
    state: str = ""


def state_of(request: EditRequest) -> State:
    """What the editor opens with."""
    payload = request.original
    if payload is None:
        state = State(request.shape, [request.prefill])
        if request.shape == "stop":
            state.stop_reason = request.stop_reasons[0]
        if request.shape == "reply":
            state.reasoning = [""]
        return state
    if isinstance(payload, Stop):
        held_back = payload.note if payload.by == "rule" else ""
        return State("stop", [held_back], stop_reason=payload.reason, note=payload.note)
    texts = [part.text for part in payload.parts if isinstance(part, Text)] or [""]
    state = State(request.shape, texts)
    if isinstance(payload, ToolResult):
        state.is_error = payload.is_error
        state.state = request.state or ""
    if isinstance(payload, UserMessage | TargetReply):
        state.reasoning = [block.text for block in payload.reasoning]
        state.calls = [
            CallState(index, index, call.name, call.arguments)
            for index, call in enumerate(payload.tool_calls)
        ]
    if isinstance(payload, TargetReply):
        state.reasoning = state.reasoning or [""]
        state.refusal = payload.refusal
    return state


def edited_part(part: Part, texts: Iterator[str]) -> Part | None:
    """The part with its text taken from ``texts``: itself if that is the same, None if it is
    emptied.
    """
    if not isinstance(part, Text):
        return part
    text = next(texts)
    if text == part.text:
        return part
    return Text(text) if text else None


def edited_blocks(old: tuple[Reasoning, ...], texts: list[str]) -> Iterator[Reasoning]:
    """The blocks as edited; an edited one loses its signature, which no longer fits."""
    for index, text in enumerate(texts):
        if index < len(old) and old[index].text == text:
            yield old[index]
        elif text:
            yield Reasoning(text)


def has(state: State, key: str) -> bool:
    """Whether there is such a text."""
    kind, _, rest = key.partition(".")
    if kind == "text":
        return int(rest) < len(state.texts)
    if kind == "reasoning":
        return int(rest) < len(state.reasoning)
    if kind == "call":
        return any(call.uid == int(rest.partition(".")[0]) for call in state.calls)
    return True


def read(state: State, key: str) -> str:
    """The text of this key."""
    kind, _, rest = key.partition(".")
    if kind == "text":
        return state.texts[int(rest)]
    if kind == "reasoning":
        return state.reasoning[int(rest)]
    if kind == "call":
        uid, _, name = rest.partition(".")
        text: str = getattr(_call(state, int(uid)), name)
        return text
    texts = {
        "stop.reason": state.stop_reason,
        "stop.note": state.note,
        "refusal": state.refusal,
        "state": state.state,
    }
    return texts[key]


def write(state: State, key: str, text: str) -> None:
    """Put the text of this key."""
    kind, _, rest = key.partition(".")
    if kind == "text":
        state.texts[int(rest)] = text
    elif kind == "reasoning":
        state.reasoning[int(rest)] = text
    elif kind == "call":
        uid, _, name = rest.partition(".")
        setattr(_call(state, int(uid)), name, text)
    else:
        setattr(state, {"stop.reason": "stop_reason", "stop.note": "note"}.get(key, key), text)


def _call(state: State, uid: int) -> CallState:
    return next(call for call in state.calls if call.uid == uid)
