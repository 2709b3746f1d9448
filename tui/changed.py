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
from rollstep.core.rules.json_values import parse, same_value
from rollstep.core.rules.word_diff import Stretch, word_diff

from .stepview import call_text, stop_title

_LEAD, _PIECE, _WINDOW = 24, 60, 600
_LONGEST_JSON = 20_000
_ALIKE = 0.4
"""Where less of two texts is the same, the first words that differ say nothing of them."""


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
    """``…"refundable": false → true``: the first difference, and a little of what leads to it; of
    texts that have little in common, how each begins.
    """
    if old == new:
        return ""
    if not old or not new:
        return f"{_short(old) or '(empty)'} → {_short(new) or '(empty)'}"
    members = _members(old, new)
    if members:
        return members
    start = 0
    while old[start : start + _WINDOW] == new[start : start + _WINDOW]:
        start += _WINDOW
    start = max(start - _LEAD, 0)
    shown = old[start : start + 2 * _WINDOW], new[start : start + 2 * _WINDOW]
    stretches = word_diff(*shown)
    alike = sum(len(each.text) for each in stretches if each.kind == "same")
    if alike < _ALIKE * max(map(len, shown)) and min(map(len, shown)) > _LEAD:
        return " → ".join(f"{'…' if start else ''}{_short(text)}" for text in shown)
    more = old[start + 2 * _WINDOW :] != new[start + 2 * _WINDOW :]
    return _first(stretches, more)


def _first(stretches: list[Stretch], more: bool) -> str:
    """The first of these differences; a sign tells that there are others."""
    lead, removed, added = "", "", ""
    for stretch in stretches:
        if stretch.kind == "same" and not (removed or added):
            lead = stretch.text
        elif stretch.kind == "removed" and not removed:
            removed = stretch.text
        elif stretch.kind == "added" and not added:
            added = stretch.text
        elif stretch.kind != "same":
            more = True
    line = lead.rpartition("\n")[2]
    before = f"…{line[-_LEAD:]}" if len(line) > _LEAD else line.lstrip()
    end = " …" if more else ""
    if not removed:
        return f"{before.rstrip()} + {_short(added)}{end}".strip()
    return f"{before}{_short(removed)} → {_short(added) or '(nothing)'}{end}"


def _members(old: str, new: str) -> str:
    """The first member that differs, where both are JSON objects that are not too long to read."""
    if not (old[:1] == new[:1] == "{") or max(len(old), len(new)) > _LONGEST_JSON:
        return ""
    before, after = _arguments(old), _arguments(new)
    if before is None or after is None or same_value(before, after):
        return ""
    return _argument(before, after)


def _calls(old: tuple[ToolCall, ...], new: tuple[ToolCall, ...]) -> str:
    for one, other in zip_longest(old, new):
        if one is None:
            return f"+ {call_text(other, _PIECE)}"
        if other is None:
            return f"without {call_text(one, _PIECE)}"
        if one.name != other.name:
            return f"{one.name} → {other.name}"
        if one.arguments != other.arguments:
            return f"{other.name}({_of_call(one.arguments, other.arguments)})"
    return ""


def _of_call(old: str, new: str) -> str:
    before, after = _arguments(old), _arguments(new)
    if before is None or after is None:
        return _texts(old, new)
    return _argument(before, after) or "written otherwise"


def _argument(before: dict[str, object], after: dict[str, object]) -> str:
    """The first member that is another, ``order_id: "4417" → "4471"``; a sign for more of them."""
    found = ""
    for name in {**before, **after}:
        if name in before and name in after and same_value(before[name], after[name]):
            continue
        if found:
            return f"{found} …"
        if name not in after:
            found = f"without {name}"
        elif name not in before:
            found = f"+ {name}: {_value(after[name])}"
        else:
            found = f"{name}: {_value(before[name])} → {_value(after[name])}"
    return found


def _arguments(text: str) -> dict[str, object] | None:
    found = parse(text)
    return found if isinstance(found, dict) else None


def _value(value: object) -> str:
    return _short(json.dumps(value, ensure_ascii=False))


def _short(text: str) -> str:
    text = text[: _PIECE * 2].strip()
    return text if len(text) <= _PIECE else f"{text[:_PIECE]}…"
