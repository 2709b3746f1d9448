"""Stored projects of earlier versions, made into those of today. Works on their JSON values."""

from __future__ import annotations

import json
from typing import Any

_KEPT: dict[str, type] = {
    **dict.fromkeys(("when", "role", "tool", "text", "regex", "name"), str),
    **dict.fromkeys(("before", "enabled"), bool),
    "turn": int,
}


def typed_breakpoints(project: Any) -> bool:
    """Put objects in the place of breakpoints that version 1 kept as JSON texts, which nothing had
    read yet: of each, the fields that a breakpoint has today. Whether there were any.
    """
    given = project.get("breakpoints") if isinstance(project, dict) else None
    if not isinstance(given, list) or not any(isinstance(each, str) for each in given):
        return False
    project["breakpoints"] = [_typed(each) if isinstance(each, str) else each for each in given]
    return True


def _typed(text: str) -> dict[str, Any]:
    value = json.loads(text)
    return {name: value[name] for name, kind in _KEPT.items() if isinstance(value.get(name), kind)}
