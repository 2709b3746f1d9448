"""The first thing that an edit changed, in a few words, for lists. Pure."""

from __future__ import annotations

import json
from itertools import zip_longest

from rollstep.core.model.messages import (
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    payload_text,
)
from rollstep.core.rules.word_diff import word_diff

from .stepview import call_text, stop_title

_LEAD, _PIECE, _WINDOW = 24, 60, 600


def changed_words(old: Payload, new: Payload) -> str:
    """What ``new`` says that ``old`` does not; empty when they say the same."""
    if isinstance(old, Stop) or isinstance(new, Stop):
        words = [stop_title(p) if isinstance(p, Stop) else payload_text(p) for p in (old, new)]
        return "" if old == new else f"{_short(words[0])} → {_short(words[1])}"
    rest = ""
    if isinstance(old, ToolResult) and isinstance(new, ToolResult) and old.is_error != new.is_error:
        rest = "an error" if new.is_error else "no error"
    if isinstance(old, TargetReply) and isinstance(new, TargetReply):
        rest = _calls(old.tool_calls, new.tool_calls)
    return "; ".join(filter(None, (_texts(payload_text(old), payload_text(new)), rest)))


def _texts(old: str, new: str) -> str:
    """``…"refundable": false → true``: the first difference, and a little of what leads to it."""
    if old == new:
        return ""
    if not old or not new:
        return f"{_short(old) or '(empty)'} → {_short(new) or '(empty)'}"
    start = 0
    while old[start : start + _WINDOW] == new[start : start + _WINDOW]:
        start += _WINDOW
    start = max(start - _LEAD, 0)
    lead, removed, added = "", "", ""
    for stretch in word_diff(old[start : start + 2 * _WINDOW], new[start : start + 2 * _WINDOW]):
        if stretch.kind == "same" and not (removed or added):
            lead = stretch.text
        elif stretch.kind == "removed" and not removed:
            removed = stretch.text
        elif stretch.kind == "added" and not added:
            added = stretch.text
        else:
            break
    line = lead.rpartition("\n")[2]
    before = f"…{line[-_LEAD:]}" if len(line) > _LEAD else line.lstrip()
    if not removed:
        return f"{before.rstrip()} + {_short(added)}".strip()
    return f"{before}{_short(removed)} → {_short(added) or '(nothing)'}"


def _calls(old: tuple[ToolCall, ...], new: tuple[ToolCall, ...]) -> str:
    for one, other in zip_longest(old, new):
        if one is None:
            return f"+ {call_text(other, _PIECE)}"
        if other is None:
            return f"without {call_text(one, _PIECE)}"
        if one.name != other.name:
            return f"{one.name} → {other.name}"
        if one.arguments != other.arguments:
            return f"{other.name}({_argument(one.arguments, other.arguments)})"
    return ""


def _argument(old: str, new: str) -> str:
    """The first argument that is another: ``order_id: "4417" → "4471"``."""
    before, after = _arguments(old), _arguments(new)
    if before is None or after is None:
        return _texts(old, new)
    for name in {**before, **after}:
        if name not in after:
            return f"without {name}"
        if name not in before:
            return f"+ {name}: {_value(after[name])}"
        if before[name] != after[name]:
            return f"{name}: {_value(before[name])} → {_value(after[name])}"
    return "written otherwise"


def _arguments(text: str) -> dict[str, object] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _value(value: object) -> str:
    return _short(json.dumps(value, ensure_ascii=False))


def _short(text: str) -> str:
    text = text[: _PIECE * 2].strip()
    return text if len(text) <= _PIECE else f"{text[:_PIECE]}…"
