"""What the editor edits: a step's payload as named texts, and the way back to a payload. Whatever
was not touched comes back as the very same object. Pure; imports no Textual.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from rollstep.core.model.messages import (
    OtherPart,
    Part,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)

from .edit_state import CallState, State, edited_blocks, edited_part, has, read, state_of, write
from .edit_types import EditRequest
from .json_check import call_fault_words, json_fault

SHOWN = 50_000
"""Characters of one text that the editor shows (a text area wraps and draws the whole of a long
line at each key); what is beyond stays as it is.
"""
SHOWN_LINES = 4_000
"""The same for lines."""


@dataclass(frozen=True)
class Field:
    """One text of the step. ``hidden_tail`` counts characters beyond the shown ones; ``original``
    is what stood there before, None in a step written by hand or a call that was added.
    """

    key: str
    label: str
    text: str
    original: str | None = None
    json: bool = False
    single_line: bool = False
    hidden_tail: int = 0


def shown_part(text: str) -> str:
    """The part of a text that the editor shows; mostly all of it."""
    if len(text) <= SHOWN_LINES:
        return text
    lines = text[:SHOWN].split("\n", SHOWN_LINES)
    return "\n".join(lines[:SHOWN_LINES]) + ("\n" if len(lines) > SHOWN_LINES else "")


class EditModel:
    """The texts of one step while they are edited."""

    def __init__(
        self,
        request: EditRequest,
        *,
        new_id: Callable[[], str] = lambda: f"call_{secrets.token_hex(6)}",
    ) -> None:
        self.request = request
        self.original = request.original
        self._new_id = new_id
        self._ids: dict[int, str] = {}
        self._tails: dict[str, str] = {}
        self.start, self.state = state_of(request), state_of(request)
        self.draft_loaded = bool(request.draft) and self._load(request.draft)
        self.draft_unreadable = bool(request.draft) and not self.draft_loaded

    # What is shown

    def fields(self) -> Iterator[Field]:
        """The texts of the present shape, in the order in which they are shown."""
        state = self.state
        if state.shape == "stop":
            yield self._field("stop.reason", "reason", single_line=True)
            yield self._field("stop.note", "note")
            return
        several = len(state.texts) > 1
        for index in range(len(state.texts)):
            label = f"text {index + 1} of {len(state.texts)}" if several else self._text_label()
            yield self._field(f"text.{index}", label, json=self._is_json(index))
        if state.shape == "result" and self.request.state is not None:
            yield self._field("state", "the simulator's state after this", json=True)
        if state.refusal or self.start.refusal:
            yield self._field("refusal", "refusal")
        for index in range(len(state.reasoning)):
            number = f" {index + 1}" if len(state.reasoning) > 1 else ""
            yield self._field(f"reasoning.{index}", f"reasoning{number}")
        for count, call in enumerate(state.calls, 1):
            yield self._field(f"call.{call.uid}.name", f"call {count} name", single_line=True)
            yield self._field(f"call.{call.uid}.arguments", f"call {count} arguments", json=True)

    def others(self) -> list[str]:
        """The parts that are no text, in words; they stay where they are."""
        parts = getattr(self.original, "parts", ())
        return [
            f"{part.kind} {part.media_type}, {part.size:,} bytes, kept"
            for part in parts
            if isinstance(part, OtherPart)
        ]

    # What is typed

    def has(self, key: str) -> bool:
        """Whether there is such a field (a call may have been removed)."""
        return has(self.state, key)

    def get(self, key: str) -> str:
        """The whole text of a field."""
        return read(self.state, key)

    def set(self, key: str, shown: str) -> None:
        """Take the shown text of a field; its hidden tail stays."""
        write(self.state, key, shown + self._tails.get(key, ""))

    def put(self, key: str, whole: str) -> None:
        """Take the whole text of a field."""
        write(self.state, key, whole)

    def add_call(self, name: str = "", arguments: str = "{}") -> int:
        """Add a call at the end; returns its uid."""
        uid = 1 + max((call.uid for call in self.state.calls + self.start.calls), default=-1)
        self.state.calls.append(CallState(uid, None, name, arguments))
        return uid

    def remove_call(self, uid: int) -> None:
        """Take a call away."""
        self.state.calls = [call for call in self.state.calls if call.uid != uid]

    @property
    def can_switch(self) -> bool:
        """Whether a message may become a stop, or a stop a message."""
        return self.request.can_switch and self.state.shape in ("message", "stop")

    def start_over(self) -> None:
        """Back to what was opened, without the draft."""
        self.state = state_of(self.request)
        self.draft_loaded = self.draft_unreadable = False

    def switch(self) -> None:
        """From message to stop or back; what was typed in the other shape stays."""
        state = self.state
        if state.shape == "message":
            state.shape = "stop"
            state.stop_reason = state.stop_reason or self.request.stop_reasons[0]
        elif state.shape == "stop":
            state.shape = "message"

    # What comes out

    @property
    def changed(self) -> bool:
        """Whether anything differs from what was opened."""
        return self.state_differs() or (self.original is None and bool(self.request.prefill))

    def state_differs(self) -> bool:
        """Whether a key was pressed that left something behind."""
        one, other = asdict(self.state), asdict(self.start)
        one.pop("reason"), other.pop("reason")
        return one != other

    def payload(self) -> Payload:
        """The step as edited; the original itself where nothing differs."""
        if self.original is not None and not self.state_differs():
            return self.original
        state = self.state
        if state.shape == "stop":
            return Stop(state.stop_reason, "human", state.note)
        if state.shape == "result":
            return self._result()
        if isinstance(self.original, SystemNote):
            return SystemNote(self._parts())
        return self._said()

    def simulator_state(self) -> str | None:
        """The simulator's state, where it was edited."""
        return self.state.state if self.state.state != self.start.state else None

    def problems(self) -> list[str]:
        """What the human should know before this is saved; each may be kept all the same, as it
        is data.
        """
        state = self.state
        if state.shape == "stop":
            return [] if state.stop_reason.strip() else ["The stop has no reason."]
        found = [
            words
            for number, call in enumerate(state.calls, 1)
            if not self._untouched(call)
            and (words := call_fault_words(number, ToolCall("", call.name, call.arguments)))
        ]
        found += [
            f"call {number} has no name"
            for number, call in enumerate(state.calls, 1)
            if not call.name.strip() and not self._untouched(call)
        ]
        if self.simulator_state() is not None and not _is_object(state.state):
            found.append("The simulator's state is not a JSON object.")
        if state.shape != "result" and not state.calls and not any(state.texts):
            found.append("The text is empty, and will be sent so.")
        return found

    def notes(self) -> list[str]:
        """What saving does besides what was typed."""
        blocks: tuple[Reasoning, ...] = getattr(self.original, "reasoning", ())
        signed = [
            number
            for number, (block, text) in enumerate(
                zip(blocks, self.state.reasoning, strict=False), start=1
            )
            if text != block.text and (block.signature or block.raw)
        ]
        return [f"Reasoning {n} was edited: its signature no longer fits, dropped." for n in signed]

    def dump(self) -> str:
        """The draft's body."""
        return json.dumps({"v": 1, **asdict(self.state)})

    # Inside

    def _load(self, body: str) -> bool:
        try:
            raw: Any = json.loads(body)
            raw.pop("v", None)
            raw.setdefault("state", self.start.state)
            calls = [CallState(**call) for call in raw.pop("calls")]
            state = State(**raw, calls=calls)
        except (ValueError, TypeError, KeyError, AttributeError):
            return False
        if len(state.texts) != len(self.start.texts):
            return False
        self.state = state
        return True

    def _field(
        self, key: str, label: str, *, json: bool = False, single_line: bool = False
    ) -> Field:
        text = read(self.state, key)
        known = self.original is not None and has(self.start, key)
        original = read(self.start, key) if known else None
        shown = shown_part(text)
        self._tails[key] = text[len(shown) :]
        before = original if original is None else shown_part(original)
        return Field(key, label, shown, before, json, single_line, len(text) - len(shown))

    def _text_label(self) -> str:
        return {"message": "message", "reply": "text", "result": "result"}.get(
            self.state.shape, "text"
        )

    def _is_json(self, index: int) -> bool:
        if self.state.shape != "result":
            return False
        text = self.start.texts[index].lstrip()
        if self.original is None:
            return bool(self.request.returns) or text.startswith(("{", "["))
        return text.startswith(("{", "[")) and len(text) < SHOWN and json_fault(text) is None

    def _said(self) -> Payload:
        state, old = self.state, self.original
        calls = tuple(self._calls())
        blocks = tuple(edited_blocks(getattr(old, "reasoning", ()), state.reasoning))
        if state.shape == "message":
            return UserMessage(self._parts(), blocks, calls)
        finish = old.finish_reason if isinstance(old, TargetReply) else ""
        if finish and bool(calls) != bool(getattr(old, "tool_calls", ())):
            finish = "tool_calls" if calls else "stop"
        return TargetReply(self._parts(), blocks, calls, finish, state.refusal)

    def _result(self) -> ToolResult:
        old = self.original
        if isinstance(old, ToolResult):
            call_id = old.call_id
        else:
            call_id = self.request.call.id if self.request.call else ""
        return ToolResult(call_id, self._parts(), self.state.is_error)

    def _parts(self) -> tuple[Part, ...]:
        old: tuple[Part, ...] = getattr(self.original, "parts", ())
        if self.start.shape != self.state.shape or not any(isinstance(p, Text) for p in old):
            text = self.state.texts[0]
            kept = () if self.start.shape != self.state.shape else old
            return (*((Text(text),) if text else ()), *kept)
        texts = iter(self.state.texts)
        return tuple(part for one in old if (part := edited_part(one, texts)) is not None)

    def _calls(self) -> Iterator[ToolCall]:
        old: tuple[ToolCall, ...] = getattr(self.original, "tool_calls", ())
        for call in self.state.calls:
            if call.source is None or call.source >= len(old):
                made = self._ids.setdefault(call.uid, self._new_id())
                yield ToolCall(made, call.name, call.arguments, made_id=True)
            else:
                yield msgspec.structs.replace(
                    old[call.source], name=call.name, arguments=call.arguments
                )

    def _untouched(self, call: CallState) -> bool:
        return call in self.start.calls


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
