"""Models that cannot be made to call a tool: an evaluator that answers by tools asks them to."""

from __future__ import annotations

import json
from typing import Any

from ..model.project import Answers, LlmEvaluator

_NOT_AT_ALL = (None, "none", "disable", "disabled")


def answers_of(spec: LlmEvaluator) -> Answers:
    """How it is asked to answer, and read: ``auto`` in the place of ``tools`` where its provider
    refuses ``tool_choice: required``. Anthropic does beside thinking, wherever its models are.
    """
    if spec.answers == "tools" and "claude" in spec.model.lower() and _thinks(spec.params):
        return "auto"
    return spec.answers


def _thinks(params: str) -> bool:
    given: dict[str, Any] = json.loads(params)
    if given.get("reasoning_effort") not in _NOT_AT_ALL:
        return True
    for name, told in (("thinking", "type"), ("reasoning", "effort")):
        value = given.get(name)
        if isinstance(value, dict):
            if value.get("enabled") is not False and value.get(told, name) not in _NOT_AT_ALL:
                return True
        elif value:
            return True
    return False
