"""A step as the panes show it: a few wrapped lines, only as many as can be seen."""

from __future__ import annotations

import json
from typing import NamedTuple

from rollstep.core.model.messages import (
    MAX_TURNS,
    OtherPart,
    Part,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    payload_text,
)
from rollstep.core.rules.stops import held_back

from .sanitize import one_line, visible
from .wrap import fit, wrap

PANE_LINES = 10
"""Lines that one step takes in a pane at most; the inspector and Enter show all."""
_CALLS = 6
"""Tool calls of one reply that a pane lists."""
_LEAST_TEXT = 3
"""Lines of text that a reply keeps however many calls it makes."""


class PaneLine(NamedTuple):
    """One line of a step in a pane; ``kind`` names its style."""

    kind: str
    text: str


def pane_lines(
    payload: Payload,
    call: ToolCall | None,
    width: int,
    injected: str = "",
    most: int = PANE_LINES,
) -> list[PaneLine]:
    """The lines of a step in a pane of ``width`` cells, at most about ``most``. ``call`` is the
    call that a tool result answers, if it is known; ``injected`` the fault that it is.
    """
    if isinstance(payload, ToolResult):
        return _result_lines(payload, call, width, injected, most)
    if isinstance(payload, Stop):
        note = f"not sent: {payload.note}" if held_back(payload) else payload.note
        return text_lines(note, width, "dim", _LEAST_TEXT) if note else []
    if isinstance(payload, SystemNote):
        return [PaneLine("dim", "system note"), *_parts_lines(payload.parts, width, most - 1)]
    return _message_lines(payload, width, most)


def stop_title(stop: Stop) -> str:
    """A stop in one line: who proposes it, and why."""
    if stop.reason == MAX_TURNS and stop.by == "evaluator":
        by = "by the evaluator at the limit"
    else:
        by = _BY[stop.by]
    return f"stop {by}: {one_line(stop.reason)}"


_BY = {"evaluator": "proposed by the evaluator", "rule": "by rule", "human": "by hand"}


def call_text(call: ToolCall, most: int = 400) -> str:
    """A call as one line of code: ``get_order(order_id="4471")``."""
    return f"{one_line(call.name)}({_arguments(call.arguments, most)})"


def _arguments(text: str, most: int) -> str:
    if len(text) <= most * 4:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            pairs = (f"{name}={json.dumps(v, ensure_ascii=False)}" for name, v in value.items())
            text = ", ".join(pairs)
    return one_line(text[:most]) + ("…" if len(text) > most else "")


def text_lines(text: str, width: int, kind: str, limit: int) -> list[PaneLine]:
    """A text in at most ``limit`` lines, the last of which says how much is left out."""
    # Cut before it is sanitised, with room for marks: a huge text costs as little as its head.
    head = text[: limit * width * 2 + 512]
    wrapped = wrap(visible(head), width, limit)
    lines = [PaneLine(kind, line) for line in wrapped.lines]
    cut = len(head) < len(text)
    if not (wrapped.more_lines or cut):
        return lines
    more_lines = wrapped.more_lines + (text.count("\n", len(head)) if cut else 0)
    more_chars = wrapped.more_chars + (len(text) - len(head))
    lines[-1:] = [PaneLine("more", left_out(more_lines, more_chars))] if limit > 1 else []
    return lines


def left_out(more_lines: int, more_chars: int) -> str:
    """``+31 lines``, or how much of one long line is left."""
    if more_lines > 1:
        return f"+{more_lines + 1:,} lines"
    if more_chars > 200:
        return f"+{more_chars:,} characters"
    return "+2 lines"


def _message_lines(payload: UserMessage | TargetReply, width: int, most: int) -> list[PaneLine]:
    lines: list[PaneLine] = []
    if payload.reasoning:
        first = payload.reasoning[0].text[:400].strip() or "(empty)"
        lines.append(PaneLine("reasoning", fit("∴ " + one_line(first), width)))
    calls = _call_lines(payload.tool_calls, width)
    room = max(_LEAST_TEXT, most - len(calls) - len(lines))
    lines += _parts_lines(payload.parts, width, room)
    if isinstance(payload, TargetReply) and payload.refusal:
        lines += text_lines("refused: " + payload.refusal, width, "error", _LEAST_TEXT)
    lines += calls
    return lines or [PaneLine("dim", "(empty)")]


def _call_lines(calls: tuple[ToolCall, ...], width: int) -> list[PaneLine]:
    lines: list[PaneLine] = []
    for call in calls[:_CALLS]:
        wrapped = wrap(call_text(call), max(width - 2, 4), 2)
        pieces = wrapped.lines
        if wrapped.more_lines:
            pieces[-1] = fit(pieces[-1] + "……", max(width - 2, 4))
        lines += [PaneLine("call", ("> " if i == 0 else "  ") + p) for i, p in enumerate(pieces)]
    if len(calls) > _CALLS:
        lines.append(PaneLine("more", f"+{len(calls) - _CALLS} calls"))
    return lines


def _result_lines(
    payload: ToolResult, call: ToolCall | None, width: int, injected: str, most: int
) -> list[PaneLine]:
    name = one_line(call.name) if call else "answers no call in this branch"
    head = PaneLine("error" if payload.is_error else "name", fit(name, width))
    if payload.is_error:
        head = PaneLine("error", fit(f"{name}  error", width))
    lines = [head]
    if injected:
        lines.append(PaneLine("warn", fit(f"injected: {one_line(injected)}", width)))
    return [*lines, *_parts_lines(payload.parts, width, most - len(lines))]


def _parts_lines(parts: tuple[Part, ...], width: int, limit: int) -> list[PaneLine]:
    text = parts_text(parts)
    lines = text_lines(text, width, "text", limit) if text else []
    for part in parts:
        if isinstance(part, OtherPart):
            lines.append(PaneLine("dim", fit(other_part(part), width)))
    return lines


def other_part(part: OtherPart) -> str:
    """A part that is no text, in one line."""
    kind = one_line(part.media_type or part.kind)
    return f"[{kind}, {part.size:,} bytes]"


def first_words(payload: Payload, width: int) -> str:
    """The beginning of a step's text in one line."""
    return first_text(payload_text(payload), width)


def first_text(text: str, width: int) -> str:
    """The beginning of a text in one line."""
    text = text[: width * 2].strip()
    return fit(one_line(text.replace("\n", " ")), width)
