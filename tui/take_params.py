"""What models were told otherwise for one take than for another: parameters that differ. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from rollstep.core.model.steps import Step

_SHOWN = 40
"""Characters of a value that are shown."""


def differing(takes: Iterable[Step]) -> dict[str, str]:
    """For each take that a model gave, the parameters in which these takes differ, in words:
    ``temperature 0.2, top_p not set``. Empty where they were asked alike.
    """
    parsed: dict[str, dict[str, Any]] = {}
    asked: dict[str, str] = {}
    for take in takes:
        if take.call is not None:
            asked[take.id] = take.call.params
            if take.call.params not in parsed:
                parsed[take.call.params] = _object(take.call.params)
    if len(parsed) < 2:
        return {}
    names = dict.fromkeys(name for each in parsed.values() for name in each)
    unlike = [n for n in names if len({_value(n, each) for each in parsed.values()}) > 1]
    words = {
        text: ", ".join(f"{n} {_cut(_value(n, each))}" for n in unlike)
        for text, each in parsed.items()
    }
    return {step_id: words[text] for step_id, text in asked.items()}


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _value(name: str, params: dict[str, Any]) -> str:
    return json.dumps(params[name], ensure_ascii=False) if name in params else "not set"


def _cut(value: str) -> str:
    return value if len(value) <= _SHOWN else value[:_SHOWN] + "…"
