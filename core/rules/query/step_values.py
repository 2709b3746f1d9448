"""The values that occur in a path, for the completion of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...model.marks import Score
from ...model.messages import Stop, TargetReply, ToolResult, UserMessage, payload_text
from ...model.project import Project
from ...model.steps import Step
from ..json_values import MISSING, parse
from .nodes import Ref, Value, ref_text

LOOKED_AT = 300
"""Steps of a path, the newest, that are looked at."""

LONGEST_JSON = 20_000
"""Characters of arguments and results that are read."""

LONGEST_VALUE = 60
"""Characters of a text that is offered as a value."""

_KEPT = 30
"""Different values that are kept for one field."""

_DEEPEST = 3


def values_in(
    path: Sequence[Step], project: Project, scores: Iterable[Score] = ()
) -> dict[str, list[Value]]:
    """By field, as a query names it, the values that it has in this path, the newest first; the
    project's tools too.
    """
    found: dict[str, dict[Value, None]] = {}

    def add(name: str, value: Value) -> None:
        values = found.setdefault(name, {})
        if len(values) < _KEPT and not (isinstance(value, str) and len(value) > LONGEST_VALUE):
            values.setdefault(value)

    def add_json(name: str, text: str) -> None:
        value = parse(text) if len(text) <= LONGEST_JSON else MISSING
        for tokens, leaf in _leaves(value, ()):
            add(ref_text(Ref(name, tokens)), leaf)

    for step in reversed(path[-LOOKED_AT:]):
        payload = step.payload
        if isinstance(payload, UserMessage | TargetReply):
            for call in payload.tool_calls:
                add("tool", call.name)
                add_json("args", call.arguments)
        elif isinstance(payload, ToolResult):
            add_json("result", payload_text(payload))
        elif isinstance(payload, Stop):
            add("stop", payload.reason)
        if step.injected:
            add("injected", step.injected)
        if step.call is not None:
            add("model", step.call.model)
    for tool in project.tools:
        add("tool", tool.name)
    for score in scores:
        if score.value is not None:
            add(ref_text(Ref("score", (score.name,), named=True)), score.value)
    return {name: list(values) for name, values in found.items()}


def _leaves(value: object, tokens: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], Value]]:
    """The scalars of a JSON value, not too deep, of lists the first item."""
    if isinstance(value, dict):
        if len(tokens) < _DEEPEST:
            for key, member in list(value.items())[:_KEPT]:
                yield from _leaves(member, (*tokens, key))
    elif isinstance(value, list):
        if value and len(tokens) < _DEEPEST:
            yield from _leaves(value[0], (*tokens, "0"))
    elif tokens and (value is None or isinstance(value, str | int | float)):
        yield tokens, value
