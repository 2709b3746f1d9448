"""Rules of tools: what calls and results must look like, and results that contradict others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import copy
from functools import lru_cache
from typing import Any, NamedTuple

from ...model.messages import TargetReply, ToolCall, ToolResult, UserMessage, parts_text
from ..json_values import MISSING, parse, same_value
from ..schemas import args_problem, result_problem
from .alone import bad_arguments
from .findings import Finding
from .seen import Seen, brief, number

_CHECKED = 262_144
"""Texts longer than this are not held against a schema: nobody waits for them."""
_COMPARED = 65_536
"""Results longer than this are compared as texts only."""


def schemas(seen: Seen) -> Iterator[Finding]:
    """Arguments against ``parameters``, a result against ``returns``."""
    payload = seen.payload
    if isinstance(payload, TargetReply | UserMessage):
        for call in payload.tool_calls:
            if words := _call_problem(seen, call):
                yield seen.flag("arguments-schema", f"{brief(call.name, 40)}: {words}")
    elif isinstance(payload, ToolResult) and seen.call is not None:
        tool = seen.project.tool(seen.call.name)
        # What a failure looks like is no business of ``returns``, and a fault is wrong on purpose.
        if tool is None or payload.is_error or seen.step.injected:
            return
        text = parts_text(payload.parts)
        if len(text) <= _CHECKED and (words := result_problem(tool, text)):
            yield seen.flag("result-schema", f"{tool.name} returns something else: {words}")


def _call_problem(seen: Seen, call: ToolCall) -> str:
    tool = seen.project.tool(call.name)
    if tool is not None:
        unread = len(call.arguments) > _CHECKED or bad_arguments(call)
        return "" if unread else args_problem(tool, call.arguments)
    if isinstance(seen.payload, UserMessage):
        return ""  # the tools of users are not declared
    if not seen.project.tools:
        return ""  # nor are those of many imports, and of targets that bring their own
    return "no tool of this name is declared"


# -- state drift ------------------------------------------------------------------------------

_READS = frozenset(
    (
        *("check", "count", "describe", "exists", "fetch", "find", "get", "has", "inspect", "is"),
        *("list", "load", "lookup", "look", "peek", "preview", "query", "read", "retrieve"),
        *("search", "show", "view", "verify", "validate", "whois", "ls", "cat", "grep", "stat"),
    )
)
"""First words of tools that only look."""
_WRITES = frozenset(
    (
        *("add", "apply", "approve", "assign", "book", "buy", "cancel", "change", "clear", "close"),
        *("create", "delete", "drop", "edit", "execute", "in", "insert", "increment", "issue"),
        *("lock", "mark", "move", "next", "open", "or", "out", "pay", "place", "pop", "post"),
        *("put", "refund", "register", "release", "remove", "replace", "reserve", "reset", "run"),
        *("save", "send", "set", "start", "stop", "submit", "toggle", "transfer", "update"),
        *("upload", "upsert", "write"),
    )
)
"""Words that, anywhere in a name, mean that it may do more than look: check_out, get_or_create."""
_CHANGES_BY_ITSELF = frozenset(("clock", "now", "random", "time", "timestamp", "today", "uuid"))
"""What such a tool tells may well be another thing a moment later."""


@lru_cache(maxsize=1024)
def _words(name: str) -> tuple[str, ...]:
    last = re.split(r"__|[./:]", name)[-1] or name
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last)
    return tuple(word.lower() for word in re.findall(r"[^\W_]+", spaced))


def only_reads(name: str) -> bool:
    """Whether a tool's name reads like looking only."""
    words = _words(name)
    return bool(words) and words[0] in _READS and _WRITES.isdisjoint(words)


class _Known(NamedTuple):
    at: int
    text: str


class Drift:
    """Results that contradict an earlier one of the same tool for the same arguments."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Known] = {}
        self._mixed = False
        """Whether the reply whose results come now calls a tool that may change something."""

    def fork(self) -> Drift:
        """The same, to go on along another branch."""
        other = copy(self)
        other._known = dict(self._known)
        return other

    def look(self, seen: Seen) -> Iterator[Finding]:
        """Look at the next step."""
        payload = seen.payload
        if isinstance(payload, TargetReply | UserMessage):
            self._mixed = not all(only_reads(call.name) for call in payload.tool_calls)
        if self._mixed:
            self._known.clear()
        elif isinstance(payload, ToolResult) and seen.call is not None:
            yield from self._compare(seen, payload, seen.call)

    def _compare(self, seen: Seen, payload: ToolResult, call: ToolCall) -> Iterator[Finding]:
        if payload.is_error or seen.step.injected:
            return
        if not _CHANGES_BY_ITSELF.isdisjoint(_words(call.name)):
            return
        key = call.name, _same_arguments(call.arguments)
        text = parts_text(payload.parts)
        before = self._known.get(key)
        if before is None:
            self._known[key] = _Known(seen.place, text)
        elif words := _contradiction(before.text, text):
            yield seen.flag("state-drift", f"{number(before.at)} says {words}")


def _same_arguments(arguments: str) -> str:
    value = parse(arguments) if len(arguments) <= _COMPARED else MISSING
    if value is MISSING:
        return arguments
    try:
        return json.dumps(_plain_numbers(value), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def _plain_numbers(value: Any) -> Any:
    """1.0 as 1: JSON has one kind of number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain_numbers(each) for key, each in value.items()}
    return [_plain_numbers(each) for each in value] if isinstance(value, list) else value


def _contradiction(before: str, now: str) -> str:
    """What the earlier result says where the two differ, or the empty string."""
    if before == now or max(len(before), len(now)) > _COMPARED:
        return ""
    one, other = _value(before), _value(now)
    if one is MISSING or other is MISSING or _is_failure(one) or _is_failure(other):
        return ""
    if same_value(one, other):
        return ""
    at, was, is_now = _difference(one, other)
    return f"{at + ' ' if at else ''}{_shown(was)} for the same arguments, this {_shown(is_now)}"


def _value(text: str) -> Any:
    """The JSON value of a result. Of other texts only single words are compared: sentences say
    the same thing in many ways.
    """
    value = parse(text)
    if value is MISSING and text.strip() and not any(map(str.isspace, text.strip())):
        return text.strip()
    return value


def _is_failure(value: Any) -> bool:
    """A failure that is not marked as one contradicts nothing: the next try may well succeed."""
    return isinstance(value, dict) and bool(value.get("error") or value.get("errors"))


def _difference(one: Any, other: Any) -> tuple[str, Any, Any]:
    """The first place where two values differ, as a JSON pointer, and what stands there."""
    at = ""
    while (inside := _first_inside(one, other)) is not None:
        name, one, other = inside
        at = f"{at}/{name}"
    return brief(at), one, other


def _first_inside(one: Any, other: Any) -> tuple[str | int, Any, Any] | None:
    """The first member in which two values differ; None where they differ as a whole."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in (*one, *(key for key in other if key not in one)):
            was, now = one.get(key, MISSING), other.get(key, MISSING)
            if was is MISSING or now is MISSING or not same_value(was, now):
                return key, was, now
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (was, now) in enumerate(zip(one, other, strict=True)):
            if not same_value(was, now):
                return index, was, now
    return None


def _shown(value: Any) -> str:
    if value is MISSING:
        return "nothing"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "an object" if isinstance(value, dict) else brief(json.dumps(value, ensure_ascii=False))
