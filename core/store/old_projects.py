"""Stored projects of earlier versions, made into those of today. Works on their JSON values."""

from __future__ import annotations

import json
from typing import Any

_TEXTS = ("when", "role", "tool", "text", "regex")
_ROLES = ("evaluator", "target", "tool")
_MOST = 2**63 - 1


def typed_breakpoints(project: Any) -> bool:
    """Put objects in the place of breakpoints that version 1 kept as JSON texts, which nothing had
    read yet: of each, the fields that a breakpoint has today. One that says nothing which can be
    read is left out: it would stop at every step. Whether there were any.
    """
    given = project.get("breakpoints") if isinstance(project, dict) else None
    if not isinstance(given, list) or not any(isinstance(each, str) for each in given):
        return False
    typed = [_typed(each) if isinstance(each, str) else each for each in given]
    project["breakpoints"] = [each for each in typed if each]
    return True


def _typed(text: str) -> dict[str, Any]:
    """The breakpoint that a text says; empty for none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, str):
        return {"when": value}
    if not isinstance(value, dict):
        return {}
    held = {name: value[name] for name in _TEXTS if isinstance(value.get(name), str)}
    if held.get("role", _ROLES[0]) not in _ROLES:
        del held["role"]
    turn = value.get("turn")
    if type(turn) is int and 1 <= turn <= _MOST:
        held["turn"] = turn
    if not held:
        return {}
    more = {name: value[name] for name in ("before", "enabled") if type(value.get(name)) is bool}
    return held | more | ({"name": value["name"]} if isinstance(value.get("name"), str) else {})
